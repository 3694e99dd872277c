/* activation.c — activation functions and softmax.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

static HybValueId
softplus (HybLowering *lowering, HybValueId x)
{
  return hyb_lowering_emit (lowering, "Activation", 1, &x, "act_type", "softrelu", NULL);
}

/* Positive and negative parts. */
static HybValueId
positive (HybLowering *lowering, HybValueId x)
{
  return hyb_onnx_with_scalar (lowering, "_maximum_scalar", x, 0);
}

static HybValueId
negative (HybLowering *lowering, HybValueId x)
{
  return hyb_onnx_with_scalar (lowering, "_minimum_scalar", x, 0);
}

static void
lower_softplus (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0, softplus (lowering, hyb_onnx_input (lowering, 0)));
}

static void
lower_leaky_relu (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0,
                           onnx_leaky (lowering, hyb_onnx_input (lowering, 0), "leaky",
                                       hyb_onnx_float (lowering, "alpha", 0.01)));
}

static void
lower_elu (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0,
                           onnx_leaky (lowering, hyb_onnx_input (lowering, 0), "elu",
                                       hyb_onnx_float (lowering, "alpha", 1)));
}

/* gamma · (x > 0 ? x : alpha (exp x − 1)) */
static void
lower_selu (HybLowering *lowering)
{
  double     alpha = hyb_onnx_float (lowering, "alpha", 1.67326319217681884765625);
  HybValueId y = onnx_leaky (lowering, hyb_onnx_input (lowering, 0), "elu", alpha);

  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_with_scalar (lowering, "_mul_scalar", y,
                                                 hyb_onnx_float (lowering, "gamma",
                                                                 1.05070102214813232421875)));
}

static void
lower_celu (HybLowering *lowering)
{
  double     alpha = hyb_onnx_float (lowering, "alpha", 1);
  HybValueId x = hyb_onnx_input (lowering, 0), y;

  y = hyb_onnx_with_scalar (lowering, "_div_scalar", negative (lowering, x), alpha);
  y = hyb_onnx_with_scalar (lowering, "_mul_scalar", hyb_onnx_unary (lowering, "expm1", y), alpha);
  hyb_lowering_set_output (lowering, 0, onnx_add (lowering, positive (lowering, x), y));
}

/* In version 1 and 6 a vector of slopes belongs to the channels. */
static HybValueId
slopes (HybLowering *lowering)
{
  const HybShape *x = &hyb_onnx_type (lowering, 0)->shape, *y = &hyb_onnx_type (lowering, 1)->shape;
  HybValueId      slope = hyb_onnx_input (lowering, 1);
  gint64          dims[HYB_MAX_RANK];

  if (hyb_onnx_opset (lowering) >= 7 || y->rank != 1 || y->dim[0] <= 1 || x->rank < 3)
    return slope;
  for (int i = 0; i < x->rank - 1; i++)
    dims[i] = i == 0 ? y->dim[0] : 1;
  return hyb_onnx_reshape (lowering, slope, (guint) x->rank - 1, dims);
}

static void
lower_prelu (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_output (lowering, 0,
                           onnx_add (lowering, positive (lowering, x),
                                     onnx_multiply (lowering, slopes (lowering),
                                                    negative (lowering, x))));
}

static HybValueId
hard_sigmoid (HybLowering *lowering, HybValueId x, double alpha, double beta)
{
  return hyb_lowering_emit (lowering, "hard_sigmoid", 1, &x, "alpha",
                            hyb_lowering_text (lowering, "%.9g", alpha), "beta",
                            hyb_lowering_text (lowering, "%.9g", beta), NULL);
}

static void
lower_hard_sigmoid (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0,
                           hard_sigmoid (lowering, hyb_onnx_input (lowering, 0),
                                         hyb_onnx_float (lowering, "alpha", 0.2),
                                         hyb_onnx_float (lowering, "beta", 0.5)));
}

static void
lower_hard_swish (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply (lowering, x, hard_sigmoid (lowering, x, 1.0 / 6, 0.5)));
}

static void
lower_mish (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply (lowering, x,
                                          hyb_onnx_unary (lowering, "tanh",
                                                          softplus (lowering, x))));
}

static void
lower_swish (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), y = x;
  double     alpha = hyb_onnx_float (lowering, "alpha", 1);

  if (alpha != 1)
    y = hyb_onnx_with_scalar (lowering, "_mul_scalar", x, alpha);
  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply (lowering, x, hyb_onnx_unary (lowering, "sigmoid", y)));
}

/* x sigmoid (alpha x) times another array. */
static void
lower_swiglu (HybLowering *lowering)
{
  double     alpha = hyb_onnx_float (lowering, "alpha", 1);
  HybValueId x = hyb_onnx_input (lowering, 0);
  HybValueId gate = alpha == 1 ? x : hyb_onnx_with_scalar (lowering, "_mul_scalar", x, alpha);

  gate = onnx_multiply (lowering, x, hyb_onnx_unary (lowering, "sigmoid", gate));
  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply (lowering, gate, hyb_onnx_input (lowering, 1)));
}

