/* test-sweep-strange.c — hscope sweep in folders that are in use, or that a stranger has sent.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define CLEAN "; status=$?; rm -rf s; exit $status"

/* The command of a cell: $1 is hscope, and the capture's prefix follows --captures. */
#define PRETEND_TOOLS                                                           \
  "cat >pretend <<'END'\n"                                                      \
  "for word; do [ \"$last\" = --captures ] && prefix=$word; last=$word; done\n" \
  "echo capture >\"$prefix-0-as-is-static.hscope\"\n"                           \
  "printf '{\\n  \"cells\": [{\"median\": 0.5, \"samples\": 3}]\\n}\\n'\n"      \
  "END\n"

static void
test_a_second_sweep_is_told_who_is_at_work (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "echo 'echo x >started; exec sleep 1000' >slow && "
                    "{ " HSCOPE " sweep --models a --batch 1,2 --output s "
                    "--launcher 'sh slow' & } && pid=$! && "
                    "while [ ! -e started ]; do sleep 0.01; done; "
                    "hscope sweep --output s --resume 2>err; code=$?; hscope report s; "
                    "kill -TERM $pid; wait $pid; rm -r s; cat err; "
                    "grep -c \"process $pid works on the sweep. Wait for its end\" err; exit "
                    "$code");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_true (g_str_has_suffix (fixture->out, "\n1\n"));
  g_assert_nonnull (strstr (fixture->out, "1 running"));
}

/* A measurement that hangs makes those of other sweeps wait: they say for which process, and go on when it has ended. */
static void
test_a_sweep_that_waits_names_the_one_that_measures (Fixture             *fixture,
                                                     gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS
                    "export XDG_RUNTIME_DIR=$PWD/locks; "
                    "echo 'echo x >started; exec sleep 1000' >slow && "
                    "{ " HSCOPE " sweep --models a --batch 1,2 --output s "
                    "--launcher 'sh slow' & } && first=$! && "
                    "while [ ! -e started ]; do sleep 0.01; done; "
                    "{ " HSCOPE " sweep --models a --batch 1,2 --output t "
                    "--launcher 'sh pretend' 2>err & } && second=$! && "
                    "i=0; while [ $i -lt 3000 ] && ! grep -q Waiting err; do i=$((i + 1)); sleep "
                    "0.01; done; "
                    "kill -TERM $first; wait $first; wait $second; code=$?; "
                    "cat err; grep -c \"^note: process $first is measuring\" err; rm -r s t; "
                    "exit $code");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "2 of 2 cells done"));
  g_assert_true (g_str_has_suffix (fixture->out, "\n1\n"));
}

/* A folder that a stranger has sent: each name that a sweep uses is a link out of it, a FIFO, or something else than it
 * should be. */
static void
test_a_hostile_folder_changes_nothing_outside (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const names[] = { "plan.json",         "cells",
                                       "captures",          "cells.jsonl",
                                       "slurm-job",         "cells/000000.json",
                                       "cells/000000.part", "captures/000000.hscope" };
  static const char *const kinds[] = { "ln -s ../victim/file",
                                       "ln -s ../victim",
                                       "ln -s ../victim/absent",
                                       "ln -s /dev/zero",
                                       "ln -s loop",
                                       "mkfifo",
                                       "mkdir" };
  static const char *const commands[] = { "sweep --output s --resume",
                                          "sweep --output s --resume --retry-failed",
                                          "sweep --output s --cells 0", "report s" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      for (guint c = 0; c < G_N_ELEMENTS (commands); c++)
        {
          const char *folder = names[i][5] == '/' ? "../" : strstr (names[i], "/") ? "../" : "";
          gboolean    is_link = g_str_has_prefix (kinds[k], "ln -s ../");
          g_autofree char *make =
              is_link ? g_strconcat ("ln -s ", folder, kinds[k] + strlen ("ln -s "), NULL)
                      : g_strdup (kinds[k]);
          g_autofree char *line = g_strdup_printf (
              PRETEND_TOOLS "rm -rf victim; mkdir victim; echo mine >victim/file; "
                            "hscope sweep --models a --output s --launcher 'sh pretend' >log 2>&1; "
                            "rm -r 's/%s'; rm -f s/cells/000000.json.x; %s 's/%s'; "
                            "timeout -s KILL 20 " HSCOPE " %s%s >log 2>&1; "
                            "[ $? -lt 5 ] && cat victim/file && ls victim" CLEAN,
              names[i], make, names[i], commands[c], c < 3 ? " --launcher 'sh pretend'" : "");

          fixture_run_line (fixture, line);
          if (fixture->code != 0 || strcmp (fixture->out, "mine\nfile\n") != 0)
            g_error ("%s %s, %s: %d %s", make, names[i], commands[c], fixture->code, fixture->out);
        }
}

TEST_PROGRAM (test_sweep_strange)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/sweep/a-second-sweep-is-told-who-is-at-work", Fixture, NULL, fixture_set_up,
              test_a_second_sweep_is_told_who_is_at_work, fixture_tear_down);
  g_test_add ("/sweep/a-sweep-that-waits-names-the-one-that-measures", Fixture, NULL,
              fixture_set_up, test_a_sweep_that_waits_names_the_one_that_measures,
              fixture_tear_down);
  g_test_add ("/sweep/a-hostile-folder-changes-nothing-outside", Fixture, NULL, fixture_set_up,
              test_a_hostile_folder_changes_nothing_outside, fixture_tear_down);
  return g_test_run ();
}
