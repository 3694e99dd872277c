/* vector-steps-kernel.h — the loops of vector-steps.c for one instruction set, which the compiler vectorises.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define MAP(name, formula)                                                  \
  static TARGET void SIMD (map_##name) (gint64 n, const float *x, float *y) \
  {                                                                         \
    HYB_INDEPENDENT                                                         \
    for (gint64 i = 0; i < n; i++)                                          \
      y[i] = formula (x[i]);                                                \
  }

MAP (floor, floorf)
MAP (ceil, ceilf)
MAP (trunc, truncf)
MAP (even, rintf)

#undef MAP

INLINE Floats
SIMD (cut) (Floats line)
{
  return simd_min (simd_fill (1.f), simd_max (simd_fill (0.f), line)) + 0.f; /* −0 becomes 0 */
}

/* The line first, in double, then its ends, since the compiler does not vectorise both at once. */
static TARGET void
SIMD (map_hard_sigmoid) (gint64 n, const float *x, double alpha, double beta, float *y)
{
  gint64 i = 0;

  HYB_INDEPENDENT
  for (gint64 k = 0; k < n; k++)
    y[k] = (float) (alpha * (double) x[k] + beta);
  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, SIMD (cut) (simd_load (y + i)));
  if (i < n)
    simd_store_part (y + i, n - i, SIMD (cut) (simd_load_part (y + i, n - i)));
}
