/* convolution.c — Convolution over one, two or three spatial axes, and its gradients.
 *
 * This file infers shapes and picks a kernel: kernels/convolution/direct-convolution.c for floats
 * where it suits, else convolve.c (im2col and a matrix product).  In the kernels' terms the image
 * is the data and the map is the output.  Start at convolution_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/convolution/convolution.h"

#include "engine/base/error.h"
#include "engine/gradient/by-formula.h"
#include "engine/kernels/convolution/direct-convolution.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  HybShape kernel, stride, dilate, pad;
  gint64   num_filter, num_group, workspace;
  gboolean no_bias, cudnn_off;
  int      cudnn_tune, layout;
} ConvolutionParams;

static const char *const tune_choices[] = { "None", "off", "limited_workspace", "fastest", NULL };
static const char *const layout_choices[] = {
  "None", "NCW", "NCHW", "NCDHW", "NHWC", "NDHWC", NULL,
};
/* Number of kernel axes of each layout; 0: any.  From FIRST_CHANNEL_LAST on, channels are last. */
static const int layout_axes[] = { 0, 1, 2, 3, 2, 3 };
#define FIRST_CHANNEL_LAST 4

static const HybParam convolution_params[] = {
  { HYB_FIELD (ConvolutionParams, kernel), HYB_PARAM_SHAPE, NULL, .doc = "size of the window" },
  { HYB_FIELD (ConvolutionParams, stride), HYB_PARAM_SHAPE, "()", .doc = "cells between windows" },
  { HYB_FIELD (ConvolutionParams, dilate), HYB_PARAM_SHAPE, "()",
    .doc = "cells between the taps of a window" },
  { HYB_FIELD (ConvolutionParams, pad), HYB_PARAM_SHAPE, "()", .doc = "zeros added on both sides" },
  { HYB_FIELD (ConvolutionParams, num_filter), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of output channels" },
  { HYB_FIELD (ConvolutionParams, num_group), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,
    .doc = "number of channel groups, convolved independently" },
  { HYB_FIELD (ConvolutionParams, workspace), HYB_PARAM_INT, "1024",
    .doc = "MiB that an algorithm on a GPU may use" },
  { HYB_FIELD (ConvolutionParams, no_bias), HYB_PARAM_BOOL, "False", .doc = "omit the bias input" },
  { HYB_FIELD (ConvolutionParams, cudnn_tune), HYB_PARAM_ENUM, "None", .choices = tune_choices,
    .doc = "has no effect" },
  { HYB_FIELD (ConvolutionParams, cudnn_off), HYB_PARAM_BOOL, "False", .doc = "has no effect" },
  { HYB_FIELD (ConvolutionParams, layout), HYB_PARAM_ENUM, "None", .choices = layout_choices,
    .doc = "order of the axes" },
  { 0 },
};

static void
convolution_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const ConvolutionParams *params = values;

  *n_inputs = params->no_bias ? 2 : 3;
  *n_outputs = 1;
}

gboolean
hyb_convolution_check_groups (gint64 filters, gint64 groups, GError **error)
{
  return filters % groups == 0 ||
         hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "num_filter", NULL,
                       "%" G_GINT64_FORMAT " filters cannot be split into %" G_GINT64_FORMAT
                       " groups",
                       filters, groups);
}

gboolean
hyb_convolution_expect_groups (gint64 channels, gint64 groups, GError **error)
{
  return channels == HYB_UNKNOWN || channels % groups == 0 ||
         hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                       "%" G_GINT64_FORMAT " channels cannot be split into %" G_GINT64_FORMAT
                       " groups (num_group)",
                       channels, groups);
}

static gboolean
convolution_check (gconstpointer values, GError **error)
{
  const ConvolutionParams *params = values;

  if (!hyb_window_check (&params->kernel, &params->stride, &params->dilate, &params->pad, error))
    return FALSE;

  if (layout_axes[params->layout] != 0 && layout_axes[params->layout] != params->kernel.rank)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "layout", NULL,
                         "%s is for %d spatial axes but the kernel has %d",
                         layout_choices[params->layout], layout_axes[params->layout],
                         params->kernel.rank);

  return hyb_convolution_check_groups (params->num_filter, params->num_group, error);
}

