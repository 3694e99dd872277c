/* reduction.h — sums, products and extrema over any set of axes.
 *
 * Floating-point sums and products are kept in double, in blocks that depend on sizes
 * alone: the result is the same with any number of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef enum
{
  HYB_REDUCE_SUM,
  HYB_REDUCE_PROD,
  HYB_REDUCE_MAX, /* NaN if there is one */
  HYB_REDUCE_MIN,
  HYB_REDUCE_NAN_SUM, /* NaN counts as 0; this and the following: floats only */
  HYB_REDUCE_NAN_PROD,
  HYB_REDUCE_SUM_ABS,
  HYB_REDUCE_SUM_SQUARE,
  HYB_N_REDUCTIONS,
} HybReduction;

/* What becomes of each result. */
typedef enum
{
  HYB_REDUCE_PLAIN,
  HYB_REDUCE_MEAN, /* divided by the number of elements reduced; integers truncate */
  HYB_REDUCE_ROOT, /* square root */
} HybReduceFinish;

#define HYB_DTYPES_REDUCE                                                                         \
  (HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_U8) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | \
   HYB_DTYPE_BIT (HYB_I64))

/* Bit i of axes: axis i of x is reduced.  y: what remains, in order. */
void hyb_reduce (HybReduction    reduction,
                 HybReduceFinish finish,
                 HybDType        dtype,
                 const HybShape *shape,
                 guint32         axes,
                 gconstpointer   x,
                 gpointer        y);
