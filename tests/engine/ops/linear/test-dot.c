/* test-dot.c — tests of dot and batch_dot: samples and refusals for op-check.h, and products compared
 * with sums written out by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "dot", "matrices", NULL, { "f32[2,3]", "f32[3,4]" } },
  { "dot", "left transposed", "transpose_a=True", { "f32[3,2]", "f32[3,4]" } },
  { "dot", "right transposed", "transpose_b=True", { "f32[2,3]", "f32[4,3]" } },
  { "dot", "both transposed", "transpose_a=True transpose_b=True", { "f32[3,2]", "f32[4,3]" } },
  { "dot", "vectors", NULL, { "f32[5]", "f32[5]" } },
  { "dot", "matrix by vector", NULL, { "f32[2,3]", "f32[3]" } },
  { "dot", "vector by matrix", NULL, { "f32[3]", "f32[3,2]" } },
  { "dot", "more axes", NULL, { "f32[2,2,3]", "f32[3,2,2]" } },
  { "dot",
    "more axes transposed",
    "transpose_a=True transpose_b=True",
    { "f32[3,2,2]", "f32[2,2,3]" } },
  { "dot", "nothing to sum", NULL, { "f32[2,0]", "f32[0,3]" } },
  { "dot", "no row", NULL, { "f32[0,3]", "f32[3,2]" } },
  { "dot", "half floats", NULL, { "f16[2,3]", "f16[3,2]" }, OP_SKIP_GRADIENT },
  { "batch_dot", "plain", NULL, { "f32[2,2,3]", "f32[2,3,4]" } },
  { "batch_dot", "left transposed", "transpose_a=True", { "f32[2,3,2]", "f32[2,3,4]" } },
  { "batch_dot", "right transposed", "transpose_b=True", { "f32[2,2,3]", "f32[2,4,3]" } },
  { "batch_dot",
    "both transposed",
    "transpose_a=True transpose_b=True",
    { "f32[2,3,2]", "f32[2,4,3]" } },
  { "batch_dot", "two leading axes", NULL, { "f32[2,2,2,3]", "f32[2,2,3,2]" } },
  { "batch_dot", "rows and columns of one", NULL, { "f32[3,1,4]", "f32[3,4,1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "dot", "a transposed vector", "transpose_a=True", { "f32[3]", "f32[3]" }, "vectors" },
  { "dot", "inner dimensions differ", NULL, { "f32[2,3]", "f32[2,3]" }, "cannot be multiplied" },
  { "batch_dot", "batches differ", NULL, { "f32[2,2,3]", "f32[3,3,2]" }, "leading dimensions" },
  { "batch_dot",
    "inner dimensions differ",
    NULL,
    { "f32[2,2,3]", "f32[2,2,2]" },
    "cannot be multiplied" },
  { "batch_dot", "matrices only", NULL, { "f32[2,3]", "f32[3,2]" }, "at least 3 dimensions" },
  { 0 },
};

static void
test_products_are_sums_of_products (void)
{
  g_autoptr (HybTensor) y = op_run ("dot", NULL, op_tensor ("f32[2,2]", 1., 2., 3., 4.),
                                    op_tensor ("f32[2,2]", 5., 6., 7., 8.), NULL);
  g_autoptr (HybTensor) z = op_run ("dot", NULL, op_tensor ("f32[3]", 1., 2., 3.),
                                    op_tensor ("f32[3]", 4., 5., 6.), NULL);

  op_assert_near (y, 0, 19., 22., 43., 50.);
  op_assert_type (z, "float32 (1,)");
  op_assert_near (z, 0, 32.);
}

TEST_PROGRAM (test_dot)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("dot", hyb_ops_dot, samples, refusals);
  g_test_add_func ("/engine/ops/dot/products-are-sums-of-products",
                   test_products_are_sums_of_products);

  return g_test_run ();
}