static gboolean
is_channel_last (const ConvolutionParams *params)
{
  return params->layout >= FIRST_CHANNEL_LAST;
}

/* The first spatial axis of data and output. */
static int
spatial_axis (const ConvolutionParams *params)
{
  return is_channel_last (params) ? 1 : 2;
}

/* The channel axis of data and output. */
static int
channel_axis (const ConvolutionParams *params)
{
  return is_channel_last (params) ? params->kernel.rank + 1 : 1;
}

/* weight is (filters, channels / groups, kernel…); in channel-last layouts the channels are its
 * last axis too. */
static gboolean
infer_weight (HybCall *call, GError **error)
{
  const ConvolutionParams *params = call->params;
  const HybShape          *data = &call->input[0].shape;
  int                      first = is_channel_last (params) ? 1 : 2;
  HybShape                 want = hyb_shape_make (params->kernel.rank + 2, NULL);

  want.dim[0] = params->num_filter;
  for (int i = 0; i < params->kernel.rank; i++)
    want.dim[first + i] = params->kernel.dim[i];

  if (data->rank != HYB_UNKNOWN && data->dim[channel_axis (params)] != HYB_UNKNOWN)
    {
      gint64 channels = data->dim[channel_axis (params)];

      if (!hyb_convolution_expect_groups (channels, params->num_group, error))
        return FALSE;
      want.dim[channel_axis (params)] = channels / params->num_group;
    }

  return hyb_layer_expect (&call->input[1].shape, "weight", &want, error) &&
         (params->no_bias ||
          hyb_layer_expect_vector (&call->input[2].shape, "bias", params->num_filter, error));
}

/* Output size along one spatial axis for `size` data cells: the number of window positions.
 * HYB_UNKNOWN if size is. */
static gboolean
output_size (const HybWindow *window, int axis, gint64 size, gint64 *n_positions, GError **error)
{
  gint64 padded = size + 2 * window->pad[axis];
  gint64 span = hyb_window_span (window, axis);

  *n_positions = HYB_UNKNOWN;
  if (size == HYB_UNKNOWN)
    return TRUE;

  if (span > padded)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data",
                         "Use a smaller kernel or dilation, or more padding",
                         "the window spans %" G_GINT64_FORMAT
                         " cells along spatial axis %d but the padded data has %" G_GINT64_FORMAT,
                         span, axis, padded);

  *n_positions = (padded - span) / window->stride[axis] + 1;
  return TRUE;
}

static gboolean
infer_data_and_output (HybCall *call, GError **error)
{
  const ConvolutionParams *params = call->params;
  HybShape                *data = &call->input[0].shape;
  HybShape                *output = &call->output[0].shape;
  const HybShape          *weight = &call->input[1].shape;
  HybShape                 want_data = hyb_shape_make (params->kernel.rank + 2, NULL);
  HybShape                 want_output = want_data;
  int                      channel = channel_axis (params);
  HybWindow                window;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  want_output.dim[channel] = params->num_filter;
  if (weight->rank == want_data.rank && weight->dim[channel] != HYB_UNKNOWN)
    want_data.dim[channel] = weight->dim[channel] * params->num_group;

  if (!hyb_layer_expect (data, "data", &want_data, error) ||
      !hyb_layer_expect (output, "output", &want_output, error))
    return FALSE;

  want_output.dim[0] = data->dim[0];
  want_data.dim[0] = output->dim[0];
  for (int i = 0; i < window.rank; i++)
    {
      int    axis = spatial_axis (params) + i;
      gint64 n_positions;

      if (!output_size (&window, i, data->dim[axis], &n_positions, error))
        return FALSE;
      want_output.dim[axis] = n_positions;

      /* The data size follows from the output size only with stride 1. */
      if (window.stride[i] == 1 && output->dim[axis] != HYB_UNKNOWN)
        want_data.dim[axis] =
            output->dim[axis] - 1 + hyb_window_span (&window, i) - 2 * window.pad[i];
      if (want_data.dim[axis] < 0)
        want_data.dim[axis] = HYB_UNKNOWN;
    }

  return hyb_layer_expect (output, "output", &want_output, error) &&
         hyb_layer_expect (data, "data", &want_data, error);
}

