/* gradient-helpers.c — _reduce_like, the gradient of broadcasting: a sum over the axes that were
 * broadcast.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/reduce.h"

/* Shapes are aligned at the last axis. */
static gpointer
reduce_like_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybShape    *large = &call->input[0].shape, *small = &call->output[0].shape;
  gint64             strides[HYB_MAX_RANK];
  HybDeviceReduction sums = { .rule = &hyb_reduce_sum, .term = "x", .n = 1 };

  hyb_axes_contiguous (large, strides);
  for (int d = 0; d < large->rank; d++)
    {
      int      at = d - (large->rank - small->rank);
      gboolean is_kept = at >= 0 && small->dim[at] == large->dim[d];

      hyb_axes_append (is_kept ? &sums.outer : &sums.inner, large->dim[d], strides[d], 0);
    }
  return hyb_reduce_new (device, call, &sums, workspace, error);
}

const HybDeviceOp hyb_cuda_ops_gradient_helpers[] = {
  HYB_REDUCE_OP ("_reduce_like", reduce_like_prepare),
  { NULL },
};
