/* quantised-layers.c — layers on 8-bit integers of com.microsoft: pooling, joining, and products with floats.
 *
 * They are computed as they are defined: integers become floats, the layer of floats runs, the result is rounded.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/quantise.h"
#include "engine/onnx/ops/window.h"

/* Inputs: x, its scale and zero point, the scale and zero point of the result. */
static HybValueId
read_floats (HybLowering *lowering)
{
  return onnx_dequantise (lowering, hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 1),
                          onnx_optional (lowering, 2));
}

static void
set_rounded (HybLowering *lowering, HybValueId y)
{
  hyb_lowering_set_output (lowering, 0,
                           onnx_quantise (lowering, y, hyb_onnx_input (lowering, 3),
                                          onnx_optional (lowering, 4),
                                          hyb_onnx_type (lowering, 0)->dtype));
}

/* With channels_last only images are swapped around the layer. */
static HybValueId
swap_channels (HybLowering *lowering, HybValueId x, gboolean is_back)
{
  int rank = hyb_lowering_get_type (lowering, x)->shape.rank;

  if (!hyb_onnx_int (lowering, "channels_last", 0) || rank < 3)
    return x;
  return is_back ? onnx_move_axis (lowering, x, rank, 1, rank - 1)
                 : onnx_move_axis (lowering, x, rank, rank - 1, 1);
}

static void
lower_average (HybLowering *lowering)
{
  HybValueId x = swap_channels (lowering, read_floats (lowering), FALSE);

  set_rounded (lowering, swap_channels (lowering, onnx_window_average (lowering, x), TRUE));
}

static void
lower_global_average (HybLowering *lowering)
{
  HybValueId x = swap_channels (lowering, read_floats (lowering), FALSE);
  int        rank = hyb_lowering_get_type (lowering, x)->shape.rank;

  for (int i = 2; i < rank; i++)
    x = onnx_reduce (lowering, "_npi_mean", x, i, TRUE);
  set_rounded (lowering, swap_channels (lowering, x, TRUE));
}

/* Inputs: scale and zero point of the result, then three for each part. */
static void
lower_concat (HybLowering *lowering)
{
  guint                  n = hyb_onnx_n_inputs (lowering) / 3;
  g_autofree HybValueId *parts = g_new (HybValueId, MAX (n, 1));
  int                    axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0),
                                               hyb_onnx_type (lowering, 2)->shape.rank);

  for (guint i = 0; i < n && axis >= 0; i++)
    parts[i] =
        onnx_dequantise (lowering, hyb_onnx_input (lowering, 2 + 3 * i),
                         hyb_onnx_input (lowering, 3 + 3 * i), onnx_optional (lowering, 4 + 3 * i));
  if (axis < 0 || n < 1)
    return;
  hyb_lowering_set_output (lowering, 0,
                           onnx_quantise (lowering, hyb_onnx_concat (lowering, n, parts, axis),
                                          hyb_onnx_input (lowering, 0), onnx_optional (lowering, 1),
                                          hyb_onnx_type (lowering, 2)->dtype));
}

/* B of QGemm, or its scale or zero point by column, as B' has its axes. */
static HybValueId
by_column (HybLowering *lowering, HybValueId x, gboolean is_turned)
{
  HybType type = x == HYB_NO_ID ? (HybType){ 0 } : *hyb_lowering_get_type (lowering, x);

  if (type.shape.rank != 1 || type.shape.dim[0] == 1 || !is_turned)
    return x;
  return hyb_onnx_reshape (lowering, x, 2, (gint64[]){ type.shape.dim[0], 1 });
}

static HybValueId
turn (HybLowering *lowering, HybValueId x, gboolean is_turned)
{
  return is_turned ? hyb_onnx_transpose (lowering, x, 2, (gint64[]){ 1, 0 }) : x;
}

