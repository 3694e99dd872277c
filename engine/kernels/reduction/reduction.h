/* reduction.h — sums, products and extrema over any set of axes: y[kept] = reduce x[kept, reduced].
 *
 * Products of floats accumulate in double.  Sums of floats add up to 8 columns or a row of up to 64 elements as a tree of
 * floats and the rest in double; squares are added in double.  Blocks depend only on the shape, so that the result does
 * not depend on the number of threads, and a result does not depend on the rows beside it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/reduction/reduction-kinds.h"
#include "engine/tensor/shape.h"

/* A reduction of one tensor. */
typedef struct
{
  HybReduceKind   kind;
  HybReduceFinish finish;
  HybDType        dtype; /* of x and y; one of HYB_DTYPES_REDUCE */
  const HybShape *shape; /* of x */
  guint32         axes;  /* bit i is set if axis i is reduced; y has the other axes, in order */
  gconstpointer   x;
  gpointer        y;
} HybReduction;

/* Computes y on several threads. */
void hyb_reduce (const HybReduction *reduction);
