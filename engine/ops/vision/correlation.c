/* correlation.c — Correlation: compares patches of two images for every shift of one against the
 * other, as optical flow networks do; and the gradients.
 *
 * data1, data2 (batch, channels, height, width); output (batch, shifts², height, width): the mean
 * product or absolute difference over a patch.  Start at find_patch_pair().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64   kernel_size, max_displacement, stride1, stride2, pad_size;
  gboolean is_multiply;
} CorrelationParams;

/* Far above any image, and small enough that products of two do not overflow gint64. */
#define MAX_ATTRIBUTE (1 << 20)

static const HybParam correlation_params[] = {
  { HYB_FIELD (CorrelationParams, kernel_size), HYB_PARAM_INT, "1", .low = 1, .high = MAX_ATTRIBUTE,
    .doc = "height and width of the patches, odd" },
  { HYB_FIELD (CorrelationParams, max_displacement), HYB_PARAM_INT, "1", .low = 0,
    .high = MAX_ATTRIBUTE, .doc = "largest shift" },
  { HYB_FIELD (CorrelationParams, stride1), HYB_PARAM_INT, "1", .low = 1, .high = MAX_ATTRIBUTE,
    .doc = "cells between patches" },
  { HYB_FIELD (CorrelationParams, stride2), HYB_PARAM_INT, "1", .low = 1, .high = MAX_ATTRIBUTE,
    .doc = "cells between shifts" },
  { HYB_FIELD (CorrelationParams, pad_size), HYB_PARAM_INT, "0", .low = 0, .high = MAX_ATTRIBUTE,
    .doc = "zeros added on all sides" },
  { HYB_FIELD (CorrelationParams, is_multiply), HYB_PARAM_BOOL, "True",
    .doc = "compare by product instead of absolute difference" },
  { 0 },
};

static gboolean
correlation_check (gconstpointer values, GError **error)
{
  const CorrelationParams *params = values;

  if (params->kernel_size % 2 == 1)
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "kernel_size", NULL,
                       "%" G_GINT64_FORMAT " is even, so a patch has no centre",
                       params->kernel_size);
}

/* Number of shifts along each axis. */
static gint64
count_shifts (const CorrelationParams *params)
{
  return 2 * (params->max_displacement / params->stride2) + 1;
}

static gboolean
correlation_infer_shape (HybCall *call, GError **error)
{
  const CorrelationParams *params = call->params;
  HybShape                *data = &call->input[0].shape;
  gint64                   border = params->max_displacement + (params->kernel_size - 1) / 2;
  HybShape                 want = hyb_shape_make (4, NULL);

  if (!hyb_shape_unify (data, &call->input[1].shape, error) ||
      !hyb_layer_expect (data, "data1", &want, error) ||
      !hyb_layer_expect_image (data, "data1", 4, error))
    return FALSE;

  want.dim[0] = data->dim[0];
  want.dim[1] = count_shifts (params) * count_shifts (params);
  for (int axis = 2; axis < 4; axis++)
    if (data->dim[axis] != HYB_UNKNOWN)
      {
        gint64 room = data->dim[axis] + 2 * params->pad_size - 2 * border;

        if (room < 1)
          return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data1",
                               "Use a larger pad_size or a smaller max_displacement",
                               "the %" G_GINT64_FORMAT
                               " cells along axis %d have no room for shifts of %" G_GINT64_FORMAT,
                               data->dim[axis], axis, params->max_displacement);
        want.dim[axis] = (room + params->stride1 - 1) / params->stride1;
      }

  return hyb_shape_unify (data, &call->input[1].shape, error) &&
         hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* The sizes of a call. */
typedef struct
{
  const CorrelationParams *params;
  gint64                   batch, channels, height, width;
  gint64                   shifts, out_height, out_width;
  double                   size; /* of a patch, all channels */
} CorrelationView;

