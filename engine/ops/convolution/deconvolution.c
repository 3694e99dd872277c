/* deconvolution.c — Deconvolution (transposed convolution), and its gradients.
 *
 * Every data cell adds a weighted window to the output.  kernels/convolution/convolve.c computes
 * it; in its terms the image is the output and the map is the data.
 * Start at deconvolution_infer_shape() and deconvolution_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/convolution/convolution.h"

#include "engine/base/error.h"
#include "engine/gradient/by-formula.h"
#include "engine/op/run.h"

typedef struct
{
  HybShape kernel, stride, dilate, pad, adj, target_shape;
  gint64   num_filter, num_group, workspace;
  gboolean no_bias, cudnn_off;
  int      cudnn_tune, layout;
} DeconvolutionParams;

static const char *const tune_choices[] = { "None", "off", "limited_workspace", "fastest", NULL };
static const char *const layout_choices[] = {
  "None", "NCW", "NCHW", "NCDHW", "NHWC", "NDHWC", NULL,
};
#define FIRST_CHANNEL_LAST 4

static const HybParam deconvolution_params[] = {
  { HYB_FIELD (DeconvolutionParams, kernel), HYB_PARAM_SHAPE, NULL, .doc = "size of the window" },
  { HYB_FIELD (DeconvolutionParams, stride), HYB_PARAM_SHAPE, "()",
    .doc = "output cells between windows" },
  { HYB_FIELD (DeconvolutionParams, dilate), HYB_PARAM_SHAPE, "()",
    .doc = "cells between the taps of a window" },
  { HYB_FIELD (DeconvolutionParams, pad), HYB_PARAM_SHAPE, "()",
    .doc = "output cells cut off on both sides" },
  { HYB_FIELD (DeconvolutionParams, adj), HYB_PARAM_SHAPE, "()",
    .doc = "output cells added at the end" },
  { HYB_FIELD (DeconvolutionParams, target_shape), HYB_PARAM_SHAPE, "()",
    .doc = "requested output size; overrides pad and adj" },
  { HYB_FIELD (DeconvolutionParams, num_filter), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of output channels" },
  { HYB_FIELD (DeconvolutionParams, num_group), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,
    .doc = "number of channel groups, convolved independently" },
  { HYB_FIELD (DeconvolutionParams, workspace), HYB_PARAM_INT, "512",
    .doc = "MiB that an algorithm on a GPU may use" },
  { HYB_FIELD (DeconvolutionParams, no_bias), HYB_PARAM_BOOL, "True",
    .doc = "omit the bias input" },
  { HYB_FIELD (DeconvolutionParams, cudnn_tune), HYB_PARAM_ENUM, "None", .choices = tune_choices,
    .doc = "has no effect" },
  { HYB_FIELD (DeconvolutionParams, cudnn_off), HYB_PARAM_BOOL, "False", .doc = "has no effect" },
  { HYB_FIELD (DeconvolutionParams, layout), HYB_PARAM_ENUM, "None", .choices = layout_choices,
    .doc = "order of the axes" },
  { 0 },
};

static void
deconvolution_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const DeconvolutionParams *params = values;

  *n_inputs = params->no_bias ? 2 : 3;
  *n_outputs = 1;
}

/* Whether target_shape is given; all zeros mean that it is not. */
static gboolean
has_target (const DeconvolutionParams *params)
{
  for (int i = 0; i < params->target_shape.rank; i++)
    if (params->target_shape.dim[i] != 0)
      return TRUE;

  return FALSE;
}

/* Checks target_shape or, without one, adj: one number per axis, adj below the stride. */
static gboolean
check_adjustment (const DeconvolutionParams *params, GError **error)
{
  const HybShape *given = has_target (params) ? &params->target_shape : &params->adj;
  const char     *name = has_target (params) ? "target_shape" : "adj";

  if (given->rank > 0 && given->rank != params->kernel.rank)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, name,
                         "Give one number for each axis of the kernel",
                         "it has %d numbers but the kernel has %d", given->rank,
                         params->kernel.rank);

  for (int i = 0; i < given->rank; i++)
    {
      gint64 stride = i < params->stride.rank ? params->stride.dim[i] : 1;
      gint64 low = has_target (params) ? 1 : 0;
      gint64 high = has_target (params) ? G_MAXINT32 : stride - 1;

      if (given->dim[i] < low || given->dim[i] > high)
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, name, NULL,
                             "%" G_GINT64_FORMAT " is outside %" G_GINT64_FORMAT
                             " to %" G_GINT64_FORMAT,
                             given->dim[i], low, high);
    }

  return TRUE;
}

static gboolean
deconvolution_check (gconstpointer values, GError **error)
{
  const DeconvolutionParams *params = values;

  if (!hyb_window_check (&params->kernel, &params->stride, &params->dilate, &params->pad, error) ||
      !check_adjustment (params, error))
    return FALSE;

  return hyb_convolution_check_groups (params->num_filter, params->num_group, error);
}

static gboolean
is_channel_last (const DeconvolutionParams *params)
{
  return params->layout >= FIRST_CHANNEL_LAST;
}

