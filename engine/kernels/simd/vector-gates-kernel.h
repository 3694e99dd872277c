/* vector-gates-kernel.h — the loops of vector-gates.c for one instruction set: y[i] = f(x[i]).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"

INLINE Floats
SIMD (vector_gelu) (Floats x)
{
  return 0.5f * x * (1.f + SIMD (vector_erf) (x * 0x1.6a09e6p-1f)); /* √½ */
}

INLINE Floats
SIMD (vector_gelu_tanh) (Floats x)
{
  Floats inner = x * (0.7978845608f + 0.0356774081f * x * x);

  return 0.5f * x * (1.f + SIMD (vector_tanh) (inner));
}

INLINE Floats
SIMD (vector_silu) (Floats x)
{
  return x * SIMD (vector_sigmoid) (x);
}

/* The limits pass NaN on. */
INLINE Floats
SIMD (vector_hard_swish) (Floats x)
{
  Floats line = simd_min (simd_fill (6.f), simd_max (simd_fill (0.f), x + 3.f));

  return x * (line * (1 / 6.f)); /* in this order nothing overflows */
}

/* The last, partial vector uses the same function as several at a time, so that a value does not depend on its position. */
#define MAP(function)                                                                           \
  static TARGET void SIMD (map_##function) (gint64 n, const float *x, float *y)                 \
  {                                                                                             \
    gint64 i = 0;                                                                               \
                                                                                                \
    for (; i + 4 * LANES <= n; i += 4 * LANES)                                                  \
      {                                                                                         \
        HYB_UNROLL (4)                                                                          \
        for (int k = 0; k < 4; k++)                                                             \
          simd_store (y + i + k * LANES,                                                        \
                      SIMD (vector_##function) (simd_load (x + i + k * LANES)));                \
      }                                                                                         \
    for (; i + LANES <= n; i += LANES)                                                          \
      simd_store (y + i, SIMD (vector_##function) (simd_load (x + i)));                         \
    if (i < n)                                                                                  \
      simd_store_part (y + i, n - i, SIMD (vector_##function) (simd_load_part (x + i, n - i))); \
  }

MAP (gelu)
MAP (gelu_tanh)
MAP (silu)
MAP (hard_swish)

#undef MAP