/* ½ x (1 + tanh (√(2/π) (x + 0.044715 x³))) */
static HybValueId
gelu_tanh (HybLowering *lowering, HybValueId x)
{
  HybValueId cube = onnx_multiply (lowering, x, hyb_onnx_unary (lowering, "square", x)), y;

  y = onnx_add (lowering, x, hyb_onnx_with_scalar (lowering, "_mul_scalar", cube, 0.044715));
  y = hyb_onnx_with_scalar (lowering, "_mul_scalar", y, sqrt (2 / G_PI));
  y = hyb_onnx_with_scalar (lowering, "_plus_scalar", hyb_onnx_unary (lowering, "tanh", y), 1);
  return onnx_multiply (lowering, hyb_onnx_with_scalar (lowering, "_mul_scalar", x, 0.5), y);
}

static HybValueId
gelu (HybLowering *lowering, HybValueId x)
{
  return onnx_leaky (lowering, x, "gelu", 0.25);
}

static void
lower_gelu (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_output (lowering, 0,
                           strcmp (hyb_onnx_string (lowering, "approximate", "none"), "tanh") == 0
                               ? gelu_tanh (lowering, x)
                               : gelu (lowering, x));
}

/* Of com.microsoft, with an optional bias. */
static HybValueId
with_bias (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  return hyb_onnx_has_input (lowering, 1) ? onnx_add (lowering, x, hyb_onnx_input (lowering, 1))
                                          : x;
}

static void
lower_bias_gelu (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0, gelu (lowering, with_bias (lowering)));
}

static void
lower_fast_gelu (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0, gelu_tanh (lowering, with_bias (lowering)));
}

static void
lower_quick_gelu (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), y;

  y = hyb_onnx_with_scalar (lowering, "_mul_scalar", x, hyb_onnx_float (lowering, "alpha", 1.702));
  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply (lowering, x, hyb_onnx_unary (lowering, "sigmoid", y)));
}

/* x where the condition holds, else a number. */
static HybValueId
x_or_number (HybLowering *lowering, HybValueId condition, HybValueId x, double number)
{
  return hyb_lowering_emit (lowering, "_npi_where_rscalar", 2, (HybValueId[]){ condition, x },
                            "scalar", hyb_lowering_text (lowering, "%.17g", number), NULL);
}

static void
lower_thresholded_relu (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_thresholded_relu", 1, &x, "alpha",
                                              hyb_lowering_text (lowering, "%.17g",
                                                                 hyb_onnx_float (lowering, "alpha",
                                                                                 1)),
                                              NULL));
}

static void
lower_shrink (HybLowering *lowering)
{
  double     bias = hyb_onnx_float (lowering, "bias", 0);
  double     lambda = hyb_onnx_float (lowering, "lambd", 0.5);
  HybValueId x = hyb_onnx_input (lowering, 0), y;

  y = x_or_number (lowering, hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", x, lambda),
                   hyb_onnx_with_scalar (lowering, "_minus_scalar", x, bias), 0);
  y = onnx_where (lowering, hyb_onnx_with_scalar (lowering, "_npi_less_scalar", x, -lambda),
                  hyb_onnx_with_scalar (lowering, "_plus_scalar", x, bias), y);
  hyb_lowering_set_output (lowering, 0, y);
}

/* --- Softmax, LogSoftmax, Hardmax --- */

static HybValueId
along (HybLowering *lowering, const char *op, HybValueId x, int axis)
{
  int    rank = hyb_lowering_get_type (lowering, x)->shape.rank;
  gint64 depth;

  if (op)
    return hyb_lowering_emit (lowering, op, 1, &x, "axis", hyb_lowering_text (lowering, "%d", axis),
                              NULL);
  /* Hardmax: one at the largest element. */
  depth = rank > axis ? hyb_lowering_get_type (lowering, x)->shape.dim[axis] : HYB_UNKNOWN;
  if (depth < 0)
    return HYB_NO_ID;
  x = hyb_lowering_emit (lowering, "_npi_argmax", 1, &x, "axis",
                         hyb_lowering_text (lowering, "%d", axis), NULL);
  x = hyb_lowering_emit (lowering, "one_hot", 1, &x, "depth",
                         hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, depth), NULL);
  return hyb_lowering_emit (lowering, "_np_moveaxis", 1, &x, "source", "(-1,)", "destination",
                            hyb_lowering_text (lowering, "(%d,)", axis), NULL);
}

static void
lower_softmax (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", -1), type.shape.rank);
  HybValueId y = along (lowering, hyb_onnx_engine (lowering), hyb_onnx_input (lowering, 0), axis);

  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, type.dtype));
}

