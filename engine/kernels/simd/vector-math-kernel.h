/* vector-math-kernel.h — the loops of vector-math.c for one instruction set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"

/* Two vectors go side by side, since one alone waits for itself; the last few elements go
 * through the same code. */
#define MAP(function)                                                                           \
  static TARGET void SIMD (map_##function) (gint64 n, const float *x, float *y)                 \
  {                                                                                             \
    gint64 i = 0;                                                                               \
                                                                                                \
    for (; i + 2 * LANES <= n; i += 2 * LANES)                                                  \
      {                                                                                         \
        Floats first = SIMD (vector_##function) (simd_load (x + i));                            \
        Floats second = SIMD (vector_##function) (simd_load (x + i + LANES));                   \
                                                                                                \
        simd_store (y + i, first);                                                              \
        simd_store (y + i + LANES, second);                                                     \
      }                                                                                         \
    for (; i + LANES <= n; i += LANES)                                                          \
      simd_store (y + i, SIMD (vector_##function) (simd_load (x + i)));                         \
    if (i < n)                                                                                  \
      simd_store_part (y + i, n - i, SIMD (vector_##function) (simd_load_part (x + i, n - i))); \
  }

MAP (exp)
MAP (tanh)
MAP (sigmoid)

#undef MAP
