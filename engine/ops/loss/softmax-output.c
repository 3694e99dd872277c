/* softmax-output.c — SoftmaxOutput: softmax whose gradient is that of the cross entropy with the
 * labels.  It ignores the incoming gradient unless the attribute out_grad is set.
 *
 * Start at softmax_output_backward(); the gradient loops are in softmax-output-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/gradient.h"
#include "engine/kernels/softmax.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <float.h>
#include <math.h>

#include "engine/kernels/vectorise.h"

typedef enum
{
  NORMALIZE_NULL,
  NORMALIZE_BATCH,
  NORMALIZE_VALID,
} Normalization;

typedef struct
{
  double   grad_scale, ignore_label, smooth_alpha;
  gboolean multi_output, use_ignore, preserve_shape, out_grad;
  int      normalization;
} SoftmaxOutputParams;

static const char *const normalization_names[] = { "null", "batch", "valid", NULL };

static const HybParam softmax_output_params[] = {
  { HYB_FIELD (SoftmaxOutputParams, grad_scale), HYB_PARAM_FLOAT, "1",
    .doc = "factor of the gradient" },
  { HYB_FIELD (SoftmaxOutputParams, ignore_label), HYB_PARAM_FLOAT, "-1",
    .doc = "label of rows to ignore (use_ignore)" },
  { HYB_FIELD (SoftmaxOutputParams, multi_output), HYB_PARAM_BOOL, "False",
    .doc = "softmax over axis 1 at every position" },
  { HYB_FIELD (SoftmaxOutputParams, use_ignore), HYB_PARAM_BOOL, "False",
    .doc = "rows with ignore_label get no gradient" },
  { HYB_FIELD (SoftmaxOutputParams, preserve_shape), HYB_PARAM_BOOL, "False",
    .doc = "softmax over the last axis" },
  { HYB_FIELD (SoftmaxOutputParams, normalization), HYB_PARAM_ENUM, "null",
    .choices = normalization_names,
    .doc = "divisor of the gradient: 1, the batch size or the number of valid labels" },
  { HYB_FIELD (SoftmaxOutputParams, out_grad), HYB_PARAM_BOOL, "False",
    .doc = "multiply by the incoming gradient" },
  { HYB_FIELD (SoftmaxOutputParams, smooth_alpha), HYB_PARAM_FLOAT, "0", .low = 0, .high = 1,
    .doc = "label smoothing: probability spread over the other classes" },
  { 0 },
};

/* Axis 1 with multi_output, else the last axis.  MXNet's documentation says “all axes but the
 * first” if preserve_shape is not set either, but its usual builds use the last axis; for data of
 * rank 2 it is the same. */
static int
class_axis (const SoftmaxOutputParams *params, const HybShape *data)
{
  return params->multi_output ? 1 : data->rank - 1;
}

/* The label shape to infer if it is not known: the data without the class axis, where
 * multi_output flattens the positions. */
static HybShape
default_label_shape (const SoftmaxOutputParams *params, const HybShape *data)
{
  HybShape label = *data;

  if (!params->multi_output)
    {
      label.rank--;
      return label;
    }

  return hyb_shape_2d (data->dim[0], hyb_layer_extent (data, 2, data->rank));
}

/* Whether a label whose dimensions are partly unknown, or those of the data are, may have this shape. */
static gboolean
may_be (const HybShape *label, const HybShape *shape)
{
  HybShape a = *label, b = *shape;

  return label->rank == shape->rank && hyb_shape_unify (&a, &b, NULL);
}

/* Whether the label may have the shape of the data with axis 1 removed or of size 1. */
static gboolean
is_spatial_label (const HybShape *label, const HybShape *data)
{
  HybShape without = { .rank = data->rank - 1 };
  HybShape with_one = *data;

  with_one.dim[1] = 1;
  for (int i = 0; i < without.rank; i++)
    without.dim[i] = data->dim[i < 1 ? i : i + 1];

  return may_be (label, &without) || may_be (label, &with_one);
}

