/* source-shape.h — the rule for the shape attribute of operators without inputs (constants, random
 * numbers).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* Output 0 has the shape given by an attribute.  Negative sizes are unknown, and in files with
 * legacy shapes so are the size 0 and the shape “()”; they are inferred from the consumers.  FALSE
 * for a contradiction. */
static inline gboolean
source_infer_shape (HybCall *call, const HybShape *given, GError **error)
{
  HybShape shape = *given;

  if (shape.rank == HYB_UNKNOWN || (shape.rank == 0 && call->legacy_shapes))
    return TRUE;
  for (int i = 0; i < shape.rank; i++)
    if (shape.dim[i] < 0 || (shape.dim[i] == 0 && call->legacy_shapes))
      shape.dim[i] = HYB_UNKNOWN;
  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}
