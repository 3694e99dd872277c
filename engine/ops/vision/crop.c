/* crop.c — Crop of old models: cuts the same window out of every image; and the gradient.
 *
 * Data is (batch, channels, height, width).  The window's size comes from h_w or a second input,
 * its position from offset or center_crop.  Start at copy_rows().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  gint64   num_args;
  HybShape offset, h_w;
  gboolean center_crop;
} CropParams;

static const HybParam crop_params[] = {
  { HYB_FIELD (CropParams, num_args), HYB_PARAM_INT, NULL, .low = 1, .high = 2,
    .doc = "number of inputs; with 2, the second gives the size" },
  { HYB_FIELD (CropParams, offset), HYB_PARAM_SHAPE, "(0, 0)",
    .doc = "first row and column of the window" },
  { HYB_FIELD (CropParams, h_w), HYB_PARAM_SHAPE, "(0, 0)",
    .doc = "height and width of the window" },
  { HYB_FIELD (CropParams, center_crop), HYB_PARAM_BOOL, "False",
    .doc = "take the centre instead of offset" },
  { 0 },
};

static void
crop_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const CropParams *params = values;

  *n_inputs = (guint) params->num_args;
  *n_outputs = 1;
}

static gboolean
crop_check (gconstpointer values, GError **error)
{
  const CropParams *params = values;

  if (params->offset.rank == 2 && params->h_w.rank == 2)
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE,
                       params->offset.rank == 2 ? "h_w" : "offset", NULL,
                       "it has %d numbers but needs 2",
                       MAX (params->offset.rank == 2 ? params->h_w.rank : params->offset.rank, 0));
}

/* The first row (axis 0) or column (axis 1) of the window. */
/* Images: their type and data. */
typedef struct
{
  const HybType *type;
  gpointer       data;
} CropImage;

static gint64
window_start (const CropParams *params, const HybShape *whole, const HybShape *part, int axis)
{
  if (params->center_crop)
    return (whole->dim[2 + axis] - part->dim[2 + axis]) / 2;

  return params->offset.dim[axis];
}

static gboolean
crop_infer_shape (HybCall *call, GError **error)
{
  const CropParams *params = call->params;
  const HybShape   *data = &call->input[0].shape;
  HybShape         *output = &call->output[0].shape;
  HybShape          want = hyb_shape_make (4, NULL);

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_layer_expect_rank (&call->input[i].shape, i == 0 ? "data" : "crop_like", 4, 4, error))
      return FALSE;

  for (int axis = 0; axis < 4; axis++)
    if (axis < 2)
      want.dim[axis] = data->rank == 4 ? data->dim[axis] : HYB_UNKNOWN;
    else if (call->n_inputs == 1)
      want.dim[axis] = params->h_w.dim[axis - 2];
    else if (call->input[1].shape.rank == 4)
      want.dim[axis] = call->input[1].shape.dim[axis];
  if (!hyb_layer_expect (output, "output", &want, error))
    return FALSE;

  for (int axis = 0; axis < 2 && data->rank == 4; axis++)
    if (data->dim[2 + axis] != HYB_UNKNOWN && output->dim[2 + axis] != HYB_UNKNOWN)
      {
        gint64 first = window_start (params, data, output, axis);

        if (output->dim[2 + axis] < 1 || first < 0 ||
            output->dim[2 + axis] > data->dim[2 + axis] - first)
          return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                               "a window of %" G_GINT64_FORMAT " cells from %" G_GINT64_FORMAT
                               " on does not fit the %" G_GINT64_FORMAT " cells of axis %d",
                               output->dim[2 + axis], first, data->dim[2 + axis], 2 + axis);
      }
  return TRUE;
}

/* Copies the rows of the window from the whole images to the part (to_part) or back. */
static void
copy_rows (const CropParams *params,
           const CropImage  *whole,
           const CropImage  *part,
           gboolean          to_part)
{
  const HybShape *large = &whole->type->shape;
  const HybShape *small = &part->type->shape;
  gsize           size = hyb_dtype_size (whole->type->dtype);
  gint64          top = window_start (params, large, small, 0);
  gint64          left = window_start (params, large, small, 1);

  for (gint64 row = 0; row < hyb_shape_count (small, 0, 3); row++)
    {
      gint64 plane = row / small->dim[2], line = row % small->dim[2] + top;
      char  *in_whole = (char *) whole->data +
                       (gsize) ((plane * large->dim[2] + line) * large->dim[3] + left) * size;
      char *in_part = (char *) part->data + (gsize) (row * small->dim[3]) * size;

      if (to_part)
        memcpy (in_part, in_whole, (gsize) small->dim[3] * size);
      else
        memcpy (in_whole, in_part, (gsize) small->dim[3] * size);
    }
}

static void
crop_forward (const HybCall *call, const HybRun *run)
{
  CropImage whole = { &call->input[0], (gpointer) run->input[0] };
  CropImage part = { &call->output[0], run->output[0] };

  copy_rows (call->params, &whole, &part, TRUE);
}

/* Inputs: gradient, data (for its shape). */
static void
crop_backward (const HybCall *call, const HybRun *run)
{
  CropImage whole = { &call->output[0], run->output[0] };
  CropImage part = { &call->input[0], (gpointer) run->input[0] };

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  copy_rows (call->params, &whole, &part, FALSE);
}

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = 2;
  *n_outputs = 1;
}

static const char *const crop_inputs[] = { "data", "crop_like", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_crop[] = {
  {
      .name = "Crop",
      .doc = "Cuts a window out of every image.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = crop_inputs,
      HYB_PARAMS (crop_params, CropParams),
      .arity = crop_arity,
      .check = crop_check,
      .infer_shape = crop_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = crop_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_Crop",
      .doc = "Gradient of Crop: zero outside the window.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Crop",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (crop_params, CropParams),
      .arity = backward_arity,
      .check = crop_check,
      .dtypes = HYB_DTYPES_ALL,
      .forward = crop_backward,
  },
  { 0 },
};
