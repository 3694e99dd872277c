/* index-copy.c — index_copy: a copy of an array in which some rows are replaced.
 *
 * old (N, row …), index (n), new (n, row …): row index[i] of the result is row i of new.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

static gboolean
index_copy_infer_shape (HybCall *call, GError **error)
{
  HybShape *old = &call->input[0].shape;
  HybShape *index = &call->input[1].shape;
  HybShape *rows = &call->input[2].shape;
  HybShape  ranked = hyb_shape_make (1, NULL);
  HybShape  shape;

  if (!hyb_shape_unify (old, &call->output[0].shape, error) ||
      !hyb_shape_assign (index, &ranked, error))
    return FALSE;
  if (old->rank == HYB_UNKNOWN)
    return TRUE;
  if (old->rank == 0)
    return hyb_refuse_types (error, NULL, "a 0-dimensional array has no rows");

  shape = *old;
  shape.dim[0] = index->dim[0];
  if (!hyb_shape_unify (rows, &shape, error))
    {
      g_prefix_error (error, "the new rows: ");
      return FALSE;
    }
  index->dim[0] = rows->dim[0];
  return TRUE;
}

static gboolean
index_copy_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

/* Indices outside of the array are reported and ignored; if an index occurs several times its last row wins. */
static void
index_copy_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *old = &call->input[0].shape;
  gint64          n = call->input[1].shape.dim[0];
  gsize row = (gsize) hyb_shape_count (old, 1, old->rank) * hyb_dtype_size (call->input[0].dtype);

  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) i);

      if (at >= 0 && at < old->dim[0])
        memcpy ((char *) run->output[0] + (gsize) at * row,
                (const char *) run->input[2] + (gsize) i * row, row);
      else
        hyb_run_report_index (run, 0, (double) at, old->dim[0]);
    }
}

static const char *const index_copy_inputs[] = { "old_tensor", "index_vector", "new_tensor", NULL };

const HybOp hyb_ops_index_copy[] = {
  {
      .name = "_contrib_index_copy",
      .doc = "Copies an array, replacing the rows at given indices.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_IN_PLACE,
      .inputs = index_copy_inputs,
      .constant_inputs = 1 << 1,
      .infer_shape = index_copy_infer_shape,
      .infer_dtype = index_copy_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = index_copy_forward,
      HYB_GRADIENT ("_contrib_index_copy (g0, i1, zeros_like (i2)) > i0; take (g0, i1) > i2"),
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
