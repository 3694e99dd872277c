/* shape-private.h — the comparison of shapes for code that runs once for each operator of a run.
 *
 * Programs call hyb_shape_equal(), which checks its arguments.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

/* TRUE if both are the same; an unknown dimension only equals an unknown one. */
static inline gboolean
hyb_shape_is_same (const HybShape *a, const HybShape *b)
{
  /* Ranks are small: calling memcmp() takes longer than comparing. */
  if (a->rank != b->rank)
    return FALSE;
  for (int i = 0; i < a->rank; i++)
    if (a->dim[i] != b->dim[i])
      return FALSE;
  return TRUE;
}
