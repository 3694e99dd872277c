/* test-gradient-helpers.c — tests of _reduce_like: samples and refusals for op-check.h, the values of
 * sums, and the precision of long ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_reduce_like", "row", NULL, { "f32[4,7]", "f32[7]" } },
  { "_reduce_like", "column", NULL, { "f32[4,7]", "f32[4,1]" } },
  { "_reduce_like", "channels", NULL, { "f32[2,3,4,5]", "f32[1,3,1,1]" } },
  { "_reduce_like", "outer and inner", NULL, { "f32[2,3,4,5]", "f32[3,1,5]" } },
  { "_reduce_like", "all", NULL, { "f32[4,7]", "f32[1]" } },
  { "_reduce_like", "scalar", NULL, { "f32[4,7]", "f32[]" } },
  { "_reduce_like", "same shape", NULL, { "f32[4,7]", "f32[4,7]" } },
  { "_reduce_like", "another rank of as many", NULL, { "f32[1,1,4]", "f32[4]" } },
  { "_reduce_like", "no element", NULL, { "f32[0,3]", "f32[3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_reduce_like",
    "shapes do not fit",
    NULL,
    { "f32[4,7]", "f32[3]" },
    "shape (4, 7) cannot be summed down to (3,)" },
  { 0 },
};

static void
test_sums_are_of_the_right_elements (void)
{
  g_autoptr (HybTensor) row =
      op_run ("_reduce_like", NULL, op_tensor ("f32[2,3]", 1., 2., 3., 10., 20., 30.),
              op_tensor ("f32[3]", 0., 0., 0.), NULL);
  g_autoptr (HybTensor) column =
      op_run ("_reduce_like", NULL, op_tensor ("f32[2,3]", 1., 2., 3., 10., 20., 30.),
              op_tensor ("f32[2,1]", 0., 0.), NULL);

  op_assert_near (row, 0, 11., 22., 33.);
  op_assert_near (column, 0, 6., 60.);
}

/* Kept in float32, a sum of twenty million ones would stop growing at 2²⁴. */
static void
test_long_sums_keep_their_precision (void)
{
  HybType    type = { hyb_shape_1d (20000000), HYB_F32 };
  HybTensor *ones = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) sum = NULL;

  for (gint64 i = 0; i < 20000000; i++)
    ((float *) hyb_tensor_get_data (ones))[i] = 1;
  sum = op_run ("_reduce_like", NULL, ones, op_tensor ("f32[1]", 0.), NULL);
  op_assert_near (sum, 0, 2e7);
}

TEST_PROGRAM (test_gradient_helpers)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("gradient-helpers", hyb_ops_gradient_helpers, samples, refusals);
  g_test_add_func ("/engine/ops/gradient-helpers/sums-are-of-the-right-elements",
                   test_sums_are_of_the_right_elements);
  g_test_add_func ("/engine/ops/gradient-helpers/long-sums-keep-their-precision",
                   test_long_sums_keep_their_precision);

  return g_test_run ();
}
