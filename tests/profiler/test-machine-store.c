/* test-machine-store.c — what was measured of a machine is stored once and read within bounds, and a damaged file counts as
 * empty.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/machine-store.h"

#include "engine/formats/own-file.h"
#include "profiler/base/machine.h"
#include "profiler/machine/machine-facts.h"
#include "profiler/machine/machine-id.h"
#include "profiler/machine/measured-machine.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const ProfStoredNumber numbers[] = { { "needed", 1, 10 }, { "optional", 1, 10, TRUE } };

/* Stores the text as the file. */
static void
write_file (const char *text)
{
  g_autofree char *path = prof_machine_store_dup_path ();

  g_assert_true (hyb_own_file_write (path, text, strlen (text), NULL));
}

static void
remove_file (void)
{
  g_autofree char *path = prof_machine_store_dup_path ();

  g_remove (path);
}

static gboolean
reads (const char *group, double *values)
{
  return prof_machine_store_read (group, numbers, G_N_ELEMENTS (numbers), values);
}

static void
test_groups (void)
{
  double values[2];

  remove_file ();
  g_assert_false (reads ("one", values));
  prof_machine_store_write ("one", numbers, 2, (double[]){ 2, 3 });
  prof_machine_store_write ("two", numbers, 2, (double[]){ 4, NAN });
  g_assert_true (reads ("one", values));
  g_assert_cmpfloat (values[0], ==, 2);
  g_assert_cmpfloat (values[1], ==, 3);
  g_assert_true (reads ("two", values));
  g_assert_cmpfloat (values[0], ==, 4);
  g_assert_true (isnan (values[1]));
  /* A name may be any text. */
  prof_machine_store_write ("Modèle [9000]\n", numbers, 2, (double[]){ 5, 6 });
  g_assert_true (reads ("Modèle [9000]\n", values));
  g_assert_cmpfloat (values[0], ==, 5);
  g_assert_true (reads ("one", values));
  /* A group is replaced as a whole. */
  prof_machine_store_write ("one", numbers, 2, (double[]){ 10, 0 });
  g_assert_true (reads ("one", values));
  g_assert_cmpfloat (values[0], ==, 10);
  g_assert_true (isnan (values[1]));
  g_assert_true (reads ("two", values));
}

/* Each of them counts as absent, and the next measurement replaces it. */
static void
test_damaged (void)
{
  static const char *const files[] = {
    "",
    "one",
    "\xff\xfe[one]\nneeded=2\n",
    "[one]\n",
    "[one]\noptional=2\n",
    "[one]\nneeded=0.9\n",
    "[one]\nneeded=10.1\n",
    "[one]\nneeded=nan\n",
    "[one]\nneeded=inf\n",
    "[one]\nneeded=-2\n",
    "[one]\nneeded=2 and more\n",
    "[one]\nneeded=\n",
    "[one]\nneeded=2\noptional=11\n",
    "[one]\nneeded=2\noptional=x\n",
    "[one]\nneeded=2\n[two\n",
    "[other]\nneeded=2\n",
  };
  double values[2];

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      write_file (files[i]);
      if (reads ("one", values))
        g_error ("file %u is believed", i);
      prof_machine_store_write ("one", numbers, 2, (double[]){ 2, 3 });
      g_assert_true (reads ("one", values));
      g_assert_cmpfloat (values[0], ==, 2);
    }
}

/* 256 KiB. */
static void
test_long (void)
{
  g_autofree char *text = g_strnfill (256 << 10, '#');
  double           values[2];

  memcpy (text, "[one]\nneeded=2\n", 15);
  write_file (text);
  g_assert_true (reads ("one", values));
  g_free (text);
  text = g_strnfill ((256 << 10) + 1, '#');
  memcpy (text, "[one]\nneeded=2\n", 15);
  write_file (text);
  g_assert_false (reads ("one", values));
}

/* --- The machine --- */

static void
test_id (void)
{
  g_autofree char *one = prof_machine_id_dup (), *again = prof_machine_id_dup ();

  g_assert_cmpstr (one, ==, again);
  g_assert_cmpuint (strlen (one), >, 40);
}

