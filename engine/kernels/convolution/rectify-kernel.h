/* rectify-kernel.h — the rectifier behind a convolution for one instruction set.
 *
 * Kernels include it; each-simd.h includes those once for each instruction set, so there is no include guard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* relu of a vector, or x where positive, else slope x.  Adding zero makes −0 a 0, as the operator relu does; NaN stays. */
INLINE Floats
SIMD (rectify) (Floats x, float slope)
{
  Floats zero = { 0 };

  return slope == 0 ? simd_max (zero, x) + zero : simd_choose (x > zero, x, simd_fill (slope) * x);
}
