/* vector-steps-kernel.h — the loops of vector-steps.c for one instruction set, which the compiler vectorises.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define MAP(name, formula)                                                  \
  static TARGET void SIMD (map_##name) (gint64 n, const float *x, float *y) \
  {                                                                         \
    HYB_INDEPENDENT                                                         \
    for (gint64 i = 0; i < n; i++)                                          \
      y[i] = formula (x[i]);                                                \
  }

/* With GCC's idea of exceptions, rounding is not vectorised by itself. */
#ifdef SIMD_ROUND
#define MAP_ROUND(name, formula, mode)                                                  \
  static TARGET void SIMD (map_##name) (gint64 n, const float *x, float *y)             \
  {                                                                                     \
    gint64 i = 0;                                                                       \
                                                                                        \
    for (; i + LANES <= n; i += LANES)                                                  \
      simd_store (y + i, SIMD_ROUND (simd_load (x + i), mode));                         \
    if (i < n)                                                                          \
      simd_store_part (y + i, n - i, SIMD_ROUND (simd_load_part (x + i, n - i), mode)); \
  }
#else
#define MAP_ROUND(name, formula, mode) MAP (name, formula)
#endif
#define RELU(x) ((x) > 0 || (x) != (x) ? (x) : 0)

MAP_ROUND (floor, floorf, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
MAP_ROUND (ceil, ceilf, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
MAP_ROUND (trunc, truncf, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
MAP_ROUND (even, rintf, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
MAP (relu, RELU)

#undef RELU
#undef MAP_ROUND
#undef MAP

INLINE Floats
SIMD (leaky) (Floats x, float slope)
{
  return simd_choose (x > simd_fill (0.f), x, slope * x);
}

static TARGET void
SIMD (map_leaky) (gint64 n, const float *x, float slope, float *y)
{
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, SIMD (leaky) (simd_load (x + i), slope));
  if (i < n)
    simd_store_part (y + i, n - i, SIMD (leaky) (simd_load_part (x + i, n - i), slope));
}

INLINE Floats
SIMD (clip) (Floats x, float low, float high)
{
  Floats most = simd_fill (high), least = simd_fill (low);

  return simd_choose (x > most, most, simd_choose (x < least, least, x));
}

static TARGET void
SIMD (map_clip) (gint64 n, const float *x, float low, float high, float *y)
{
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, SIMD (clip) (simd_load (x + i), low, high));
  if (i < n)
    simd_store_part (y + i, n - i, SIMD (clip) (simd_load_part (x + i, n - i), low, high));
}

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
