/* reshape-codes.h — the codes with which Reshape says its new shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* Codes in the shape attribute; positive numbers are sizes.  Codes are read from left to right
 * while the dimensions of the input are used up. */
enum
{
  HYB_RESHAPE_COPY = 0,       /* the next dimension */
  HYB_RESHAPE_INFER = -1,     /* whatever makes the number of elements right; only once */
  HYB_RESHAPE_COPY_REST = -2, /* all dimensions that are left */
  HYB_RESHAPE_MERGE = -3,     /* the product of the next two */
  HYB_RESHAPE_SPLIT = -4,     /* the next dimension as two, whose sizes follow */
  /* Not in files; other operators with codes of their own translate to these. */
  HYB_RESHAPE_DROP = -5,  /* leaves out the next dimension, which is 1 */
  HYB_RESHAPE_EMPTY = -6, /* a dimension of size 0 */
};

/* Computes *out, the shape that the codes in `shape` give to an input with the shape `data`, whose
 * rank is known.  reverse: read from right to left.  The code HYB_RESHAPE_INFER leaves an unknown
 * dimension.  FALSE if the codes do not fit. */
gboolean hyb_reshape_by_codes (const HybShape *shape,
                               gboolean        reverse,
                               const HybShape *data,
                               HybShape       *out,
                               GError        **error);
