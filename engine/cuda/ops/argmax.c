/* argmax.c — argmax, argmin and argmax_channel: the index of the largest or smallest element along an axis.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/reduce.h"
#include "engine/op/op.h"

/* An array without elements has index 0. */
#define PLACE \
  .start = "Extreme{ 0, -1 }", .combine = "first_of (s, t)", .finish = "s.at < 0 ? 0 : s.at"
static const HybReduceRule largest = { PLACE, .extreme = "(s) > (t)" };
static const HybReduceRule smallest = { PLACE, .extreme = "(s) < (t)" };
#undef PLACE

/* axis: HYB_NONE searches the flattened array. */
static gpointer
prepare (HybDevice           *device,
         const HybCall       *call,
         const HybReduceRule *rule,
         gsize               *workspace,
         GError             **error)
{
  const HybShape    *shape = &call->input[0].shape;
  gint64             axis = hyb_cuda_get_int (call, "axis", 1), strides[HYB_MAX_RANK];
  HybDeviceReduction search = { .rule = rule, .term = "Extreme{ x, k }", .n = 1 };

  hyb_axes_contiguous (shape, strides);
  for (int d = 0; d < shape->rank; d++)
    {
      gboolean is_searched = axis == HYB_NONE || d == hyb_cuda_axis_of (axis, shape->rank);

      hyb_axes_append (is_searched ? &search.inner : &search.outer, shape->dim[d], strides[d], 0);
    }
  return hyb_reduce_new (device, call, &search, workspace, error);
}

static gpointer
largest_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, &largest, workspace, error);
}

static gpointer
smallest_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, &smallest, workspace, error);
}

const HybDeviceOp hyb_cuda_ops_argmax[] = {
  HYB_REDUCE_OP ("argmax", largest_prepare),         HYB_REDUCE_OP ("argmin", smallest_prepare),
  HYB_REDUCE_OP ("argmax_channel", largest_prepare), HYB_REDUCE_OP ("_npi_argmax", largest_prepare),
  HYB_REDUCE_OP ("_npi_argmin", smallest_prepare),   { NULL },
};