/* alpha · A'B' + C, where C counts in units of alpha and both scales; floats if the result has no scale. */
static void
lower_gemm (HybLowering *lowering)
{
  gboolean   a_turned = hyb_onnx_int (lowering, "transA", 0) != 0;
  gboolean   b_turned = hyb_onnx_int (lowering, "transB", 0) != 0;
  HybValueId b_scale = hyb_onnx_input (lowering, 4), y;
  HybValueId a = turn (lowering, read_floats (lowering), a_turned);
  HybValueId b =
      turn (lowering,
            onnx_dequantise (lowering, hyb_onnx_input (lowering, 3),
                             by_column (lowering, b_scale, b_turned),
                             by_column (lowering, onnx_optional (lowering, 5), b_turned)),
            b_turned);

  y = onnx_matmul (lowering, a, b);
  if (hyb_onnx_has_input (lowering, 6))
    y = onnx_add (lowering, y,
                  onnx_multiply (lowering,
                                 hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 6), HYB_F32),
                                 onnx_multiply (lowering, hyb_onnx_input (lowering, 1), b_scale)));
  y = onnx_scale (lowering, y, hyb_onnx_float (lowering, "alpha", 1));
  if (hyb_onnx_has_input (lowering, 7))
    y = onnx_quantise (lowering, y, hyb_onnx_input (lowering, 7), onnx_optional (lowering, 8),
                       hyb_onnx_type (lowering, 0)->dtype);
  hyb_lowering_set_output (lowering, 0, y);
}

/* Before operator set 13 a softmax takes all axes from the given one on together. */
static void
lower_softmax (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  gboolean   is_flat = hyb_onnx_int (lowering, "opset", 13) < 13;
  int        rank = type.shape.rank;
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", -1), rank);
  HybValueId x = read_floats (lowering);

  if (axis < 0 || !hyb_shape_is_known (&type.shape))
    return;
  if (is_flat)
    x = hyb_onnx_reshape (lowering, x, 2,
                          (gint64[]){ hyb_shape_count (&type.shape, 0, axis),
                                      hyb_shape_count (&type.shape, axis, rank) });
  x = hyb_lowering_emit (lowering, "softmax", 1, &x, "axis",
                         hyb_lowering_text (lowering, "%d", is_flat ? 1 : axis), NULL);
  set_rounded (lowering, is_flat ? onnx_reshape_to (lowering, x, &type.shape) : x);
}

/* A, of floats that are rounded to 8 bits first, times B with its scale and zero point, and a bias. */
static void
lower_dynamic_matmul (HybLowering *lowering)
{
  HybValueId a[3];
  HybValueId b[] = { hyb_onnx_input (lowering, 1), hyb_onnx_input (lowering, 2),
                     onnx_optional (lowering, 3) };

  a[0] = onnx_quantise_dynamically (lowering, hyb_onnx_input (lowering, 0), &a[1], &a[2]);
  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply_integers (lowering, a, b, onnx_optional (lowering, 4)));
}

static const char *const pool_inputs[] = { "X",       "x_scale",      "x_zero_point",
                                           "y_scale", "y_zero_point", NULL };
static const char *const concat_inputs[] = { "Y_scale", "Y_zero_point", "inputs", NULL };
static const char *const matmul_inputs[] = { "A", "B", "b_scale", "b_zero_point", "bias", NULL };
static const char *const gemm_inputs[] = { "A", "a_scale", "a_zero_point",
                                           "B", "b_scale", "b_zero_point",
                                           "C", "y_scale", "y_zero_point",
                                           NULL };
static const char *const outputs[] = { "Y", NULL };

#define LAYER(NAME, DOC, CATEGORY, INPUTS, LOWER)                                      \
  {                                                                                    \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = CATEGORY, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                    \
    .domain = "com.microsoft", .since = 1                                              \
  }

const HybOnnxOp hyb_onnx_ops_quantised_layers[] = {
  LAYER ("QLinearAveragePool",
         "Means of windows of quantised values.",
         HYB_CATEGORY_REDUCTION,
         pool_inputs,
         lower_average),
  LAYER ("QLinearGlobalAveragePool",
         "The mean of each channel of quantised values.",
         HYB_CATEGORY_REDUCTION,
         pool_inputs,
         lower_global_average),
  LAYER ("QLinearConcat",
         "Quantised arrays joined along an axis.",
         HYB_CATEGORY_MOVEMENT,
         concat_inputs,
         lower_concat),
  LAYER ("QLinearSoftmax",
         "Normalised exponentials of quantised values.",
         HYB_CATEGORY_REDUCTION,
         pool_inputs,
         lower_softmax),
  LAYER ("QGemm",
         "A product of quantised matrices and a bias.",
         HYB_CATEGORY_LINEAR,
         gemm_inputs,
         lower_gemm),
  LAYER ("DynamicQuantizeMatMul",
         "A product of rounded floats and a quantised matrix.",
         HYB_CATEGORY_LINEAR,
         matmul_inputs,
         lower_dynamic_matmul),
  { .since = 0 },
};
