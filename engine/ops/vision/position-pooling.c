/* position-pooling.c — PSROIPooling and DeformablePSROIPooling: averages in the cells of regions,
 * where each cell reads channels of its own; and their gradients.
 *
 * A region is a row (image, x1, y1, x2, y2) of whole pixels of the original picture, both corners
 * included; spatial_scale converts these to cells.  The deformable kind samples between cells, and
 * trans moves each part of a region.  Regions whose image number does not exist give 0.
 * position-pooling-kernel.h has the loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/vision/region.h"

#include <string.h>
#include <tgmath.h>

/* Attributes of both operators. */
typedef struct
{
  double   spatial_scale, trans_std;
  gint64   output_dim, pooled_size, group_size, part_size, sample_per_part;
  gboolean no_trans;
} PositionParams;

/* Bound of sizes, so that products of two do not overflow; larger ones indicate a damaged file. */
#define MAX_SIZE    (1 << 20)
#define MAX_SAMPLES 4096

#define COMMON_FIELDS                                                                            \
  { HYB_FIELD (PositionParams, spatial_scale),       HYB_PARAM_FLOAT, NULL, .low = 0, .high = 1, \
    .doc = "cells per pixel of the original picture" },                                          \
      { HYB_FIELD (PositionParams, output_dim), HYB_PARAM_INT, NULL, .low = 1, .high = MAX_SIZE, \
        .doc = "number of output channels" },                                                    \
  {                                                                                              \
    HYB_FIELD (PositionParams, pooled_size), HYB_PARAM_INT, NULL,                                \
        .low = 1, .high = MAX_SIZE, .doc = "height and width of the output of each region"       \
  }

static const HybParam pooling_params[] = {
  COMMON_FIELDS,
  { HYB_FIELD (PositionParams, group_size), HYB_PARAM_INT, "0", .low = 0, .high = MAX_SIZE,
    .doc = "positions along each axis with channels of their own; 0: pooled_size" },
  { 0 },
};

static const HybParam deformable_params[] = {
  COMMON_FIELDS,
  { HYB_FIELD (PositionParams, group_size), HYB_PARAM_INT, NULL, .low = 1, .high = MAX_SIZE,
    .doc = "positions along each axis with channels of their own" },
  { HYB_FIELD (PositionParams, part_size), HYB_PARAM_INT, "0", .low = 0, .high = MAX_SIZE,
    .doc = "parts along each axis that are moved; 0: pooled_size" },
  { HYB_FIELD (PositionParams, sample_per_part), HYB_PARAM_INT, "1", .low = 1, .high = MAX_SAMPLES,
    .doc = "samples per output cell along each axis" },
  { HYB_FIELD (PositionParams, trans_std), HYB_PARAM_FLOAT, "0.0", .low = 0, .high = 1,
    .doc = "factor of trans, in parts of the region" },
  { HYB_FIELD (PositionParams, no_trans), HYB_PARAM_BOOL, "False", .doc = "omit the input trans" },
  { 0 },
};

#undef COMMON_FIELDS

/* group_size, or pooled_size where it is 0. */
static gint64
group_size (const PositionParams *params)
{
  return params->group_size > 0 ? params->group_size : params->pooled_size;
}

static gint64
part_size (const PositionParams *params)
{
  return params->part_size > 0 ? params->part_size : params->pooled_size;
}

