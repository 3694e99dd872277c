/* slice.c — slice, slice_axis, slice_like, reverse and the gradients of slices: a box of an array, read
 * or written with steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/move.h"
#include "engine/cuda/ops/op-lists.h"

/* For every axis the first index and the distance between indices. */
typedef struct
{
  gint64 begin[HYB_MAX_RANK], step[HYB_MAX_RANK];
} Box;

static Box
whole_box (const HybShape *data)
{
  Box box = { { 0 }, { 0 } };

  for (int d = 0; d < data->rank; d++)
    box.step[d] = 1;
  return box;
}

/* Indices follow NumPy. */
static Box
slice_box (const HybCall *call, const HybShape *data)
{
  const HybInts *begins = hyb_cuda_get_ints (call, "begin");
  const HybInts *steps = hyb_cuda_get_ints (call, "step");
  Box            box = whole_box (data);

  for (int d = 0; d < data->rank; d++)
    {
      gint64 size = data->dim[d], given = d < begins->n ? begins->value[d] : HYB_NONE;

      if (steps && d < steps->n && steps->value[d] != HYB_NONE)
        box.step[d] = steps->value[d];
      if (given == HYB_NONE)
        box.begin[d] = box.step[d] > 0 ? 0 : size - 1;
      else
        box.begin[d] = CLAMP (given < 0 ? given + size : given, box.step[d] > 0 ? 0 : -1,
                              box.step[d] > 0 ? size : size - 1);
    }
  return box;
}

static Box
slice_axis_box (const HybCall *call, const HybShape *data)
{
  Box    box = whole_box (data);
  int    axis = hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", 0), data->rank);
  gint64 begin = hyb_cuda_get_int (call, "begin", 0);

  box.begin[axis] = begin < 0 ? begin + data->dim[axis] : begin;
  return box;
}

static Box
slice_like_box (const HybCall *call, const HybShape *data)
{
  return whole_box (data);
}

/* An axis that occurs twice stays as it is. */
static Box
reverse_box (const HybCall *call, const HybShape *data)
{
  const HybInts *axes = hyb_cuda_get_ints (call, "axis");
  Box            box = whole_box (data);

  for (int i = 0; axes && i < axes->n; i++)
    {
      int axis = hyb_cuda_axis_of (axes->value[i], data->rank);

      box.begin[axis] = data->dim[axis] - 1 - box.begin[axis];
      box.step[axis] = -box.step[axis];
    }
  return box;
}

/* Moves between a box of data and the array `part` of its elements; operand number `side` of the walk
 * (0 is read, 1 is written) is the box. */
static void
lay_box (HybMoveWalk *walk, const Box *box, const HybShape *data, const HybShape *part, guint side)
{
  gint64 strides[HYB_MAX_RANK], first = 0;

  walk->axes = hyb_axes_new (part, 2);
  hyb_axes_contiguous (part, walk->axes.stride[1 - side]);
  hyb_axes_contiguous (data, strides);
  for (int d = 0; d < data->rank; d++)
    {
      /* The step of a single element does not matter, and a huge one would overflow. */
      walk->axes.stride[side][d] = part->dim[d] > 1 ? box->step[d] * strides[d] : 0;
      first += box->begin[d] * strides[d];
    }
  *(side == 0 ? &walk->from : &walk->to) = first;
}

typedef Box (*FindBox) (const HybCall *call, const HybShape *data);

/* Reads the box of input 0. */
static gpointer
read_box (HybDevice *device, const HybCall *call, FindBox find_box, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, 1, error);
  const HybShape *data = &call->input[0].shape;
  Box             box = find_box (call, data);

  if (!moves)
    return NULL;
  lay_box (&moves->walk[0], &box, data, &call->output[0].shape, 0);
  return hyb_moves_finish (moves, error);
}

/* The gradient: writes input 0 into the box of the output, which is 0 elsewhere. */
static gpointer
write_box (HybDevice *device, const HybCall *call, FindBox find_box, GError **error)
{
  HybMoves       *moves = hyb_moves_new (device, call, 1, error);
  const HybShape *data = &call->output[0].shape;
  Box             box = find_box (call, data);

  if (!moves)
    return NULL;
  moves->clears = TRUE;
  lay_box (&moves->walk[0], &box, data, &call->input[0].shape, 1);
  return hyb_moves_finish (moves, error);
}

#define PREPARE(stem, direction, find_box)                                                  \
  static gpointer stem##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                  GError **error)                                           \
  {                                                                                         \
    return direction (device, call, find_box, error);                                       \
  }
PREPARE (slice, read_box, slice_box)
PREPARE (slice_axis, read_box, slice_axis_box)
PREPARE (slice_like, read_box, slice_like_box)
PREPARE (reverse, read_box, reverse_box)
PREPARE (slice_backward, write_box, slice_box)
PREPARE (slice_axis_backward, write_box, slice_axis_box)
PREPARE (slice_like_backward, write_box, slice_like_box)
#undef PREPARE

const HybDeviceOp hyb_cuda_ops_slice[] = {
  HYB_MOVES_OP ("slice", slice_prepare),
  HYB_MOVES_OP ("slice_axis", slice_axis_prepare),
  HYB_MOVES_OP ("slice_like", slice_like_prepare),
  HYB_MOVES_OP ("reverse", reverse_prepare),
  HYB_MOVES_OP ("_backward_slice", slice_backward_prepare),
  HYB_MOVES_OP ("_backward_slice_axis", slice_axis_backward_prepare),
  HYB_MOVES_OP ("_backward_slice_like", slice_like_backward_prepare),
  { NULL },
};
