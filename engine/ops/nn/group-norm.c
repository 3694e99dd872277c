/* group-norm.c — GroupNorm and InstanceNorm: normalise each group of channels (InstanceNorm:
 * each channel) of each sample to mean 0 and variance 1; and the gradients.
 *
 * gamma and beta have one element per group, as in MXNet 1.x.  InstanceNorm is the case of one
 * channel per group.  Start at group_norm_forward() and group_norm_backward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/rows.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  gint64   num_groups; /* 0 in InstanceNorm, which has no such attribute: one per channel */
  double   eps;
  gboolean output_mean_var;
} GroupNormParams;

static const HybParam group_norm_params[] = {
  { HYB_FIELD (GroupNormParams, num_groups), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,
    .doc = "number of channel groups" },
  { HYB_FIELD (GroupNormParams, eps), HYB_PARAM_FLOAT, "1e-5",
    .doc = "added to the variance to avoid division by zero" },
  { HYB_FIELD (GroupNormParams, output_mean_var), HYB_PARAM_BOOL, "False",
    .doc = "return mean and standard deviation as well" },
  { 0 },
};

static const HybParam instance_norm_params[] = {
  { HYB_FIELD (GroupNormParams, eps), HYB_PARAM_FLOAT, "0.001",
    .doc = "added to the variance to avoid division by zero" },
  { 0 },
};

static guint
group_norm_n_visible (gconstpointer values)
{
  const GroupNormParams *params = values;

  return params->output_mean_var ? 3 : 1;
}

static gint64
count_groups (const HybCall *call, gint64 channels)
{
  const GroupNormParams *params = call->params;

  return params->num_groups > 0 ? params->num_groups : channels;
}

static gboolean
group_norm_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape  want;
  gint64    groups;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (data, "data", 3, HYB_MAX_RANK, error))
    return FALSE;

  groups = count_groups (call, data->rank > 1 ? data->dim[1] : HYB_UNKNOWN);
  if (data->rank > 1 && data->dim[1] > 0 && data->dim[1] % groups != 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                         "%" G_GINT64_FORMAT " channels cannot be split into %" G_GINT64_FORMAT
                         " groups (num_groups)",
                         data->dim[1], groups);

  want = hyb_shape_2d (data->rank > 0 ? data->dim[0] : HYB_UNKNOWN, groups);
  return hyb_layer_expect_vector (&call->input[1].shape, "gamma", groups, error) &&
         hyb_layer_expect_vector (&call->input[2].shape, "beta", groups, error) &&
         hyb_layer_expect (&call->output[1].shape, "mean", &want, error) &&
         hyb_layer_expect (&call->output[2].shape, "std", &want, error);
}

/* Arguments of normalise_rows and backward_groups.  A row is one group of one sample: `length`
 * contiguous elements. */
typedef struct
{
  gint64        rows, groups, length;
  double        eps;
  gconstpointer x, gamma, beta, dy;
  gpointer      to, mean, deviation;
  gpointer      dgamma, dbeta;
} GroupNormArgs;

static void
init_args (GroupNormArgs *args, const HybCall *call, const HybShape *data)
{
  const GroupNormParams *params = call->params;

  args->groups = count_groups (call, data->dim[1]);
  args->rows = data->dim[0] * args->groups;
  args->length = args->rows > 0 ? hyb_shape_size (data) / args->rows : 0;
  args->eps = params->eps;
}

#define REAL_KERNEL "engine/ops/nn/group-norm-kernel.h"
#include "engine/kernels/each-real.h"

static void
group_norm_forward (const HybCall *call, const HybRun *run)
{
  GroupNormArgs args = { .x = run->input[0],
                         .gamma = run->input[1],
                         .beta = run->input[2],
                         .to = run->output[0],
                         .mean = run->output[1],
                         .deviation = run->output[2] };

  init_args (&args, call, &call->input[0].shape);
  hyb_parallel_for (args.rows, MAX (1, 8192 / MAX (1, args.length)),
                    call->output[0].dtype == HYB_F64 ? normalise_rows_f64 : normalise_rows_f32,
                    &args);
}

/* Inputs: gradient, data, gamma, mean, std.  Outputs: gradients of data, gamma and beta.
 * A slice is a group over all samples, so that one thread computes each sum. */
static void
group_norm_backward (const HybCall *call, const HybRun *run)
{
  GroupNormArgs args = { .dy = run->input[0],
                         .x = run->input[1],
                         .gamma = run->input[2],
                         .mean = (gpointer) run->input[3],
                         .deviation = (gpointer) run->input[4],
                         .to = run->output[0],
                         .dgamma = run->output[1],
                         .dbeta = run->output[2] };

  init_args (&args, call, &call->input[1].shape);
  hyb_parallel_for (args.groups, 1,
                    call->output[0].dtype == HYB_F64 ? backward_groups_f64 : backward_groups_f32,
                    &args);
}

static const char *const group_norm_inputs[] = { "data", "gamma", "beta", NULL };
static const char *const group_norm_outputs[] = { "output", "mean", "std", NULL };
static const char *const instance_norm_outputs[] = { "output", "_mean", "_std", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "gamma", "mean", "std", NULL };
static const char *const backward_outputs[] = { "data", "gamma", "beta", NULL };

const HybOp hyb_ops_group_norm[] = {
  {
      .name = "GroupNorm",
      .doc = "Normalises groups of channels of each sample to mean 0 and variance 1, then scales "
             "and shifts them.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_IN_PLACE,
      .inputs = group_norm_inputs,
      .outputs = group_norm_outputs,
      HYB_PARAMS (group_norm_params, GroupNormParams),
      .n_visible = group_norm_n_visible,
      .infer_shape = group_norm_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = group_norm_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_output = 8,
  },
  {
      .name = "InstanceNorm",
      .doc = "Normalises every channel of each sample to mean 0 and variance 1, then scales and "
             "shifts it.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_IN_PLACE,
      .inputs = group_norm_inputs,
      .outputs = instance_norm_outputs,
      HYB_PARAMS (instance_norm_params, GroupNormParams),
      .infer_shape = group_norm_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = group_norm_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_output = 8,
  },
  {
      .name = "_backward_GroupNorm",
      .doc = "Gradients of GroupNorm with respect to data, gamma and beta.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE,
      .gradient_of = "GroupNorm",
      /* Gradients of the outputs mean and std are ignored, as in MXNet. */
      .operands = "g0 i0 i1 o1 o2 > i0 i1 i2",
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      HYB_PARAMS (group_norm_params, GroupNormParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = group_norm_backward,
      .flops_per_output = 14,
  },
  {
      .name = "_backward_InstanceNorm",
      .doc = "Gradients of InstanceNorm with respect to data, gamma and beta.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE,
      .gradient_of = "InstanceNorm",
      .operands = "g0 i0 i1 o1 o2 > i0 i1 i2",
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      HYB_PARAMS (instance_norm_params, GroupNormParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = group_norm_backward,
      .flops_per_output = 14,
  },
  { 0 },
};