/* Before version 13 all axes from `axis` on are one. */
static void
lower_flat_softmax (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  int        rank = type.shape.rank;
  gint64     given = hyb_onnx_int (lowering, "axis", 1);
  int        axis = given == rank ? rank : hyb_onnx_axis (lowering, given, rank);
  HybValueId x = hyb_onnx_input (lowering, 0);
  gint64     rows = 1;

  if (axis == rank - 1 || !hyb_shape_is_known (&type.shape))
    {
      x = along (lowering, hyb_onnx_engine (lowering), x, MIN (axis, rank - 1));
      hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, type.dtype));
      return;
    }
  for (int i = 0; i < axis; i++)
    rows *= type.shape.dim[i];
  x = hyb_onnx_reshape (lowering, x, 2,
                        (gint64[]){ rows, rows > 0 ? hyb_shape_size (&type.shape) / rows : 0 });
  x = along (lowering, hyb_onnx_engine (lowering), x, 1);
  x = hyb_onnx_reshape (lowering, x, (guint) rank, type.shape.dim);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, type.dtype));
}

static const char *const one[] = { "X", NULL };
static const char *const two[] = { "X", "slope", NULL };
static const char *const gated[] = { "A", "B", NULL };
static const char *const biased[] = { "X", "bias", NULL };
static const char *const outputs[] = { "Y", NULL };

#define ROW(NAME, SINCE, LOWER, ENGINE, DOC)                                                        \
  {                                                                                                 \
    .op = { HYB_ONNX_ROW,  .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_ELEMENTWISE, \
            .inputs = one, .outputs = outputs, .lower = LOWER },                                    \
    .since = SINCE, .engine = ENGINE                                                                \
  }
#define MICROSOFT(NAME, LOWER, DOC)                                 \
  {                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,                         \
            .doc = DOC,       .category = HYB_CATEGORY_ELEMENTWISE, \
            .inputs = biased, .outputs = outputs,                   \
            .lower = LOWER },                                       \
    .domain = "com.microsoft", .since = 1                           \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_activation[] = {
  ROW ("Relu", 1, hyb_onnx_lower_same, "relu", "Negative values become 0."),
  ROW ("Sigmoid", 1, hyb_onnx_lower_same, "sigmoid", "The logistic function."),
  ROW ("Tanh", 1, hyb_onnx_lower_same, "tanh", "The hyperbolic tangent."),
  ROW ("Softsign", 1, hyb_onnx_lower_same, "softsign", "x / (1 + |x|)."),
  ROW ("Softplus", 1, lower_softplus, NULL, "log (1 + exp x)."),
  ROW ("LeakyRelu", 1, lower_leaky_relu, NULL, "Negative values are scaled."),
  ROW ("Elu", 1, lower_elu, NULL, "Negative values become exponential."),
  ROW ("Selu", 1, lower_selu, NULL, "A scaled exponential rectifier."),
  ROW ("Celu", 12, lower_celu, NULL, "A continuously differentiable exponential rectifier."),
  { .op = { HYB_ONNX_ROW, .name = "PRelu", .doc = "Negative values are scaled by an input.",
            .category = HYB_CATEGORY_ELEMENTWISE, .inputs = two, .outputs = outputs,
            .lower = lower_prelu },
    .since = 1 },
  ROW ("HardSigmoid", 1, lower_hard_sigmoid, NULL, "A line limited to 0 … 1."),
  ROW ("HardSwish", 14, lower_hard_swish, NULL, "x times a hard sigmoid."),
  ROW ("Mish", 18, lower_mish, NULL, "x tanh (softplus x)."),
  ROW ("Swish", 24, lower_swish, NULL, "x times a sigmoid."),
  { .op = { HYB_ONNX_ROW, .name = "SwiGLU", .doc = "x times its sigmoid, times another input.",
            .category = HYB_CATEGORY_ELEMENTWISE, .inputs = gated, .outputs = outputs,
            .lower = lower_swiglu },
    .since = 28 },
  ROW ("Gelu", 20, lower_gelu, NULL, "x times the normal distribution function."),
  ROW ("ThresholdedRelu", 1, lower_thresholded_relu, NULL, "Values up to a threshold become 0."),
  ROW ("Shrink", 9, lower_shrink, NULL, "Moves values towards 0."),
  ROW ("Softmax", 1, lower_flat_softmax, "softmax", "Normalised exponentials."),
  ROW ("Softmax", 13, lower_softmax, "softmax", "Normalised exponentials along an axis."),
  ROW ("LogSoftmax", 1, lower_flat_softmax, "log_softmax", "Logarithms of a softmax."),
  ROW ("LogSoftmax", 13, lower_softmax, "log_softmax", "Logarithms of a softmax along an axis."),
  ROW ("Hardmax", 1, lower_flat_softmax, NULL, "1 at the largest element, else 0."),
  ROW ("Hardmax", 13, lower_softmax, NULL, "1 at the largest element along an axis, else 0."),
  MICROSOFT ("Gelu", lower_gelu, "x times the normal distribution function."),
  MICROSOFT ("BiasGelu", lower_bias_gelu, "Gelu of a sum with a bias."),
  MICROSOFT ("FastGelu", lower_fast_gelu, "An approximation of Gelu."),
  MICROSOFT ("QuickGelu", lower_quick_gelu, "x times a steep sigmoid."),
  { .since = 0 },
};
/* clang-format on */
