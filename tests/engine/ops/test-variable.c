/* test-variable.c — tests that variables and opaque nodes have no computation.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = { { 0 } };

static void
test_neither_computes (void)
{
  for (const HybOp *op = hyb_ops_variable; op->name; op++)
    g_assert_true (!op->forward && !op->compute && !op->gradient);
}

TEST_PROGRAM (test_variable)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("variable", hyb_ops_variable, samples, NULL);
  g_test_add_func ("/engine/ops/variable/neither-computes", test_neither_computes);

  return g_test_run ();
}
