/* batch-norm.c — BatchNorm, BatchNorm_v1, SyncBatchNorm and BatchNormWithReLU: every channel
 * normalised to mean 0 and variance 1, then scaled and shifted; and the gradients.
 *
 * While training, mean and variance are those of the batch.  The moving statistics (mutable
 * inputs) are updated only by the recording forms, which stand in where a gradient is needed:
 * MXNet updates them in its backward pass.  Start at normalise() and backward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/rows.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

/* One struct for the whole family, so that one kernel serves it. */
typedef struct
{
  double   eps, momentum;
  gboolean fix_gamma, use_global_stats, output_mean_var;
  gint64   axis;
  gboolean cudnn_off;
  double   min_calib_range, max_calib_range;
  gint64   ndev;
  char    *key;
} BatchNormParams;

#define COMMON_FIELDS                                                           \
  { HYB_FIELD (BatchNormParams, eps), HYB_PARAM_FLOAT, "0.001",                 \
    .doc = "added to the variance to avoid division by zero" },                 \
      { HYB_FIELD (BatchNormParams, momentum), HYB_PARAM_FLOAT, "0.9",          \
        .doc = "weight of the old value when moving statistics are updated" },  \
      { HYB_FIELD (BatchNormParams, fix_gamma), HYB_PARAM_BOOL, "True",         \
        .doc = "use 1 instead of the stored gamma" },                           \
      { HYB_FIELD (BatchNormParams, use_global_stats), HYB_PARAM_BOOL, "False", \
        .doc = "use the moving statistics in training as well" },               \
  {                                                                             \
    HYB_FIELD (BatchNormParams, output_mean_var), HYB_PARAM_BOOL, "False",      \
        .doc = "return mean and inverse standard deviation as well"             \
  }