static gboolean
convolution_infer_shape (HybCall *call, GError **error)
{
  const ConvolutionParams *params = call->params;
  int                      rank = params->kernel.rank + 2;

  return hyb_layer_expect_image (&call->input[0].shape, "data", rank, error) &&
         hyb_layer_expect_image (&call->input[1].shape, "weight", rank, error) &&
         hyb_layer_expect_image (&call->output[0].shape, "output", rank, error) &&
         infer_weight (call, error) && infer_data_and_output (call, error);
}

gboolean
hyb_convolution_refuse_layout (const char *layout, GError **error)
{
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, "layout",
                       "Export the model with a channel-first layout",
                       "%s is supported on GPUs only", layout);
}

static gboolean
convolution_prepare (HybCall *call, GError **error)
{
  const ConvolutionParams *params = call->params;

  return !is_channel_last (params) ||
         hyb_convolution_refuse_layout (layout_choices[params->layout], error);
}

HybConvolve
hyb_convolution_view (const HybWindow *window,
                      gint64           groups,
                      gint64           filters,
                      const HybShape  *data,
                      const HybShape  *output)
{
  HybConvolve convolve = {
    .batch = data->dim[0], .groups = groups, .image_channels = data->dim[1], .map_channels = filters
  };

  for (int i = 0; i < 3; i++)
    {
      int from = i - (3 - window->rank); /* missing axes are the first ones, of size 1 */

      convolve.image[i] = from < 0 ? 1 : data->dim[2 + from];
      convolve.map[i] = from < 0 ? 1 : output->dim[2 + from];
      convolve.kernel[i] = from < 0 ? 1 : window->kernel[from];
      convolve.stride[i] = from < 0 ? 1 : window->stride[from];
      convolve.dilate[i] = from < 0 ? 1 : window->dilate[from];
      convolve.pad[i] = from < 0 ? 0 : window->pad[from];
    }

  return convolve;
}

static HybConvolve
view_convolve (const HybCall *call, const HybShape *data, const HybShape *output)
{
  const ConvolutionParams *params = call->params;
  HybWindow                window;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  return hyb_convolution_view (&window, params->num_group, params->num_filter, data, output);
}

static const char *const backward_data_inputs[] = { "gradient", "weight", "data", NULL };
static const char *const backward_weight_inputs[] = { "gradient", "data", "weight", NULL };

HybConvolve
hyb_convolution_view_call (const HybCall *call)
{
  guint data = call->op->inputs == backward_data_inputs ? 2 : 1;

  return call->op->gradient_of
             ? view_convolve (call, &call->input[data].shape, &call->input[0].shape)
             : view_convolve (call, &call->input[0].shape, &call->output[0].shape);
}

/* Whether the direct kernel is used, not im2col and a matrix product. */
static gboolean
is_direct (const HybCall *call, const HybConvolve *convolve)
{
  return call->output[0].dtype == HYB_F32 && hyb_direct_convolve_fits (convolve);
}

static gsize
convolution_workspace (const HybCall *call)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  if (is_direct (call, &convolve))
    return hyb_direct_convolve_workspace (&convolve);
  return hyb_convolve_workspace (&convolve, hyb_dtype_size (call->output[0].dtype));
}

static const char *
convolution_note (const HybCall *call)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  return is_direct (call, &convolve) ? hyb_direct_convolve_note (&convolve)
                                     : hyb_convolve_note (&convolve);
}

static void
convolution_forward (const HybCall *call, const HybRun *run)
{
  HybConvolve   convolve = hyb_convolution_view_call (call);
  gconstpointer bias = call->n_inputs > 2 ? run->input[2] : NULL;

  if (is_direct (call, &convolve))
    hyb_direct_convolve (&convolve,
                         &(HybDirectOperands){ .image = run->input[0],
                                               .weight = run->input[1],
                                               .map = run->output[0],
                                               .workspace = run->workspace },
                         &(HybConvolveFinish){ .bias = bias });
  else
    hyb_convolve (&convolve, &(HybConvolveOperands){ .dtype = call->output[0].dtype,
                                                     .data = run->input[0],
                                                     .weight = run->input[1],
                                                     .bias = bias,
                                                     .result = run->output[0],
                                                     .workspace = run->workspace });
}

