/* vector-map.h — the loop of a vector function over an array, for the files that every instruction set includes.
 *
 * HYB_MAP (exp) defines map_exp(), which computes y[i] = vector_exp (x[i]) in steps of four vectors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last, partial vector uses the same function as four at a time, so that a value does not depend
 * on its position. */
#define HYB_MAP(function)                                                                       \
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
