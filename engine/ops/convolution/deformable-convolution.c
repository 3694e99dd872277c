/* deformable-convolution.c — DeformableConvolution and ModulatedDeformableConvolution, and their
 * gradients.
 *
 * Each tap of the window is moved by an offset of its own at every position, so it reads the image
 * between cells.  The modulated kind also scales each tap.  Taps are laid out as columns and
 * multiplied with the weight.  deformable-convolution-kernel.h has the loops; start there at
 * find_tap.  MXNet 1.9.1 computes gradients of the modulated kind on GPUs only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/convolution/convolution.h"

#include "engine/gradient/by-operands.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>
#include <tgmath.h>

typedef struct
{
  HybShape kernel, stride, dilate, pad;
  gint64   num_filter, num_group, num_deformable_group, workspace, im2col_step;
  gboolean no_bias;
  int      layout;
} DeformableParams;

static const char *const layout_choices[] = { "None", "NCW", "NCHW", "NCDHW", NULL };
#define LAYOUT_NONE 0
#define LAYOUT_NCHW 2

#define COMMON_FIELDS                                                                                \
  { HYB_FIELD (DeformableParams, kernel), HYB_PARAM_SHAPE, NULL, .doc = "size of the window" },      \
      { HYB_FIELD (DeformableParams, stride), HYB_PARAM_SHAPE, "()",                                 \
        .doc = "cells between windows" },                                                            \
      { HYB_FIELD (DeformableParams, dilate), HYB_PARAM_SHAPE, "()",                                 \
        .doc = "cells between the taps of a window" },                                               \
      { HYB_FIELD (DeformableParams, pad), HYB_PARAM_SHAPE, "()",                                    \
        .doc = "zeros added on both sides" },                                                        \
      { HYB_FIELD (DeformableParams, num_filter), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32, \
        .doc = "number of output channels" },                                                        \
      { HYB_FIELD (DeformableParams, num_group),                                                     \
        HYB_PARAM_INT,                                                                               \
        "1",                                                                                         \
        .low = 1,                                                                                    \
        .high = G_MAXINT32,                                                                          \
        .doc = "number of channel groups, convolved independently" },                                \
      { HYB_FIELD (DeformableParams, num_deformable_group),                                          \
        HYB_PARAM_INT,                                                                               \
        "1",                                                                                         \
        .low = 1,                                                                                    \
        .high = G_MAXINT32,                                                                          \
        .doc = "number of channel groups with offsets of their own" },                               \
      { HYB_FIELD (DeformableParams, workspace), HYB_PARAM_INT, "1024", .doc = "has no effect" },    \
      { HYB_FIELD (DeformableParams, no_bias), HYB_PARAM_BOOL, "False",                              \
        .doc = "omit the bias input" },                                                              \
  {                                                                                                  \
    HYB_FIELD (DeformableParams, layout), HYB_PARAM_ENUM, "None",                                    \
        .choices = layout_choices, .doc = "order of the axes; only NCHW"                             \
  }

static const HybParam deformable_params[] = { COMMON_FIELDS, { 0 } };

static const HybParam modulated_params[] = {
  COMMON_FIELDS,
  { HYB_FIELD (DeformableParams, im2col_step), HYB_PARAM_INT, "64", .low = 1, .high = G_MAXINT32,
    .doc = "images per step in MXNet; a larger batch must be a multiple of it" },
  { 0 },
};

#undef COMMON_FIELDS

static gboolean
deformable_check (gconstpointer values, GError **error)
{
  const DeformableParams *params = values;

  if (params->kernel.rank != 2)
    return hyb_refuse_attribute (error, NULL, "kernel has %d elements but must have 2",
                                 MAX (params->kernel.rank, 0));
  if (params->layout != LAYOUT_NONE && params->layout != LAYOUT_NCHW)
    return hyb_refuse_attribute (error, NULL, "layout is %s but must be NCHW",
                                 layout_choices[params->layout]);
  return hyb_window_check (&params->kernel, &params->stride, &params->dilate, &params->pad,
                           error) &&
         hyb_convolution_check_groups (params->num_filter, params->num_group, error);
}

/* The modulated kind has a mask after the offsets. */
static gboolean
is_modulated (const HybCall *call)
{
  return call->op->params == modulated_params;
}

