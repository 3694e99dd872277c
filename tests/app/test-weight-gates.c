/* test-weight-gates.c — the names of the gates in the packed weights of a cell.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/weight-parts.h"
#include "tests/program.h"

/* An LSTM has four gates, a GRU three, a plain cell none with a name. */
static void
test_names (void)
{
  g_assert_cmpstr (scope_gate_name (4, 0), ==, "input gate");
  g_assert_cmpstr (scope_gate_name (4, 3), ==, "output gate");
  g_assert_cmpstr (scope_gate_name (3, 0), ==, "reset gate");
  g_assert_cmpstr (scope_gate_name (3, 2), ==, "candidate");
  g_assert_cmpstr (scope_gate_name (1, 0), ==, "");
}

TEST_PROGRAM (test_weight_gates)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/weight-gates/names-are-those-of-the-cell", test_names);
  return g_test_run ();
}
