/* test-hostile-target.c — a target that answers wrongly: one sentence, and nothing changes that was not asked for.
 *
 * hostile-target.py, which a local launcher starts, has the kinds of wrong answers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define SCRIPT SOURCE_ROOT "/tests/app/command/hostile-target.py"

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *config = NULL, *outside = NULL;

  fixture_set_up (fixture, unused);
  config = in_folder (fixture, "config");
  outside = in_folder (fixture, "outside/victim");
  g_setenv ("XDG_CONFIG_HOME", config, TRUE);
  g_setenv ("HOSTILE_OUTSIDE", outside, TRUE);
  fixture_run_line (fixture,
                    "mkdir -p config/hybridscope clean outside tmp && echo mine >outside/victim && "
                    "echo mine >clean/victim && hscope new mlp --output net");
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
write_target (Fixture *fixture, const char *way)
{
  g_autofree char *path = in_folder (fixture, "config/hybridscope/targets.ini");
  g_autofree char *text = g_strdup_printf ("[evil]\nlauncher = python3 -S %s %s\n", SCRIPT, way);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static guint
count (const char *text, const char *word)
{
  guint n = 0;

  for (; (text = strstr (text, word)); text += strlen (word))
    n++;
  return n;
}

/* A hash of all that is not the command's business: names, types, links, modes and contents. */
#define HASH                                                                              \
  "(find . -path ./tmp -prune -o -path ./config -prune -o -printf '%p %y %l %s %m\\n' | " \
  "sort && cat outside/victim clean/victim) | sha256sum"

static void
try_way (Fixture *fixture, const char *way, const char *command, const char *hash)
{
  gboolean         is_good = strcmp (way, "good") == 0 || strcmp (way, "escape") == 0;
  g_autofree char *line =
      g_strdup_printf ("cd clean && timeout -s KILL 60 " HSCOPE " %s --target evil; code=$?; "
                       "cd .. && %s echo && %s && ls tmp && exit $code",
                       command, is_good ? "rm clean/out.npz &&" : "", HASH);

  write_target (fixture, way);
  fixture_run_line (fixture, line);
  if (is_good ? fixture->code != 0 : fixture->code != 3 && fixture->code != 4)
    fixture_complain ("%s, %s: status %d: %s", way, command, fixture->code, fixture->err);
  if (strchr (fixture->err, '\x1b') || count (fixture->err, "error: ") != (is_good ? 0 : 1))
    fixture_complain ("%s, %s: %s", way, command, fixture->err);
  if (!g_str_has_suffix (fixture->out, hash))
    fixture_complain ("%s, %s: the outside has changed: %s", way, command, fixture->out);
}

static void
test_nothing_changes (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_auto (GStrv) ways = NULL;
  g_autofree char *hash = NULL;

  fixture_run_line (fixture, "python3 " SCRIPT " ?");
  ways = g_strsplit (g_strchomp (fixture->out), "\n", -1);
  g_assert_cmpuint (g_strv_length (ways), >=, 70);
  fixture_run_line (fixture, HASH);
  hash = g_strdup (fixture->out);
  for (guint i = 0; ways[i]; i++)
    try_way (fixture, ways[i], "run ../net-symbol.json --init uniform --output out.npz", hash);
}

/* Names of several files may come back, which are not the file that lies there. */
static void
test_prefixes_are_no_way_in (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const ways[] = { "name-program", "name-json", "name-longer", "name-beside",
                                      "name-up",      "size-sum",  "twice",       "up" };
  g_autofree char         *hash = NULL;

  fixture_run_line (fixture, HASH);
  hash = g_strdup (fixture->out);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    try_way (fixture, ways[i], "convert ../net-symbol.json --to foreach --output vic", hash);
}

TEST_PROGRAM (test_hostile_target)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/hostile-target/nothing-changes-that-was-not-asked-for", Fixture, NULL, set_up,
              test_nothing_changes, fixture_tear_down);
  g_test_add ("/hostile-target/prefixes-are-no-way-in", Fixture, NULL, set_up,
              test_prefixes_are_no_way_in, fixture_tear_down);
  return g_test_run ();
}
