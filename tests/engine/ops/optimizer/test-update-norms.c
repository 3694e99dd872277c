/* test-update-norms.c — finite numbers, sums of squares and rates: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "all_finite", "plain", NULL, { "f32[2,3]" } },
  { "multi_all_finite multi_sum_sq", "two", "num_arrays=2", { "f32[2,3]", "f32[4]" } },
  { "all_finite", "half floats", NULL, { "f16[2]" } },
  { "multi_lars",
    "plain",
    "eta=0.1 eps=0.01",
    { "f32[2] 0.1..1", "f32[2] = 0,2", "f32[2] 0.1..1", "f32[2] 0..1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "all_finite", "integers", NULL, { "i32[2]" }, "input 0 is int32" },
  { "multi_sum_sq", "no inputs", "num_arrays=0", { "f32[2]" }, "num_arrays" },
  { 0 },
};

TEST_PROGRAM (test_update_norms)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("update-norms", hyb_ops_update_norms, samples, refusals);

  return g_test_run ();
}
