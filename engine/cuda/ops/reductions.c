/* reductions.c — sum and mean over any axes, and their gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/reduce.h"
#include "engine/op/op.h"

/* Which axes are reduced; the attributes were checked when types were inferred. */
static void
find_reduced (const HybCall *call, int rank, gboolean *is_reduced)
{
  const HybInts *list = hyb_cuda_get_ints (call, "axis");
  gboolean       lists_all = !list || list->n <= 0;
  gboolean       excludes = !lists_all && hyb_cuda_get_int (call, "exclude", FALSE);

  for (int d = 0; d < rank; d++)
    is_reduced[d] = lists_all || excludes;
  for (int i = 0; !lists_all && i < list->n; i++)
    is_reduced[hyb_cuda_axis_of (list->value[i], rank)] = !excludes;
}

/* Elements of the data for each element of the result. */
static gint64
count_reduced (const HybShape *shape, const gboolean *is_reduced)
{
  gint64 n = 1;

  for (int d = 0; d < shape->rank; d++)
    n *= is_reduced[d] ? shape->dim[d] : 1;
  return n;
}

/* is_mean: the sum is divided by the number of terms. */
static gpointer
prepare (HybDevice *device, const HybCall *call, gboolean is_mean, gsize *workspace, GError **error)
{
  const HybShape *shape = &call->input[0].shape;
  gboolean        is_reduced[HYB_MAX_RANK];
  gint64          strides[HYB_MAX_RANK];
  HybReduction    sums = { .term = "x", .n = 1 };

  find_reduced (call, shape->rank, is_reduced);
  hyb_axes_contiguous (shape, strides);
  for (int d = 0; d < shape->rank; d++)
    hyb_axes_append (is_reduced[d] ? &sums.inner : &sums.outer, shape->dim[d], strides[d], 0);
  sums.divisor = is_mean ? count_reduced (shape, is_reduced) : 0;
  return hyb_reduce_new (device, call, &sums, workspace, error);
}

/* Every element of the data gets the gradient of its result: a sum of one term. */
static gpointer
prepare_backward (HybDevice     *device,
                  const HybCall *call,
                  gboolean       is_mean,
                  gsize         *workspace,
                  GError       **error)
{
  const HybShape *shape = &call->output[0].shape;
  gboolean        is_reduced[HYB_MAX_RANK];
  gint64          stride[HYB_MAX_RANK], next = 1;
  HybReduction    sums = { .term = "x", .n = 1 };

  find_reduced (call, shape->rank, is_reduced);
  for (int d = shape->rank - 1; d >= 0; d--)
    {
      stride[d] = is_reduced[d] ? 0 : next;
      next *= is_reduced[d] ? 1 : shape->dim[d];
    }
  for (int d = 0; d < shape->rank; d++)
    hyb_axes_append (&sums.outer, shape->dim[d], stride[d], 0);
  sums.divisor = is_mean ? count_reduced (shape, is_reduced) : 0;
  return hyb_reduce_new (device, call, &sums, workspace, error);
}

#define FORWARD(id, is_mean)                                  \
  static gpointer id##_prepare (HybDevice     *device,        \
                                const HybCall *call,          \
                                gsize         *workspace,     \
                                GError       **error)         \
  {                                                           \
    return prepare (device, call, is_mean, workspace, error); \
  }
FORWARD (sum, FALSE)
FORWARD (mean, TRUE)

#define BACKWARD(id, is_mean)                                          \
  static gpointer id##_backward_prepare (HybDevice     *device,        \
                                         const HybCall *call,          \
                                         gsize         *workspace,     \
                                         GError       **error)         \
  {                                                                    \
    return prepare_backward (device, call, is_mean, workspace, error); \
  }
BACKWARD (sum, FALSE)
BACKWARD (mean, TRUE)

const HybDeviceOp hyb_cuda_ops_reductions[] = {
  HYB_REDUCE_OP ("sum", sum_prepare),
  HYB_REDUCE_OP ("_backward_sum", sum_backward_prepare),
  HYB_REDUCE_OP ("mean", mean_prepare),
  HYB_REDUCE_OP ("_backward_mean", mean_backward_prepare),
  { NULL },
};
