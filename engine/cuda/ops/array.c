/* array.c — operators that only move elements: transpose, slices, joins, splits, repetitions, and
 * reshapes that are not views.
 *
 * Each is a list of strided copies (move.h).  Start with the array at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/move.h"
#include "engine/cuda/ops/op-lists.h"

#include <string.h>

static gint64
get_int (const HybCall *call, const char *name, gint64 fallback)
{
  return hyb_params_get_int (call->op->params, call->params, name, fallback);
}

static const HybInts *
get_ints (const HybCall *call, const char *name)
{
  return hyb_params_get_ints (call->op->params, call->params, name);
}

/* An axis from 0; negative ones count from the end. */
static int
axis_of (gint64 axis, int rank)
{
  return (int) (axis < 0 ? axis + rank : axis);
}

/* A walk over the output, written side by side, whose reads begin at element 0 with strides 0. */
static void
start_walk (HybMoveWalk *walk, const HybShape *output)
{
  walk->axes = hyb_axes_new (output, 2);
  hyb_axes_contiguous (output, walk->axes.stride[1]);
}

static gpointer
finish (HybMoves *moves, GError **error)
{
  return hyb_moves_finish (moves, error) ? moves : NULL;
}

/* --- transpose, SwapAxis, reverse --- */

static gpointer
transpose_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, 1, error);
  const HybParam *param = hyb_params_find (call->op->params, "axes");
  const HybShape *data = &call->input[0].shape;
  gint64          strides[HYB_MAX_RANK];
  const HybInts  *ints = param && param->kind == HYB_PARAM_INTS ? get_ints (call, "axes") : NULL;
  const HybShape *given =
      param && param->kind == HYB_PARAM_SHAPE
          ? (const HybShape *) (gconstpointer) ((const char *) call->params + param->offset)
          : NULL;

  if (!moves)
    return NULL;
  hyb_axes_contiguous (data, strides);
  start_walk (&moves->walk[0], &call->output[0].shape);
  for (int d = 0; d < data->rank; d++)
    {
      gint64 from = data->rank - 1 - d;

      if (ints && ints->n == data->rank)
        from = ints->value[d];
      else if (given && given->rank == data->rank)
        from = given->dim[d];
      moves->walk[0].axes.stride[0][d] = strides[axis_of (from, data->rank)];
    }
  return finish (moves, error);
}

static gpointer
swap_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, 1, error);
  const HybShape *data = &call->input[0].shape;
  int             a = axis_of (get_int (call, "dim1", 0), data->rank);
  int             b = axis_of (get_int (call, "dim2", 0), data->rank);
  gint64          strides[HYB_MAX_RANK];

  if (!moves)
    return NULL;
  hyb_axes_contiguous (data, strides);
  start_walk (&moves->walk[0], &call->output[0].shape);
  for (int d = 0; d < data->rank; d++)
    moves->walk[0].axes.stride[0][d] = strides[d == a ? b : d == b ? a : d];
  return finish (moves, error);
}

/* --- Slices --- */

/* Reads start at index begin of every axis and go on by step. */
static gpointer
box_prepare (HybDevice     *device,
             const HybCall *call,
             const gint64  *begin,
             const gint64  *step,
             GError       **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, 1, error);
  const HybShape *data = &call->input[0].shape;
  gint64          strides[HYB_MAX_RANK];

  if (!moves)
    return NULL;
  hyb_axes_contiguous (data, strides);
  start_walk (&moves->walk[0], &call->output[0].shape);
  for (int d = 0; d < data->rank; d++)
    {
      moves->walk[0].from += begin[d] * strides[d];
      moves->walk[0].axes.stride[0][d] = step[d] * strides[d];
    }
  return finish (moves, error);
}

static gpointer
slice_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybInts  *begins = get_ints (call, "begin"), *steps = get_ints (call, "step");
  const HybShape *data = &call->input[0].shape;
  gint64          begin[HYB_MAX_RANK] = { 0 }, step[HYB_MAX_RANK];

  for (int d = 0; d < data->rank; d++)
    {
      gint64 size = data->dim[d], given = d < begins->n ? begins->value[d] : HYB_NONE;

      step[d] = steps && d < steps->n && steps->value[d] != HYB_NONE ? steps->value[d] : 1;
      if (given == HYB_NONE)
        begin[d] = step[d] > 0 ? 0 : size - 1;
      else
        begin[d] = CLAMP (given < 0 ? given + size : given,
                          step[d] > 0 ? 0 : -1,
                          step[d] > 0 ? size : size - 1);
    }
  return box_prepare (device, call, begin, step, error);
}

static gpointer
slice_axis_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybShape *data = &call->input[0].shape;
  int             axis = axis_of (get_int (call, "axis", 0), data->rank);
  gint64          begin[HYB_MAX_RANK] = { 0 }, step[HYB_MAX_RANK];

  for (int d = 0; d < data->rank; d++)
    step[d] = 1;
  begin[axis] = get_int (call, "begin", 0);
  if (begin[axis] < 0)
    begin[axis] += data->dim[axis];
  return box_prepare (device, call, begin, step, error);
}

static gpointer
slice_like_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  gint64 begin[HYB_MAX_RANK] = { 0 }, step[HYB_MAX_RANK];

  for (int d = 0; d < call->input[0].shape.rank; d++)
    step[d] = 1;
  return box_prepare (device, call, begin, step, error);
}