/* *positions = the number of windows along a spatial axis of `size` cells, or HYB_UNKNOWN. */
static gboolean
count_positions (const HybWindow *window, int axis, gint64 size, gint64 *positions, GError **error)
{
  gint64 room = size + 2 * window->pad[axis] - hyb_window_span (window, axis);

  *positions = HYB_UNKNOWN;
  if (size == HYB_UNKNOWN)
    return TRUE;
  if (room < 0)
    return hyb_refuse_types (error, "Use a smaller kernel or dilation, or more padding",
                             "the window spans %" G_GINT64_FORMAT
                             " cells along spatial axis %d but the padded data has "
                             "%" G_GINT64_FORMAT,
                             hyb_window_span (window, axis), axis, size + 2 * window->pad[axis]);

  *positions = room / window->stride[axis] + 1;
  return TRUE;
}

/* FALSE if the channels, unless unknown, cannot be split among the groups with their own offsets. */
static gboolean
expect_channels (const DeformableParams *params, gint64 channels, GError **error)
{
  if (channels == HYB_UNKNOWN)
    return TRUE;
  if (channels % params->num_deformable_group != 0)
    return hyb_refuse_types (error, NULL,
                             "%" G_GINT64_FORMAT " channels cannot be split into %" G_GINT64_FORMAT
                             " groups (num_deformable_group)",
                             channels, params->num_deformable_group);
  return hyb_convolution_expect_groups (channels, params->num_group, error);
}

/* weight (filters, channels / groups, kernel), bias (filters). */
static gboolean
infer_weight (HybCall *call, guint first, GError **error)
{
  const DeformableParams *params = call->params;
  HybShape               *data = &call->input[0].shape;
  gint64                  channels = data->rank == 4 ? data->dim[1] : HYB_UNKNOWN;
  HybShape                want =
      hyb_shape_4d (params->num_filter, HYB_UNKNOWN, params->kernel.dim[0], params->kernel.dim[1]);

  if (!expect_channels (params, channels, error))
    return FALSE;
  if (channels != HYB_UNKNOWN)
    want.dim[1] = channels / params->num_group;

  return hyb_layer_expect (&call->input[first].shape, "weight", &want, error) &&
         (params->no_bias || hyb_layer_expect_vector (&call->input[first + 1].shape, "bias",
                                                      params->num_filter, error));
}

/* data (batch, channels, H, W), offset (batch, groups · taps · 2, h, w), for the modulated kind mask
 * (batch, groups · taps, h, w), weight, bias; output (batch, filters, h, w). */
static gboolean
deformable_infer_shape (HybCall *call, GError **error)
{
  const DeformableParams *params = call->params;
  HybShape               *data = &call->input[0].shape;
  HybShape               *offset = &call->input[1].shape;
  HybShape               *output = &call->output[0].shape;
  gint64                  taps =
      hyb_dim_multiply (hyb_dims_product (&params->kernel, 0, 2), params->num_deformable_group);
  HybShape  want = hyb_shape_make (4, NULL);
  HybWindow window;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_layer_expect_image (data, "data", 4, error) ||
      !infer_weight (call, is_modulated (call) ? 3 : 2, error) ||
      !count_positions (&window, 0, data->dim[2], &want.dim[2], error) ||
      !count_positions (&window, 1, data->dim[3], &want.dim[3], error))
    return FALSE;

  want.dim[0] = data->dim[0];
  want.dim[1] = params->num_filter;
  if (!hyb_layer_expect (output, "output", &want, error))
    return FALSE;

  want = *output;
  want.dim[1] = hyb_dim_multiply (taps, 2);
  if (!hyb_layer_expect (offset, "offset", &want, error))
    return FALSE;

  want.dim[1] = taps;
  if (is_modulated (call) && !hyb_layer_expect (&call->input[2].shape, "mask", &want, error))
    return FALSE;
  if (is_modulated (call) && data->dim[0] > params->im2col_step &&
      data->dim[0] % params->im2col_step != 0)
    return hyb_refuse_types (error, "Set im2col_step to a divisor of the batch size",
                             "the batch size %" G_GINT64_FORMAT
                             " is not a multiple of im2col_step, %" G_GINT64_FORMAT,
                             data->dim[0], params->im2col_step);

  want = hyb_shape_4d (offset->rank == 4 ? offset->dim[0] : HYB_UNKNOWN, HYB_UNKNOWN, HYB_UNKNOWN,
                       HYB_UNKNOWN);
  return hyb_layer_expect (data, "data", &want, error);
}