static const HybParam batch_norm_params[] = {
  COMMON_FIELDS,
  { HYB_FIELD (BatchNormParams, axis), HYB_PARAM_INT, "1", .doc = "axis of the channels" },
  { HYB_FIELD (BatchNormParams, cudnn_off), HYB_PARAM_BOOL, "False", .doc = "has no effect" },
  { HYB_FIELD (BatchNormParams, min_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "has no effect" },
  { HYB_FIELD (BatchNormParams, max_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "has no effect" },
  { 0 },
};

static const HybParam batch_norm_v1_params[] = {
  COMMON_FIELDS,
  { 0 },
};

static const HybParam sync_batch_norm_params[] = {
  COMMON_FIELDS,
  { HYB_FIELD (BatchNormParams, ndev), HYB_PARAM_INT, "1", .doc = "has no effect: one device" },
  { HYB_FIELD (BatchNormParams, key), HYB_PARAM_STRING, NULL, .doc = "has no effect" },
  { 0 },
};

static guint
batch_norm_n_visible (gconstpointer values)
{
  const BatchNormParams *params = values;

  return params->output_mean_var ? 3 : 1;
}

/* The axis attribute, or 1 for operators without it (whose params->axis is always 0). */
static gint64
channel_axis (const HybCall *call)
{
  return hyb_params_get_int (call->op->params, call->params, "axis", 1);
}

static gboolean
batch_norm_infer_shape (HybCall *call, GError **error)
{
  static const char *const names[] = { "data", "gamma", "beta", "moving_mean", "moving_var" };
  HybShape                *data = &call->input[0].shape;
  gint64                   channels = HYB_UNKNOWN;
  int                      axis;

  if (!hyb_shape_unify (data, &call->output[0].shape, error))
    return FALSE;

  if (data->rank != HYB_UNKNOWN)
    {
      axis = hyb_shape_axis (data, channel_axis (call), error);
      if (axis < 0)
        return FALSE;

      for (guint i = 1; i < call->n_inputs && data->dim[axis] == HYB_UNKNOWN; i++)
        if (call->input[i].shape.rank == 1)
          data->dim[axis] = call->input[i].shape.dim[0];
      channels = data->dim[axis];
    }

  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_layer_expect_vector (&call->input[i].shape, names[i], channels, error))
      return FALSE;

  return hyb_layer_expect_vector (&call->output[1].shape, "mean", channels, error) &&
         hyb_layer_expect_vector (&call->output[2].shape, "var", channels, error);
}

/* One dtype for all operands, except that half-float data has float32 parameters and
 * statistics.  The first n_data inputs and output 0 are data. */
static gboolean
infer_dtypes (HybCall *call, guint n_data, GError **error)
{
  HybDType data = HYB_DTYPE_UNKNOWN;
  HybDType statistics;

  for (guint i = 0; i < n_data; i++)
    if (!hyb_dtype_assign (&data, call->input[i].dtype, error))
      return FALSE;
  if (!hyb_dtype_assign (&data, call->output[0].dtype, error))
    return FALSE;

  for (guint i = 0; i < n_data; i++)
    call->input[i].dtype = data;
  call->output[0].dtype = data;
  if (data == HYB_DTYPE_UNKNOWN)
    return TRUE;

  statistics = data == HYB_F16 || data == HYB_BF16 ? HYB_F32 : data;
  for (guint i = n_data; i < call->n_inputs; i++)
    if (!hyb_dtype_assign (&call->input[i].dtype, statistics, error))
      {
        g_autofree char *name = hyb_op_dup_input_name (call->op, i, call->n_inputs);

        g_prefix_error (error, "%s: ", name);
        return FALSE;
      }
  for (guint i = 1; i < call->n_outputs; i++)
    if (!hyb_dtype_assign (&call->output[i].dtype, statistics, error))
      return FALSE;

  return TRUE;
}

static gboolean
batch_norm_infer_dtype (HybCall *call, GError **error)
{
  return infer_dtypes (call, 1, error);
}

/* The data as (outer, channels, inner). */
typedef struct
{
  gint64 outer, channels, inner;
} ChannelView;

static ChannelView
view_channels (const HybCall *call, const HybShape *data)
{
  int axis = hyb_shape_axis (data, channel_axis (call), NULL);

  return (ChannelView){
    .outer = hyb_shape_count (data, 0, axis),
    .channels = data->dim[axis],
    .inner = hyb_shape_count (data, axis + 1, data->rank),
  };
}

typedef enum
{
  FORM_PLAIN,    /* the third output is 1 / √(variance + eps) */
  FORM_VARIANCE, /* the third output is the variance */
  FORM_RELU,     /* as FORM_PLAIN, with a rectifier behind it */
} Form;

/* Arguments of normalise_channels and backward_channels.  gamma: NULL with fix_gamma. */
typedef struct
{
  const BatchNormParams *params;
  ChannelView            view;
  gboolean               uses_batch_statistics; /* else the moving ones */
  gboolean               updates_moving;
  gboolean               with_relu;
  gboolean               returns_variance; /* as FORM_VARIANCE */
  gconstpointer          x, gamma, beta, dy, y;
  gpointer               moving_mean, moving_var;
  gpointer               to, mean, spread; /* spread: 1 / √(variance + eps), or the variance */
  gpointer               dgamma, dbeta;
} BatchNormArgs;

#define REAL_KERNEL "engine/ops/nn/batch-norm-kernel.h"
#include "engine/kernels/each-real.h"

static void
run_channels (const HybCall *call, BatchNormArgs *args, HybParallelFunc f32, HybParallelFunc f64)
{
  gint64 size = MAX (1, args->view.outer * args->view.inner);

  hyb_parallel_for (args->view.channels, MAX (1, 16384 / size),
                    call->output[0].dtype == HYB_F64 ? f64 : f32, args);
}

static void
normalise (const HybCall *call, const HybRun *run, Form form, gboolean updates_moving)
{
  const BatchNormParams *params = call->params;
  BatchNormArgs          args = { .params = params,
                                  .view = view_channels (call, &call->input[0].shape),
                                  .uses_batch_statistics = run->training && !params->use_global_stats,
                                  .updates_moving = updates_moving,
                                  .with_relu = form == FORM_RELU,
                                  .returns_variance = form == FORM_VARIANCE,
                                  .x = run->input[0],
                                  .gamma = params->fix_gamma ? NULL : run->input[1],
                                  .beta = run->input[2],
                                  .moving_mean = (gpointer) run->input[3],
                                  .moving_var = (gpointer) run->input[4],
                                  .to = run->output[0],
                                  .mean = run->output[1],
                                  .spread = run->output[2] };

  run_channels (call, &args, normalise_channels_f32, normalise_channels_f64);
}

#define FORWARD(form_name, form)                                                                  \
  static void batch_norm_##form_name##_forward (const HybCall *call, const HybRun *run)           \
  {                                                                                               \
    normalise (call, run, form, FALSE);                                                           \
  }                                                                                               \
                                                                                                  \
  static void batch_norm_##form_name##_recording_forward (const HybCall *call, const HybRun *run) \
  {                                                                                               \
    normalise (call, run, form, TRUE);                                                            \
  }

FORWARD (plain, FORM_PLAIN)
FORWARD (variance, FORM_VARIANCE)
FORWARD (relu, FORM_RELU)

#undef FORWARD

/* Inputs: gradient, data, (FORM_RELU: output,) gamma, mean, spread.
 * Outputs: gradients of data, gamma and beta. */
static void
backward (const HybCall *call, const HybRun *run, Form form)
{
  const BatchNormParams *params = call->params;
  gboolean               with_relu = form == FORM_RELU;
  BatchNormArgs          args = { .params = params,
                                  .view = view_channels (call, &call->input[1].shape),
                                  .uses_batch_statistics = run->training && !params->use_global_stats,
                                  .with_relu = with_relu,
                                  .returns_variance = form == FORM_VARIANCE,
                                  .dy = run->input[0],
                                  .x = run->input[1],
                                  .y = with_relu ? run->input[2] : NULL,
                                  .gamma = params->fix_gamma ? NULL : run->input[with_relu ? 3 : 2],
                                  .mean = (gpointer) run->input[with_relu ? 4 : 3],
                                  .spread = (gpointer) run->input[with_relu ? 5 : 4],
                                  .to = run->output[0],
                                  .dgamma = run->output[1],
                                  .dbeta = run->output[2] };

  run_channels (call, &args, backward_channels_f32, backward_channels_f64);
}

static void
batch_norm_backward (const HybCall *call, const HybRun *run)
{
  backward (call, run, FORM_PLAIN);
}

static void
batch_norm_variance_backward (const HybCall *call, const HybRun *run)
{
  backward (call, run, FORM_VARIANCE);
}

static void
batch_norm_relu_backward (const HybCall *call, const HybRun *run)
{
  backward (call, run, FORM_RELU);
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return infer_dtypes (call, call->n_inputs - 3, error);
}

/* Gradients of the outputs mean and var are ignored, as in MXNet. */
static void
emit_gradient (HybGrad *grad, const char *op, gboolean with_relu)
{
  const BatchNormParams *params = hyb_grad_params (grad);
  HybValueId             inputs[6];
  HybValueId             value;
  guint                  n = 0;

  inputs[n++] = hyb_grad_incoming (grad, 0);
  inputs[n++] = hyb_grad_input (grad, 0);
  if (with_relu)
    inputs[n++] = hyb_grad_output (grad, 0);
  inputs[n++] = hyb_grad_input (grad, 1);
  inputs[n++] = hyb_grad_output (grad, 1);
  inputs[n++] = hyb_grad_output (grad, 2);

  value = hyb_grad_emit_same (grad, op, n, inputs);
  hyb_grad_set_input (grad, 0, value);
  if (!params->fix_gamma)
    hyb_grad_set_input (grad, 1, value + 1);
  hyb_grad_set_input (grad, 2, value + 2);
}

static void
batch_norm_gradient (HybGrad *grad)
{
  emit_gradient (grad, "_backward_BatchNorm", FALSE);
}

static void
batch_norm_v1_gradient (HybGrad *grad)
{
  emit_gradient (grad, "_backward_BatchNorm_v1", FALSE);
}

static void
sync_batch_norm_gradient (HybGrad *grad)
{
  emit_gradient (grad, "_backward_SyncBatchNorm", FALSE);
}

static void
batch_norm_relu_gradient (HybGrad *grad)
{
  emit_gradient (grad, "_backward_BatchNormWithReLU", TRUE);
}

/* Inference: subtract, multiply, add.  Training adds the two passes for the statistics. */
static void
batch_norm_cost (const HybCall *call, HybCost *cost)
{
  const BatchNormParams *params = call->params;

  hyb_rule_cost_elementwise (call, call->training && !params->use_global_stats ? 6 : 3, cost);
}

static const char *const batch_norm_inputs[] = {
  "data", "gamma", "beta", "moving_mean", "moving_var", NULL,
};
static const char *const batch_norm_outputs[] = { "output", "mean", "var", NULL };
static const char *const backward_inputs[] = {
  "gradient", "data", "gamma", "mean", "inverse", NULL,
};
static const char *const backward_relu_inputs[] = {
  "gradient", "data", "output", "gamma", "mean", "inverse", NULL,
};
static const char *const backward_outputs[] = { "data", "gamma", "beta", NULL };

/* HybOp.operands of the gradients without and with a rectifier. */
static const char plain_uses[] = "g0 i0 i1 o1 o2 > i0 i1 i2";
static const char relu_uses[] = "g0 i0 o0 i1 o1 o2 > i0 i1 i2";

#define SAME_IN_BOTH_FORMS(table, differentiate)                                                  \
  .category = HYB_CATEGORY_NORMALISATION, .inputs = batch_norm_inputs,                            \
  .outputs = batch_norm_outputs, .mutates = 1u << 3 | 1u << 4,                                    \
  .constant_inputs = 1u << 3 | 1u << 4, .params = table, .params_size = sizeof (BatchNormParams), \
  .n_visible = batch_norm_n_visible, .infer_shape = batch_norm_infer_shape,                       \
  .infer_dtype = batch_norm_infer_dtype, .dtypes = HYB_DTYPES_FLOAT, .gradient = differentiate,   \
  .cost = batch_norm_cost

/* The operator and its recording form. */
#define BATCH_NORM(mxnet_name, recording_name, sentence, table, compute, differentiate)            \
  { .name = mxnet_name,                                                                            \
    .doc = sentence,                                                                               \
    .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_IN_PLACE,                                          \
    .recording = recording_name,                                                                   \
    .forward = batch_norm_##compute##_forward,                                                     \
    SAME_IN_BOTH_FORMS (table, differentiate) },                                                   \
  {                                                                                                \
    .name = recording_name,                                                                        \
    .doc = "Batch normalisation that also updates its moving statistics while training.",          \
    .flags = HYB_OP_INTERNAL | HYB_OP_TRAINING_DEPENDENT | HYB_OP_IN_PLACE,                        \
    .forward = batch_norm_##compute##_recording_forward, SAME_IN_BOTH_FORMS (table, differentiate) \
  }

#define BACKWARD(internal_name, input_names, of, uses, table, compute)                             \
  {                                                                                                \
    .name = internal_name, .doc = "Gradients of batch normalisation.",                             \
    .category = HYB_CATEGORY_NORMALISATION,                                                        \
    .flags = HYB_OP_INTERNAL | HYB_OP_TRAINING_DEPENDENT | HYB_OP_IN_PLACE, .inputs = input_names, \
    .gradient_of = of, .operands = uses, .outputs = backward_outputs, .params = table,             \
    .params_size = sizeof (BatchNormParams), .infer_dtype = backward_infer_dtype,                  \
    .dtypes = HYB_DTYPES_FLOAT, .forward = compute, .flops_per_output = 11                         \
  }

const HybOp hyb_ops_batch_norm[] = {
  BATCH_NORM ("BatchNorm",
              "_recording_BatchNorm",
              "Normalises every channel to mean 0 and variance 1, then scales and shifts it.",
              batch_norm_params,
              plain,
              batch_norm_gradient),
  BATCH_NORM ("BatchNorm_v1",
              "_recording_BatchNorm_v1",
              "BatchNorm as in old models, whose third output is the variance.",
              batch_norm_v1_params,
              variance,
              batch_norm_v1_gradient),
  BATCH_NORM ("_contrib_SyncBatchNorm",
              "_recording_SyncBatchNorm",
              "BatchNorm across devices; Hybridscope runs on one.",
              sync_batch_norm_params,
              variance,
              sync_batch_norm_gradient),
  BATCH_NORM ("_contrib_BatchNormWithReLU",
              "_recording_BatchNormWithReLU",
              "BatchNorm followed by a rectifier.",
              batch_norm_params,
              relu,
              batch_norm_relu_gradient),
  BACKWARD ("_backward_BatchNorm",
            backward_inputs,
            "_recording_BatchNorm",
            plain_uses,
            batch_norm_params,
            batch_norm_backward),
  BACKWARD ("_backward_BatchNorm_v1",
            backward_inputs,
            "_recording_BatchNorm_v1",
            plain_uses,
            batch_norm_v1_params,
            batch_norm_variance_backward),
  BACKWARD ("_backward_SyncBatchNorm",
            backward_inputs,
            "_recording_SyncBatchNorm",
            plain_uses,
            sync_batch_norm_params,
            batch_norm_variance_backward),
  BACKWARD ("_backward_BatchNormWithReLU",
            backward_relu_inputs,
            "_recording_BatchNormWithReLU",
            relu_uses,
            batch_norm_params,
            batch_norm_relu_backward),
  { 0 },
};

#undef BATCH_NORM
#undef SAME_IN_BOTH_FORMS
#undef BACKWARD
#undef COMMON_FIELDS
