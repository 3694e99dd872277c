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
SIMD (clip) (Floats x, Floats low, Floats high)
{
  return simd_choose (x > high, high, simd_max (low, x)); /* the instruction gives x if it is NaN */
}

static TARGET void
SIMD (map_clip) (gint64 n, const float *x, float low, float high, float *y)
{
  Floats least = simd_fill (low), most = simd_fill (high);
  gint64 i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        simd_store (y + i + k * LANES, SIMD (clip) (simd_load (x + i + k * LANES), least, most));
    }
  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, SIMD (clip) (simd_load (x + i), least, most));
  if (i < n)
    simd_store_part (y + i, n - i, SIMD (clip) (simd_load_part (x + i, n - i), least, most));
}

/* The line, then its ends. */
INLINE Floats
SIMD (hard_sigmoid) (Floats x, Floats alpha, Floats beta)
{
  Floats line = simd_multiply_add (x, alpha, beta);

  return simd_min (simd_fill (1.f), simd_max (simd_fill (0.f), line)) + 0.f; /* −0 becomes 0 */
}

static TARGET void
SIMD (map_hard_sigmoid) (gint64 n, const float *x, float slope, float at_zero, float *y)
{
  Floats alpha = simd_fill (slope), beta = simd_fill (at_zero);
  gint64 i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        simd_store (y + i + k * LANES,
                    SIMD (hard_sigmoid) (simd_load (x + i + k * LANES), alpha, beta));
    }
  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, SIMD (hard_sigmoid) (simd_load (x + i), alpha, beta));
  if (i < n)
    simd_store_part (y + i, n - i,
                     SIMD (hard_sigmoid) (simd_load_part (x + i, n - i), alpha, beta));
}
