/* regression-output.c — LinearRegressionOutput, LogisticRegressionOutput and MAERegressionOutput.
 *
 * The output is the data or its sigmoid; the gradient is that of a loss against the label and
 * ignores the incoming gradient: output − label, or its sign.  Start with the table at the bottom.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-formula.h"
#include "engine/kernels/simd/vector-math.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  double grad_scale;
} RegressionParams;

static const HybParam regression_params[] = {
  { HYB_FIELD (RegressionParams, grad_scale), HYB_PARAM_FLOAT, "1",
    .doc = "factor of the gradient" },
  { 0 },
};

/* Whether a label may have another shape than the data: as far as both are known they have the same numbers of samples and of
 * elements. */
static gboolean
may_be_label_of (const HybShape *label, const HybShape *data)
{
  gint64   n_labels = hyb_shape_size (label), n = hyb_shape_size (data);
  HybShape both = *label, other = *data;

  if (label->rank < 1 || data->rank < 1)
    return FALSE;
  if (label->rank == data->rank && hyb_shape_unify (&both, &other, NULL))
    return n_labels == n && n != HYB_UNKNOWN;
  return (label->dim[0] == data->dim[0] || label->dim[0] == HYB_UNKNOWN ||
          data->dim[0] == HYB_UNKNOWN) &&
         (n_labels == n || n_labels == HYB_UNKNOWN || n == HYB_UNKNOWN);
}

/* The label has the shape of the data, or a different one with the same numbers of samples and
 * elements, so that the data's shape does not follow from the label's.  For data (n, 1) an unknown label becomes (n). */
static gboolean
regression_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *label = &call->input[1].shape;
  HybShape  want;

  if (!hyb_shape_unify (data, &call->output[0].shape, error))
    return FALSE;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  if (may_be_label_of (label, data))
    return TRUE;

  want = *data;
  if (data->rank == 2 && data->dim[1] == 1 && label->rank != 2)
    want = hyb_shape_1d (data->dim[0]);
  return hyb_layer_expect (label, "label", &want, error);
}

static void
identity_forward (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

static void
sigmoid_forward (const HybCall *call, const HybRun *run)
{
  gint64 n = hyb_shape_size (&call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    for (gint64 i = 0; i < n; i++)
      ((double *) run->output[0])[i] = 1.0 / (1.0 + exp (-((const double *) run->input[0])[i]));
  else
    hyb_vector_sigmoid ((gsize) n, run->input[0], run->output[0]);
}

/* Inputs: output (y), label.  k = grad_scale / elements per sample. */
#define BACKWARD(name, T, VALUE)                                                             \
  static void name (const HybCall *call, const HybRun *run)                                  \
  {                                                                                          \
    const RegressionParams *params = call->params;                                           \
    gint64                  n = hyb_shape_size (&call->output[0].shape);                     \
    gint64 batch = call->output[0].shape.rank > 0 ? call->output[0].shape.dim[0] : 1;        \
    T      k = (T) (params->grad_scale * (double) batch / (double) MAX (n, 1));              \
                                                                                             \
    for (gint64 i = 0; i < n; i++)                                                           \
      {                                                                                      \
        T y = ((const T *) run->input[0])[i];                                                \
        T label = (T) hyb_dtype_get_double (run->input[1], call->input[1].dtype, (gsize) i); \
                                                                                             \
        ((T *) run->output[0])[i] = VALUE;                                                   \
      }                                                                                      \
  }

BACKWARD (difference_f32, float, (y - label) * k)
BACKWARD (difference_f64, double, (y - label) * k)
/* Where y = label the gradient is −k. */
BACKWARD (sign_f32, float, y > label ? k : -k)
BACKWARD (sign_f64, double, y > label ? k : -k)

#undef BACKWARD

static void
difference_backward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    difference_f64 (call, run);
  else
    difference_f32 (call, run);
}

static void
sign_backward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    sign_f64 (call, run);
  else
    sign_f32 (call, run);
}

static const char *const regression_inputs[] = { "data", "label", NULL };
static const char *const backward_inputs[] = { "output", "label", NULL };

#define FORWARD(mxnet_name, sentence, compute, view_func, backward, work)                 \
  {                                                                                       \
    .name = mxnet_name, .doc = sentence, .category = HYB_CATEGORY_LOSS,                   \
    .flags = HYB_OP_CUSTOM_GRADIENT | HYB_OP_IN_PLACE | HYB_OP_ANY_ATTRIBUTE,             \
    .inputs = regression_inputs, .constant_inputs = 1u << 1, .params = regression_params, \
    .params_size = sizeof (RegressionParams), .infer_shape = regression_infer_shape,      \
    .infer_dtype = hyb_layer_label_dtype, .dtypes = HYB_DTYPES_FLOAT, .forward = compute, \
    .view = view_func, HYB_GRADIENT (backward "* (o0, i1) > i0"), work                    \
  }

#define BACKWARD(internal_name, of, sentence, compute)                                    \
  {                                                                                       \
    .name = internal_name, .doc = sentence, .category = HYB_CATEGORY_LOSS,                \
    .flags = HYB_OP_INTERNAL, .gradient_of = of, .operands = "o0 i1 > i0",                \
    .inputs = backward_inputs, .params = regression_params,                               \
    .params_size = sizeof (RegressionParams), .infer_shape = hyb_rule_unary,              \
    .infer_dtype = hyb_layer_label_dtype, .dtypes = HYB_DTYPES_FLOAT, .forward = compute, \
    .flops_per_output = 2                                                                 \
  }

const HybOp hyb_ops_regression_output[] = {
  FORWARD ("LinearRegressionOutput",
           "Identity with the gradient of half the squared distance to the label.",
           identity_forward,
           hyb_rule_view_all,
           "_backward_RegressionOutput_difference",
           .cost = hyb_rule_cost_move),
  FORWARD ("LogisticRegressionOutput",
           "Sigmoid with the gradient of the cross entropy with the label.",
           sigmoid_forward,
           NULL,
           "_backward_RegressionOutput_difference",
           .flops_per_output = 4),
  FORWARD ("MAERegressionOutput",
           "Identity with the gradient of the absolute distance to the label.",
           identity_forward,
           hyb_rule_view_all,
           "_backward_RegressionOutput_sign",
           .cost = hyb_rule_cost_move),
  BACKWARD ("_backward_RegressionOutput_difference",
            "LinearRegressionOutput",
            "Gradient of a regression output: output minus label.",
            difference_backward),
  BACKWARD ("_backward_RegressionOutput_sign",
            "MAERegressionOutput",
            "Gradient of MAERegressionOutput: sign of output minus label.",
            sign_backward),
  { 0 },
};

#undef FORWARD
#undef BACKWARD
