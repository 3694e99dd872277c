/* matrix-pairs.c — the pairs of matrices that numpy.matmul multiplies; see matrix-pairs.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/numpy/matrix-pairs.h"

#include "engine/op/dimensions.h"
#include "engine/op/rules.h"

/* The shape of an operand as matrices. */
static HybShape
as_matrices (const HybShape *shape, gboolean is_left)
{
  return shape->rank == 1 ? hyb_dims_with (shape, is_left ? 0 : 1, 1) : *shape;
}

gboolean
hyb_matrix_pairs_infer (HybCall *call, GError **error)
{
  HybShape *a = &call->input[0].shape, *b = &call->input[1].shape;
  HybType   batches[2] = { HYB_TYPE_UNKNOWN, HYB_TYPE_UNKNOWN }, whole = HYB_TYPE_UNKNOWN;
  HybCall   broadcast = { .n_inputs = 2, .n_outputs = 1, .input = batches, .output = &whole };
  HybShape  out;

  if (a->rank == HYB_UNKNOWN || b->rank == HYB_UNKNOWN)
    return TRUE;
  if (a->rank == 0 || b->rank == 0)
    return hyb_refuse_types (error, "Use a multiplication", "matmul does not multiply by numbers");
  if (!hyb_dim_unify (&a->dim[a->rank - 1], &b->dim[MAX (0, b->rank - 2)],
                      "the columns of the first and the rows of the second operand", error))
    return FALSE;

  batches[0].shape = *a;
  batches[0].shape.rank = MAX (0, a->rank - 2);
  batches[1].shape = *b;
  batches[1].shape.rank = MAX (0, b->rank - 2);
  if (!hyb_rule_broadcast (&broadcast, error))
    return FALSE;
  out = whole.shape;
  if (a->rank > 1)
    out.dim[out.rank++] = a->dim[a->rank - 2];
  if (b->rank > 1)
    out.dim[out.rank++] = b->dim[b->rank - 1];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
batch_strides (const HybShape *shape, int rank, gint64 *stride)
{
  gint64 step = hyb_dim_multiply (shape->dim[shape->rank - 1], shape->dim[shape->rank - 2]);

  for (int i = 1; i <= rank; i++)
    {
      int axis = shape->rank - 2 - i;

      stride[rank - i] = axis < 0 || shape->dim[axis] == 1 ? 0 : step;
      if (axis >= 0)
        step = hyb_dim_multiply (step, shape->dim[axis]);
    }
}

HybMatrixPairs
hyb_matrix_pairs_find (const HybShape *left, const HybShape *right)
{
  HybShape       a = as_matrices (left, TRUE), b = as_matrices (right, FALSE);
  HybMatrixPairs product = {
    .m = a.dim[a.rank - 2],
    .n = b.dim[b.rank - 1],
    .k = a.dim[a.rank - 1],
    .rank = MAX (a.rank, b.rank) - 2,
  };

  for (int i = 1; i <= product.rank; i++)
    {
      gint64 of_a = i <= a.rank - 2 ? a.dim[a.rank - 2 - i] : 1;
      gint64 of_b = i <= b.rank - 2 ? b.dim[b.rank - 2 - i] : 1;

      product.dim[product.rank - i] = of_a == 1 ? of_b : of_a;
    }
  batch_strides (&a, product.rank, product.a);
  batch_strides (&b, product.rank, product.b);
  return product;
}

gint64
hyb_matrix_pairs_count (const HybMatrixPairs *pairs)
{
  gint64 count = 1;

  for (int i = 0; i < pairs->rank; i++)
    count *= pairs->dim[i];
  return count;
}

void
hyb_matrix_pairs_result (const HybMatrixPairs *pairs, gint64 *stride)
{
  gint64 step = pairs->m * pairs->n;

  for (int i = pairs->rank - 1; i >= 0; i--)
    {
      stride[i] = step;
      step *= pairs->dim[i];
    }
}

gint64
hyb_matrix_pairs_offset (const HybMatrixPairs *pairs, const gint64 *stride, gint64 index)
{
  gint64 offset = 0;

  for (int i = pairs->rank - 1; i >= 0; i--)
    {
      offset += index % pairs->dim[i] * stride[i];
      index /= pairs->dim[i];
    }
  return offset;
}
