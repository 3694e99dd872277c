/* im2col.c — the windows of a convolution as columns, and columns added back.
 *
 * For each channel and each element of the window, the values it sees on its way
 * are a box of the input with steps; what lies in the padding is zero.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
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
  { HYB_FIELD (WindowParams, stride), HYB_PARAM_SHAPE, "()", .doc = "steps of the window; 1" },
  { HYB_FIELD (WindowParams, dilate), HYB_PARAM_SHAPE, "()", .doc = "distance of its elements; 1" },
  { HYB_FIELD (WindowParams, pad), HYB_PARAM_SHAPE, "()", .doc = "zeros around the input; 0" },
  { 0 },
};

static const HybParam col2im_params[] = {
  { HYB_FIELD (WindowParams, output_size), HYB_PARAM_SHAPE, .doc = "size of the image" },
  { HYB_FIELD (WindowParams, kernel), HYB_PARAM_SHAPE, .doc = "size of the window" },
  { HYB_FIELD (WindowParams, stride), HYB_PARAM_SHAPE, "()", .doc = "steps of the window; 1" },
  { HYB_FIELD (WindowParams, dilate), HYB_PARAM_SHAPE, "()", .doc = "distance of its elements; 1" },
  { HYB_FIELD (WindowParams, pad), HYB_PARAM_SHAPE, "()", .doc = "zeros around the image; 0" },
  { 0 },
};

/* Sizes so small that no sum or product below overflows. */
#define MAX_EXTENT      (G_GINT64_CONSTANT (1) << 30)
#define MAX_WINDOW_AXES 3

static gboolean
check_extents (const HybShape *extents, const char *name, gint64 low, int rank, GError **error)
{
  if (extents->rank > 0 && extents->rank != rank)
    return hyb_refuse_attribute (error,
                                 NULL,
                                 "%s has %d elements but kernel has %d",
                                 name,
                                 extents->rank,
                                 rank);
  for (int i = 0; i < extents->rank; i++)
    if (extents->dim[i] < low || extents->dim[i] > MAX_EXTENT)
      return hyb_refuse_attribute (error,
                                   NULL,
                                   "%s has an element of %" G_GINT64_FORMAT,
                                   name,
                                   extents->dim[i]);
  return TRUE;
}

static gboolean
window_check (gconstpointer values, GError **error)
{
  const WindowParams *params = values;
  int                 rank = params->kernel.rank;

  if (rank < 1 || rank > MAX_WINDOW_AXES)
    return hyb_refuse_attribute (error, NULL, "kernel must have 1 to %d elements", MAX_WINDOW_AXES);

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
    return hyb_refuse_attribute (error, NULL, "output_size and kernel differ in length");

  return window_check (values, error) &&
         check_extents (&params->output_size, "output_size", 1, params->kernel.rank, error);
}

static gint64
extent_or (const HybShape *extents, int axis, gint64 fallback)
{
  return extents->rank > 0 ? extents->dim[axis] : fallback;
}

/* How many places the window has along an axis; 0 if it does not fit. */
static gint64
count_places (const WindowParams *params, int axis, gint64 size)
{
  gint64 span = (params->kernel.dim[axis] - 1) * extent_or (&params->dilate, axis, 1) + 1;
  gint64 room = size + 2 * extent_or (&params->pad, axis, 0);

  return room < span ? 0 : (room - span) / extent_or (&params->stride, axis, 1) + 1;
}

/* Image (N, C, spatial …) and columns (N, C × window, places). */
static gboolean
infer_windows (const WindowParams *params, HybShape *image, HybShape *columns, GError **error)
{
  gint64   window = 1, places = 1;
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
      gint64 count = size == HYB_UNKNOWN ? HYB_UNKNOWN : count_places (params, i, size);

      if (size > MAX_EXTENT || count == 0)
        return hyb_refuse_types (error,
                                 NULL,
                                 "the window does not fit axis %d of %" G_GINT64_FORMAT " elements",
                                 i + 2,
                                 size);
      window = hyb_dim_multiply (window, params->kernel.dim[i]);
      places = hyb_dim_multiply (places, count);
    }

  out = hyb_shape_3d (image->dim[0], hyb_dim_multiply (image->dim[1], window), places);
  if (!hyb_shape_unify (columns, &out, error))
    return FALSE;

  image->dim[0] = out.dim[0];
  if (out.dim[1] != HYB_UNKNOWN && out.dim[1] % window != 0)
    return hyb_refuse_types (error,
                             NULL,
                             "%" G_GINT64_FORMAT
                             " rows do not divide into windows of %" G_GINT64_FORMAT,
                             out.dim[1],
                             window);
  if (out.dim[1] != HYB_UNKNOWN)
    image->dim[1] = out.dim[1] / window;
  return TRUE;
}

/* Where one element of the window meets the image, along one axis: places first to
 * last - 1, and the image's index at the first. */
typedef struct
{
  gint64 first, last, at;
} Meeting;

