/* layer-norm.c — LayerNorm: normalises along one axis to mean 0 and variance 1, then scales and
 * shifts; and its gradient.
 *
 * Mean and standard deviation of each row are outputs, which the gradient reads.
 * Start at layer_norm_forward() and layer_norm_backward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/rows.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  gint64   axis;
  double   eps;
  gboolean output_mean_var;
} LayerNormParams;

static const HybParam layer_norm_params[] = {
  { HYB_FIELD (LayerNormParams, axis), HYB_PARAM_INT, "-1", .doc = "axis to normalise along" },
  { HYB_FIELD (LayerNormParams, eps), HYB_PARAM_FLOAT, "1e-5",
    .doc = "added to the variance to avoid division by zero" },
  { HYB_FIELD (LayerNormParams, output_mean_var), HYB_PARAM_BOOL, "False",
    .doc = "return mean and standard deviation as well" },
  { 0 },
};

static guint
layer_norm_n_visible (gconstpointer values)
{
  const LayerNormParams *params = values;

  return params->output_mean_var ? 3 : 1;
}

/* gamma and beta have the length of the axis; in mean and std the axis has length 1. */
static gboolean
layer_norm_infer_shape (HybCall *call, GError **error)
{
  const LayerNormParams *params = call->params;
  HybShape              *data = &call->input[0].shape;
  HybShape               want;
  int                    axis;

  if (!hyb_shape_unify (data, &call->output[0].shape, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  axis = hyb_shape_axis (data, params->axis, error);
  if (axis < 0)
    return FALSE;
  for (guint i = 1; i < 3 && data->dim[axis] == HYB_UNKNOWN; i++)
    if (call->input[i].shape.rank == 1)
      data->dim[axis] = call->input[i].shape.dim[0];

  want = *data;
  want.dim[axis] = 1;
  return hyb_layer_expect_vector (&call->input[1].shape, "gamma", data->dim[axis], error) &&
         hyb_layer_expect_vector (&call->input[2].shape, "beta", data->dim[axis], error) &&
         hyb_layer_expect (&call->output[1].shape, "mean", &want, error) &&
         hyb_layer_expect (&call->output[2].shape, "std", &want, error);
}

/* Arguments of normalise_rows, backward_rows and parameter_sums: the data as (outer, length,
 * inner), where a row is one (outer, inner). */
typedef struct
{
  gint64        outer, length, inner;
  double        eps;
  gconstpointer x, gamma, beta, dy;
  gpointer      to, mean, deviation;
  gpointer      dgamma, dbeta;
} LayerNormArgs;

static void
init_args (LayerNormArgs *args, const HybCall *call, const HybShape *data)
{
  const LayerNormParams *params = call->params;
  int                    axis = hyb_shape_axis (data, params->axis, NULL);

  args->outer = hyb_shape_count (data, 0, axis);
  args->length = data->dim[axis];
  args->inner = hyb_shape_count (data, axis + 1, data->rank);
  args->eps = params->eps;
}

#define REAL_KERNEL "engine/ops/nn/layer-norm-kernel.h"
#include "engine/kernels/each-real.h"

static void
run_rows (const HybCall *call, LayerNormArgs *args, HybParallelFunc f32, HybParallelFunc f64)
{
  hyb_parallel_for (args->outer * args->inner, MAX (1, 8192 / MAX (1, args->length)),
                    call->output[0].dtype == HYB_F64 ? f64 : f32, args);
}

static void
layer_norm_forward (const HybCall *call, const HybRun *run)
{
  LayerNormArgs args = { .x = run->input[0],
                         .gamma = run->input[1],
                         .beta = run->input[2],
                         .to = run->output[0],
                         .mean = run->output[1],
                         .deviation = run->output[2] };

  init_args (&args, call, &call->input[0].shape);
  run_rows (call, &args, normalise_rows_f32, normalise_rows_f64);
}

/* Inputs: gradient, data, gamma, mean, std.  Outputs: gradients of data, gamma and beta. */
static void
layer_norm_backward (const HybCall *call, const HybRun *run)
{
  LayerNormArgs args = { .dy = run->input[0],
                         .x = run->input[1],
                         .gamma = run->input[2],
                         .mean = (gpointer) run->input[3],
                         .deviation = (gpointer) run->input[4],
                         .to = run->output[0],
                         .dgamma = run->output[1],
                         .dbeta = run->output[2] };

  init_args (&args, call, &call->input[1].shape);
  run_rows (call, &args, backward_rows_f32, backward_rows_f64);
  hyb_parallel_for (args.length, MAX (1, 8192 / MAX (1, args.outer * args.inner)),
                    call->output[0].dtype == HYB_F64 ? parameter_sums_f64 : parameter_sums_f32,
                    &args);
}

static const char *const layer_norm_inputs[] = { "data", "gamma", "beta", NULL };
static const char *const layer_norm_outputs[] = { "output", "mean", "std", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "gamma", "mean", "std", NULL };
static const char *const backward_outputs[] = { "data", "gamma", "beta", NULL };

const HybOp hyb_ops_layer_norm[] = {
  {
      .name = "LayerNorm",
      .doc = "Normalises along an axis to mean 0 and variance 1, then scales and shifts.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_IN_PLACE,
      .inputs = layer_norm_inputs,
      .outputs = layer_norm_outputs,
      HYB_PARAMS (layer_norm_params, LayerNormParams),
      .n_visible = layer_norm_n_visible,
      .infer_shape = layer_norm_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = layer_norm_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_output = 8,
  },
  {
      .name = "_backward_LayerNorm",
      .doc = "Gradients of LayerNorm with respect to data, gamma and beta.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "LayerNorm",
      /* Gradients of the outputs mean and std are ignored, as in MXNet. */
      .operands = "g0 i0 i1 o1 o2 > i0 i1 i2",
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      HYB_PARAMS (layer_norm_params, LayerNormParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = layer_norm_backward,
      .flops_per_output = 14,
  },
  { 0 },
};
