/* softmax.c — softmax, softmin and log_softmax along one axis, and their gradients.
 *
 * kernels/softmax.c has the loops.  softmin is softmax of −x; the attribute dtype may ask for
 * another output type, in which everything is then computed.  A good model for new operators:
 * start with the table at the bottom, then softmax_infer_shape() and compute().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/softmax.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

typedef struct
{
  gint64   axis;
  double   temperature;
  HybDType dtype;
  gboolean use_length;
} SoftmaxParams;

static const HybParam softmax_params[] = {
  { HYB_FIELD (SoftmaxParams, axis), HYB_PARAM_INT, "-1",
    .doc = "axis along which the outputs sum to one" },
  { HYB_FIELD (SoftmaxParams, temperature), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "divisor of the input" },
  { HYB_FIELD (SoftmaxParams, dtype), HYB_PARAM_DTYPE, "None",
    .doc = "element type of the output; None: same as the input" },
  { HYB_FIELD (SoftmaxParams, use_length), HYB_PARAM_BOOL, "False",
    .doc = "a second input gives the valid length of each row" },
  { 0 },
};

static void
softmax_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const SoftmaxParams *params = values;

  *n_inputs = params->use_length ? 2 : 1;
  *n_outputs = 1;
}

/* Lengths have the shape of the data without the axis; for a vector, () or (1). */
static gboolean
infer_length (HybShape *length, const HybShape *data, int axis, GError **error)
{
  HybShape want = { .rank = data->rank - 1 };

  for (int i = 0; i < want.rank; i++)
    want.dim[i] = data->dim[i < axis ? i : i + 1];
  if (want.rank == 0 && length->rank != 0)
    want = hyb_shape_1d (1);

  return hyb_layer_expect (length, "length", &want, error);
}

static gboolean
softmax_infer_shape (HybCall *call, GError **error)
{
  const SoftmaxParams *params = call->params;
  HybShape            *data = &call->input[0].shape;
  int                  axis;

  if (!hyb_shape_unify (data, &call->output[0].shape, error))
    return FALSE;

  /* The axis can be checked only once the rank is known. */
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  axis = hyb_shape_axis (data, params->axis, error);

  return axis >= 0 &&
         (call->n_inputs < 2 || infer_length (&call->input[1].shape, data, axis, error));
}

static gboolean
softmax_infer_dtype (HybCall *call, GError **error)
{
  const SoftmaxParams *params = call->params;
  HybDType             length = call->n_inputs > 1 ? call->input[1].dtype : HYB_I32;

  if (length != HYB_DTYPE_UNKNOWN && length != HYB_I32 && length != HYB_I64)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "length", NULL,
                         "its type is %s but must be int32 or int64", hyb_dtype_name (length));

  /* An unknown dtype would default to float32. */
  if (length == HYB_DTYPE_UNKNOWN)
    call->input[1].dtype = HYB_I32;

  if (params->dtype == HYB_DTYPE_UNKNOWN)
    return hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error);
  return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);
}

static HybSoftmaxView
view_softmax (const HybCall *call, double sign, gboolean log)
{
  const SoftmaxParams *params = call->params;
  const HybShape      *shape = &call->input[0].shape;
  HybSoftmaxView       view;

  hyb_softmax_init (&view, shape, hyb_shape_axis (shape, params->axis, NULL));
  view.scale = isnan (params->temperature) ? sign : sign / params->temperature;
  view.log = log;
  return view;
}

/* Bytes for a copy in the type of `to` (double at most), needed if the two types differ. */
static gsize
convert_workspace (const HybType *from, const HybType *to)
{
  return from->dtype == to->dtype ? 0 : (gsize) hyb_shape_size (&to->shape) * sizeof (double);
}

static gsize
softmax_workspace (const HybCall *call)
{
  return convert_workspace (&call->input[0], &call->output[0]);
}

/* Converts the data to the type of the output first if they differ.  sign: −1 for softmin. */
static void
compute (const HybCall *call, const HybRun *run, double sign, gboolean log)
{
  HybSoftmaxView view = view_softmax (call, sign, log);
  gconstpointer  x = run->input[0];

  if (call->n_inputs > 1)
    {
      view.row_lengths = run->input[1];
      view.row_lengths_dtype = call->input[1].dtype;
    }
  if (softmax_workspace (call) > 0)
    {
      hyb_dtype_convert (run->workspace, call->output[0].dtype, run->input[0], call->input[0].dtype,
                         (gsize) hyb_shape_size (&call->input[0].shape));
      x = run->workspace;
    }

  hyb_softmax_forward (&view, call->output[0].dtype, x, run->output[0]);
}

