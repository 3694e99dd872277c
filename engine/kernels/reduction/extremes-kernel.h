/* extremes-kernel.h — the loops of extremes.c for one instruction set.
 *
 * Rows: for i in steps of BLOCK vectors, one extreme for each lane, then those of all lanes.  Columns: for each strip of
 * STRIP rows, for each block of up to BLOCK vectors of columns, for each two rows; the extremes of a block stay in registers.
 * The last vector overlaps the one before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vectors whose extremes are in registers. */
#define BLOCK 4
/* Rows that are read in turn; more streams are not prefetched well. */
#define STRIP 16

/* The instructions give their second operand if either is NaN, so that a NaN that was found stays. */
#define DEFINE(name, OPERATION)                                                                                  \
  INLINE Floats SIMD (name##_of) (Floats value, Floats extreme)                                                  \
  {                                                                                                              \
    return simd_choose (value != value, value, OPERATION (value, extreme));                                      \
  }                                                                                                              \
                                                                                                                 \
  /* The last vector starts `end` columns after the first.  n_vectors is a constant wherever this is inlined. */ \
  INLINE void SIMD (name##_block) (float *extremes, const float *x, const int n_vectors,                         \
                                   gint64 end, gint64 n_rows, gint64 stride)                                     \
  {                                                                                                              \
    Floats extreme[BLOCK], value;                                                                                \
    gint64 row = 0, at;                                                                                          \
                                                                                                                 \
    HYB_UNROLL (4)                                                                                               \
    for (int k = 0; k < n_vectors; k++)                                                                          \
      extreme[k] = simd_load (extremes + (k == n_vectors - 1 ? end : k * LANES));                                \
    /* Each extreme waits for the one before: two rows at once.  Of equal zeros that of the first row stays. */  \
    for (; row + 2 <= n_rows; row += 2, x += 2 * stride)                                                         \
      {                                                                                                          \
        HYB_UNROLL (4)                                                                                           \
        for (int k = 0; k < n_vectors; k++)                                                                      \
          {                                                                                                      \
            at = k == n_vectors - 1 ? end : k * LANES;                                                           \
            value = SIMD (name##_of) (simd_load (x + at + stride), simd_load (x + at));                          \
            extreme[k] = SIMD (name##_of) (value, extreme[k]);                                                   \
          }                                                                                                      \
      }                                                                                                          \
    HYB_UNROLL (4)                                                                                               \
    for (int k = 0; k < n_vectors; k++)                                                                          \
      {                                                                                                          \
        at = k == n_vectors - 1 ? end : k * LANES;                                                               \
        if (row < n_rows)                                                                                        \
          extreme[k] = SIMD (name##_of) (simd_load (x + at), extreme[k]);                                        \
        simd_store (extremes + at, extreme[k]);                                                                  \
      }                                                                                                          \
  }                                                                                                              \
                                                                                                                 \
  /* n < LANES columns. */                                                                                       \
  INLINE void SIMD (name##_part) (float *extremes, const float *x, gint64 n, gint64 n_rows,                      \
                                  gint64 stride)                                                                 \
  {                                                                                                              \
    Floats extreme = simd_load_part (extremes, n);                                                               \
                                                                                                                 \
    for (gint64 row = 0; row < n_rows; row++, x += stride)                                                       \
      extreme = SIMD (name##_of) (simd_load_part (x, n), extreme);                                               \
    simd_store_part (extremes, n, extreme);                                                                      \
  }                                                                                                              \
                                                                                                                 \
  static TARGET void SIMD (name##_columns) (gpointer accumulators, gconstpointer elements,                       \
                                            gint64 n, gint64 n_rows, gint64 stride)                              \
  {                                                                                                              \
    float *extremes = accumulators;                                                                              \
                                                                                                                 \
    for (gint64 first = 0; first < n_rows; first += STRIP)                                                       \
      {                                                                                                          \
        const float *x = (const float *) elements + first * stride;                                              \
        gint64       height = MIN (STRIP, n_rows - first), i = 0;                                                \
                                                                                                                 \
        for (; n >= LANES && i < n; i += BLOCK * LANES)                                                          \
          {                                                                                                      \
            gint64 end = MIN (n - i, BLOCK * LANES) - LANES;                                                     \
                                                                                                                 \
            if (end > 2 * LANES)                                                                                 \
              SIMD (name##_block) (extremes + i, x + i, 4, end, height, stride);                                 \
            else if (end > LANES)                                                                                \
              SIMD (name##_block) (extremes + i, x + i, 3, end, height, stride);                                 \
            else if (end > 0)                                                                                    \
              SIMD (name##_block) (extremes + i, x + i, 2, end, height, stride);                                 \
            else                                                                                                 \
              SIMD (name##_block) (extremes + i, x + i, 1, end, height, stride);                                 \
          }                                                                                                      \
        if (n < LANES)                                                                                           \
          SIMD (name##_part) (extremes, x, n, height, stride);                                                   \
      }                                                                                                          \
  }                                                                                                              \
                                                                                                                 \
  static TARGET void SIMD (name##_row) (gpointer accumulator, gconstpointer elements, gint64 n)                  \
  {                                                                                                              \
    const float *x = elements;                                                                                   \
    Floats       extreme[BLOCK];                                                                                 \
    float       *total = accumulator;                                                                            \
    gint64       i = 0;                                                                                          \
                                                                                                                 \
    if (n >= LANES)                                                                                              \
      {                                                                                                          \
        HYB_UNROLL (4)                                                                                           \
        for (int k = 0; k < BLOCK; k++)                                                                          \
          extreme[k] = simd_load (x);                                                                            \
        for (; i + BLOCK * LANES <= n; i += BLOCK * LANES)                                                       \
          {                                                                                                      \
            HYB_UNROLL (4)                                                                                       \
            for (int k = 0; k < BLOCK; k++)                                                                      \
              extreme[k] = SIMD (name##_of) (simd_load (x + i + k * LANES), extreme[k]);                         \
          }                                                                                                      \
        for (; i + LANES <= n; i += LANES)                                                                       \
          extreme[0] = SIMD (name##_of) (simd_load (x + i), extreme[0]);                                         \
        extreme[1] = SIMD (name##_of) (simd_load (x + n - LANES), extreme[1]);                                   \
        extreme[0] = SIMD (name##_of) (extreme[0], extreme[1]);                                                  \
        extreme[2] = SIMD (name##_of) (extreme[2], extreme[3]);                                                  \
        SIMD (name##_lanes) (total, SIMD (name##_of) (extreme[0], extreme[2]));                                  \
      }                                                                                                          \
    else                                                                                                         \
      SIMD (name##_few) (total, x, n);                                                                           \
  }

/* A few elements; all lanes, of which the instructions find the largest if SIGN is 1, and if it is -1 the smallest. */
#define DEFINE_FEW(name, COMPARE, SIGN)                                  \
  INLINE void SIMD (name##_few) (float *total, const float *x, gint64 n) \
  {                                                                      \
    for (gint64 i = 0; i < n; i++)                                       \
      *total = (x[i] COMPARE * total) | (x[i] != x[i]) ? x[i] : *total;  \
  }                                                                      \
                                                                         \
  INLINE void SIMD (name##_lanes) (float *total, Floats extreme)         \
  {                                                                      \
    float lane[LANES];                                                   \
                                                                         \
    simd_store (lane, extreme);                                          \
    if (simd_any (extreme != extreme))                                   \
      SIMD (name##_few) (total, lane, LANES);                            \
    else                                                                 \
      {                                                                  \
        lane[0] = SIGN * simd_lane_max (SIGN * extreme);                 \
        SIMD (name##_few) (total, lane, 1);                              \
      }                                                                  \
  }

DEFINE_FEW (largest, >, 1)
DEFINE_FEW (smallest, <, -1)
DEFINE (largest, simd_max)
DEFINE (smallest, simd_min)

#undef DEFINE
#undef DEFINE_FEW
#undef BLOCK
#undef STRIP
