/* im2col.c — im2col, which lays the windows of a convolution out as columns, and col2im, which
 * adds columns back to an image; each is the gradient of the other.
 *
 * Image is (batch, channels, space…), columns are (batch, channels × window, positions).  For one
 * element of the window, the image cells under it at all positions are a strided box, so each
 * element is one HybMove.  Cells in the padding stay zero.  Start at move_windows().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  HybShape kernel, stride, dilate, pad;
  HybShape output_size; /* col2im only */
} WindowParams;

static const HybParam im2col_params[] = {
  { HYB_FIELD (WindowParams, kernel), HYB_PARAM_SHAPE, .doc = "size of the window" },
  { HYB_FIELD (WindowParams, stride), HYB_PARAM_SHAPE, "()",
    .doc = "cells between windows; 1 if empty" },
  { HYB_FIELD (WindowParams, dilate), HYB_PARAM_SHAPE, "()",
    .doc = "cells between the taps of a window; 1 if empty" },
  { HYB_FIELD (WindowParams, pad), HYB_PARAM_SHAPE, "()",
    .doc = "zeros added on both sides; 0 if empty" },
  { 0 },
};

static const HybParam col2im_params[] = {
  { HYB_FIELD (WindowParams, output_size), HYB_PARAM_SHAPE, .doc = "size of the image" },
  { HYB_FIELD (WindowParams, kernel), HYB_PARAM_SHAPE, .doc = "size of the window" },
  { HYB_FIELD (WindowParams, stride), HYB_PARAM_SHAPE, "()",
    .doc = "cells between windows; 1 if empty" },
  { HYB_FIELD (WindowParams, dilate), HYB_PARAM_SHAPE, "()",
    .doc = "cells between the taps of a window; 1 if empty" },
  { HYB_FIELD (WindowParams, pad), HYB_PARAM_SHAPE, "()",
    .doc = "zeros added on both sides; 0 if empty" },
  { 0 },
};

/* Bound of sizes and attributes, so that no sum or product below overflows. */
#define MAX_EXTENT      (G_GINT64_CONSTANT (1) << 30)
#define MAX_WINDOW_AXES 3

/* extents must be empty or have `rank` elements from low to MAX_EXTENT. */
static gboolean
check_extents (const HybShape *extents, const char *name, gint64 low, int rank, GError **error)
{
  if (extents->rank > 0 && extents->rank != rank)
    return hyb_refuse_attribute (error, NULL, "%s has %d elements but kernel has %d", name,
                                 extents->rank, rank);
  for (int i = 0; i < extents->rank; i++)
    if (extents->dim[i] < low || extents->dim[i] > MAX_EXTENT)
      return hyb_refuse_attribute (error, NULL,
                                   "%s has an element of %" G_GINT64_FORMAT
                                   ", outside %" G_GINT64_FORMAT " to 2³⁰",
                                   name, extents->dim[i], low);
  return TRUE;
}

static gboolean
window_check (gconstpointer values, GError **error)
{
  const WindowParams *params = values;
  int                 rank = params->kernel.rank;

  if (rank < 1 || rank > MAX_WINDOW_AXES)
    return hyb_refuse_attribute (error, NULL, "kernel has %d elements but must have 1 to %d",
                                 MAX (rank, 0), MAX_WINDOW_AXES);

  return check_extents (&params->kernel, "kernel", 1, rank, error) &&
         check_extents (&params->stride, "stride", 1, rank, error) &&
         check_extents (&params->dilate, "dilate", 1, rank, error) &&
         check_extents (&params->pad, "pad", 0, rank, error);
}

static gboolean
col2im_check (gconstpointer values, GError **error)
{
  const WindowParams *params = values;

  if (params->output_size.rank != params->kernel.rank)
    return hyb_refuse_attribute (error, NULL, "output_size has %d elements but kernel has %d",
                                 MAX (params->output_size.rank, 0), MAX (params->kernel.rank, 0));

  return window_check (values, error) &&
         check_extents (&params->output_size, "output_size", 1, params->kernel.rank, error);
}

static gint64
extent_or (const HybShape *extents, int axis, gint64 fallback)
{
  return extents->rank > 0 ? extents->dim[axis] : fallback;
}

/* Number of window positions along an axis of `size` cells; 0 if the window does not fit. */
static gint64
count_positions (const WindowParams *params, int axis, gint64 size)
{
  gint64 span = (params->kernel.dim[axis] - 1) * extent_or (&params->dilate, axis, 1) + 1;
  gint64 room = size + 2 * extent_or (&params->pad, axis, 0);

  return room < span ? 0 : (room - span) / extent_or (&params->stride, axis, 1) + 1;
}

