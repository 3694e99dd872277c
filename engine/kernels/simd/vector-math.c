/* vector-math.c — exp, tanh, sigmoid, erf and softplus over arrays of floats: y[i] = f(x[i]).
 *
 * The formulas are in vector-functions.h, the loops in vector-math-kernel.h.  A value depends on
 * its argument (and on whether the processor has fused multiply-add), but not on its position in
 * the array or on the length.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-math.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/simd/vector-math-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_vector_exp (gsize n, const float *x, float *y)
{
  HYB_SIMD_CHOOSE (map_exp) ((gint64) n, x, y);
}

void
hyb_vector_tanh (gsize n, const float *x, float *y)
{
  HYB_SIMD_CHOOSE (map_tanh) ((gint64) n, x, y);
}

void
hyb_vector_sigmoid (gsize n, const float *x, float *y)
{
  HYB_SIMD_CHOOSE (map_sigmoid) ((gint64) n, x, y);
}

void
hyb_vector_erf (gsize n, const float *x, float *y)
{
  HYB_SIMD_CHOOSE (map_erf) ((gint64) n, x, y);
}

void
hyb_vector_softplus (gsize n, const float *x, float *y)
{
  HYB_SIMD_CHOOSE (map_softplus) ((gint64) n, x, y);
}
