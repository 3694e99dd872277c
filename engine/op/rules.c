/* rules.c — inference rules, views and costs that many operators share.
 *
 * hyb_rule_gradient() is in rule-gradient.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/rules.h"

#include "engine/base/error.h"
#include "engine/tensor/shape-private.h"

/* A fast path for the usual case: all inputs are known and equal, and each output is equal to them
 * or entirely unknown.  FALSE, and nothing changed, in any other case. */
static gboolean
infer_known_inputs (HybCall *call)
{
  const HybShape *common = &call->input[0].shape;

  if (call->n_inputs == 0 || !hyb_shape_is_known (common))
    return FALSE;
  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_shape_is_same (&call->input[i].shape, common))
      return FALSE;
  for (guint i = 0; i < call->n_outputs; i++)
    if (call->output[i].shape.rank >= 0 && !hyb_shape_is_same (&call->output[i].shape, common))
      return FALSE;
  for (guint i = 0; i < call->n_outputs; i++)
    call->output[i].shape = *common;
  return TRUE;
}

gboolean
hyb_rule_same_shape (HybCall *call, GError **error)
{
  HybShape common;

  g_return_val_if_fail (call, FALSE);
  if (infer_known_inputs (call))
    return TRUE;

  common = call->n_inputs > 0 ? call->input[0].shape : call->output[0].shape;
  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_shape_assign (&common, &call->input[i].shape, error))
      {
        g_prefix_error (error, "input %u: ", i);
        return FALSE;
      }
  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_assign (&common, &call->output[i].shape, error))
      {
        g_prefix_error (error, "output %u: ", i);
        return FALSE;
      }
  for (guint i = 0; i < call->n_inputs; i++)
    call->input[i].shape = common;
  for (guint i = 0; i < call->n_outputs; i++)
    call->output[i].shape = common;
  return TRUE;
}

gboolean
hyb_rule_unary (HybCall *call, GError **error)
{
  g_return_val_if_fail (call, FALSE);
  return hyb_shape_unify (&call->input[0].shape, &call->output[0].shape, error);
}

gboolean
hyb_rule_shape_of_second (HybCall *call, GError **error)
{
  g_return_val_if_fail (call, FALSE);
  return hyb_shape_unify (&call->output[0].shape, &call->input[1].shape, error);
}

gboolean
hyb_rule_shape_of_third (HybCall *call, GError **error)
{
  g_return_val_if_fail (call, FALSE);
  return hyb_shape_unify (&call->output[0].shape, &call->input[2].shape, error);
}

/* Sets *dim to the size of one axis of the result, counted from the end; HYB_UNKNOWN if an input
 * with an unknown size could enlarge it. */
static gboolean
broadcast_axis (HybCall *call, int from_end, gint64 *dim, GError **error)
{
  gboolean has_unknown = FALSE;

  *dim = 1;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const HybShape *shape = &call->input[i].shape;
      gint64          d = from_end < shape->rank ? shape->dim[shape->rank - 1 - from_end] : 1;

      if (d < 0)
        has_unknown = TRUE;
      else if (*dim == 1)
        *dim = d;
      else if (d != 1 && d != *dim)
        {
          g_autofree char *a = hyb_shape_to_string (&call->input[0].shape);
          g_autofree char *b = hyb_shape_to_string (shape);

          return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                               "shapes %s and %s cannot be broadcast to each other", a, b);
        }
    }
  if (*dim == 1 && has_unknown)
    *dim = HYB_UNKNOWN;
  return TRUE;
}

gboolean
hyb_rule_broadcast (HybCall *call, GError **error)
{
  HybShape out = { .rank = 0 };

  g_return_val_if_fail (call, FALSE);
  for (guint i = 0; i < call->n_inputs; i++)
    {
      if (call->input[i].shape.rank < 0)
        return TRUE;
      out.rank = MAX (out.rank, call->input[i].shape.rank);
    }
  for (int a = 0; a < out.rank; a++)
    if (!broadcast_axis (call, a, &out.dim[out.rank - 1 - a], error))
      return FALSE;

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* hyb_dtype_assign() without a call where both agree. */
static inline gboolean
agree (HybDType *to, HybDType from, GError **error)
{
  return *to == from || hyb_dtype_assign (to, from, error);
}

gboolean
hyb_rule_dtype_except (HybCall *call, guint32 mask, GError **error)
{
  HybDType common = HYB_DTYPE_UNKNOWN;

  g_return_val_if_fail (call, FALSE);
  for (guint i = 0; i < call->n_inputs; i++)
    if (!(i < 32 && (mask >> i & 1)) && !agree (&common, call->input[i].dtype, error))
      {
        g_prefix_error (error, "input %u: ", i);
        return FALSE;
      }
  for (guint i = 0; i < call->n_outputs; i++)
    if (!agree (&common, call->output[i].dtype, error))
      {
        g_prefix_error (error, "output %u: ", i);
        return FALSE;
      }
  for (guint i = 0; i < call->n_inputs; i++)
    if (!(i < 32 && (mask >> i & 1)))
      call->input[i].dtype = common;
  for (guint i = 0; i < call->n_outputs; i++)
    call->output[i].dtype = common;
  return TRUE;
}

gboolean
hyb_rule_same_dtype (HybCall *call, GError **error)
{
  g_return_val_if_fail (call, FALSE);
  return hyb_rule_dtype_except (call, 0, error);
}

gboolean
hyb_rule_dtype_first (HybCall *call, GError **error)
{
  g_return_val_if_fail (call, FALSE);
  return hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error);
}

gboolean
hyb_rule_dtype_free (HybCall *call, GError **error)
{
  return TRUE;
}

gboolean
hyb_rule_view_all (const HybCall *call, guint output, guint *input, gsize *offset)
{
  g_return_val_if_fail (input && offset, FALSE);
  *input = 0;
  *offset = 0;
  return output == 0;
}

void
hyb_rule_cost_bytes (const HybCall *call, HybCost *cost)
{
  g_return_if_fail (call && cost);
  cost->bytes_read = cost->bytes_written = 0;
  for (guint i = 0; i < call->n_inputs; i++)
    cost->bytes_read += (double) hyb_type_bytes (&call->input[i]);
  for (guint i = 0; i < call->n_outputs; i++)
    cost->bytes_written += (double) hyb_type_bytes (&call->output[i]);
}

void
hyb_rule_cost (const HybCall *call, HybCost *cost)
{
  g_return_if_fail (call && cost);
  const HybOp *op = call->op;

  *cost = (HybCost){ 0 };
  if (op->cost)
    {
      op->cost (call, cost);
      return;
    }
  hyb_rule_cost_bytes (call, cost);
  if (op->flops_per_input > 0)
    cost->flops = op->flops_per_input * (double) hyb_shape_size (&call->input[0].shape);
  else if (op->flops_per_output > 0)
    cost->flops = op->flops_per_output * (double) hyb_shape_size (&call->output[0].shape);
  else
    for (guint i = 0; i < call->n_outputs; i++)
      cost->flops += (double) hyb_shape_size (&call->output[i].shape);
}

void
hyb_rule_cost_elementwise (const HybCall *call, double flops_per_element, HybCost *cost)
{
  g_return_if_fail (call && cost);
  cost->flops = flops_per_element * (double) hyb_shape_size (&call->output[0].shape);
  hyb_rule_cost_bytes (call, cost);
}

void
hyb_rule_cost_move (const HybCall *call, HybCost *cost)
{
  g_return_if_fail (call && cost);
  cost->flops = 0;
  hyb_rule_cost_bytes (call, cost);
}
