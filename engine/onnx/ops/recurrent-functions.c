/* recurrent-functions.c — the activation functions of recurrent nodes, by name, with their numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/recurrent.h"

#include <string.h>

/* The result of an activation function for x. */
typedef struct
{
  const char *name;
  const char *cell;   /* the name that _rnn_form has for it */
  const char *engine; /* if it is one operator of the engine; else NULL */
  gboolean    has_alpha, has_beta;
  double      alpha, beta; /* the defaults */
  HybValueId (*write) (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function);
} FunctionKind;

static HybValueId
write_leaky (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function)
{
  return onnx_leaky (lowering, x, "leaky", function->alpha);
}

static HybValueId
write_elu (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function)
{
  return onnx_leaky (lowering, x, "elu", function->alpha);
}

static HybValueId
write_affine (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function)
{
  return onnx_shift (lowering, onnx_scale (lowering, x, function->alpha), function->beta);
}

static HybValueId
write_hard_sigmoid (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function)
{
  return onnx_clamp (lowering, write_affine (lowering, x, function), 0, 1);
}

static HybValueId
write_scaled_tanh (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function)
{
  x = hyb_onnx_unary (lowering, "tanh", onnx_scale (lowering, x, function->beta));
  return onnx_scale (lowering, x, function->alpha);
}

static HybValueId
write_thresholded (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function)
{
  return onnx_where (lowering,
                     hyb_onnx_with_scalar (lowering, "_npi_greater_equal_scalar", x,
                                           function->alpha),
                     x, hyb_onnx_unary (lowering, "zeros_like", x));
}

static HybValueId
write_softplus (HybLowering *lowering, HybValueId x, const OnnxRecurrentFunction *function)
{
  return hyb_lowering_emit (lowering, "Activation", 1, &x, "act_type", "softrelu", NULL);
}

static const FunctionKind function_kinds[] = {
  { "Sigmoid", "sigmoid", "sigmoid", FALSE, FALSE, 0, 0, NULL },
  { "Tanh", "tanh", "tanh", FALSE, FALSE, 0, 0, NULL },
  { "Relu", "relu", "relu", FALSE, FALSE, 0, 0, NULL },
  { "Softsign", "softsign", "softsign", FALSE, FALSE, 0, 0, NULL },
  { "Softplus", "softplus", NULL, FALSE, FALSE, 0, 0, write_softplus },
  { "LeakyRelu", "leaky_relu", NULL, TRUE, FALSE, 0.01, 0, write_leaky },
  { "Elu", "elu", NULL, TRUE, FALSE, 1, 0, write_elu },
  { "ThresholdedRelu", "thresholded_relu", NULL, TRUE, FALSE, 1, 0, write_thresholded },
  { "Affine", "affine", NULL, TRUE, TRUE, 1, 0, write_affine },
  { "HardSigmoid", "hard_sigmoid", NULL, TRUE, TRUE, 0.2, 0.5, write_hard_sigmoid },
  { "ScaledTanh", "scaled_tanh", NULL, TRUE, TRUE, 1, 1, write_scaled_tanh },
};

static const FunctionKind *
find_function (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (function_kinds); i++)
    if (g_ascii_strcasecmp (function_kinds[i].name, name) == 0)
      return &function_kinds[i];
  return NULL;
}

HybValueId
onnx_recurrent_apply (HybLowering *lowering, const OnnxRecurrentFunction *function, HybValueId x)
{
  const FunctionKind *kind = find_function (function->name);

  return kind->engine ? hyb_onnx_unary (lowering, kind->engine, x)
                      : kind->write (lowering, x, function);
}

/* The next number of a list, or the default where it ends. */
static double
next_number (HybLowering *lowering, const char *list, guint *at, double fallback)
{
  guint         n;
  const double *values;

  hyb_onnx_floats (lowering, list, &n, &values);
  return *at < n ? values[(*at)++] : fallback;
}

gboolean
onnx_recurrent_read_functions (HybLowering              *lowering,
                               const OnnxRecurrentSizes *sizes,
                               OnnxRecurrentFunction    *functions)
{
  const HybOnnxAttribute *list = hyb_onnx_attribute (lowering, "activations");
  guint                   n = sizes->kind->n_functions * (guint) sizes->directions;
  guint                   n_alpha = 0, n_beta = 0;

  for (guint i = 0; i < n; i++)
    {
      const FunctionKind *kind;

      functions[i].name = sizes->kind->activations[i % sizes->kind->n_functions];
      if (list && list->kind == HYB_ONNX_ATTRIBUTE_STRINGS && i < list->n)
        functions[i].name =
            hyb_lowering_text (lowering, "%.*s", (int) MIN (list->strings[i].length, 64),
                               (const char *) list->strings[i].data);
      kind = find_function (functions[i].name);
      if (!kind)
        {
          hyb_lowering_fail (lowering, NULL, "there is no activation %s", functions[i].name);
          return FALSE;
        }
      functions[i].cell = kind->cell;
      functions[i].alpha = kind->alpha;
      functions[i].beta = kind->beta;
      if (kind->has_alpha)
        functions[i].alpha = next_number (lowering, "activation_alpha", &n_alpha, kind->alpha);
      if (kind->has_beta)
        functions[i].beta = next_number (lowering, "activation_beta", &n_beta, kind->beta);
    }
  return TRUE;
}