static void
test_quota (void)
{
  static const struct
  {
    const char *text;
    double      quota;
  } cases[] = {
    { "max 100000", 0 }, { "200000 100000", 2 }, { "50000 100000\n", 0.5 },
    { "-1 100000", 0 },  { "100000 0", 0 },      { "100000", 0 },
    { "", 0 },           { "1e308 1e-308", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpfloat (prof_machine_parse_quota (cases[i].text), ==, cases[i].quota);
}

/* Whatever the machine does meanwhile: what is found is possible, and the next command finds the same without measuring. */
static void
test_measured_once (void)
{
  ProfMeasuredMachine first, again;
  g_autofree char    *text = NULL;

  remove_file ();
  prof_machine_use_measured (&first);
  g_assert_true (prof_machine_facts_are_possible (&first.machine));
  if (first.time > 0)
    g_assert_cmpuint (first.attempts_left, <, 3);
  for (guint i = 0; i < 3; i++)
    prof_machine_use_measured (&again);
  if (first.attempts_left == 0)
    {
      g_assert_cmpint (again.time, ==, first.time);
      g_assert_cmpmem (&again.machine, sizeof again.machine, &first.machine, sizeof first.machine);
    }
  if (again.time > 0)
    g_assert_cmpuint (again.attempts_left, ==, 0);
  g_assert_cmpmem (hyb_machine_get (), sizeof (HybMachine), &again.machine, sizeof (HybMachine));

  hyb_machine_use (NULL);
  prof_machine_use_stored ();
  g_assert_cmpmem (hyb_machine_get (), sizeof (HybMachine), &again.machine, sizeof (HybMachine));
  text = prof_machine_describe_measured (&again);
  g_assert_true (g_str_has_prefix (text, "machine: "));
  hyb_machine_use (NULL);
}

/* Stored under the name of another machine, or not yet measured to the end. */
static void
test_not_used (void)
{
  g_autofree char *id = prof_machine_id_dup ();
  g_autofree char *other = g_strdup_printf (
      "[%s, older]\ntime=1700000000\nattempts_left=0\ndisturbed=0\nsecond_cache=65536\n", id);
  g_autofree char *unfinished =
      g_strdup_printf ("[%s]\ntime=1700000000\nattempts_left=1\ndisturbed=1\nsecond_cache=65536\n",
                       id);
  g_autofree char *impossible =
      g_strdup_printf ("[%s]\ntime=1700000000\nattempts_left=0\ndisturbed=0\nsecond_cache=1\n", id);
  g_autofree char *finished =
      g_strdup_printf ("[%s]\ntime=1700000000\nattempts_left=0\ndisturbed=0\nsecond_cache=65536\n",
                       id);

  hyb_machine_use (NULL);
  write_file (other);
  prof_machine_use_stored ();
  g_assert_cmpfloat (hyb_machine_get ()->second_cache, ==, 0);
  write_file (unfinished);
  prof_machine_use_stored ();
  g_assert_cmpfloat (hyb_machine_get ()->second_cache, ==, 0);
  write_file (impossible);
  prof_machine_use_stored ();
  g_assert_cmpfloat (hyb_machine_get ()->second_cache, ==, 0);
  write_file (finished);
  prof_machine_use_stored ();
  g_assert_cmpfloat (hyb_machine_get ()->second_cache, ==, 65536);
  hyb_machine_use (NULL);
}

/* A machine that was busy is measured again a day later; until then what was found serves. */
static void
test_disturbed (void)
{
  static const int hours[] = { 23, 25 };
  g_autofree char *id = prof_machine_id_dup ();

  for (guint i = 0; i < G_N_ELEMENTS (hours); i++)
    {
      gint64           time = g_get_real_time () / G_USEC_PER_SEC - hours[i] * 3600;
      g_autofree char *file =
          g_strdup_printf ("[%s]\ntime=%" G_GINT64_FORMAT
                           "\nattempts_left=0\ndisturbed=1\nsecond_cache=65536\n",
                           id, time);
      ProfMeasuredMachine measured;

      write_file (file);
      prof_machine_use_stored ();
      g_assert_cmpfloat (hyb_machine_get ()->second_cache, ==, 65536);
      prof_machine_use_measured (&measured);
      g_assert_true ((measured.time == time) == (hours[i] < 24));
      g_assert_cmpuint (measured.attempts_left, ==, 0);
    }
  hyb_machine_use (NULL);
}

TEST_PROGRAM (test_machine_store)
{
  g_autofree char *folder = g_dir_make_tmp ("machine-store-XXXXXX", NULL);
  g_autofree char *inside = g_build_filename (folder, "hybridscope", "machine", NULL);
  int              code;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/machine-store/each-machine-has-a-group", test_groups);
  g_test_add_func ("/profiler/machine-store/a-damaged-file-is-replaced", test_damaged);
  g_test_add_func ("/profiler/machine-store/a-file-that-is-too-long-is-not-read", test_long);
  g_test_add_func ("/profiler/machine-store/a-machine-has-one-name", test_id);
  g_test_add_func ("/profiler/machine-store/limits-of-control-groups-are-read", test_quota);
  g_test_add_func ("/profiler/machine-store/a-machine-is-measured-once", test_measured_once);
  g_test_add_func ("/profiler/machine-store/facts-of-others-and-unfinished-ones-are-not-used",
                   test_not_used);
  g_test_add_func ("/profiler/machine-store/a-busy-machine-is-measured-again-after-a-day",
                   test_disturbed);
  code = g_test_run ();
  remove_file ();
  g_rmdir (inside);
  inside[strlen (inside) - strlen ("/machine")] = '\0';
  g_rmdir (inside);
  g_rmdir (folder);
  return code;
}