static void
softmax_forward (const HybCall *call, const HybRun *run)
{
  compute (call, run, 1, FALSE);
}

static void
softmin_forward (const HybCall *call, const HybRun *run)
{
  compute (call, run, -1, FALSE);
}

static void
log_softmax_forward (const HybCall *call, const HybRun *run)
{
  compute (call, run, 1, TRUE);
}

/* --- Gradient --- */

/* Inputs: gradient, output, and the data if the attribute dtype is set.  Past the length the
 * output is 0 and so is the gradient, so lengths are not needed. */
static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const SoftmaxParams *params = values;

  *n_inputs = params->dtype == HYB_DTYPE_UNKNOWN ? 2 : 3;
  *n_outputs = 1;
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[0].dtype, &call->input[1].dtype, error) &&
         hyb_dtype_unify (&call->output[0].dtype, &call->input[call->n_inputs > 2 ? 2 : 0].dtype,
                          error);
}

static gsize
backward_workspace (const HybCall *call)
{
  return convert_workspace (&call->output[0], &call->input[0]);
}

/* Computes in the type of the forward output and converts the result if the data's differs. */
static void
compute_backward (const HybCall *call, const HybRun *run, double sign, gboolean log)
{
  gboolean       converts = backward_workspace (call) > 0;
  HybSoftmaxView view = view_softmax (call, sign, log);

  hyb_softmax_backward (&view, call->input[0].dtype, run->input[1], run->input[0],
                        converts ? run->workspace : run->output[0]);
  if (converts)
    hyb_dtype_convert (run->output[0], call->output[0].dtype, run->workspace, call->input[0].dtype,
                       (gsize) hyb_shape_size (&call->output[0].shape));
}

static void
softmax_backward (const HybCall *call, const HybRun *run)
{
  compute_backward (call, run, 1, FALSE);
}

static void
softmin_backward (const HybCall *call, const HybRun *run)
{
  compute_backward (call, run, -1, FALSE);
}

static void
log_softmax_backward (const HybCall *call, const HybRun *run)
{
  compute_backward (call, run, 1, TRUE);
}

static void
emit_gradient (HybGrad *grad, const char *op)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_output (grad, 0),
                          hyb_grad_input (grad, 0) };
  guint      n_inputs, n_outputs;

  backward_arity (hyb_grad_params (grad), &n_inputs, &n_outputs);
  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, op, n_inputs, inputs));
}

/* --- Second gradient --- */

/* Differentiates dx = y ∘ g − y Σ (y ∘ g) (softmax) and dx = g − eʸ Σ g (log_softmax), where y is the
 * output of the forward operator, g its gradient and h, below, the gradient of dx. */

static HybValueId
emit_two (HybGrad *grad, const char *op, HybValueId a, HybValueId b)
{
  return hyb_grad_emit (grad, op, a, b, HYB_NO_ID);
}

static HybValueId
emit_total (HybGrad *grad, HybValueId x)
{
  const SoftmaxParams *params = hyb_grad_params (grad);
  g_autofree char     *axis = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) params->axis);

  return hyb_grad_emit_with (grad, "sum",
                             (const char *[]){ "axis", axis, "keepdims", "True", NULL }, 1, &x);
}

static double
temperature (const SoftmaxParams *params)
{
  return isnan (params->temperature) ? 1 : params->temperature;
}

/* Whether the gradient node computed just the formula above, without type conversion. */
static gboolean
is_plain (HybGrad *grad, const char *op)
{
  if (hyb_grad_n_inputs (grad) == 2)
    return TRUE;
  hyb_grad_refuse (grad, "%s with the attribute dtype has no second gradient", op);
  return FALSE;
}

static void
softmax_second_gradient (HybGrad *grad)
{
  const SoftmaxParams *params = hyb_grad_params (grad);
  HybValueId           h = hyb_grad_incoming (grad, 0);
  HybValueId           g = hyb_grad_input (grad, 0), y = hyb_grad_input (grad, 1);
  HybValueId           by_g, by_h, slope;

  if (!is_plain (grad, "_backward_softmax"))
    return;
  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0,
                        hyb_grad_emit_same (grad, "_backward_softmax", 2, (HybValueId[]){ h, y }));
  if (!hyb_grad_needs_input (grad, 1))
    return;
  by_g = emit_total (grad, emit_two (grad, "elemwise_mul", y, g));
  by_h = emit_total (grad, emit_two (grad, "elemwise_mul", y, h));
  slope = emit_two (grad, "elemwise_mul", h, g);
  slope = emit_two (grad, "elemwise_sub", slope, emit_two (grad, "broadcast_mul", h, by_g));
  slope = emit_two (grad, "elemwise_sub", slope, emit_two (grad, "broadcast_mul", g, by_h));
  hyb_grad_set_input (grad, 1,
                      hyb_grad_emit_scalar (grad, "_div_scalar", slope, temperature (params)));
}

