/* reduction-kinds.h — the kinds of reductions, and the functions of their results.
 *
 * reduction.h computes them over whole tensors, reduction-loops.h has their inner loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

typedef enum
{
  HYB_REDUCE_SUM,
  HYB_REDUCE_PROD,
  HYB_REDUCE_MAX,        /* NaN if any element is NaN */
  HYB_REDUCE_MIN,        /* likewise */
  HYB_REDUCE_NAN_SUM,    /* NaN counts as 0 */
  HYB_REDUCE_NAN_PROD,   /* NaN counts as 1 */
  HYB_REDUCE_SUM_ABS,    /* floats only */
  HYB_REDUCE_SUM_SQUARE, /* floats only */
  HYB_N_REDUCTIONS,
} HybReduceKind;

/* The last step, applied to each result. */
typedef enum
{
  HYB_REDUCE_PLAIN,
  HYB_REDUCE_MEAN, /* divides by the number of elements reduced; integers truncate */
  HYB_REDUCE_ROOT, /* takes the square root; floats only */
} HybReduceFinish;

/* The element types that can be reduced. */
#define HYB_DTYPES_REDUCE                                                                         \
  (HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_U8) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | \
   HYB_DTYPE_BIT (HYB_I64))
