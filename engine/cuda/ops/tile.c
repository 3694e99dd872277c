/* tile.c — tile and repeat as strided copies, and their gradients as sums over the copies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/move.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/reduce.h"

/* A result as axes of repetitions and of elements of the single array, from the outermost on. */
typedef struct
{
  int    rank;
  gint64 dim[2 * HYB_MAX_RANK];
  gint64 single[2 * HYB_MAX_RANK]; /* strides; 0 along repetitions */
  gint64 result[2 * HYB_MAX_RANK];
  gint64 is_repetition[2 * HYB_MAX_RANK];
} Copies;

static void
add_axis (Copies *copies, gint64 dim, gint64 single, gint64 result, gboolean is_repetition)
{
  copies->dim[copies->rank] = dim;
  copies->single[copies->rank] = single;
  copies->result[copies->rank] = result;
  copies->is_repetition[copies->rank] = is_repetition;
  copies->rank++;
}

/* Every axis of the result repeats an axis of the single array, aligned at the last one. */
static Copies
tile_copies (const HybCall *call, const HybShape *single, const HybShape *result)
{
  const HybInts *reps = hyb_cuda_get_ints (call, "reps");
  gint64         strides[HYB_MAX_RANK], result_strides[HYB_MAX_RANK];
  Copies         copies = { .rank = 0 };

  hyb_axes_contiguous (single, strides);
  hyb_axes_contiguous (result, result_strides);
  for (int d = 0; d < result->rank; d++)
    {
      int    at = d - (result->rank - single->rank);
      int    rep = d - (result->rank - MAX (0, reps->n));
      gint64 size = at >= 0 ? single->dim[at] : 1;

      add_axis (&copies, rep >= 0 ? reps->value[rep] : 1, 0, size * result_strides[d], TRUE);
      add_axis (&copies, size, at >= 0 ? strides[at] : 0, result_strides[d], FALSE);
    }
  return copies;
}

/* Every row of inner elements is followed by its repetitions. */
static Copies
repeat_copies (const HybCall *call, const HybShape *single, const HybShape *result)
{
  gint64 repeats = hyb_cuda_get_int (call, "repeats", 1);
  gint64 axis = hyb_cuda_get_int (call, "axis", HYB_NONE);
  int    after = axis == HYB_NONE ? single->rank : hyb_cuda_axis_of (axis, single->rank) + 1;
  gint64 inner = hyb_shape_count (single, after, single->rank);
  Copies copies = { .rank = 0 };

  add_axis (&copies, hyb_shape_count (single, 0, after), inner, repeats * inner, FALSE);
  add_axis (&copies, repeats, 0, inner, TRUE);
  add_axis (&copies, inner, 1, 1, FALSE);
  return copies;
}

static gpointer
prepare_copies (HybDevice *device, const HybCall *call, const Copies *copies, GError **error)
{
  HybMoves *moves = hyb_moves_new (device, call, 1, error);
  HybAxes  *axes = moves ? &moves->walk[0].axes : NULL;

  if (!moves)
    return NULL;
  axes->n = 2;
  for (int d = 0; d < copies->rank; d++)
    if (!hyb_axes_append (axes, copies->dim[d], copies->single[d], copies->result[d]))
      {
        g_free (moves);
        hyb_axes_refuse (error);
        return NULL;
      }
  return hyb_moves_finish (moves, error);
}

/* The gradient of an element is the sum over its repetitions in the result. */
static gpointer
prepare_sums (HybDevice     *device,
              const HybCall *call,
              const Copies  *copies,
              gsize         *workspace,
              GError       **error)
{
  HybDeviceReduction sums = { .rule = &hyb_reduce_sum, .term = "x", .n = 1 };

  for (int d = 0; d < copies->rank; d++)
    if (!hyb_axes_append (copies->is_repetition[d] ? &sums.inner : &sums.outer, copies->dim[d],
                          copies->result[d], 0))
      {
        hyb_axes_refuse (error);
        return NULL;
      }
  return hyb_reduce_new (device, call, &sums, workspace, error);
}

#define PREPARE(stem)                                                                       \
  static gpointer stem##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                  GError **error)                                           \
  {                                                                                         \
    Copies copies = stem##_copies (call, &call->input[0].shape, &call->output[0].shape);    \
                                                                                            \
    return prepare_copies (device, call, &copies, error);                                   \
  }                                                                                         \
  static gpointer stem##_backward_prepare (HybDevice *device, const HybCall *call,          \
                                           gsize *workspace, GError **error)                \
  {                                                                                         \
    Copies copies = stem##_copies (call, &call->output[0].shape, &call->input[0].shape);    \
                                                                                            \
    return prepare_sums (device, call, &copies, workspace, error);                          \
  }
PREPARE (tile)
PREPARE (repeat)
#undef PREPARE

const HybDeviceOp hyb_cuda_ops_tile[] = {
  HYB_MOVES_OP ("tile", tile_prepare),
  HYB_MOVES_OP ("repeat", repeat_prepare),
  HYB_REDUCE_OP ("_backward_tile", tile_backward_prepare),
  HYB_REDUCE_OP ("_backward_repeat", repeat_backward_prepare),
  { NULL },
};
