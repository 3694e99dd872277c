/* test-constraint-check.c — tests of conditions that end a run: samples for op-check.h, and the message.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npx_constraint_check", "all hold", NULL, { "bool[2,2] = 1,1,1,1" } },
  { "_npx_constraint_check", "one condition", "msg=wrong", { "bool[] = 1" } },
  { "_npx_constraint_check", "no condition", NULL, { "bool[0,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npx_constraint_check",
    "the last does not hold",
    "msg=too_small",
    { "bool[3] = 1,1,0" },
    "too_small" },
  { "_npx_constraint_check", "floats", NULL, { "f32[2]" }, "bool" },
  { 0 },
};

TEST_PROGRAM (test_constraint_check)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("constraint-check", hyb_ops_constraint_check, samples, refusals);
  return g_test_run ();
}
