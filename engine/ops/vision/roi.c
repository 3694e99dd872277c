/* roi.c — ROIPooling, ROIAlign and RROIAlign: pool regions of any size to a fixed number of cells;
 * and the gradients with respect to the images.
 *
 * A region is a row (image, x1, y1, x2, y2), or for RROIAlign (image, x, y, width, height, degrees)
 * around its centre, in pixels of the original picture; spatial_scale converts these to cells.
 * Regions whose image number does not exist give 0.  MXNet 1.9.1 has no gradient of RROIAlign.
 * roi-kernel.h has the loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/vision/region.h"

#include <float.h>
#include <string.h>
#include <tgmath.h>

#include "engine/kernels/vectorise.h"

/* Attributes of both operators. */
typedef struct
{
  HybShape pooled_size;
  double   spatial_scale;
  gint64   sample_ratio;
  gboolean position_sensitive, aligned;
} RoiParams;

#define COMMON_FIELDS                                            \
  { HYB_FIELD (RoiParams, pooled_size), HYB_PARAM_SHAPE, NULL,   \
    .doc = "height and width of the output of each region" },    \
  {                                                              \
    HYB_FIELD (RoiParams, spatial_scale), HYB_PARAM_FLOAT, NULL, \
        .doc = "cells per pixel of the original picture"         \
  }

static const HybParam pooling_params[] = { COMMON_FIELDS, { 0 } };

static const HybParam align_params[] = {
  COMMON_FIELDS,
  { HYB_FIELD (RoiParams, sample_ratio), HYB_PARAM_INT, "-1",
    .doc = "samples per output cell along each axis; -1: one per cell under it" },
  { HYB_FIELD (RoiParams, position_sensitive), HYB_PARAM_BOOL, "False",
    .doc = "each cell of the output reads its own channels" },
  { HYB_FIELD (RoiParams, aligned), HYB_PARAM_BOOL, "False",
    .doc = "shift regions by half a cell, so that cell centres are at integers" },
  { 0 },
};

static const HybParam rotated_params[] = {
  COMMON_FIELDS,
  { .name = "sampling_ratio",
    .offset = G_STRUCT_OFFSET (RoiParams, sample_ratio),
    HYB_PARAM_INT,
    "-1",
    .doc = "samples per output cell along each axis; -1: one per cell under it" },
  { 0 },
};

#undef COMMON_FIELDS

static gboolean
roi_check (gconstpointer values, GError **error)
{
  const RoiParams *params = values;

  if (params->pooled_size.rank != 2 || params->pooled_size.dim[0] < 1 ||
      params->pooled_size.dim[1] < 1)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "pooled_size", NULL,
                         "it must be two positive numbers");

  if (!(params->spatial_scale > 0) || isinf (params->spatial_scale))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "spatial_scale", NULL,
                         "%g is not a positive finite factor", params->spatial_scale);
  return TRUE;
}

/* TRUE for RROIAlign and its gradient. */
static gboolean
is_rotated (const HybCall *call)
{
  return call->op->params == rotated_params;
}

/* data (batch, channels, H, W), rois (R, 5 or 6), output (R, channels, h, w). */
static gboolean
roi_infer_shape (HybCall *call, GError **error)
{
  const RoiParams *params = call->params;
  HybShape        *data = &call->input[0].shape;
  HybShape        *rois = &call->input[1].shape;
  gint64           h = params->pooled_size.dim[0], w = params->pooled_size.dim[1];
  HybShape         want = hyb_shape_make (4, NULL);
  HybShape         region = hyb_shape_2d (HYB_UNKNOWN, is_rotated (call) ? 6 : 5);
  gint64           channels;

  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_layer_expect (rois, "rois", &region, error))
    return FALSE;

  channels = data->dim[1];
  if (params->position_sensitive && channels != HYB_UNKNOWN)
    {
      if (h > G_MAXINT32 || w > G_MAXINT32 || channels % (h * w) != 0)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                             "%" G_GINT64_FORMAT " channels cannot be split among %" G_GINT64_FORMAT
                             " × %" G_GINT64_FORMAT " cells",
                             channels, h, w);
      channels /= h * w;
    }

  want = hyb_shape_4d (rois->dim[0], channels, h, w);
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* Bound of the samples per cell and axis, so that huge regions do not take forever. */
#define MAX_SAMPLES 4096
/* Samples of a region along one axis whose places are found once for all channels; they are kept on the stack. */
#define MAX_TAPS 256

typedef struct
{
  const RoiParams *params;
  const HybRun    *run;
  gboolean         is_rotated;
  gint64           numbers; /* of one region */
  gint64           batch, channels, height, width;
  gint64           regions, out_channels, out_height, out_width;
} RoiView;