static gpointer
reverse_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybInts  *axes = get_ints (call, "axis");
  const HybShape *data = &call->input[0].shape;
  gint64          begin[HYB_MAX_RANK] = { 0 }, step[HYB_MAX_RANK];

  for (int d = 0; d < data->rank; d++)
    step[d] = 1;
  for (int i = 0; axes && i < axes->n; i++)
    {
      int axis = axis_of (axes->value[i], data->rank);

      begin[axis] = data->dim[axis] - 1;
      step[axis] = -1;
    }
  return box_prepare (device, call, begin, step, error);
}

/* --- Joins and splits --- */

/* Pieces of rows of `whole` along its axis: piece number i has this many elements a row. */
static void
piece_walk (HybMoveWalk *walk, const HybShape *whole, int axis, gint64 begin, gint64 row)
{
  gint64   inner = hyb_shape_count (whole, axis, whole->rank);
  HybShape rows = hyb_shape_2d (hyb_shape_count (whole, 0, axis), row);

  walk->axes = hyb_axes_new (&rows, 2);
  walk->axes.stride[0][0] = row; /* of the piece … */
  walk->axes.stride[0][1] = walk->axes.stride[1][1] = 1;
  walk->axes.stride[1][0] = inner; /* … and of the whole */
  walk->to = begin;
}

static void
exchange (HybMoveWalk *walk)
{
  gint64 to = walk->to;

  walk->to = walk->from;
  walk->from = to;
  for (int d = 0; d < walk->axes.rank; d++)
    {
      gint64 stride = walk->axes.stride[0][d];

      walk->axes.stride[0][d] = walk->axes.stride[1][d];
      walk->axes.stride[1][d] = stride;
    }
}

/* Joins the inputs along an axis of the output; each has `rows` rows. */
static gpointer
join_prepare (HybDevice *device, const HybCall *call, int axis, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, call->n_inputs, error);
  const HybShape *whole = &call->output[0].shape;
  gint64          rows = hyb_shape_count (whole, 0, axis), at = 0;

  for (guint i = 0; moves && i < call->n_inputs; i++)
    {
      gint64 row = rows > 0 ? hyb_shape_size (&call->input[i].shape) / rows : 0;

      piece_walk (&moves->walk[i], whole, axis, at, row);
      moves->walk[i].input = i;
      at += row;
    }
  return moves ? finish (moves, error) : NULL;
}

static gpointer
concat_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return join_prepare (device,
                       call,
                       axis_of (get_int (call, "dim", 1), call->output[0].shape.rank),
                       error);
}

static gpointer
stack_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return join_prepare (device,
                       call,
                       axis_of (get_int (call, "axis", 0), call->output[0].shape.rank),
                       error);
}

/* Splits input 0 along an axis into the outputs. */
static gpointer
part_prepare (HybDevice *device, const HybCall *call, int axis, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, call->n_outputs, error);
  const HybShape *whole = &call->input[0].shape;
  gint64          rows = hyb_shape_count (whole, 0, axis), at = 0;

  for (guint i = 0; moves && i < call->n_outputs; i++)
    {
      gint64 row = rows > 0 ? hyb_shape_size (&call->output[i].shape) / rows : 0;

      piece_walk (&moves->walk[i], whole, axis, at, row);
      exchange (&moves->walk[i]);
      moves->walk[i].output = i;
      at += row;
    }
  return moves ? finish (moves, error) : NULL;
}

static gpointer
split_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return part_prepare (device,
                       call,
                       axis_of (get_int (call, "axis", 1), call->input[0].shape.rank),
                       error);
}

static gpointer
concat_backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return part_prepare (device,
                       call,
                       axis_of (get_int (call, "dim", 1), call->input[0].shape.rank),
                       error);
}

/* --- Repetitions --- */

static gpointer
broadcast_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybMoves *moves = hyb_moves_new (device, call, 1, error);

  if (!moves)
    return NULL;
  start_walk (&moves->walk[0], &call->output[0].shape);
  hyb_axes_broadcast (&moves->walk[0].axes, 0, &call->input[0].shape, FALSE);
  return finish (moves, error);
}

/* --- Copies --- */

static void
copy_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  gsize bytes = hyb_type_bytes (&call->output[0]);

  if (bytes > 0 && run->input[0] != run->output[0])
    hyb_cuda_queue_copy (queue, run->output[0], run->input[0], bytes);
}

#define MOVES(id, function)                                                        \
  {                                                                                \
    .name = id, .prepare = function, .launch = hyb_moves_launch, .release = g_free \
  }
#define COPY(id)                      \
  {                                   \
    .name = id, .launch = copy_launch \
  }

const HybDeviceOp hyb_cuda_ops_array[] = {
  MOVES ("transpose", transpose_prepare),
  MOVES ("SwapAxis", swap_prepare),
  MOVES ("reverse", reverse_prepare),
  MOVES ("slice", slice_prepare),
  MOVES ("slice_axis", slice_axis_prepare),
  MOVES ("slice_like", slice_like_prepare),
  MOVES ("Concat", concat_prepare),
  MOVES ("_backward_Concat", concat_backward_prepare),
  MOVES ("stack", stack_prepare),
  MOVES ("SliceChannel", split_prepare),
  MOVES ("_split_v2", split_prepare),
  MOVES ("broadcast_to", broadcast_prepare),
  MOVES ("broadcast_axis", broadcast_prepare),
  MOVES ("broadcast_like", broadcast_prepare),
  COPY ("Reshape"),
  COPY ("Flatten"),
  COPY ("expand_dims"),
  COPY ("squeeze"),
  COPY ("reshape_like"),
  COPY ("_copy"),
  COPY ("BlockGrad"),
  COPY ("_identity_with_attr_like_rhs"),
  { NULL },
};