void
hyb_convolution_cost (const HybCall *call, const HybConvolve *convolve, HybCost *cost)
{
  cost->flops = hyb_convolve_flops (convolve);
  if (!call->op->gradient_of && call->n_inputs > 2)
    cost->flops += (double) hyb_shape_size (&call->output[0].shape);
  hyb_rule_cost_bytes (call, cost);
}

static void
convolution_cost (const HybCall *call, HybCost *cost)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  hyb_convolution_cost (call, &convolve, cost);
}

/* --- Gradient of the data --- */

static gsize
backward_data_workspace (const HybCall *call)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  return hyb_convolve_workspace (&convolve, hyb_dtype_size (call->output[0].dtype));
}

static void
backward_data_forward (const HybCall *call, const HybRun *run)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  hyb_convolve_transposed (&convolve, &(HybConvolveOperands){ .dtype = call->output[0].dtype,
                                                              .data = run->input[0],
                                                              .weight = run->input[1],
                                                              .result = run->output[0],
                                                              .workspace = run->workspace });
}

static const char *
backward_data_note (const HybCall *call)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  return hyb_convolve_note (&convolve);
}

/* --- Gradient of the weight --- */

static gsize
backward_weight_workspace (const HybCall *call)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  return hyb_convolve_weight_workspace (&convolve, hyb_dtype_size (call->output[0].dtype));
}

static void
backward_weight_forward (const HybCall *call, const HybRun *run)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  hyb_convolve_weight (&convolve, &(HybConvolveWeightOperands){ .dtype = call->output[0].dtype,
                                                                .image = run->input[1],
                                                                .map = run->input[0],
                                                                .weight = run->output[0],
                                                                .workspace = run->workspace });
}

static const char *
backward_weight_note (const HybCall *call)
{
  HybConvolve convolve = hyb_convolution_view_call (call);

  return hyb_convolve_weight_note (&convolve);
}

static void
convolution_gradient (HybGrad *grad)
{
  const ConvolutionParams *params = hyb_grad_params (grad);

  if (is_channel_last (params))
    hyb_grad_refuse (grad, "the gradient is not available for layout %s",
                     layout_choices[params->layout]);
  else
    hyb_gradient_by_formula (grad);
}

static const char *const convolution_inputs[] = { "data", "weight", "bias", NULL };
static const char *const convolution_aliases[] = { "Convolution_v1", NULL };

const HybOp hyb_ops_convolution[] = {
  {
      .name = "Convolution",
      .aliases = convolution_aliases,
      .doc = "Slides filters over the data; each gives one channel of the output.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .inputs = convolution_inputs,
      HYB_PARAMS (convolution_params, ConvolutionParams),
      .arity = convolution_arity,
      .check = convolution_check,
      .infer_shape = convolution_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .prepare = convolution_prepare,
      .forward = convolution_forward,
      .note = convolution_note,
      .workspace = convolution_workspace,
      .gradient = convolution_gradient,
      .formula = "_backward_Convolution_data* (g0, i1, i0) > i0; _backward_Convolution_weight* "
                 "(g0, i0, i1) > i1; "
                 "sum [axis=1 exclude=True] (g0) > i2",
      .cost = convolution_cost,
  },
  {
      .name = "_backward_Convolution_data",
      .doc = "Gradient of Convolution with respect to its data.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Convolution",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_data_inputs,
      HYB_PARAMS (convolution_params, ConvolutionParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_data_forward,
      .note = backward_data_note,
      .workspace = backward_data_workspace,
      .cost = convolution_cost,
  },
  {
      .name = "_backward_Convolution_weight",
      .doc = "Gradient of Convolution with respect to its weight.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Convolution",
      .operands = "g0 i0 i1 > i1",
      .inputs = backward_weight_inputs,
      HYB_PARAMS (convolution_params, ConvolutionParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_weight_forward,
      .note = backward_weight_note,
      .workspace = backward_weight_workspace,
      .cost = convolution_cost,
  },
  { 0 },
};
