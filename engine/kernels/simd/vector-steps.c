/* vector-steps.c — rounding, and lines that are cut off, over arrays of floats; see vector-steps.h.
 *
 * Without AVX2 the C library rounds, as the compiler's own target has no instruction for it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-steps.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/simd/vector-steps-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#define DEFINE(name)                                         \
  void hyb_vector_##name (gsize n, const float *x, float *y) \
  {                                                          \
    HYB_SIMD_CHOOSE (map_##name) ((gint64) n, x, y);         \
  }

DEFINE (floor)
DEFINE (ceil)
DEFINE (trunc)
DEFINE (even)
DEFINE (relu)

void
hyb_vector_leaky (gsize n, const float *x, float slope, float *y)
{
  HYB_SIMD_CHOOSE (map_leaky) ((gint64) n, x, slope, y);
}

void
hyb_vector_clip (gsize n, const float *x, float low, float high, float *y)
{
  HYB_SIMD_CHOOSE (map_clip) ((gint64) n, x, low, high, y);
}

void
hyb_vector_hard_sigmoid (gsize n, const float *x, float alpha, float beta, float *y)
{
  HYB_SIMD_CHOOSE (map_hard_sigmoid) ((gint64) n, x, alpha, beta, y);
}
