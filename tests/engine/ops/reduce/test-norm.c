/* test-norm.c — tests of norm: samples and refusals for op-check.h, and that the gradient of the L2 norm
 * is 0 at zero.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "norm", "everything", NULL, { "f32[2,3]" } },
  { "norm", "sum of absolute values", "ord=1 axis=1", { "f32[2,4]" } },
  { "norm", "matrices", "axis=(1,2)", { "f32[2,2,3]" } },
  { "norm", "axis stays", "axis=0 keepdims=True", { "f32[3,2]" } },
  { "norm", "wider result", "axis=0 out_dtype=float64", { "f32[3,2]" }, OP_COARSE },
  { "norm",
    "narrower result",
    "out_dtype=float16",
    { "f32[3,2]" },
    OP_SKIP_GRADIENT | OP_SKIP_DOUBLE },
  { "norm", "integers", "axis=0", { "i32[3,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "norm", "no such norm", "ord=3", { "f32[2]" }, "ord" },
  { "norm", "axis out of range", "axis=1", { "f32[2]" }, "axis 1" },
  { 0 },
};

static void
test_no_slope_at_zero (void)
{
  g_autoptr (HybTensor) dx = op_run ("_backward_norm", NULL, op_tensor ("f32[1]", 3.),
                                     op_tensor ("f32[2]", 0., 0.), op_tensor ("f32[1]", 0.), NULL);

  op_assert_near (dx, 0, 0., 0.);
}

TEST_PROGRAM (test_norm)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("norm", hyb_ops_norm, samples, refusals);
  g_test_add_func ("/engine/ops/norm/no-slope-at-zero", test_no_slope_at_zero);

  return g_test_run ();
}