typedef struct
{
  gint64 output, pad;
} AxisSizes;

/* Computes the output size and padding along one axis for `size` data cells; with target_shape
 * the padding follows from the output size.  FALSE if no size fits. */
static gboolean
fit_axis (const DeconvolutionParams *params, int axis, gint64 size, AxisSizes *fit, GError **error)
{
  HybWindow window;
  gint64    total;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  total = window.stride[axis] * (size - 1) + hyb_window_span (&window, axis);

  if (has_target (params))
    {
      fit->output = params->target_shape.dim[axis];
      fit->pad = (total - fit->output + 1) / 2;
    }
  else
    {
      fit->pad = window.pad[axis];
      fit->output = total - 2 * fit->pad + (axis < params->adj.rank ? params->adj.dim[axis] : 0);
    }

  if (fit->pad >= 0 && fit->output > 0)
    return TRUE;

  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data",
                       has_target (params) ? "Ask for a smaller target_shape" : "Use less padding",
                       "%" G_GINT64_FORMAT " cells along spatial axis %d give %" G_GINT64_FORMAT
                       " before padding is cut off, which cannot become %" G_GINT64_FORMAT,
                       size, axis, total, fit->output);
}

/* weight is (data channels, filters / groups, kernel…). */
static gboolean
infer_weight (HybCall *call, GError **error)
{
  const DeconvolutionParams *params = call->params;
  HybShape                  *data = &call->input[0].shape;
  HybShape                  *weight = &call->input[1].shape;
  HybShape                   want = hyb_shape_make (params->kernel.rank + 2, NULL);
  HybShape                   want_data = want;
  int                        channel = is_channel_last (params) ? params->kernel.rank + 1 : 1;

  if (data->rank != HYB_UNKNOWN)
    want.dim[0] = data->dim[channel];
  if (!hyb_convolution_expect_groups (want.dim[0], params->num_group, error))
    return FALSE;

  want.dim[channel] = params->num_filter / params->num_group;
  for (int i = 0; i < params->kernel.rank; i++)
    want.dim[(is_channel_last (params) ? 1 : 2) + i] = params->kernel.dim[i];

  if (!hyb_layer_expect (weight, "weight", &want, error))
    return FALSE;

  want_data.dim[channel] = weight->dim[0];
  return hyb_layer_expect (data, "data", &want_data, error) &&
         (params->no_bias ||
          hyb_layer_expect_vector (&call->input[2].shape, "bias", params->num_filter, error));
}

static gboolean
deconvolution_infer_shape (HybCall *call, GError **error)
{
  const DeconvolutionParams *params = call->params;
  HybShape                  *data = &call->input[0].shape;
  HybShape                  *output = &call->output[0].shape;
  int                        rank = params->kernel.rank + 2;
  int                        first = is_channel_last (params) ? 1 : 2;
  HybShape                   want = hyb_shape_make (rank, NULL);

  if (!hyb_layer_expect_image (data, "data", rank, error) ||
      !hyb_layer_expect_image (&call->input[1].shape, "weight", rank, error) ||
      !infer_weight (call, error))
    return FALSE;

  want.dim[0] = data->dim[0];
  want.dim[is_channel_last (params) ? rank - 1 : 1] = params->num_filter;
  for (int i = 0; i < params->kernel.rank; i++)
    {
      AxisSizes fit;

      if (has_target (params))
        want.dim[first + i] = params->target_shape.dim[i];
      if (data->dim[first + i] == HYB_UNKNOWN)
        continue;
      if (!fit_axis (params, i, data->dim[first + i], &fit, error))
        return FALSE;
      want.dim[first + i] = fit.output;
    }
  if (!hyb_layer_expect (output, "output", &want, error))
    return FALSE;

  want = hyb_shape_make (rank, NULL);
  want.dim[0] = output->dim[0];
  return hyb_layer_expect (data, "data", &want, error);
}

static gboolean
deconvolution_prepare (HybCall *call, GError **error)
{
  const DeconvolutionParams *params = call->params;

  return !is_channel_last (params) ||
         hyb_convolution_refuse_layout (layout_choices[params->layout], error);
}

static HybConvolve
view_convolve (const HybCall *call, const HybShape *data, const HybShape *output)
{
  const DeconvolutionParams *params = call->params;
  HybConvolve                convolve = { .batch = data->dim[0],
                                          .groups = params->num_group,
                                          .image_channels = params->num_filter,
                                          .map_channels = data->dim[1] };
  HybWindow                  window;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  for (int i = 0; i < 3; i++)
    {
      int       from = i - (3 - window.rank); /* missing axes are the first ones, of size 1 */
      AxisSizes fit = { 0, 0 };

      convolve.image[i] = from < 0 ? 1 : output->dim[2 + from];
      convolve.map[i] = from < 0 ? 1 : data->dim[2 + from];
      convolve.kernel[i] = from < 0 ? 1 : window.kernel[from];
      convolve.stride[i] = from < 0 ? 1 : window.stride[from];
      convolve.dilate[i] = from < 0 ? 1 : window.dilate[from];
      if (from >= 0)
        fit_axis (params, from, data->dim[2 + from], &fit, NULL);
      convolve.pad[i] = fit.pad;
    }

  return convolve;
}

