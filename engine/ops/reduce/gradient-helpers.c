/* gradient-helpers.c — _reduce_like: sums a tensor down to the shape of another one.
 *
 * Gradients use it to undo broadcasting.  They are written before shapes are known, and MXNet has no
 * operator that takes the target shape from a tensor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/gradient/by-formula.h"
#include "engine/kernels/reduction/reduction.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* Shapes are aligned at the last axis; each axis of the small one has size 1 or that of the large
 * one. */
static gboolean
reduce_like_infer_shape (HybCall *call, GError **error)
{
  const HybShape *large = &call->input[0].shape;
  const HybShape *small = &call->input[1].shape;

  if (!hyb_shape_unify (&call->output[0].shape, &call->input[1].shape, error))
    return FALSE;
  if (large->rank == HYB_UNKNOWN || small->rank == HYB_UNKNOWN)
    return TRUE;

  for (int i = 1; i <= small->rank; i++)
    {
      gint64 length = small->dim[small->rank - i];

      if (length == HYB_UNKNOWN || length == 1 ||
          (i <= large->rank &&
           (large->dim[large->rank - i] == length || large->dim[large->rank - i] == HYB_UNKNOWN)))
        continue;

      g_autofree char *from = hyb_shape_to_string (large);
      g_autofree char *to = hyb_shape_to_string (small);

      g_set_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES,
                   "shape %s cannot be summed down to %s", from, to);
      return FALSE;
    }

  return TRUE;
}

/* A view if nothing has to be summed. */
static gboolean
reduce_like_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  if (hyb_shape_size (&call->input[0].shape) != hyb_shape_size (&call->output[0].shape))
    return FALSE;

  *input = 0;
  *offset = 0;
  return TRUE;
}

/* hyb_reduce() sums in double precision, which the gradient of a bias, with millions of terms,
 * needs. */
static void
reduce_like_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *large = &call->input[0].shape;
  const HybShape *small = &call->output[0].shape;
  guint32         axes = 0;

  if (hyb_shape_size (large) == hyb_shape_size (small))
    {
      memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
      return;
    }

  for (int i = 1; i <= large->rank; i++)
    if (i > small->rank || small->dim[small->rank - i] != large->dim[large->rank - i])
      axes |= 1u << (large->rank - i);
  hyb_reduce (&(HybReduction){ .kind = HYB_REDUCE_SUM,
                               .finish = HYB_REDUCE_PLAIN,
                               .dtype = call->output[0].dtype,
                               .shape = large,
                               .axes = axes,
                               .x = run->input[0],
                               .y = run->output[0] });
}

static const char *const reduce_like_inputs[] = { "data", "like", NULL };
static const char *const one_output[] = { "output", NULL };

const HybOp hyb_ops_gradient_helpers[] = {
  {
      .name = "_reduce_like",
      .doc = "Sums a tensor down to the shape of another one, undoing broadcasting.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .inputs = reduce_like_inputs,
      .outputs = one_output,
      .constant_inputs = 1 << 1,
      .infer_shape = reduce_like_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = reduce_like_forward,
      .view = reduce_like_view,
      /* broadcast_like needs equal ranks. */
      HYB_GRADIENT ("broadcast_add (zeros_like (i0), g0) > i0"),
      .flops_per_input = 1,
  },
  { 0 },
};
