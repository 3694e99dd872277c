/* leaky-relu.c — how the slopes of PReLU are broadcast, and their gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/leaky-relu.h"

#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/reduce.h"

/* From the last of the first two axes to the first, an axis of the data takes the next size of gamma if
 * that is 1 or equal, else it has size 1. */
HybSlopes
hyb_cuda_slopes (const HybShape *data, const HybShape *gamma)
{
  HybSlopes slopes = { .n = 1, .inner = 1 };
  int       next = gamma->rank - 1;

  if (data->rank > 1)
    slopes.inner = hyb_shape_count (data, 2, data->rank);
  for (int d = MIN (data->rank, 2) - 1; d >= 0; d--)
    {
      gint64 size = 1;

      if (next >= 0 && (gamma->dim[next] == 1 || gamma->dim[next] == data->dim[d]))
        size = gamma->dim[next--];
      if (size > 1)
        slopes.n *= size;
      else if (slopes.n == 1)
        slopes.inner *= data->dim[d];
    }
  if (slopes.inner > 0)
    slopes.outer = hyb_shape_size (data) / (slopes.n * slopes.inner);
  return slopes;
}

/* Σ x w over the elements of a slope where w, the data, is not positive. */
static gpointer
gamma_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybSlopes          slopes = hyb_cuda_slopes (&call->input[1].shape, &call->input[2].shape);
  HybDeviceReduction sums = { .rule = &hyb_reduce_sum, .term = "w > 0 ? 0 : x * w", .n = 2 };

  hyb_axes_append (&sums.outer, slopes.n, slopes.inner, 0);
  hyb_axes_append (&sums.inner, slopes.outer, slopes.n * slopes.inner, 0);
  hyb_axes_append (&sums.inner, slopes.inner, 1, 0);
  return hyb_reduce_new (device, call, &sums, workspace, error);
}

const HybDeviceOp hyb_cuda_ops_leaky_relu[] = {
  HYB_REDUCE_OP ("_backward_LeakyReLU_gamma", gamma_prepare),
  { NULL },
};
