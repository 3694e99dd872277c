/* reduction.h — sums, products and extrema over any set of axes: y[kept] = reduce x[kept, reduced].
 *
 * Sums and products of floats accumulate in double, in blocks whose sizes depend only on the
 * shape, so that the result does not depend on the number of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/reduction-kinds.h"
#include "engine/tensor/shape.h"

/* Reduces x, of the given shape, over the axes i whose bit i is set in `axes`.  y has the remaining
 * axes in order.  dtype, one of HYB_DTYPES_REDUCE, is the element type of both. */
void hyb_reduce (HybReduction    reduction,
                 HybReduceFinish finish,
                 HybDType        dtype,
                 const HybShape *shape,
                 guint32         axes,
                 gconstpointer   x,
                 gpointer        y);
