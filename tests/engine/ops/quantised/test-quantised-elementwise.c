/* test-quantised-elementwise.c — tests of _contrib_quantized_elemwise_add and …_mul: samples and
 * refusals for op-check.h, and results by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#define LIMITS "f32[1] = -1", "f32[1] = 1", "f32[1] = -2", "f32[1] = 2"

static const OpSample samples[] = {
  { "_contrib_quantized_elemwise_add", "int32", NULL, { "i8[2,3]", "i8[2,3]", LIMITS } },
  { "_contrib_quantized_elemwise_add",
    "calibrated",
    "min_calib_range=-3 max_calib_range=3",
    { "u8[2,3]", "i8[2,3]", LIMITS } },
  { "_contrib_quantized_elemwise_mul", "int32", NULL, { "i8[2,3]", "i8[2,3]", LIMITS } },
  { "_contrib_quantized_elemwise_mul",
    "calibrated",
    "min_calib_range=-2 max_calib_range=2",
    { "i8[2,3]", "i8[2,3]", LIMITS } },
  { "_contrib_quantized_elemwise_mul",
    "floats",
    "enable_float_output=True",
    { "i8[2,3]", "i8[2,3]", LIMITS } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_quantized_elemwise_add",
    "shapes differ",
    NULL,
    { "i8[2]", "i8[3]", LIMITS },
    "shape (2,) does not match (3,)" },
  { "_contrib_quantized_elemwise_add", "floats", NULL, { "f32[2]", "i8[2]", LIMITS }, "input 0" },
  { "_contrib_quantized_elemwise_mul", "uint8", NULL, { "u8[2]", "i8[2]", LIMITS }, "uint8" },
  { 0 },
};

/* 64/127.5 and 127·2/127.5 in the range of 3 are 21.3 and 84.7 levels. */
static void
test_a_sum_has_the_calibrated_range (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_quantized_elemwise_add", "min_calib_range=-3 max_calib_range=3",
              op_tensor ("i8[2]", 64., 0.), op_tensor ("i8[2]", 127., 127.),
              op_tensor ("f32[1]", -1.), op_tensor ("f32[1]", 1.), op_tensor ("f32[1]", -2.),
              op_tensor ("f32[1]", 2.), NULL);

  op_assert_type (y, "int8 (2,)");
  op_assert_near (y, 0, 106., 85.);
}

/* Products are truncated: −3 · 5 · 2 / 127.5 = −0.24. */
static void
test_a_product_is_truncated (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_quantized_elemwise_mul", "min_calib_range=-1 max_calib_range=1",
              op_tensor ("i8[2]", -3., 100.), op_tensor ("i8[2]", 5., -100.),
              op_tensor ("f32[1]", -1.), op_tensor ("f32[1]", 1.), op_tensor ("f32[1]", -2.),
              op_tensor ("f32[1]", 2.), NULL);

  op_assert_near (y, 0, 0., -128.);
}

TEST_PROGRAM (test_quantised_elementwise)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("quantised-elementwise", hyb_ops_quantised_elementwise, samples, refusals);
  g_test_add_func ("/engine/ops/quantised-elementwise/a-sum-has-the-calibrated-range",
                   test_a_sum_has_the_calibrated_range);
  g_test_add_func ("/engine/ops/quantised-elementwise/a-product-is-truncated",
                   test_a_product_is_truncated);

  return g_test_run ();
}