/* data (batch, channels, H, W), rois (R, 5), output (R, output_dim, pooled_size, pooled_size). */
static gboolean
pooling_infer_shape (HybCall *call, GError **error)
{
  const PositionParams *params = call->params;
  HybShape             *data = &call->input[0].shape;
  HybShape             *rois = &call->input[1].shape;
  HybShape              want = hyb_shape_make (4, NULL);
  HybShape              region = hyb_shape_2d (HYB_UNKNOWN, 5);
  gint64                groups = hyb_dim_multiply (group_size (params), group_size (params));
  gint64                needed = hyb_dim_multiply (groups, params->output_dim);

  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_layer_expect (rois, "rois", &region, error))
    return FALSE;
  if (data->dim[1] != HYB_UNKNOWN && data->dim[1] < needed)
    return hyb_refuse_types (error, "Check output_dim and group_size",
                             "data has %" G_GINT64_FORMAT " channels but %" G_GINT64_FORMAT
                             " are read",
                             data->dim[1], needed);

  want = hyb_shape_4d (rois->dim[0], params->output_dim, params->pooled_size, params->pooled_size);
  if (!hyb_layer_expect (&call->output[0].shape, "output", &want, error))
    return FALSE;

  region.dim[0] = call->output[0].shape.dim[0];
  return hyb_layer_expect (rois, "rois", &region, error);
}

/* The same with trans (R, 2 · classes, part_size, part_size), and with the number of samples of each
 * cell as a second output. */
static gboolean
deformable_infer_shape (HybCall *call, GError **error)
{
  const PositionParams *params = call->params;
  HybShape              want;
  gint64                axes;

  if (!pooling_infer_shape (call, error) ||
      !hyb_shape_unify (&call->output[0].shape, &call->output[1].shape, error))
    return FALSE;
  if (params->no_trans)
    return TRUE;

  want = hyb_shape_4d (call->output[0].shape.dim[0], HYB_UNKNOWN, part_size (params),
                       part_size (params));
  if (!hyb_layer_expect (&call->input[2].shape, "trans", &want, error))
    return FALSE;

  axes = call->input[2].shape.dim[1];
  if (axes != HYB_UNKNOWN && (axes < 2 || axes % 2 != 0 || params->output_dim % (axes / 2) != 0))
    return hyb_refuse_types (error, NULL,
                             "trans has %" G_GINT64_FORMAT
                             " channels, which is not twice a divisor of output_dim, "
                             "%" G_GINT64_FORMAT,
                             axes, params->output_dim);
  return TRUE;
}

/* The sizes of one call. */
typedef struct
{
  const PositionParams *params;
  gint64                batch, channels, height, width, regions;
  gint64                outputs, size; /* output channels, and cells along each axis of a region */
  gint64                groups, parts, classes;
} PositionView;

static PositionView
make_view (const HybCall *call, const HybShape *data, const HybShape *output)
{
  const PositionParams *params = call->params;

  return (PositionView){
    .params = params,
    .batch = data->dim[0],
    .channels = data->dim[1],
    .height = data->dim[2],
    .width = data->dim[3],
    .regions = output->dim[0],
    .outputs = output->dim[1],
    .size = output->dim[2],
    .groups = group_size (params),
    .parts = part_size (params),
    .classes = 1,
  };
}

/* The plane of data that a cell of an output channel reads. */
static gint64
plane_of (const PositionView *view, gint64 channel, gint64 row, gint64 column)
{
  gint64 down = MIN (row * view->groups / view->size, view->groups - 1);
  gint64 across = MIN (column * view->groups / view->size, view->groups - 1);

  return (channel * view->groups + down) * view->groups + across;
}

#define REAL_KERNEL "engine/ops/vision/position-pooling-kernel.h"
#include "engine/kernels/each-real.h"

