/* slice.c — slice, slice_axis, slice_like and reverse: a box of an array, read with steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/move.h"
#include "engine/cuda/ops/op-lists.h"

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
  hyb_move_walk_start (&moves->walk[0], &call->output[0].shape);
  for (int d = 0; d < data->rank; d++)
    {
      moves->walk[0].from += begin[d] * strides[d];
      moves->walk[0].axes.stride[0][d] = step[d] * strides[d];
    }
  return hyb_moves_finish (moves, error);
}

static gpointer
slice_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybInts *begins = hyb_cuda_get_ints (call, "begin"),
                *steps = hyb_cuda_get_ints (call, "step");
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
  int             axis = hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", 0), data->rank);
  gint64          begin[HYB_MAX_RANK] = { 0 }, step[HYB_MAX_RANK];

  for (int d = 0; d < data->rank; d++)
    step[d] = 1;
  begin[axis] = hyb_cuda_get_int (call, "begin", 0);
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
  const HybInts  *axes = hyb_cuda_get_ints (call, "axis");
  const HybShape *data = &call->input[0].shape;
  gint64          begin[HYB_MAX_RANK] = { 0 }, step[HYB_MAX_RANK];

  for (int d = 0; d < data->rank; d++)
    step[d] = 1;
  for (int i = 0; axes && i < axes->n; i++)
    {
      int axis = hyb_cuda_axis_of (axes->value[i], data->rank);

      begin[axis] = data->dim[axis] - 1;
      step[axis] = -1;
    }
  return box_prepare (device, call, begin, step, error);
}

const HybDeviceOp hyb_cuda_ops_slice[] = {
  HYB_MOVES_OP ("slice", slice_prepare),
  HYB_MOVES_OP ("slice_axis", slice_axis_prepare),
  HYB_MOVES_OP ("slice_like", slice_like_prepare),
  HYB_MOVES_OP ("reverse", reverse_prepare),
  { NULL },
};