/* Infers the image from the columns and the reverse, as far as known. */
static gboolean
infer_windows (const WindowParams *params, HybShape *image, HybShape *columns, GError **error)
{
  gint64   window = 1, positions = 1;
  int      rank = params->kernel.rank;
  HybShape ranked = hyb_shape_make (rank + 2, NULL);
  HybShape out;

  if (!hyb_shape_assign (image, &ranked, error))
    {
      g_prefix_error (error, "a window of %d axes needs (batch, channels, …): ", rank);
      return FALSE;
    }

  for (int i = 0; i < rank; i++)
    {
      gint64 size = image->dim[i + 2];
      gint64 count = size == HYB_UNKNOWN ? HYB_UNKNOWN : count_positions (params, i, size);

      if (size > MAX_EXTENT || count == 0)
        return hyb_refuse_types (error, NULL,
                                 "the window does not fit axis %d of %" G_GINT64_FORMAT " elements",
                                 i + 2, size);
      window = hyb_dim_multiply (window, params->kernel.dim[i]);
      positions = hyb_dim_multiply (positions, count);
    }

  out = hyb_shape_3d (image->dim[0], hyb_dim_multiply (image->dim[1], window), positions);
  if (!hyb_shape_unify (columns, &out, error))
    return FALSE;

  image->dim[0] = out.dim[0];
  if (out.dim[1] != HYB_UNKNOWN && out.dim[1] % window != 0)
    return hyb_refuse_types (error, NULL,
                             "%" G_GINT64_FORMAT
                             " rows do not divide into windows of %" G_GINT64_FORMAT,
                             out.dim[1], window);
  if (out.dim[1] != HYB_UNKNOWN)
    image->dim[1] = out.dim[1] / window;
  return TRUE;
}

/* The window positions [first, end) along one axis at which an element of the window lies inside
 * the image, and the index of the image cell under it at position `first`. */
typedef struct
{
  gint64 first, end, cell;
} PositionRange;

static PositionRange
positions_inside (const WindowParams *params,
                  int                 axis,
                  gint64              element,
                  gint64              size,
                  gint64              positions)
{
  gint64 stride = extent_or (&params->stride, axis, 1);
  gint64 shift = element * extent_or (&params->dilate, axis, 1) - extent_or (&params->pad, axis, 0);
  PositionRange range;

  range.first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  range.end = size <= shift ? 0 : (size - 1 - shift) / stride + 1;
  range.end = MIN (range.end, positions);
  range.cell = range.first * stride + shift;
  return range;
}

/* A move from image to columns, and where it starts in each, in elements. */
typedef struct
{
  HybMove move;
  gint64  image_start, row_start;
} ElementMove;

/* Appends the spatial axes that window element `element` (an index per axis) moves to a move whose
 * first axis is the channels.  FALSE if the element lies in the padding at every position. */
static gboolean
append_spatial_axes (const WindowParams *params,
                     const HybShape     *image,
                     const gint64       *element,
                     ElementMove        *to)
{
  int    rank = params->kernel.rank;
  gint64 image_step = 1, row_step = 1;
  gint64 dim[MAX_WINDOW_AXES], image_stride[MAX_WINDOW_AXES], row_stride[MAX_WINDOW_AXES];

  to->image_start = to->row_start = 0;
  for (int i = rank - 1; i >= 0; i--)
    {
      gint64        size = image->dim[i + 2];
      gint64        positions = count_positions (params, i, size);
      PositionRange range = positions_inside (params, i, element[i], size, positions);

      if (range.end <= range.first)
        return FALSE;
      dim[i] = range.end - range.first;
      image_stride[i] = extent_or (&params->stride, i, 1) * image_step;
      row_stride[i] = row_step;
      to->image_start += range.cell * image_step;
      to->row_start += range.first * row_step;
      image_step *= size;
      row_step *= positions;
    }

  for (int i = 0; i < rank; i++)
    hyb_move_axis (&to->move, dim[i], image_stride[i], row_stride[i]);
  return TRUE;
}

/* Advances to the next element of the window, the last axis fastest. */
static void
next_element (const WindowParams *params, gint64 *element)
{
  for (int i = params->kernel.rank - 1; i >= 0; i--)
    {
      if (++element[i] < params->kernel.dim[i])
        return;
      element[i] = 0;
    }
}

