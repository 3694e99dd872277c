/* test-quantised-layer.c — tests of the layers on quantised values: samples and refusals for
 * op-check.h, and that sums of 8-bit products are exact.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#define LIMITS "f32[1] = -1", "f32[1] = 1"

static const OpSample samples[] = {
  { "_contrib_quantized_conv",
    "with bias",
    "kernel=(2,2) num_filter=2",
    { "u8[1,2,3,3]", "i8[2,2,2,2]", "i8[2]", LIMITS, LIMITS, LIMITS } },
  { "_contrib_quantized_conv",
    "without bias",
    "kernel=(2,2) num_filter=2 no_bias=True stride=(2,2) pad=(1,1)",
    { "i8[1,2,3,3]", "i8[2,2,2,2]", LIMITS, LIMITS } },
  { "_contrib_quantized_fully_connected",
    "with bias",
    "num_hidden=3",
    { "u8[2,4]", "i8[3,4]", "i8[3]", LIMITS, LIMITS, LIMITS } },
  { "_contrib_quantized_fully_connected",
    "last axis",
    "num_hidden=3 no_bias=True flatten=False",
    { "i8[2,2,4]", "i8[3,4]", LIMITS, LIMITS } },
  { "_contrib_quantized_pooling",
    "maximum",
    "kernel=(2,2) pool_type=max",
    { "i8[1,2,3,3]", LIMITS } },
  { "_contrib_quantized_pooling",
    "average",
    "kernel=(2,2) stride=(2,2) pad=(1,1) pool_type=avg",
    { "u8[1,2,3,3]", LIMITS } },
  { "_contrib_quantized_act", "rectifier", "act_type=relu", { "i8[2,3] -5..5", LIMITS } },
  { "_contrib_quantized_flatten", "of four axes", NULL, { "i8[2,3,1,2]", LIMITS } },
  { "_contrib_quantized_concat",
    "of both types",
    "num_args=2",
    { "u8[2,1]", "i8[2,2]", LIMITS, "f32[1] = -2", "f32[1] = 2" } },
  { "_contrib_quantized_concat",
    "first axis",
    "num_args=2 dim=0",
    { "u8[1,2]", "u8[2,2]", LIMITS, LIMITS } },
  { "_contrib_quantized_embedding",
    "rows",
    "input_dim=4 output_dim=2",
    { "f32[2,2] = 0,3,1,1", "i8[4,2]", LIMITS } },
  { "_contrib_quantized_batch_norm",
    "uint8",
    "min_calib_range=-1 max_calib_range=1",
    { "u8[2,2,2]", "f32[2]", "f32[2]", "f32[2]", "f32[2] 0.5..1", LIMITS } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_quantized_conv",
    "float data",
    "kernel=(2,2) num_filter=2 no_bias=True",
    { "f32[1,2,3,3]", "i8[2,2,2,2]", LIMITS, LIMITS },
    "data is float32" },
  { "_contrib_quantized_fully_connected",
    "wrong weight",
    "num_hidden=3 no_bias=True",
    { "i8[2,4]", "i8[3,5]", LIMITS, LIMITS },
    "weight" },
  { "_contrib_quantized_batch_norm",
    "no calibration",
    NULL,
    { "i8[2,2]", "f32[2]", "f32[2]", "f32[2]", "f32[2]", LIMITS },
    "min_calib_range" },
  { "_contrib_quantized_pooling",
    "limits of two elements",
    "kernel=(2,2)",
    { "i8[1,2,3,3]", "f32[2]", "f32[1]" },
    "a limit of a range" },
  { 0 },
};

/* 1 + 3 · 255 · 127 does not fit 16 bits. */
static void
test_sums_are_exact (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_quantized_conv", "kernel=(1,3) num_filter=1",
              op_tensor ("u8[1,1,1,3]", 255., 255., 255.),
              op_tensor ("i8[1,1,1,3]", 127., 127., 127.), op_tensor ("i8[1]", 1.),
              op_tensor ("f32[1]", 0.), op_tensor ("f32[1]", 1.), op_tensor ("f32[1]", -1.),
              op_tensor ("f32[1]", 1.), op_tensor ("f32[1]", -1.), op_tensor ("f32[1]", 1.), NULL);

  op_assert_type (y, "int32 (1, 1, 1, 1)");
  op_assert_near (y, 0, 97156.);
}

/* Averages are rounded, ties to even: 10 / 4 and 14 / 4. */
static void
test_averages_are_rounded (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_quantized_pooling", "kernel=(1,4) stride=(1,4) pool_type=avg",
              op_tensor ("i8[1,1,1,8]", 1., 2., 3., 4., 2., 3., 4., 5.), op_tensor ("f32[1]", -1.),
              op_tensor ("f32[1]", 1.), NULL);

  op_assert_near (y, 0, 2., 4.);
}

TEST_PROGRAM (test_quantised_layer)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("quantised-layer", hyb_ops_quantised_layer, samples, refusals);
  g_test_add_func ("/engine/ops/quantised-layer/sums-are-exact", test_sums_are_exact);
  g_test_add_func ("/engine/ops/quantised-layer/averages-are-rounded", test_averages_are_rounded);

  return g_test_run ();
}
