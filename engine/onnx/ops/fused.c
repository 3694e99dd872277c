/* fused.c — FusedConv, FusedGemm and FusedMatMul of com.microsoft: layers that ONNX Runtime has merged with their neighbours.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/window.h"

#include <string.h>

/* --- Activations --- */

/* The activation after a layer, with its parameters. */
typedef struct
{
  const char *name;
  double      alpha, beta;
} Activation;

typedef struct
{
  const char *name;
  const char *engine; /* NULL: write */
  HybValueId (*write) (HybLowering *lowering, HybValueId x, const Activation *activation);
} ActivationKind;

static HybValueId
write_leaky (HybLowering *lowering, HybValueId x, const Activation *activation)
{
  return onnx_leaky (lowering, x, "leaky", activation->alpha);
}

static HybValueId
write_clip (HybLowering *lowering, HybValueId x, const Activation *activation)
{
  return onnx_clamp (lowering, x, activation->alpha, activation->beta);
}

static HybValueId
write_hard_sigmoid (HybLowering *lowering, HybValueId x, const Activation *activation)
{
  x = onnx_shift (lowering, onnx_scale (lowering, x, activation->alpha), activation->beta);
  return onnx_clamp (lowering, x, 0, 1);
}

static const ActivationKind kinds[] = {
  { "Relu", "relu", NULL },     { "Sigmoid", "sigmoid", NULL },
  { "Tanh", "tanh", NULL },     { "LeakyRelu", NULL, write_leaky },
  { "Clip", NULL, write_clip }, { "HardSigmoid", NULL, write_hard_sigmoid },
};

static HybValueId
activate (HybLowering *lowering, HybValueId x, const Activation *activation)
{
  if (activation->name[0] == '\0')
    return x;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].name, activation->name) == 0)
      return kinds[i].engine ? hyb_onnx_unary (lowering, kinds[i].engine, x)
                             : kinds[i].write (lowering, x, activation);
  hyb_lowering_fail (lowering, NULL, "the activation %s is not supported", activation->name);
  return HYB_NO_ID;
}

/* --- Layers --- */

/* An array of the form of the result may be added before the activation. */
static void
lower_conv (HybLowering *lowering)
{
  Activation    activation = { .name = hyb_onnx_string (lowering, "activation", "") };
  guint         n;
  const double *numbers;
  HybValueId    y = onnx_window_convolve (lowering);

  hyb_onnx_floats (lowering, "activation_params", &n, &numbers);
  activation.alpha = n > 0 ? numbers[0] : 0.01;
  activation.beta = n > 1 ? numbers[1] : 0;
  if (hyb_onnx_has_input (lowering, 3))
    y = onnx_add (lowering, y, hyb_onnx_input (lowering, 3));
  hyb_lowering_set_output (lowering, 0, activate (lowering, y, &activation));
}

static HybValueId
swap_last (HybLowering *lowering, HybValueId x)
{
  int    rank = hyb_lowering_get_type (lowering, x)->shape.rank;
  gint64 order[HYB_MAX_RANK];

  if (rank < 2)
    return x;
  for (int i = 0; i < rank; i++)
    order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return hyb_onnx_transpose (lowering, x, (guint) rank, order);
}

/* The product of both inputs, of which the attributes transpose the last two axes. */
static HybValueId
multiply (HybLowering *lowering)
{
  HybValueId a = hyb_onnx_input (lowering, 0), b = hyb_onnx_input (lowering, 1);

  if (hyb_onnx_int (lowering, "transA", 0))
    a = swap_last (lowering, a);
  if (hyb_onnx_int (lowering, "transB", 0))
    b = swap_last (lowering, b);
  return onnx_scale (lowering, onnx_matmul (lowering, a, b), hyb_onnx_float (lowering, "alpha", 1));
}

static void
lower_gemm (HybLowering *lowering)
{
  Activation activation = { .name = hyb_onnx_string (lowering, "activation", ""),
                            .alpha = hyb_onnx_float (lowering, "activation_alpha", 0.01),
                            .beta = hyb_onnx_float (lowering, "activation_beta", 0) };
  HybValueId y = multiply (lowering);

  if (hyb_onnx_has_input (lowering, 2))
    y = onnx_add (lowering, y,
                  onnx_scale (lowering, hyb_onnx_input (lowering, 2),
                              hyb_onnx_float (lowering, "beta", 1)));
  hyb_lowering_set_output (lowering, 0, activate (lowering, y, &activation));
}

static void
lower_matmul (HybLowering *lowering)
{
  if (hyb_onnx_int (lowering, "transBatchA", 0) || hyb_onnx_int (lowering, "transBatchB", 0))
    hyb_lowering_fail (lowering, NULL, "transBatchA and transBatchB are not computed");
  else
    hyb_lowering_set_output (lowering, 0, multiply (lowering));
}

static const char *const conv_inputs[] = { "X", "W", "B", "Z", NULL };
static const char *const gemm_inputs[] = { "A", "B", "C", NULL };
static const char *const outputs[] = { "Y", NULL };

#define FUSED(NAME, DOC, CATEGORY, INPUTS, LOWER)                                      \
  {                                                                                    \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = CATEGORY, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                    \
    .domain = "com.microsoft", .since = 1                                              \
  }

const HybOnnxOp hyb_onnx_ops_fused[] = {
  FUSED ("FusedConv",
         "A convolution, a sum and an activation.",
         HYB_CATEGORY_CONVOLUTION,
         conv_inputs,
         lower_conv),
  FUSED ("FusedGemm",
         "A matrix product with a bias, and an activation.",
         HYB_CATEGORY_LINEAR,
         gemm_inputs,
         lower_gemm),
  FUSED ("FusedMatMul",
         "A product of transposed matrices, times a number.",
         HYB_CATEGORY_LINEAR,
         gemm_inputs,
         lower_matmul),
  FUSED ("TransposeMatMul",
         "The older name of FusedMatMul.",
         HYB_CATEGORY_LINEAR,
         gemm_inputs,
         lower_matmul),
  { .since = 0 },
};
