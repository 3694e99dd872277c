/* reductions.c — sum, mean, prod, max, min, nansum, nanprod and _square_sum over any axes, and the gradients
 * of sum and mean; the other gradients are formulas of pointwise-formulas.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/reductions.h"

#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"

/* Sets is_reduced for the `rank` axes of the data, by the attributes axis (or axes) and exclude, which were
 * checked when types were inferred. */
static void
find_reduced (const HybCall *call, int rank, gboolean *is_reduced)
{
  const HybInts *axis = hyb_cuda_get_ints (call, "axis");
  const HybInts *list = axis ? axis : hyb_cuda_get_ints (call, "axes");
  gboolean       lists_all = !list || list->n <= 0;
  gboolean       excludes = !lists_all && hyb_cuda_get_int (call, "exclude", FALSE);

  for (int d = 0; d < rank; d++)
    is_reduced[d] = lists_all || excludes;
  for (int i = 0; !lists_all && i < list->n; i++)
    is_reduced[hyb_cuda_axis_of (list->value[i], rank)] = !excludes;
}

gint64
hyb_cuda_lay_reduction (const HybCall *call, HybDeviceReduction *reduction)
{
  const HybShape *shape = &call->input[0].shape;
  gboolean        is_reduced[HYB_MAX_RANK];
  gint64          strides[HYB_MAX_RANK], n = 1;

  find_reduced (call, shape->rank, is_reduced);
  hyb_axes_contiguous (shape, strides);
  for (int d = 0; d < shape->rank; d++)
    {
      hyb_axes_append (is_reduced[d] ? &reduction->inner : &reduction->outer, shape->dim[d],
                       strides[d], 0);
      n *= is_reduced[d] ? shape->dim[d] : 1;
    }
  return n;
}

/* The strides of a result for a walk over the data.  Returns the number of elements of the data for each
 * element of the result. */
static gint64
find_strides (const HybCall *call, const HybShape *data, gint64 *stride)
{
  gboolean is_reduced[HYB_MAX_RANK];
  gint64   next = 1, n = 1;

  find_reduced (call, data->rank, is_reduced);
  for (int d = data->rank - 1; d >= 0; d--)
    {
      stride[d] = is_reduced[d] ? 0 : next;
      next *= is_reduced[d] ? 1 : data->dim[d];
      n *= is_reduced[d] ? data->dim[d] : 1;
    }
  return n;
}

void
hyb_cuda_lay_reduced (const HybCall *call, HybAxes *axes)
{
  const HybShape *shape = &call->output[0].shape;

  for (guint k = 0; k < call->n_inputs; k++)
    if (k == call->n_inputs - 2)
      hyb_axes_contiguous (shape, axes->stride[k]);
    else
      find_strides (call, shape, axes->stride[k]);
}

static const HybReduceRule product = { .start = "1", .combine = "s * t" };
static const HybReduceRule largest = { .start = "LEAST",
                                       .combine = "t > s || t != t ? t : s",
                                       .keeps_type = TRUE };
static const HybReduceRule smallest = { .start = "GREATEST",
                                        .combine = "t < s || t != t ? t : s",
                                        .keeps_type = TRUE };
/* A number that is added after an infinity gives NaN (engine/kernels/reduction/reduction-loops.c). */
static const HybReduceRule sum_of_numbers = { .start = "0",
                                              .step = "t == t ? s + t + (s - s) : s",
                                              .combine = "t != 0 ? s + t + (s - s) : s" };

static gpointer
prepare (HybDevice                *device,
         const HybCall            *call,
         const HybDeviceReduction *pattern,
         gsize                    *workspace,
         GError                  **error)
{
  HybDeviceReduction reduction = *pattern;

  reduction.n = 1;
  reduction.divisor = hyb_cuda_lay_reduction (call, &reduction);
  return hyb_reduce_new (device, call, &reduction, workspace, error);
}

#define FORWARD(id, its_rule, its_term)                                                    \
  static gpointer id##_prepare (HybDevice *device, const HybCall *call, gsize *workspace,  \
                                GError **error)                                            \
  {                                                                                        \
    static const HybDeviceReduction pattern = { .rule = &(its_rule), .term = (its_term) }; \
                                                                                           \
    return prepare (device, call, &pattern, workspace, error);                             \
  }
FORWARD (sum, hyb_reduce_sum, "x")
FORWARD (mean, hyb_reduce_mean, "x")
FORWARD (prod, product, "x")
FORWARD (max, largest, "x")
FORWARD (min, smallest, "x")
FORWARD (nansum, sum_of_numbers, "x")
FORWARD (nanprod, product, "x == x ? x : 1")
FORWARD (square_sum, hyb_reduce_sum, "x * x")

/* Every element of the data gets the gradient of its result: a reduction of one term. */
static gpointer
prepare_backward (HybDevice           *device,
                  const HybCall       *call,
                  const HybReduceRule *rule,
                  gsize               *workspace,
                  GError             **error)
{
  const HybShape    *shape = &call->output[0].shape;
  gint64             stride[HYB_MAX_RANK];
  HybDeviceReduction sums = { .rule = rule, .term = "x", .n = 1 };

  sums.divisor = find_strides (call, shape, stride);
  for (int d = 0; d < shape->rank; d++)
    hyb_axes_append (&sums.outer, shape->dim[d], stride[d], 0);
  return hyb_reduce_new (device, call, &sums, workspace, error);
}

#define BACKWARD(id)                                                                               \
  static gpointer id##_backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                         GError **error)                                           \
  {                                                                                                \
    return prepare_backward (device, call, &hyb_reduce_##id, workspace, error);                    \
  }
BACKWARD (sum)
BACKWARD (mean)

const HybDeviceOp hyb_cuda_ops_reductions[] = {
  HYB_REDUCE_OP ("sum", sum_prepare),
  HYB_REDUCE_OP ("_backward_sum", sum_backward_prepare),
  HYB_REDUCE_OP ("mean", mean_prepare),
  HYB_REDUCE_OP ("_backward_mean", mean_backward_prepare),
  HYB_REDUCE_OP ("prod", prod_prepare),
  HYB_REDUCE_OP ("max", max_prepare),
  HYB_REDUCE_OP ("min", min_prepare),
  HYB_REDUCE_OP ("nansum", nansum_prepare),
  HYB_REDUCE_OP ("nanprod", nanprod_prepare),
  HYB_REDUCE_OP ("_square_sum", square_sum_prepare),
  { NULL },
};
