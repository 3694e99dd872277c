/* reduce-axes.c — the axes that a reduction goes over, and the shape that remains.
 *
 * Start with hyb_reduce_infer_shape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/reduce/reduce-axes.h"

#include "engine/base/error.h"

gboolean
hyb_reduce_mask (int rank, const HybReduceAxes *axes, guint32 *mask, GError **error)
{
  HybShape shape = { .rank = rank };
  guint32  all = (1u << rank) - 1;

  *mask = all;
  if (axes->axis->n == HYB_UNKNOWN || (axes->axis->n == 0 && !axes->is_numpy))
    return TRUE;

  *mask = 0;
  for (int i = 0; i < axes->axis->n; i++)
    {
      int a = hyb_shape_axis (&shape, axes->axis->value[i], error);

      if (a < 0)
        return FALSE;
      if (*mask >> a & 1)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL,
                             "Name each axis once", "axis %d is listed twice", a);
      *mask |= 1u << a;
    }
  if (axes->exclude)
    *mask = all & ~*mask;
  return TRUE;
}

HybShape
hyb_reduce_kept_shape (const HybShape *shape, guint32 mask)
{
  HybShape kept = *shape;

  for (int i = 0; i < kept.rank; i++)
    if (mask >> i & 1)
      kept.dim[i] = 1;
  return kept;
}

gboolean
hyb_reduce_infer_shape (HybCall *call, guint output, const HybReduceAxes *axes, GError **error)
{
  HybShape *in = &call->input[0].shape;
  HybShape  out = { .rank = 0 };
  int       from[HYB_MAX_RANK]; /* for each axis of out the axis of the input; -1 if reduced */
  guint32   mask;

  if (in->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_reduce_mask (in->rank, axes, &mask, error))
    return FALSE;

  for (int i = 0; i < in->rank; i++)
    {
      gboolean reduced = mask >> i & 1;

      if (reduced && !axes->keepdims)
        continue;
      from[out.rank] = reduced ? -1 : i;
      out.dim[out.rank++] = reduced ? 1 : in->dim[i];
    }
  /* If no axis remains, the result is a vector of one element, except in the NumPy interface. */
  if (out.rank == 0 && !axes->is_numpy)
    {
      from[0] = -1;
      out.dim[out.rank++] = 1;
    }
  if (!hyb_shape_unify (&out, &call->output[output].shape, error))
    return FALSE;
  for (int i = 0; i < out.rank; i++)
    if (from[i] >= 0)
      in->dim[from[i]] = out.dim[i];
  return TRUE;
}