static Meeting
meet (const WindowParams *params, int axis, gint64 element, gint64 size, gint64 places)
{
  gint64 stride = extent_or (&params->stride, axis, 1);
  gint64 shift = element * extent_or (&params->dilate, axis, 1) - extent_or (&params->pad, axis, 0);
  Meeting meeting;

  meeting.first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  meeting.last = size <= shift ? 0 : (size - 1 - shift) / stride + 1;
  meeting.last = MIN (meeting.last, places);
  meeting.at = meeting.first * stride + shift;
  return meeting;
}

/* What one element of the window, with this index, moves of one channel.  FALSE: nothing. */
static gboolean
lay_element (const WindowParams *params,
             const HybShape     *image,
             const gint64       *element,
             HybMove            *move,
             gint64             *image_start,
             gint64             *row_start)
{
  int    rank = params->kernel.rank;
  gint64 image_step = 1, row_step = 1;
  gint64 dim[MAX_WINDOW_AXES], from[MAX_WINDOW_AXES], to[MAX_WINDOW_AXES];

  *image_start = *row_start = 0;
  for (int i = rank - 1; i >= 0; i--)
    {
      gint64  size = image->dim[i + 2];
      gint64  places = count_places (params, i, size);
      Meeting meeting = meet (params, i, element[i], size, places);

      if (meeting.last <= meeting.first)
        return FALSE;
      dim[i] = meeting.last - meeting.first;
      from[i] = extent_or (&params->stride, i, 1) * image_step;
      to[i] = row_step;
      *image_start += meeting.at * image_step;
      *row_start += meeting.first * row_step;
      image_step *= size;
      row_step *= places;
    }

  move->rank = 1; /* behind the axis of channels */
  for (int i = 0; i < rank; i++)
    hyb_move_axis (move, dim[i], from[i], to[i]);
  return TRUE;
}

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

static void
swap_sides (HybMove *move)
{
  for (int i = 0; i < move->rank; i++)
    {
      gint64 from = move->from[i];

      move->from[i] = move->to[i];
      move->to[i] = from;
    }
}

/* Moves every element of the window for all samples and channels: image to columns,
 * or columns added to the image. */
static void
move_windows (const WindowParams *params,
              const HybShape     *image,
              HybDType            dtype,
              gboolean            to_columns,
              gconstpointer       input,
              gpointer            output)
{
  HybMove move;
  gint64  item = (gint64) hyb_dtype_size (dtype);
  gint64  window = hyb_shape_count (&params->kernel, 0, params->kernel.rank);
  gint64  channels = image->dim[0] * image->dim[1];
  gint64  pixels = hyb_shape_count (image, 2, image->rank);
  gint64  places = 1;
  gint64  element[MAX_WINDOW_AXES] = { 0 };

  for (int i = 0; i < params->kernel.rank; i++)
    places *= count_places (params, i, image->dim[i + 2]);

  for (gint64 w = 0; w < window; w++, next_element (params, element))
    {
      gint64 image_start, row_start;

      move = (HybMove){ .item = (gsize) item };
      hyb_move_axis (&move, channels, pixels, window * places);
      if (!lay_element (params, image, element, &move, &image_start, &row_start))
        continue;
      row_start += w * places;
      if (to_columns)
        hyb_move (&move,
                  (const char *) input + image_start * item,
                  (char *) output + row_start * item);
      else
        {
          swap_sides (&move);
          hyb_move_add (&move,
                        dtype,
                        (const char *) input + row_start * item,
                        (char *) output + image_start * item);
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
  move_windows (call->params,
                &call->input[0].shape,
                call->input[0].dtype,
                TRUE,
                run->input[0],
                run->output[0]);
}

static void
im2col_gradient (HybGrad *grad)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "_backward_im2col", 2, inputs));
}

/* Inputs: gradient, data. */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->output[0].shape, &call->input[1].shape, error);
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

/* Both col2im and the gradient of im2col. */
static void
columns_to_image (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  move_windows (call->params,
                &call->output[0].shape,
                call->input[0].dtype,
                FALSE,
                run->input[0],
                run->output[0]);
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

/* One addition for each element of the columns. */
static void
columns_to_image_cost (const HybCall *call, HybCost *cost)
{
  cost->flops = (double) hyb_shape_size (&call->input[0].shape);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const data_input[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_im2col[] = {
  {
      .name = "im2col",
      .doc = "What a window sees at each of its places, as columns.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      .params = im2col_params,
      .params_size = sizeof (WindowParams),
      .check = window_check,
      .infer_shape = im2col_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = im2col_forward,
      .gradient = im2col_gradient,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_im2col",
      .doc = "Gradient of im2col: overlapping values are added.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "im2col",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      .params = im2col_params,
      .params_size = sizeof (WindowParams),
      .check = window_check,
      .infer_shape = backward_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = columns_to_image,
      .cost = columns_to_image_cost,
  },
  {
      .name = "col2im",
      .doc = "Columns put back to where a window saw them; overlapping values are added.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      .params = col2im_params,
      .params_size = sizeof (WindowParams),
      .check = col2im_check,
      .infer_shape = col2im_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = columns_to_image,
      .gradient = col2im_gradient,
      .cost = columns_to_image_cost,
  },
  { 0 },
};
