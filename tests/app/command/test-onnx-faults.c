/* test-onnx-faults.c — ONNX files whose disk is full, or whose writer is killed, at each call that changes a file.
 *
 * The model that is replaced has its arrays in a file of its own, and so has the new one.  Whatever happens, the model can
 * be read, and its arrays are all old or all new.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CALLS 200
#define MODEL     SOURCE_ROOT "/tests/data/onnx/outside.onnx"

/* In new/ a model whose arrays are zero, in old/ one with its own; of both, what weights --to writes. */
#define SET_UP                                                  \
  "mkdir -p new old out && cp " MODEL " " MODEL ".data old && " \
  "cp " MODEL " new && size=$(wc -c <" MODEL ".data) && "       \
  "head -c $size /dev/zero >new/outside.onnx.data && "          \
  "hscope weights old/outside.onnx --to old.npz && "            \
  "hscope weights new/outside.onnx --to new.npz"
#define TEAR_DOWN "rm -rf new old out old.npz new.npz now.npz mark log"

static void
run (Fixture *fixture, const char *line)
{
  fixture_run_line (fixture, line);
  if (fixture->code != 0)
    g_error ("%s: %s", line, fixture->err);
}

/* Writes the new model over the old one; call number at fails, or the process is killed there. */
static int
replace (Fixture *fixture, const char *how, guint at)
{
  g_autofree char *line =
      g_strdup_printf ("cd out; (FAIL_AT=%u FAIL_HOW=%s FAIL_UNDER=\"$PWD\" "
                       "FAIL_MARK=\"$PWD/../mark\" "
                       "LD_PRELOAD='" APP_MODULES "/fail-write.so' '" HSCOPE
                       "' convert ../new/outside.onnx --output out.onnx) >../log 2>&1",
                       at, how);

  fixture_run_line (fixture, line);
  return fixture->code;
}

/* Which model is there. */
static gboolean
is_new (Fixture *fixture)
{
  run (fixture, "hscope weights out/out.onnx --to now.npz");
  fixture_run_line (fixture, "cmp -s now.npz new.npz");
  if (fixture->code == 0)
    return TRUE;
  run (fixture, "cmp now.npz old.npz");
  return FALSE;
}

static gboolean
is_marked (Fixture *fixture)
{
  g_autofree char *mark = in_folder (fixture, "mark");

  return unlink (mark) == 0;
}

static void
check_files (Fixture *fixture, const char *expected)
{
  run (fixture, "ls -A out");
  g_assert_cmpstr (fixture->out, ==, expected);
}

static void
test_faults (Fixture *fixture, gconstpointer how)
{
  gboolean is_kill = strcmp (how, "kill") == 0;
  guint    n_calls = 0, n_new = 0;

  run (fixture, SET_UP);
  for (guint at = 1; at < MAX_CALLS; at++)
    {
      int      status;
      gboolean replaced;

      run (fixture,
           "rm -rf out/* out/.o*; hscope convert old/outside.onnx --output out/out.onnx >log");
      status = replace (fixture, how, at);
      replaced = is_new (fixture);
      if (!is_marked (fixture))
        break;
      n_calls++;
      n_new += replaced;
      g_test_message ("%s at call %u: status %d, %s", (const char *) how, at, status,
                      replaced ? "new" : "old");
      if (!is_kill)
        {
          g_assert_true (status == 0 || status == 3);
          g_assert_true (replaced == (status == 0));
          check_files (fixture,
                       replaced ? "out.onnx\nout.onnx.2.data\n" : "out.onnx\nout.onnx.data\n");
          continue;
        }
      g_assert_cmpint (status, !=, 0);
      /* What a killed process left goes with the next write. */
      run (fixture, "hscope convert new/outside.onnx --output out/out.onnx >log");
      g_assert_true (is_new (fixture));
      fixture_run_line (fixture, "ls -A out | wc -l");
      g_assert_cmpint (atoi (fixture->out), <=, 3);
      run (fixture, "hscope convert new/outside.onnx --output out/out.onnx >log");
      g_assert_true (is_new (fixture));
      fixture_run_line (fixture, "ls -A out | wc -l");
      g_assert_cmpint (atoi (fixture->out), ==, 2);
    }
  g_assert_cmpuint (n_calls, >=, 6);
  g_assert_cmpuint (n_calls, <, MAX_CALLS - 1);
  if (is_kill)
    g_assert_cmpuint (n_new, >=, 1);
  run (fixture, TEAR_DOWN);
}

/* The data of the old model has its name until the model is replaced, and goes then. */
static void
test_names (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run (fixture, SET_UP);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *line =
          g_strdup_printf ("hscope convert %s/outside.onnx --output out/out.onnx",
                           i % 2 == 0 ? "old" : "new");

      run (fixture, line);
      g_assert_nonnull (strstr (fixture->out, i % 2 == 0 ? "wrote out/out.onnx.data\n"
                                                         : "wrote out/out.onnx.2.data\n"));
      g_assert_true (is_new (fixture) == (i % 2 == 1));
      check_files (fixture,
                   i % 2 == 0 ? "out.onnx\nout.onnx.data\n" : "out.onnx\nout.onnx.2.data\n");
    }
  run (fixture, TEAR_DOWN);
}

TEST_PROGRAM (test_onnx_faults)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, how, test) \
  g_test_add (path, Fixture, how, fixture_set_up, test, fixture_tear_down)
  ADD ("/app/command/onnx-faults/new-data-get-a-name-that-the-old-model-does-not-use", NULL,
       test_names);
  ADD ("/app/command/onnx-faults/a-full-disk-leaves-the-old-model-or-the-new-one", "full",
       test_faults);
  ADD ("/app/command/onnx-faults/a-killed-writer-leaves-the-old-model-or-the-new-one", "kill",
       test_faults);
#undef ADD
  return g_test_run ();
}
