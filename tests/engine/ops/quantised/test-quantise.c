/* test-quantise.c — tests of _contrib_quantize, …_v2, _contrib_dequantize and _contrib_requantize:
 * samples and refusals for op-check.h, levels at the ends of ranges, and returned ranges.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_quantize", "to uint8", NULL, { "f32[2,3]", "f32[1] = -1", "f32[1] = 1" } },
  { "_contrib_quantize", "to int8", "out_type=int8", { "f32[2,3]", "f32[1] = -1", "f32[1] = 1" } },
  { "_contrib_quantize_v2", "range of the data", NULL, { "f32[2,3]" } },
  { "_contrib_quantize_v2",
    "calibrated, automatic type",
    "out_type=auto min_calib_range=0 max_calib_range=2",
    { "f32[2,3] 0..2" } },
  { "_contrib_quantize_v2", "quantised already", NULL, { "i8[2,3]" } },
  { "_contrib_quantize_v2", "empty", NULL, { "f32[0,3]" } },
  { "_contrib_dequantize", "int8", NULL, { "i8[2,3]", "f32[1] = -1", "f32[1] = 1" } },
  { "_contrib_dequantize", "uint8", NULL, { "u8[4]", "f32[1] = 0", "f32[1] = 1" } },
  { "_contrib_requantize", "range of the data", NULL, { "i32[2,3]", "f32[1] = -9", "f32[1] = 9" } },
  { "_contrib_requantize",
    "calibrated",
    "out_type=uint8 min_calib_range=0 max_calib_range=1",
    { "i32[2,3]", "f32[1] = -9", "f32[1] = 9" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_quantize_v2", "halves", NULL, { "f16[2]" }, "it takes float32, int8 or uint8" },
  { "_contrib_dequantize",
    "sums",
    NULL,
    { "i32[2]", "f32[1]", "f32[1]" },
    "it takes int8 or uint8" },
  { "_contrib_dequantize", "two limits", NULL, { "i8[2]", "f32[2]", "f32[1]" }, "min_range" },
  { 0 },
};

/* The ends of the range are the ends of the type; half a level is rounded to the even one. */
static void
test_levels_end_at_the_limits (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_quantize_v2", "min_calib_range=-127.5 max_calib_range=100",
              op_tensor ("f32[6]", -200., -127.5, 0.5, 1.5, 127.5, 200.), NULL);
  g_autoptr (HybTensor) z =
      op_run ("_contrib_quantize_v2", "out_type=auto min_calib_range=0 max_calib_range=255.5",
              op_tensor ("f32[4]", -3., 2.5, 255.5, 400.), NULL);

  op_assert_type (y, "int8 (6,)");
  op_assert_near (y, 0, -128., -128., 0., 2., 127., 127.);
  op_assert_type (z, "uint8 (4,)");
  op_assert_near (z, 0, 0., 2., 255., 255.);
}

/* The limits are those of the data, around 0 for int8. */
static void
test_a_range_is_measured (void)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;

  g_ptr_array_add (inputs, op_tensor ("f32[3]", -0.5, 2., 1.));
  outputs = op_run_all ("_contrib_quantize_v2", NULL, FALSE, inputs);
  op_assert_near (outputs->pdata[0], 0, -32., 127., 64.);
  op_assert_near (outputs->pdata[1], 0, -2.);
  op_assert_near (outputs->pdata[2], 0, 2.);
}

/* Data without any extent gives zeros, not NaN. */
static void
test_zeros_stay_zeros (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_quantize_v2", NULL, op_tensor ("f32[2]", 0., 0.), NULL);
  g_autoptr (HybTensor) z = op_run ("_contrib_requantize", NULL, op_tensor ("i32[2]", 0., 0.),
                                    op_tensor ("f32[1]", -1.), op_tensor ("f32[1]", 1.), NULL);

  op_assert_near (y, 0, 0., 0.);
  op_assert_near (z, 0, 0., 0.);
}

TEST_PROGRAM (test_quantise)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("quantise", hyb_ops_quantise, samples, refusals);
  g_test_add_func ("/engine/ops/quantise/levels-end-at-the-limits", test_levels_end_at_the_limits);
  g_test_add_func ("/engine/ops/quantise/a-range-is-measured", test_a_range_is_measured);
  g_test_add_func ("/engine/ops/quantise/zeros-stay-zeros", test_zeros_stay_zeros);

  return g_test_run ();
}
