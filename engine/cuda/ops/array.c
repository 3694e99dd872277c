/* array.c — operators that only move elements: transpose, joins, splits, broadcasts, and reshapes
 * that are not views.
 *
 * Each is a list of strided copies (move.h).  Start with the array at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/move.h"
#include "engine/cuda/ops/op-lists.h"

/* --- transpose, SwapAxis --- */

static gpointer
transpose_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, 1, error);
  const HybShape *data = &call->input[0].shape;
  const HybShape *given = hyb_cuda_get_shape (call, "axes");
  gint64          strides[HYB_MAX_RANK];

  if (!moves)
    return NULL;
  hyb_axes_contiguous (data, strides);
  hyb_move_walk_start (&moves->walk[0], &call->output[0].shape);
  for (int d = 0; d < data->rank; d++)
    {
      gint64 from = data->rank - 1 - d;

      if (given && given->rank == data->rank)
        from = given->dim[d];
      moves->walk[0].axes.stride[0][d] = strides[hyb_cuda_axis_of (from, data->rank)];
    }
  return hyb_moves_finish (moves, error);
}

static gpointer
swap_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, 1, error);
  const HybShape *data = &call->input[0].shape;
  int             a = hyb_cuda_axis_of (hyb_cuda_get_int (call, "dim1", 0), data->rank);
  int             b = hyb_cuda_axis_of (hyb_cuda_get_int (call, "dim2", 0), data->rank);
  gint64          strides[HYB_MAX_RANK];

  if (!moves)
    return NULL;
  hyb_axes_contiguous (data, strides);
  hyb_move_walk_start (&moves->walk[0], &call->output[0].shape);
  for (int d = 0; d < data->rank; d++)
    moves->walk[0].axes.stride[0][d] = strides[d == a ? b : d == b ? a : d];
  return hyb_moves_finish (moves, error);
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
  return moves ? hyb_moves_finish (moves, error) : NULL;
}

static gpointer
concat_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return join_prepare (device, call,
                       hyb_cuda_axis_of (hyb_cuda_get_int (call, "dim", 1),
                                         call->output[0].shape.rank),
                       error);
}

static gpointer
stack_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return join_prepare (device, call,
                       hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", 0),
                                         call->output[0].shape.rank),
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
  return moves ? hyb_moves_finish (moves, error) : NULL;
}

static gpointer
split_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return part_prepare (device, call,
                       hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", 1),
                                         call->input[0].shape.rank),
                       error);
}

static gpointer
concat_backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return part_prepare (device, call,
                       hyb_cuda_axis_of (hyb_cuda_get_int (call, "dim", 1),
                                         call->input[0].shape.rank),
                       error);
}

/* --- Repetitions --- */

static gpointer
broadcast_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybMoves *moves = hyb_moves_new (device, call, 1, error);

  if (!moves)
    return NULL;
  hyb_move_walk_start (&moves->walk[0], &call->output[0].shape);
  hyb_axes_broadcast (&moves->walk[0].axes, 0, &call->input[0].shape, FALSE);
  return hyb_moves_finish (moves, error);
}

/* --- Copies --- */

static void
copy_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  gsize bytes = hyb_type_bytes (&call->output[0]);

  if (bytes > 0 && run->input[0] != run->output[0])
    hyb_cuda_queue_copy (queue, run->output[0], run->input[0], bytes);
}

#define COPY(id)                      \
  {                                   \
    .name = id, .launch = copy_launch \
  }

const HybDeviceOp hyb_cuda_ops_array[] = {
  HYB_MOVES_OP ("transpose", transpose_prepare),
  HYB_MOVES_OP ("SwapAxis", swap_prepare),
  HYB_MOVES_OP ("Concat", concat_prepare),
  HYB_MOVES_OP ("_rnn_param_concat", concat_prepare),
  HYB_MOVES_OP ("_backward_Concat", concat_backward_prepare),
  HYB_MOVES_OP ("stack", stack_prepare),
  HYB_MOVES_OP ("SliceChannel", split_prepare),
  HYB_MOVES_OP ("_split_v2", split_prepare),
  HYB_MOVES_OP ("broadcast_to", broadcast_prepare),
  HYB_MOVES_OP ("broadcast_axis", broadcast_prepare),
  HYB_MOVES_OP ("broadcast_like", broadcast_prepare),
  HYB_MOVES_OP ("_npi_broadcast_to", broadcast_prepare),
  COPY ("Reshape"),
  COPY ("Flatten"),
  COPY ("expand_dims"),
  COPY ("squeeze"),
  COPY ("_np_squeeze"),
  COPY ("reshape_like"),
  COPY ("_copy"),
  COPY ("BlockGrad"),
  COPY ("_identity_with_attr_like_rhs"),
  COPY ("_contrib_gradientmultiplier"),
  COPY ("cast_storage"),
  { NULL },
};