/* The sizes of one call, and the arrays of one image of it.  A column holds one tap of one channel
 * at all positions. */
typedef struct
{
  HybWindow     window;
  gboolean      is_modulated;
  gint64        batch, channels, height, width, out_height, out_width, positions;
  gint64        taps, groups, filters, offset_groups;
  gconstpointer data, offset, mask;
} DeformableView;

/* The shapes of data and output, or of its gradient. */
static DeformableView
make_view (const HybCall *call, const HybShape *data, const HybShape *output)
{
  const DeformableParams *params = call->params;
  DeformableView          view = {
             .is_modulated = is_modulated (call),
             .batch = data->dim[0],
             .channels = data->dim[1],
             .height = data->dim[2],
             .width = data->dim[3],
             .out_height = output->dim[2],
             .out_width = output->dim[3],
             .positions = output->dim[2] * output->dim[3],
             .taps = hyb_dims_product (&params->kernel, 0, 2),
             .groups = params->num_group,
             .filters = params->num_filter,
             .offset_groups = params->num_deformable_group,
  };

  hyb_window_init (&view.window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  return view;
}

/* Bytes of the columns of one image. */
static gsize
column_bytes (const DeformableView *view, HybDType dtype)
{
  gsize rows, cells, bytes;

  return g_size_checked_mul (&rows, (gsize) view->channels, (gsize) view->taps) &&
                 g_size_checked_mul (&cells, rows, (gsize) view->positions) &&
                 g_size_checked_mul (&bytes, cells, hyb_dtype_size (dtype))
             ? bytes
             : G_MAXSIZE;
}

/* The product of the weights and the columns of one group. */
static HybGemm
product_of_group (const DeformableView *view)
{
  gint64 depth = view->channels / view->groups * view->taps;

  return (HybGemm){ .m = view->filters / view->groups,
                    .n = view->positions,
                    .k = depth,
                    .lda = depth,
                    .ldb = view->positions,
                    .ldc = view->positions,
                    .alpha = 1 };
}

/* The product of the weights and the gradient of one group, which gives those of its columns. */
static HybGemm
gradient_of_group (const DeformableView *view)
{
  HybGemm gemm = product_of_group (view);

  gemm.transpose_a = TRUE;
  gemm.k = gemm.m;
  gemm.m = gemm.lda;
  return gemm;
}

#define REAL_KERNEL "engine/ops/convolution/deformable-convolution-kernel.h"
#include "engine/kernels/each-real.h"

static gsize
forward_workspace (const HybCall *call)
{
  DeformableView view = make_view (call, &call->input[0].shape, &call->output[0].shape);

  return column_bytes (&view, call->output[0].dtype);
}

static void
forward (const HybCall *call, const HybRun *run)
{
  DeformableView view = make_view (call, &call->input[0].shape, &call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    convolve_f64 (&view, call, run);
  else
    convolve_f32 (&view, call, run);
}

static const char *
forward_note (const HybCall *call)
{
  DeformableView view = make_view (call, &call->input[0].shape, &call->output[0].shape);
  HybGemm        gemm = product_of_group (&view);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

/* Inputs of the gradients: gradient, data, offset, mask where there is one, weight; outputs: the
 * gradients of the latter. */
static gsize
backward_workspace (const HybCall *call)
{
  DeformableView view = make_view (call, &call->input[1].shape, &call->input[0].shape);
  gsize          bytes = column_bytes (&view, call->output[0].dtype), workspace = 0;

  if (bytes >= G_MAXSIZE / 4)
    return G_MAXSIZE;

  hyb_workspace_take (&workspace, bytes);
  hyb_workspace_take (&workspace, bytes);
  return workspace;
}

static void
backward (const HybCall *call, const HybRun *run)
{
  DeformableView view = make_view (call, &call->input[1].shape, &call->input[0].shape);

  for (guint i = 0; i < call->n_outputs; i++)
    memset (run->output[i], 0, hyb_type_bytes (&call->output[i]));
  if (call->output[0].dtype == HYB_F64)
    differentiate_f64 (&view, call, run);
  else
    differentiate_f32 (&view, call, run);
}

static const char *
backward_note (const HybCall *call)
{
  DeformableView view = make_view (call, &call->input[1].shape, &call->input[0].shape);
  HybGemm        gemm = gradient_of_group (&view);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
emit_gradient (HybGrad *grad, guint n_taken)
{
  HybValueId dy = hyb_grad_incoming (grad, 0);

  hyb_gradient_by_operands (grad);
  if (hyb_grad_n_inputs (grad) > n_taken && hyb_grad_needs_input (grad, n_taken))
    hyb_grad_set_input (grad, n_taken,
                        hyb_grad_emit_with (grad, "sum",
                                            (const char *[]){ "axis", "1", "exclude", "True",
                                                              NULL },
                                            1, &dy));
}

static void
deformable_gradient (HybGrad *grad)
{
  emit_gradient (grad, 3);
}

static void
modulated_gradient (HybGrad *grad)
{
  emit_gradient (grad, 4);
}

static void
deformable_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const DeformableParams *params = values;

  *n_inputs = params->no_bias ? 3 : 4;
  *n_outputs = 1;
}

static void
modulated_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  deformable_arity (values, n_inputs, n_outputs);
  (*n_inputs)++;
}

static void
forward_cost (const HybCall *call, HybCost *cost)
{
  DeformableView view = make_view (call, &call->input[0].shape, &call->output[0].shape);
  double         columns = (double) view.channels * (double) view.taps * (double) view.positions;

  hyb_rule_cost_bytes (call, cost);
  cost->flops = (double) view.batch * columns *
                (8 + 2 * (double) view.filters / (double) MAX (view.groups, 1));
}

static void
backward_cost (const HybCall *call, HybCost *cost)
{
  DeformableView view = make_view (call, &call->input[1].shape, &call->input[0].shape);
  double         columns = (double) view.channels * (double) view.taps * (double) view.positions;

  hyb_rule_cost_bytes (call, cost);
  cost->flops = (double) view.batch * columns *
                (24 + 4 * (double) view.filters / (double) MAX (view.groups, 1));
}

static const char *const deformable_inputs[] = { "data", "offset", "weight", "bias", NULL };
static const char *const modulated_inputs[] = { "data", "offset", "mask", "weight", "bias", NULL };
static const char *const deformable_backward_inputs[] = {
  "gradient", "data", "offset", "weight", NULL,
};
static const char *const deformable_backward_outputs[] = { "data", "offset", "weight", NULL };
static const char *const modulated_backward_inputs[] = {
  "gradient", "data", "offset", "mask", "weight", NULL,
};
static const char *const modulated_backward_outputs[] = { "data", "offset", "mask", "weight",
                                                          NULL };

const HybOp hyb_ops_deformable_convolution[] = {
  {
      .name = "_contrib_DeformableConvolution",
      .doc = "Convolution whose taps are moved by offsets, at every position.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .inputs = deformable_inputs,
      .arity = deformable_arity,
      HYB_PARAMS (deformable_params, DeformableParams),
      .check = deformable_check,
      .infer_shape = deformable_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = forward,
      .note = forward_note,
      .workspace = forward_workspace,
      .gradient = deformable_gradient,
      .cost = forward_cost,
  },
  {
      .name = "_contrib_ModulatedDeformableConvolution",
      .doc = "Convolution whose taps are moved by offsets and scaled by a mask, at every position.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .inputs = modulated_inputs,
      .arity = modulated_arity,
      HYB_PARAMS (modulated_params, DeformableParams),
      .check = deformable_check,
      .infer_shape = deformable_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = forward,
      .note = forward_note,
      .workspace = forward_workspace,
      .gradient = modulated_gradient,
      .cost = forward_cost,
  },
  {
      .name = "_backward_DeformableConvolution",
      .doc = "Gradients of DeformableConvolution with respect to data, offset and weight.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_DeformableConvolution",
      .operands = "g0 i0 i1 i2 > i0 i1 i2",
      .inputs = deformable_backward_inputs,
      .outputs = deformable_backward_outputs,
      HYB_PARAMS (deformable_params, DeformableParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward,
      .note = backward_note,
      .workspace = backward_workspace,
      .cost = backward_cost,
  },
  {
      .name = "_backward_ModulatedDeformableConvolution",
      .doc = "Gradients of ModulatedDeformableConvolution with respect to data, offset, mask and "
             "weight.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_ModulatedDeformableConvolution",
      .operands = "g0 i0 i1 i2 i3 > i0 i1 i2 i3",
      .inputs = modulated_backward_inputs,
      .outputs = modulated_backward_outputs,
      HYB_PARAMS (modulated_params, DeformableParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward,
      .note = backward_note,
      .workspace = backward_workspace,
      .cost = backward_cost,
  },
  { 0 },
};
