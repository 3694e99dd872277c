/* test-pooling-v1.c — what differs between Pooling_v1 and Pooling: padding and the gradient of the
 * maximum. Expected numbers are MXNet 1.9.1's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Pooling_v1", "largest", "kernel=(2, 2) stride=(2, 2) pad=(1, 0)", { "f32[1,2,5,5]" } },
  { "Pooling_v1",
    "average of windows that hang over",
    "pool_type=avg kernel=(3, 2) stride=(2, 3) pad=(1, 1) pooling_convention=full",
    { "f32[2,1,6,5]" } },
  { "Pooling_v1", "sum", "pool_type=sum kernel=(2, 3) pad=(1, 1)", { "f32[1,1,4,4]" } },
  { "Pooling_v1", "global", "global_pool=True pool_type=avg", { "f32[2,2,3,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Pooling_v1", "kernel larger than the data", "kernel=(5, 5)", { "f32[1,1,3,3]" }, "5 cells" },
  { "Pooling_v1", "a line", "kernel=(2,)", { "f32[1,1,3]" }, "Pooling_v1 needs 2" },
  { 0 },
};

static void
test_padding_is_zeros (void)
{
  g_autoptr (HybTensor) largest = op_run ("Pooling_v1", "kernel=(2, 2) pad=(1, 0) stride=(2, 1)",
                                          op_tensor ("f32[1,1,2,2]", -1., -2., -3., -4.), NULL);
  g_autoptr (HybTensor) average = op_run ("Pooling_v1",
                                          "kernel=(1, 2) stride=(1, 2) pool_type=avg "
                                          "pooling_convention=full",
                                          op_tensor ("f32[1,1,1,3]", 4., 8., 12.), NULL);

  op_assert_near (largest, 0, 0., 0.);
  op_assert_type (average, "float32 (1, 1, 1, 2)");
  op_assert_near (average, 0, 6., 6.);
}

static void
test_every_largest_cell_gets_the_gradient (void)
{
  g_autoptr (HybTensor) dx =
      op_run ("_backward_Pooling_v1", "kernel=(1, 3)", op_tensor ("f32[1,1,1,1]", 2.),
              op_tensor ("f32[1,1,1,3]", 7., 1., 7.), op_tensor ("f32[1,1,1,1]", 7.), NULL);

  op_assert_near (dx, 0, 2., 0., 2.);
}

TEST_PROGRAM (test_pooling_v1)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("pooling-v1", hyb_ops_pooling_v1, samples, refusals);
  g_test_add_func ("/engine/ops/pooling-v1/padding-is-zeros", test_padding_is_zeros);
  g_test_add_func ("/engine/ops/pooling-v1/every-largest-cell-gets-the-gradient",
                   test_every_largest_cell_gets_the_gradient);

  return g_test_run ();
}