static gboolean
softmax_output_infer_shape (HybCall *call, GError **error)
{
  const SoftmaxOutputParams *params = call->params;
  HybShape                  *data = &call->input[0].shape;
  HybShape                  *label = &call->input[1].shape;
  HybShape                   want;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (data, "data", 2, HYB_MAX_RANK, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  if (params->multi_output && is_spatial_label (label, data))
    return TRUE;

  /* A label of the data's shape has probabilities. */
  want = may_be (label, data) ? *data : default_label_shape (params, data);
  return hyb_layer_expect (label, "label", &want, error);
}

static void
softmax_output_forward (const HybCall *call, const HybRun *run)
{
  HybSoftmaxView view;

  hyb_softmax_init (&view, &call->input[0].shape, class_axis (call->params, &call->input[0].shape));
  hyb_softmax_forward (&view, call->output[0].dtype, run->input[0], run->output[0]);
}

/* Arguments of the gradient loops. */
typedef struct
{
  const SoftmaxOutputParams *params;
  HybSoftmaxView             view;
  gint64                     size, batch;
  gconstpointer              p, label, incoming; /* incoming: NULL without out_grad */
  HybDType                   label_dtype;
  gpointer                   to;
} SoftmaxOutputArgs;

/* Labels are compared as integers.  An ignore_label that is infinite, NaN or 1e15 and more in
 * absolute value matches no label. */
static gboolean
is_ignored (const SoftmaxOutputArgs *args, gint64 label)
{
  double ignored = trunc (args->params->ignore_label);

  return fabs (ignored) < 1e15 && (double) label == ignored;
}

/* The factor of every element of the gradient: grad_scale after normalization. */
static double
gradient_scale (const SoftmaxOutputArgs *args)
{
  const SoftmaxOutputParams *params = args->params;
  double                     scale = params->grad_scale;
  gint64                     rows = args->view.outer * args->view.inner;
  gint64                     valid = 0;

  if (params->multi_output && params->normalization != NORMALIZE_VALID)
    scale /= (double) MAX (args->view.inner, 1);

  switch ((Normalization) params->normalization)
    {
    case NORMALIZE_NULL:
      return scale;
    case NORMALIZE_BATCH:
      return scale / (double) MAX (args->batch, 1);
    case NORMALIZE_VALID:
      break;
    }

  for (gint64 i = 0; i < rows; i++)
    valid += !is_ignored (args, hyb_dtype_get_int (args->label, args->label_dtype, (gsize) i));
  return scale / (double) MAX (valid, 1);
}

#define REAL_KERNEL "engine/ops/loss/softmax-output-kernel.h"
#include "engine/kernels/each-real.h"

/* Inputs: output, label, with out_grad the incoming gradient. */
static void
softmax_output_backward (const HybCall *call, const HybRun *run)
{
  const SoftmaxOutputParams *params = call->params;
  const HybShape            *shape = &call->input[0].shape;
  SoftmaxOutputArgs          args = { .params = params,
                                      .size = hyb_shape_size (shape),
                                      .batch = shape->dim[0],
                                      .p = run->input[0],
                                      .label = run->input[1],
                                      .incoming = params->out_grad ? run->input[2] : NULL,
                                      .label_dtype = call->input[1].dtype,
                                      .to = run->output[0] };
  gboolean                   is_probability = hyb_shape_equal (&call->input[1].shape, shape);

  hyb_softmax_init (&args.view, shape, class_axis (params, shape));
  if (!params->multi_output)
    args.batch = args.view.outer;

  if (call->output[0].dtype == HYB_F64)
    is_probability ? probability_gradient_f64 (&args) : label_gradient_f64 (&args);
  else
    is_probability ? probability_gradient_f32 (&args) : label_gradient_f32 (&args);
}

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const SoftmaxOutputParams *params = values;

  *n_inputs = params->out_grad ? 3 : 2;
  *n_outputs = 1;
}

static void
softmax_output_gradient (HybGrad *grad)
{
  const SoftmaxOutputParams *params = hyb_grad_params (grad);
  HybValueId                 inputs[3] = { hyb_grad_output (grad, 0), hyb_grad_input (grad, 1) };

  if (params->out_grad)
    inputs[2] = hyb_grad_incoming (grad, 0);
  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit_same (grad, "_backward_SoftmaxOutput", params->out_grad ? 3 : 2,
                                          inputs));
}

static const char *const softmax_output_aliases[] = { "Softmax", NULL };
static const char *const softmax_output_inputs[] = { "data", "label", NULL };
static const char *const backward_inputs[] = { "output", "label", "gradient", NULL };

const HybOp hyb_ops_softmax_output[] = {
  {
      .name = "SoftmaxOutput",
      .aliases = softmax_output_aliases,
      .doc = "Softmax with the gradient of the cross entropy with the labels.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_CUSTOM_GRADIENT | HYB_OP_IN_PLACE,
      .inputs = softmax_output_inputs,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (softmax_output_params, SoftmaxOutputParams),
      .infer_shape = softmax_output_infer_shape,
      .infer_dtype = hyb_layer_label_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = softmax_output_forward,
      .gradient = softmax_output_gradient,
      .flops_per_output = 5,
  },
  {
      .name = "_backward_SoftmaxOutput",
      .doc = "Gradient of SoftmaxOutput: probabilities minus labels.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "SoftmaxOutput",
      .operands = "o0 i1 g0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (softmax_output_params, SoftmaxOutputParams),
      .arity = backward_arity,
      .infer_dtype = hyb_layer_label_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = softmax_output_backward,
      .flops_per_output = 2,
  },
  { 0 },
};