static RoiView
view_roi (const HybCall *call, const HybRun *run, const HybShape *data, const HybShape *output)
{
  return (RoiView){
    .params = call->params,
    .run = run,
    .is_rotated = is_rotated (call),
    .numbers = call->input[1].shape.dim[1],
    .batch = data->dim[0],
    .channels = data->dim[1],
    .height = data->dim[2],
    .width = data->dim[3],
    .regions = output->dim[0],
    .out_channels = output->dim[1],
    .out_height = output->dim[2],
    .out_width = output->dim[3],
  };
}

/* The image number of a region; −1 if there is no such image. */
static gint64
image_of (const RoiView *view, double number)
{
  return region_image (number, view->batch);
}

/* The data channel that cell (i, j) of an output channel reads. */
static gint64
channel_of (const RoiView *view, gint64 channel, gint64 i, gint64 j)
{
  if (!view->params->position_sensitive)
    return channel;

  return (channel * view->out_height + i) * view->out_width + j;
}

/* Cells or planes below which a slice is not worth a thread. */
#define GRAIN 256

#define REAL_KERNEL "engine/ops/vision/roi-kernel.h"
#include "engine/kernels/each-real.h"

static void
pooling_forward (const HybCall *call, const HybRun *run)
{
  RoiView view = view_roi (call, run, &call->input[0].shape, &call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    pool_regions_f64 (&view, run->input[0], run->input[1], run->output[0]);
  else
    pool_regions_f32 (&view, run->input[0], run->input[1], run->output[0]);
}

static void
align_forward (const HybCall *call, const HybRun *run)
{
  RoiView view = view_roi (call, run, &call->input[0].shape, &call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    align_regions_f64 (&view, run->input[0], run->input[1], run->output[0], NULL);
  else
    align_regions_f32 (&view, run->input[0], run->input[1], run->output[0], NULL);
}

/* Inputs of both gradients: gradient, rois, data (which ROIAlign needs for its shape only). */
static void
pooling_backward (const HybCall *call, const HybRun *run)
{
  RoiView view = view_roi (call, run, &call->input[2].shape, &call->input[0].shape);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (call->output[0].dtype == HYB_F64)
    unpool_regions_f64 (&view, run);
  else
    unpool_regions_f32 (&view, run);
}

static void
align_backward (const HybCall *call, const HybRun *run)
{
  RoiView view = view_roi (call, run, &call->input[2].shape, &call->input[0].shape);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (call->output[0].dtype == HYB_F64)
    align_regions_f64 (&view, NULL, run->input[1], (gpointer) run->input[0], run->output[0]);
  else
    align_regions_f32 (&view, NULL, run->input[1], (gpointer) run->input[0], run->output[0]);
}

/* Eight operations for each sample of an output cell; without a ratio the regions decide, so one is counted. */
static void
align_cost (const HybCall *call, HybCost *cost)
{
  const RoiParams *params = call->params;
  const HybShape  *cells = call->n_inputs == 2 ? &call->output[0].shape : &call->input[0].shape;
  double           samples = (double) CLAMP (params->sample_ratio, 1, MAX_SAMPLES);

  cost->flops = 8 * (double) hyb_shape_size (cells) * samples * samples;
  hyb_rule_cost_bytes (call, cost);
}

static const char *const roi_inputs[] = { "data", "rois", NULL };
static const char *const backward_inputs[] = { "gradient", "rois", "data", NULL };

const HybOp hyb_ops_roi[] = {
  {
      .name = "ROIPooling",
      .doc = "Maxima of the cells that each region is divided into.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = roi_inputs,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (pooling_params, RoiParams),
      .check = roi_check,
      .infer_shape = roi_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pooling_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_contrib_ROIAlign",
      .doc = "Averages of samples in the cells that each region is divided into.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = roi_inputs,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (align_params, RoiParams),
      .check = roi_check,
      .infer_shape = roi_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = align_forward,
      .cost = align_cost,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_contrib_RROIAlign",
      .doc = "Averages of samples in the cells that each rotated region is divided into.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = roi_inputs,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (rotated_params, RoiParams),
      .check = roi_check,
      .infer_shape = roi_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = align_forward,
      .cost = align_cost,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_ROIPooling",
      .doc = "Gradient of ROIPooling with respect to its data.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "ROIPooling",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (pooling_params, RoiParams),
      .check = roi_check,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pooling_backward,
  },
  {
      .name = "_backward_ROIAlign",
      .doc = "Gradient of ROIAlign with respect to its data.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_ROIAlign",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (align_params, RoiParams),
      .check = roi_check,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = align_backward,
      .cost = align_cost,
  },
  {
      .name = "_backward_RROIAlign",
      .doc = "Gradient of RROIAlign with respect to its data.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_RROIAlign",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (rotated_params, RoiParams),
      .check = roi_check,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = align_backward,
      .cost = align_cost,
  },
  { 0 },
};
