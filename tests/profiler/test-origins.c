/* test-origins.c — tests of which nodes of a model a node that ran stands for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/profiler/made-recording.h"
#include "tests/program.h"

#include "profiler/summary/origins.h"

/* Of “data” and “fc1” only the latter ran. */
static void
test_variable (void)
{
  g_autoptr (ProfCapture) capture = made_recording_new (&made_recording);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autoptr (ProfOrigins) origins = prof_origins_new (capture, summary);
  guint n = 9;

  g_assert_null (prof_origins_of (origins, 0, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_null (prof_origins_computing (origins, 0, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_nonnull (prof_origins_of (origins, 1, &n));
  g_assert_cmpuint (n, ==, 1);
}

TEST_PROGRAM (test_origins)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/origins/what-did-not-run-stands-for-nothing", test_variable);
  return g_test_run ();
}