static void
log_softmax_second_gradient (HybGrad *grad)
{
  const SoftmaxParams *params = hyb_grad_params (grad);
  HybValueId           h = hyb_grad_incoming (grad, 0);
  HybValueId           g = hyb_grad_input (grad, 0), y = hyb_grad_input (grad, 1);
  HybValueId           shares, weighted, slope;

  if (!is_plain (grad, "_backward_log_softmax"))
    return;
  shares = hyb_grad_emit (grad, "exp", y, HYB_NO_ID);
  weighted = emit_two (grad, "elemwise_mul", h, shares);
  if (hyb_grad_needs_input (grad, 0))
    {
      slope = emit_two (grad, "broadcast_sub", h, emit_total (grad, weighted));
      hyb_grad_set_input (grad, 0,
                          hyb_grad_emit_scalar (grad, "_div_scalar", slope, temperature (params)));
    }
  if (hyb_grad_needs_input (grad, 1))
    {
      slope = emit_two (grad, "broadcast_mul", weighted, emit_total (grad, g));
      hyb_grad_set_input (grad, 1,
                          hyb_grad_emit_scalar (grad, "_div_scalar", slope, -temperature (params)));
    }
}

static void
softmax_gradient (HybGrad *grad)
{
  emit_gradient (grad, "_backward_softmax");
}

static void
softmin_gradient (HybGrad *grad)
{
  emit_gradient (grad, "_backward_softmin");
}

static void
log_softmax_gradient (HybGrad *grad)
{
  emit_gradient (grad, "_backward_log_softmax");
}

static const char *const softmax_inputs[] = { "data", "length", NULL };
static const char *const one_input[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "output", "data", NULL };

/* Of each element: max, subtract, exp, sum, divide. */
#define FORWARD(mxnet_name, sentence, operands, count, compute, differentiate)       \
  {                                                                                  \
    .name = mxnet_name, .doc = sentence, .category = HYB_CATEGORY_REDUCTION,         \
    .flags = HYB_OP_IN_PLACE, .inputs = operands, .constant_inputs = 1u << 1,        \
    .params = softmax_params, .params_size = sizeof (SoftmaxParams), .arity = count, \
    .infer_shape = softmax_infer_shape, .infer_dtype = softmax_infer_dtype,          \
    .dtypes = HYB_DTYPES_FLOAT, .forward = compute, .workspace = softmax_workspace,  \
    .gradient = differentiate, .flops_per_output = 5                                 \
  }

#define BACKWARD(internal_name, sentence, compute, differentiate)                    \
  {                                                                                  \
    .name = internal_name, .doc = sentence, .category = HYB_CATEGORY_REDUCTION,      \
    .flags = HYB_OP_INTERNAL, .inputs = backward_inputs, .params = softmax_params,   \
    .params_size = sizeof (SoftmaxParams), .arity = backward_arity,                  \
    .infer_shape = hyb_rule_same_shape, .infer_dtype = backward_infer_dtype,         \
    .dtypes = HYB_DTYPES_FLOAT, .forward = compute, .workspace = backward_workspace, \
    .gradient = differentiate, .flops_per_output = 5                                 \
  }

const HybOp hyb_ops_softmax[] = {
  FORWARD ("softmax",
           "Exponentials of the input, normalised to sum to one along an axis.",
           softmax_inputs,
           softmax_arity,
           softmax_forward,
           softmax_gradient),
  FORWARD ("softmin",
           "Exponentials of the negated input, normalised to sum to one along an axis.",
           one_input,
           NULL,
           softmin_forward,
           softmin_gradient),
  FORWARD ("log_softmax",
           "Logarithm of softmax, computed directly so that small values do not underflow.",
           one_input,
           NULL,
           log_softmax_forward,
           log_softmax_gradient),
  BACKWARD ("_backward_softmax",
            "Gradient of softmax from its output.",
            softmax_backward,
            softmax_second_gradient),
  BACKWARD ("_backward_softmin", "Gradient of softmin from its output.", softmin_backward, NULL),
  BACKWARD ("_backward_log_softmax",
            "Gradient of log_softmax from its output.",
            log_softmax_backward,
            log_softmax_second_gradient),
  { 0 },
};

#undef FORWARD
#undef BACKWARD
