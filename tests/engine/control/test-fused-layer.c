/* test-fused-layer.c — the _sg_mkldnn_… operators: the checks of op-check.h on samples and refusals,
 * and results by hand.  Larger comparisons with MXNet are in goldens/test-goldens-quantised.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-case.h"
#include "tests/program.h"

#define LIMITS "f32[1] = -1", "f32[1] = 1"

/* Convolution, BatchNorm, rectifier. */
static HybGraph *
norm_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "data"), w = op_variable (b, "weight");
  HybValueId  y =
      op_node (b, "Convolution", "kernel=(2,2) num_filter=2 no_bias=True", x, w, HYB_NO_ID);
  HybValueId gamma = op_variable (b, "gamma"), beta = op_variable (b, "beta");
  HybValueId mean = op_variable (b, "mean"), variance = op_variable (b, "var");

  y = op_node (b, "BatchNorm", "fix_gamma=False", y, gamma, beta, mean, variance, HYB_NO_ID);
  return op_finish (b, op_node (b, "Activation", "act_type=relu", y, HYB_NO_ID), HYB_NO_ID);
}

/* Convolution, sum. */
static HybGraph *
sum_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "data"), w = op_variable (b, "weight");
  HybValueId  y =
      op_node (b, "Convolution", "kernel=(1,1) num_filter=2 no_bias=True", x, w, HYB_NO_ID);

  return op_finish (b, op_node (b, "elemwise_add", NULL, y, op_variable (b, "other"), HYB_NO_ID),
                    HYB_NO_ID);
}

/* Product with bias, absolute value. */
static HybGraph *
product_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "data"), w = op_variable (b, "weight");
  HybValueId  bias = op_variable (b, "bias");
  HybValueId  y = op_node (b, "FullyConnected", "num_hidden=2", x, w, bias, HYB_NO_ID);

  return op_finish (b, op_node (b, "abs", NULL, y, HYB_NO_ID), HYB_NO_ID);
}

/* Something that is not a sequence: the product is used twice. */
static HybGraph *
fork_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "data"), w = op_variable (b, "weight");
  HybValueId  y = op_node (b, "FullyConnected", "num_hidden=2 no_bias=True", x, w, HYB_NO_ID);

  return op_finish (b, op_node (b, "elemwise_mul", NULL, y, y, HYB_NO_ID), HYB_NO_ID);
}

static HybGraph *
scores_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "qkv");

  return op_finish (b,
                    op_node (b, "_contrib_interleaved_matmul_selfatt_qk", "heads=2", x, HYB_NO_ID),
                    HYB_NO_ID);
}

static HybGraph *
values_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "qkv"), attention = op_variable (b, "attention");

  return op_finish (b,
                    op_node (b, "_contrib_interleaved_matmul_selfatt_valatt", "heads=2", x,
                             attention, HYB_NO_ID),
                    HYB_NO_ID);
}

#define CALIBRATED " min_calib_range=-4 max_calib_range=4"

static const OpSample samples[] = {
  { "_sg_mkldnn_conv",
    "floats",
    "with_bn=True with_act=True",
    { "f32[1,2,3,3]", "f32[2,2,2,2]", "f32[2]", "f32[2]", "f32[2]", "f32[2] 0.5..1" },
    0,
    norm_body },
  { "_sg_mkldnn_conv",
    "quantised",
    "quantized=True with_bn=True with_act=True" CALIBRATED,
    { "i8[1,2,3,3]", "f32[2,2,2,2]", "f32[2]", "f32[2]", "f32[2]", "f32[2] 0.5..1", LIMITS },
    OP_SKIP_DOUBLE,
    norm_body },
  { "_sg_mkldnn_conv",
    "sums without calibration",
    "quantized=True with_sum=True",
    { "u8[1,2,2,2]", "f32[2,2,1,1]", "i8[1,2,2,2]", LIMITS, LIMITS },
    OP_SKIP_DOUBLE,
    sum_body },
  { "_sg_mkldnn_fully_connected",
    "floats",
    "with_eltwise=True",
    { "f32[2,3]", "f32[2,3]", "f32[2]" },
    0,
    product_body },
  { "_sg_mkldnn_fully_connected",
    "a scale for each output",
    "quantized=True with_eltwise=True channel_wise_quantize=True" CALIBRATED,
    { "i8[2,3]", "f32[2,3]", "f32[2]", LIMITS },
    OP_SKIP_DOUBLE,
    product_body },
  { "_sg_mkldnn_fully_connected",
    "int8 weights, floats out",
    "quantized=True with_eltwise=True enable_float_output=True",
    { "u8[2,3]", "i8[2,3]", "i8[2]", LIMITS, LIMITS, LIMITS },
    OP_SKIP_DOUBLE,
    product_body },
  { "_sg_mkldnn_selfatt_qk",
    "quantised",
    "heads=2 quantized=True enable_float_output=True",
    { "i8[3,1,12]", LIMITS },
    OP_SKIP_DOUBLE,
    scores_body },
  { "_sg_mkldnn_selfatt_qk", "floats", "heads=2", { "f32[3,1,12]" }, 0, scores_body },
  { "_sg_mkldnn_selfatt_valatt",
    "quantised",
    "heads=2 quantized=True" CALIBRATED,
    { "i8[3,1,12]", "u8[2,3,3]", LIMITS, LIMITS },
    OP_SKIP_DOUBLE,
    values_body },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_sg_mkldnn_conv",
    "float data",
    "quantized=True with_sum=True",
    { "f32[1,2,2,2]", "f32[2,2,1,1]", "i8[1,2,2,2]", LIMITS, LIMITS },
    "float32, not int8 or uint8",
    sum_body },
  { "_sg_mkldnn_conv",
    "shapes that contradict the body",
    "with_sum=True",
    { "f32[1,2,2,2]", "f32[2,2,1,1]", "f32[1,2,3,2]" },
    "in its subgraph",
    sum_body },
  { "_sg_mkldnn_fully_connected",
    "a body that is no sequence",
    "quantized=True channel_wise_quantize=True enable_float_output=True",
    { "i8[2,3]", "f32[2,3]", LIMITS },
    "cannot be computed on integers",
    fork_body },
  { 0 },
};

TEST_PROGRAM (test_fused_layer)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("fused-layer", hyb_ops_fused_layer, samples, refusals);

  return g_test_run ();
}