static CorrelationView
view_correlation (const HybCall *call, const HybShape *data, const HybShape *output)
{
  const CorrelationParams *params = call->params;

  return (CorrelationView){
    .params = params,
    .batch = data->dim[0],
    .channels = data->dim[1],
    .height = data->dim[2],
    .width = data->dim[3],
    .shifts = count_shifts (params),
    .out_height = output->dim[2],
    .out_width = output->dim[3],
    .size = (double) params->kernel_size * (double) params->kernel_size * (double) data->dim[1],
  };
}

/* The patch of data1 at (y, x) and that of data2 at (y + dy, x + dx), without the padding; cells
 * outside the image are 0. */
typedef struct
{
  gint64 y, x, dy, dx;
} PatchPair;

/* The patches that output cell (shift, i, j) compares. */
static PatchPair
find_patch_pair (const CorrelationView *view, gint64 shift, gint64 i, gint64 j)
{
  const CorrelationParams *params = view->params;
  gint64                   radius = view->shifts / 2;

  return (PatchPair){
    .y = i * params->stride1 + params->max_displacement - params->pad_size,
    .x = j * params->stride1 + params->max_displacement - params->pad_size,
    .dy = (shift / view->shifts - radius) * params->stride2,
    .dx = (shift % view->shifts - radius) * params->stride2,
  };
}

/* Index of a cell within its plane; −1 outside. */
static inline gint64
cell_index (const CorrelationView *view, gint64 y, gint64 x)
{
  if (y < 0 || y >= view->height || x < 0 || x >= view->width)
    return -1;

  return y * view->width + x;
}

#define REAL_KERNEL "engine/ops/vision/correlation-kernel.h"
#include "engine/kernels/each-real.h"

static void
correlation_forward (const HybCall *call, const HybRun *run)
{
  CorrelationView view = view_correlation (call, &call->input[0].shape, &call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    correlate_f64 (&view, run->input[0], run->input[1], run->output[0]);
  else
    correlate_f32 (&view, run->input[0], run->input[1], run->output[0]);
}

/* Inputs: gradient, data1, data2.  Outputs: gradients of data1 and data2. */
static void
correlation_backward (const HybCall *call, const HybRun *run)
{
  CorrelationView view = view_correlation (call, &call->input[1].shape, &call->input[0].shape);

  for (guint i = 0; i < 2; i++)
    memset (run->output[i], 0, hyb_type_bytes (&call->output[i]));
  if (call->output[0].dtype == HYB_F64)
    spread_f64 (&view, run);
  else
    spread_f32 (&view, run);
}

static void
correlation_cost (const HybCall *call, HybCost *cost)
{
  CorrelationView view = view_correlation (call, &call->input[0].shape, &call->output[0].shape);

  hyb_rule_cost_elementwise (call, 2.0 * view.size, cost);
}

static void
backward_cost (const HybCall *call, HybCost *cost)
{
  CorrelationView view = view_correlation (call, &call->input[1].shape, &call->input[0].shape);

  cost->flops = 4.0 * view.size * (double) hyb_shape_size (&call->input[0].shape);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const correlation_inputs[] = { "data1", "data2", NULL };
static const char *const backward_inputs[] = { "gradient", "data1", "data2", NULL };
static const char *const backward_outputs[] = { "data1", "data2", NULL };

const HybOp hyb_ops_correlation[] = {
  {
      .name = "Correlation",
      .doc = "Compares patches of two images for every shift of one against the other.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .inputs = correlation_inputs,
      HYB_PARAMS (correlation_params, CorrelationParams),
      .check = correlation_check,
      .infer_shape = correlation_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = correlation_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = correlation_cost,
  },
  {
      .name = "_backward_Correlation",
      .doc = "Gradients of Correlation with respect to both images.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Correlation",
      .operands = "g0 i0 i1 > i0 i1",
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      HYB_PARAMS (correlation_params, CorrelationParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = correlation_backward,
      .cost = backward_cost,
  },
  { 0 },
};
