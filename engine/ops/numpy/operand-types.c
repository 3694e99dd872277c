/* operand-types.c — the common element type of two tensors, and operands converted to it.
 *
 * Operators of the NumPy interface take operands of different types.  Start with
 * hyb_dtype_common().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/numpy/operand-types.h"

HybDType
hyb_dtype_common (HybDType a, HybDType b)
{
  gboolean a_is_float = hyb_dtype_is_float (a), b_is_float = hyb_dtype_is_float (b);

  if (a == HYB_DTYPE_UNKNOWN || b == HYB_DTYPE_UNKNOWN)
    return HYB_DTYPE_UNKNOWN;
  if (a == b || b == HYB_BOOL)
    return a;
  if (a == HYB_BOOL)
    return b;
  if (a_is_float != b_is_float)
    return a_is_float ? a : b;
  if (hyb_dtype_size (a) == hyb_dtype_size (b))
    return a_is_float ? HYB_F32 : hyb_dtype_size (a) < 4 ? HYB_I32 : HYB_I64;
  return hyb_dtype_size (a) > hyb_dtype_size (b) ? a : b;
}

static gsize
converted_bytes (const HybCall *call, guint index, HybDType dtype)
{
  gsize room = 0;

  if (call->input[index].dtype != dtype)
    hyb_workspace_take (&room, (gsize) hyb_shape_size (&call->input[index].shape) *
                                   hyb_dtype_size (dtype));
  return room;
}

gsize
hyb_operands_workspace (const HybCall *call, HybDType dtype)
{
  gsize bytes = 0;

  for (guint i = 0; i < call->n_inputs; i++)
    bytes += converted_bytes (call, i, dtype);
  return bytes;
}

gconstpointer
hyb_operand_as (const HybCall *call, const HybRun *run, guint index, HybDType dtype, char **room)
{
  gpointer to = *room;

  if (call->input[index].dtype == dtype)
    return run->input[index];
  hyb_dtype_convert (to, dtype, run->input[index], call->input[index].dtype,
                     (gsize) hyb_shape_size (&call->input[index].shape));
  *room += converted_bytes (call, index, dtype);
  return to;
}
