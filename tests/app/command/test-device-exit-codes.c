/* test-device-exit-codes.c — commands end as docs/exit-codes.md says, with the pretend GPU and without any.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <stdlib.h>
#include <string.h>

#define TABLE "| command | GPU | none |\n|---|---|---|\n"

/* What stands before a command. */
static const struct
{
  const char *name, *settings;
  gboolean    has_gpu;
} machines[] = {
  { "a GPU", "", TRUE },
  { "no GPU in the machine", "HYB_PRETEND=device=none ", FALSE },
  { "no module", "HYB_GPU_MODULE=/absent.so ", FALSE },
  { "no driver", "LD_LIBRARY_PATH= HYB_GPU_PATH=/absent ", FALSE },
};

/* The rows of the table: command, status with a GPU, status without.  (transfer full) */
static GPtrArray *
read_rows (void)
{
  GPtrArray       *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  const char *table;

  g_assert_true (g_file_get_contents (SOURCE_ROOT "/docs/exit-codes.md", &text, NULL, NULL));
  table = strstr (text, TABLE);
  g_assert_nonnull (table);
  lines = g_strsplit (table + strlen (TABLE), "\n", -1);
  for (guint i = 0; g_str_has_prefix (lines[i], "| `"); i++)
    {
      g_auto (GStrv) columns = g_strsplit (lines[i], "|", -1);

      g_assert_cmpuint (g_strv_length (columns), ==, 5);
      g_strdelimit (columns[1], "`", ' ');
      g_ptr_array_add (rows,
                       g_strdupv ((char *[]){ g_strstrip (columns[1]), g_strstrip (columns[2]),
                                              g_strstrip (columns[3]), NULL }));
    }
  g_assert_cmpuint (rows->len, >, 10);
  return rows;
}

static gboolean
lacks_compiler (Fixture *fixture)
{
  fixture_run_line (fixture, "hscope devices");
  if (!strstr (fixture->out, "libnvrtc") || strstr (fixture->out, "gpu:0"))
    return FALSE;
  g_test_skip ("libnvrtc.so.13 is not installed");
  return TRUE;
}

static void
test_machine (Fixture *fixture, gconstpointer index)
{
  guint machine = GPOINTER_TO_UINT (index);
  g_autoptr (GPtrArray) rows = read_rows ();

  if (machines[machine].has_gpu && lacks_compiler (fixture))
    return;
  if (strstr (machines[machine].settings, "/absent ") &&
      g_file_test ("/dev/nvidiactl", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("a driver is installed here");
      return;
    }
  for (guint i = 0; i < rows->len; i++)
    {
      char           **row = rows->pdata[i];
      int              wanted = atoi (row[machines[machine].has_gpu ? 1 : 2]);
      g_autofree char *line = g_strconcat (machines[machine].settings, row[0], NULL);

      fixture_run_line (fixture, line);
      if (fixture->code != wanted)
        fixture_complain ("%s: exit %d instead of %d, %s", line, fixture->code, wanted,
                          fixture->err);
      if (fixture->code != 0 && !strstr (fixture->err, "error: "))
        fixture_complain ("%s: no error is said", line);
    }
}

/* A self-test that finds other numbers ends with 1; a run that leaves that operator to the processor ends with 0. */
static void
test_wrong_gpu (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line;
    int         code;
  } rows[] = {
    { "hscope selftest --operator dot", 1 },
    { "HYB_SELFTEST=FullyConnected hscope run gallery:mlp --init uniform --device gpu", 0 },
    { "hscope devices", 0 },
  };

  if (lacks_compiler (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line =
          g_strconcat ("export HYB_PRETEND=wrong=products XDG_CACHE_HOME=$PWD/cache; ",
                       rows[i].line, NULL);

      fixture_run_line (fixture, line);
      if (fixture->code != rows[i].code)
        fixture_complain ("%s: exit %d, %s", line, fixture->code, fixture->err);
    }
  g_assert_nonnull (strstr (fixture->out, "wrong on the GPU: FullyConnected"));
}

TEST_PROGRAM (test_device_exit_codes)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autofree char *name =
          g_strdelimit (g_strdup_printf ("/app/device-exit-codes/with-%s", machines[i].name), " ",
                        '-');

      g_test_add (name, Fixture, GUINT_TO_POINTER (i), fixture_set_up, test_machine,
                  fixture_tear_down);
    }
  g_test_add ("/app/device-exit-codes/with-a-wrong-GPU", Fixture, NULL, fixture_set_up,
              test_wrong_gpu, fixture_tear_down);
  return g_test_run ();
}
