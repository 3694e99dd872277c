/* finite.c — whether an array holds NaN or infinity: their exponents have all bits set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/finite.h"

#include <math.h>

#define BLOCK        1024
#define EXPONENT_F32 0x7f800000u

/* Blocks without a branch are vectorised. */
static gboolean
are_finite_f32 (const guint32 *bits, gsize count)
{
  for (gsize i = 0; i < count; i += BLOCK)
    {
      gsize   end = MIN (count, i + BLOCK);
      guint32 found = 0;

      for (gsize k = i; k < end; k++)
        found |= (bits[k] & EXPONENT_F32) == EXPONENT_F32;
      if (found)
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_tensor_is_finite (const HybTensor *tensor)
{
  double values[BLOCK];
  gint64 n_read;

  if (!hyb_dtype_is_float (hyb_tensor_get_dtype (tensor)))
    return TRUE;
  if (hyb_tensor_get_dtype (tensor) == HYB_F32)
    return are_finite_f32 (hyb_tensor_get_data (tensor),
                           hyb_tensor_get_bytes (tensor) / sizeof (guint32));
  for (gint64 i = 0; (n_read = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n_read)
    for (gint64 k = 0; k < n_read; k++)
      if (!isfinite (values[k]))
        return FALSE;
  return TRUE;
}
