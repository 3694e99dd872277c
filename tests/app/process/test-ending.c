/* test-ending.c — the window's process ends without handlers that free what workers still use.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/ending.h"
#include "tests/program.h"

#include <stdio.h>
#include <stdlib.h>

#define STATUS 5

static void
report (void)
{
  fputs ("a handler ran\n", stderr);
}

static void
test_ending (void)
{
  if (g_test_subprocess ())
    {
      atexit (report);
      fputs ("without a newline", stdout);
      scope_end_process (0);
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*without a newline");
  g_test_trap_assert_stderr_unmatched ("*a handler ran*");
}

static void
test_status (void)
{
  if (g_test_subprocess ())
    scope_end_process (STATUS);
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
}

TEST_PROGRAM (test_ending)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/ending/writes-streams-and-runs-no-handlers", test_ending);
  g_test_add_func ("/app/ending/keeps-the-status", test_status);
  return g_test_run ();
}
