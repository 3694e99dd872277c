/* test-help-examples.c — the examples in the help of every command can be run as they stand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

static const char *const commands[] = { "info",   "check",   "run",     "profile", "weights",
                                        "render", "new",     "trace",   "train",   "bench",
                                        "import", "compare", "convert", "prove",   "report",
                                        "diff",   "targets" };

static void
test_the_examples_of_every_help_can_be_run (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for (guint c = 0; c < G_N_ELEMENTS (commands); c++)
    {
      g_autofree char *line = g_strconcat ("hscope help ", commands[c], NULL);
      g_auto (GStrv) lines = NULL;
      guint n_examples = 0;
      char *begin;

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 0);
      begin = strstr (fixture->out, "\nExamples:\n");
      g_assert_nonnull (begin);
      lines = g_strsplit (begin + strlen ("\nExamples:\n"), "\n", 0);
      for (guint i = 0; lines[i] && *lines[i]; i++)
        {
          if (!g_str_has_prefix (lines[i], "  hscope "))
            continue;
          n_examples++;
          if (strstr (lines[i], "PLUGIN.so"))
            continue; /* stands for a module of the user */
          fixture_run_line (fixture, lines[i]);
          g_assert_cmpint (fixture->code, ==, 0);
        }
      g_assert_cmpuint (n_examples, >=, 2);
      fixture_run_line (fixture, line);
      if (strstr (fixture->out, "MODEL") || strstr (fixture->out, " A B"))
        {
          g_assert_nonnull (strstr (fixture->out, "gallery:NAME?option=value"));
          g_assert_nonnull (strstr (fixture->out, "PLUGIN.so:NAME"));
        }
    }
}

TEST_PROGRAM (test_help_examples)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/help-examples/the-examples-of-every-help-can-be-run", Fixture, NULL, fixture_set_up,
              test_the_examples_of_every_help_can_be_run, fixture_tear_down);
  return g_test_run ();
}