/* Turns a move from image to columns into one from columns to image. */
static void
reverse_move (HybMove *move)
{
  for (int i = 0; i < move->rank; i++)
    {
      gint64 from = move->from[i];

      move->from[i] = move->to[i];
      move->to[i] = from;
    }
}

/* Moves every element of the window for all samples and channels: copies input 0, an image, to
 * output 0, columns (to_columns), or adds input 0, columns, to output 0, an image. */
static void
move_windows (const HybCall *call, const HybRun *run, const HybShape *image, gboolean to_columns)
{
  const WindowParams *params = call->params;
  HybDType            dtype = call->input[0].dtype;
  gint64              item = (gint64) hyb_dtype_size (dtype);
  gint64              window = hyb_shape_count (&params->kernel, 0, params->kernel.rank);
  gint64              channels = image->dim[0] * image->dim[1];
  gint64              pixels = hyb_shape_count (image, 2, image->rank);
  gint64              positions = 1;
  gint64              element[MAX_WINDOW_AXES] = { 0 };
  ElementMove         to = { { 0 }, 0, 0 };
  const char         *input = run->input[0];
  char               *output = run->output[0];

  for (int i = 0; i < params->kernel.rank; i++)
    positions *= count_positions (params, i, image->dim[i + 2]);

  for (gint64 w = 0; w < window; w++, next_element (params, element))
    {
      to.move = (HybMove){ .item = (gsize) item };
      hyb_move_axis (&to.move, channels, pixels, window * positions);
      if (!append_spatial_axes (params, image, element, &to))
        continue;
      to.row_start += w * positions;
      if (to_columns)
        hyb_move (&to.move, input + to.image_start * item, output + to.row_start * item);
      else
        {
          reverse_move (&to.move);
          hyb_move_add (&to.move, dtype, input + to.row_start * item,
                        output + to.image_start * item);
        }
    }
}

static gboolean
im2col_infer_shape (HybCall *call, GError **error)
{
  return infer_windows (call->params, &call->input[0].shape, &call->output[0].shape, error);
}

static void
im2col_forward (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  move_windows (call, run, &call->input[0].shape, TRUE);
}

static gboolean
col2im_infer_shape (HybCall *call, GError **error)
{
  const WindowParams *params = call->params;
  HybShape            image = hyb_shape_make (params->kernel.rank + 2, NULL);

  for (int i = 0; i < params->kernel.rank; i++)
    image.dim[i + 2] = params->output_size.dim[i];

  return hyb_shape_unify (&image, &call->output[0].shape, error) &&
         infer_windows (params, &image, &call->input[0].shape, error) &&
         hyb_shape_assign (&call->output[0].shape, &image, error);
}

/* Kernel of col2im and of the gradient of im2col. */
static void
columns_to_image (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  move_windows (call, run, &call->output[0].shape, FALSE);
}

static char *
extents_to_string (const HybShape *extents)
{
  return extents->rank > 0 ? hyb_shape_to_string (extents) : g_strdup ("()");
}

static void
col2im_gradient (HybGrad *grad)
{
  const WindowParams *params = hyb_grad_params (grad);
  HybValueId          dy = hyb_grad_incoming (grad, 0);
  g_autofree char    *kernel = extents_to_string (&params->kernel);
  g_autofree char    *stride = extents_to_string (&params->stride);
  g_autofree char    *dilate = extents_to_string (&params->dilate);
  g_autofree char    *pad = extents_to_string (&params->pad);
  const char *const   attributes[] = { "kernel", kernel, "stride", stride, "dilate",
                                       dilate,   "pad",  pad,      NULL };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_with (grad, "im2col", attributes, 1, &dy));
}

static const char *const data_input[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_im2col[] = {
  {
      .name = "im2col",
      .doc = "Lays the contents of a sliding window out as columns.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      HYB_PARAMS (im2col_params, WindowParams),
      .check = window_check,
      .infer_shape = im2col_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = im2col_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_im2col",
      .doc = "Gradient of im2col; overlapping values are added.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "im2col",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (im2col_params, WindowParams),
      .check = window_check,
      .dtypes = HYB_DTYPES_ALL,
      .forward = columns_to_image,
      .flops_per_input = 1,
  },
  {
      .name = "col2im",
      .doc = "Puts the columns of im2col back into an image; overlapping values are added.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      HYB_PARAMS (col2im_params, WindowParams),
      .check = col2im_check,
      .infer_shape = col2im_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = columns_to_image,
      .gradient = col2im_gradient,
      .flops_per_input = 1,
  },
  { 0 },
};
