/* masked-finish-kernel.h — finishes sums of depthwise convolutions of small planes and writes some lanes; AVX-512 only.
 *
 * Kernels include it; each-simd.h includes those once for each instruction set, so there is no include guard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/rectify-kernel.h"

/* Adds bias and residual, rectifies, and writes the first n lanes, of up to LANES, from cell `at` of the map on. */
INLINE void
SIMD (finish_lanes) (const HybConvolveFinish *finish,
                     gint64                   filter,
                     float                   *map,
                     gint64                   at,
                     gint64                   n,
                     Floats                   sum)
{
  __mmask16 mask = n >= LANES ? 0xffff : (__mmask16) ((1u << n) - 1);

  sum = sum + simd_fill (finish->bias ? finish->bias[filter] : 0);
  if (finish->other)
    sum = sum + (Floats) _mm512_maskz_loadu_ps (mask, finish->other + at);
  if (finish->rectify)
    sum = SIMD (rectify) (sum, finish->slope);
  _mm512_mask_storeu_ps (map + at, mask, (__m512) sum);
}