static void
pooling_forward (const HybCall *call, const HybRun *run)
{
  PositionView view = make_view (call, &call->input[0].shape, &call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    pool_positions_f64 (&view, run->input[0], run->input[1], run->output[0], NULL);
  else
    pool_positions_f32 (&view, run->input[0], run->input[1], run->output[0], NULL);
}

/* Inputs: gradient, rois, data (for its shape). */
static void
pooling_backward (const HybCall *call, const HybRun *run)
{
  PositionView view = make_view (call, &call->input[2].shape, &call->input[0].shape);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (call->output[0].dtype == HYB_F64)
    pool_positions_f64 (&view, NULL, run->input[1], (gpointer) run->input[0], run->output[0]);
  else
    pool_positions_f32 (&view, NULL, run->input[1], (gpointer) run->input[0], run->output[0]);
}

static void
deformable_forward (const HybCall *call, const HybRun *run)
{
  PositionView view = make_view (call, &call->input[0].shape, &call->output[0].shape);

  if (call->n_inputs > 2)
    view.classes = call->input[2].shape.dim[1] / 2;
  if (call->output[0].dtype == HYB_F64)
    pool_deformed_f64 (&view, call, run);
  else
    pool_deformed_f32 (&view, call, run);
}

/* Inputs: gradient, rois, data, and trans if there is one; outputs: the gradients of the last two. */
static void
deformable_backward (const HybCall *call, const HybRun *run)
{
  PositionView view = make_view (call, &call->input[2].shape, &call->input[0].shape);

  if (call->n_inputs > 3)
    view.classes = call->input[3].shape.dim[1] / 2;
  for (guint i = 0; i < call->n_outputs; i++)
    memset (run->output[i], 0, hyb_type_bytes (&call->output[i]));
  if (call->output[0].dtype == HYB_F64)
    unpool_deformed_f64 (&view, call, run);
  else
    unpool_deformed_f32 (&view, call, run);
}

/* Twelve operations for each sample of a part. */
static void
deformable_cost (const HybCall *call, HybCost *cost)
{
  const PositionParams *params = call->params;
  gboolean              is_forward = call->n_inputs == (params->no_trans ? 2 : 3);
  const HybShape       *parts = is_forward ? &call->output[0].shape : &call->input[0].shape;
  double                samples = (double) params->sample_per_part;

  cost->flops = 12 * (double) hyb_shape_size (parts) * samples * samples;
  hyb_rule_cost_bytes (call, cost);
}

static void
deformable_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const PositionParams *params = values;

  *n_inputs = params->no_trans ? 2 : 3;
  *n_outputs = 2;
}

static void
deformable_backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const PositionParams *params = values;

  *n_inputs = params->no_trans ? 3 : 4;
  *n_outputs = params->no_trans ? 1 : 2;
}

static const char *const pooling_inputs[] = { "data", "rois", NULL };
static const char *const deformable_inputs[] = { "data", "rois", "trans", NULL };
static const char *const deformable_outputs[] = { "output", "_top_count", NULL };
static const char *const backward_inputs[] = { "gradient", "rois", "data", NULL };
static const char *const deformable_backward_inputs[] = {
  "gradient", "rois", "data", "trans", NULL,
};
static const char *const deformable_backward_outputs[] = { "data", "trans", NULL };

const HybOp hyb_ops_position_pooling[] = {
  {
      .name = "_contrib_PSROIPooling",
      .doc = "Averages of the cells of each region, from channels that depend on the cell.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = pooling_inputs,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (pooling_params, PositionParams),
      .infer_shape = pooling_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pooling_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_contrib_DeformablePSROIPooling",
      .doc = "Averages of samples in moved parts of each region, from channels that depend on the "
             "part.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = deformable_inputs,
      .outputs = deformable_outputs,
      .arity = deformable_arity,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (deformable_params, PositionParams),
      .infer_shape = deformable_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = deformable_forward,
      .cost = deformable_cost,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_PSROIPooling",
      .doc = "Gradient of PSROIPooling with respect to its data.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_PSROIPooling",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (pooling_params, PositionParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pooling_backward,
  },
  {
      .name = "_backward_DeformablePSROIPooling",
      .doc = "Gradients of DeformablePSROIPooling with respect to data and trans.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_DeformablePSROIPooling",
      .operands = "g0 i1 i0 i2 > i0 i2",
      .inputs = deformable_backward_inputs,
      .outputs = deformable_backward_outputs,
      .arity = deformable_backward_arity,
      HYB_PARAMS (deformable_params, PositionParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = deformable_backward,
      .cost = deformable_cost,
  },
  { 0 },
};