static const char *const backward_data_inputs[] = { "gradient", "weight", "data", NULL };
static const char *const backward_weight_inputs[] = { "gradient", "data", "weight", NULL };

/* The convolution of the call or, for a gradient, of the call that it differentiates. */
static HybConvolve
view_call (const HybCall *call)
{
  guint data = call->op->inputs == backward_data_inputs ? 2 : 1;

  return call->op->gradient_of
             ? view_convolve (call, &call->input[data].shape, &call->input[0].shape)
             : view_convolve (call, &call->input[0].shape, &call->output[0].shape);
}

static gsize
deconvolution_workspace (const HybCall *call)
{
  HybConvolve convolve = view_call (call);

  return hyb_convolve_workspace (&convolve, hyb_dtype_size (call->output[0].dtype));
}

static void
deconvolution_forward (const HybCall *call, const HybRun *run)
{
  HybConvolve   convolve = view_call (call);
  gconstpointer bias = call->n_inputs > 2 ? run->input[2] : NULL;

  hyb_convolve_transposed (&convolve, &(HybConvolveOperands){ .dtype = call->output[0].dtype,
                                                              .data = run->input[0],
                                                              .weight = run->input[1],
                                                              .bias = bias,
                                                              .result = run->output[0],
                                                              .workspace = run->workspace });
}

static const char *
deconvolution_note (const HybCall *call)
{
  HybConvolve convolve = view_call (call);

  return hyb_convolve_note (&convolve);
}

static void
deconvolution_cost (const HybCall *call, HybCost *cost)
{
  HybConvolve convolve = view_call (call);

  hyb_convolution_cost (call, &convolve, cost);
}

/* --- Gradient of the data --- */

static void
backward_data_forward (const HybCall *call, const HybRun *run)
{
  HybConvolve convolve = view_call (call);

  hyb_convolve (&convolve, &(HybConvolveOperands){ .dtype = call->output[0].dtype,
                                                   .data = run->input[0],
                                                   .weight = run->input[1],
                                                   .result = run->output[0],
                                                   .workspace = run->workspace });
}

/* --- Gradient of the weight --- */

static gsize
backward_weight_workspace (const HybCall *call)
{
  HybConvolve convolve = view_call (call);

  return hyb_convolve_weight_workspace (&convolve, hyb_dtype_size (call->output[0].dtype));
}

static void
backward_weight_forward (const HybCall *call, const HybRun *run)
{
  HybConvolve convolve = view_call (call);

  hyb_convolve_weight (&convolve, &(HybConvolveWeightOperands){ .dtype = call->output[0].dtype,
                                                                .image = run->input[0],
                                                                .map = run->input[1],
                                                                .weight = run->output[0],
                                                                .workspace = run->workspace });
}

static const char *
backward_weight_note (const HybCall *call)
{
  HybConvolve convolve = view_call (call);

  return hyb_convolve_weight_note (&convolve);
}

static void
deconvolution_gradient (HybGrad *grad)
{
  const DeconvolutionParams *params = hyb_grad_params (grad);

  if (is_channel_last (params))
    hyb_grad_refuse (grad, "the gradient is not available for layout %s",
                     layout_choices[params->layout]);
  else
    hyb_gradient_by_formula (grad);
}

static const char *const deconvolution_inputs[] = { "data", "weight", "bias", NULL };

const HybOp hyb_ops_deconvolution[] = {
  {
      .name = "Deconvolution",
      .doc = "Transposed convolution: every data cell adds a weighted window to the output.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .inputs = deconvolution_inputs,
      HYB_PARAMS (deconvolution_params, DeconvolutionParams),
      .arity = deconvolution_arity,
      .check = deconvolution_check,
      .infer_shape = deconvolution_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .prepare = deconvolution_prepare,
      .forward = deconvolution_forward,
      .note = deconvolution_note,
      .workspace = deconvolution_workspace,
      .gradient = deconvolution_gradient,
      .formula = "_backward_Deconvolution_data* (g0, i1, i0) > i0; _backward_Deconvolution_weight* "
                 "(g0, i0, i1) > i1; "
                 "sum [axis=1 exclude=True] (g0) > i2",
      .cost = deconvolution_cost,
  },
  {
      .name = "_backward_Deconvolution_data",
      .doc = "Gradient of Deconvolution with respect to its data.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Deconvolution",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_data_inputs,
      HYB_PARAMS (deconvolution_params, DeconvolutionParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_data_forward,
      .note = deconvolution_note,
      .workspace = deconvolution_workspace,
      .cost = deconvolution_cost,
  },
  {
      .name = "_backward_Deconvolution_weight",
      .doc = "Gradient of Deconvolution with respect to its weight.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Deconvolution",
      .operands = "g0 i0 i1 > i1",
      .inputs = backward_weight_inputs,
      HYB_PARAMS (deconvolution_params, DeconvolutionParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_weight_forward,
      .note = backward_weight_note,
      .workspace = backward_weight_workspace,
      .cost = deconvolution_cost,
  },
  { 0 },
};
