/* running-sums-kernel.h — the loops of running-sums.c for one instruction set: y[k] = y[k − 1] + x[k].
 *
 * For each block of BLOCK vectors of lines (the rest: one vector, then a part of one), over k; the sums of a block stay in
 * registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vectors of lines whose sums are in registers. */
#define BLOCK 4

/* n_vectors vectors of lines of floats, or n < LANES lines.  n_vectors, n = LANES and exclusive are constants where this is
 * inlined. */
INLINE void
SIMD (block_f32) (const HybRunningSums *sums,
                  gint64                at,
                  const int             n_vectors,
                  gint64                n,
                  const gboolean        exclusive)
{
  const float *x = (const float *) sums->x + at;
  float       *y = (float *) sums->y + at;
  Doubles      low[BLOCK], high[BLOCK];
  Floats       value, sum;

  HYB_UNROLL (4)
  for (int i = 0; i < n_vectors; i++)
    low[i] = high[i] = (Doubles){ 0.0 };
  for (gint64 k = 0; k < sums->length; k++, x += sums->step, y += sums->step)
    {
      HYB_UNROLL (4)
      for (int i = 0; i < n_vectors; i++)
        {
          value = n == LANES ? simd_load (x + i * LANES) : simd_load_part (x, n);
          if (exclusive)
            sum = simd_join_doubles (low[i], high[i]);
          low[i] += simd_low_doubles (value);
          high[i] += simd_high_doubles (value);
          if (!exclusive)
            sum = simd_join_doubles (low[i], high[i]);
          if (n == LANES)
            simd_store (y + i * LANES, sum);
          else
            simd_store_part (y, n, sum);
        }
    }
}

/* Elements of type T, of which COUNT fill a vector. */
#define DEFINE(T, COUNT, suffix)                                                                 \
  INLINE void SIMD (block_##suffix) (const HybRunningSums *sums, gint64 at, const int n_vectors, \
                                     gint64 n, const gboolean exclusive)                         \
  {                                                                                              \
    typedef T    Values __attribute__ ((vector_size (COUNT * sizeof (T))));                      \
    const T     *x = (const T *) sums->x + at;                                                   \
    T           *y = (T *) sums->y + at;                                                         \
    const gint64 n_floats = n * (gint64) (sizeof (T) / sizeof (float));                          \
    Values       sum[BLOCK], value, old;                                                         \
                                                                                                 \
    HYB_UNROLL (4)                                                                               \
    for (int i = 0; i < n_vectors; i++)                                                          \
      sum[i] = (Values){ 0 };                                                                    \
    for (gint64 k = 0; k < sums->length; k++, x += sums->step, y += sums->step)                  \
      {                                                                                          \
        HYB_UNROLL (4)                                                                           \
        for (int i = 0; i < n_vectors; i++)                                                      \
          {                                                                                      \
            if (n == COUNT)                                                                      \
              memcpy (&value, x + i * COUNT, sizeof value);                                      \
            else                                                                                 \
              value = (Values) simd_load_part ((const float *) (gconstpointer) x, n_floats);     \
            old = sum[i];                                                                        \
            sum[i] += value;                                                                     \
            if (exclusive)                                                                       \
              value = old;                                                                       \
            else                                                                                 \
              value = sum[i];                                                                    \
            if (n == COUNT)                                                                      \
              memcpy (y + i * COUNT, &value, sizeof value);                                      \
            else                                                                                 \
              simd_store_part ((float *) (gpointer) y, n_floats, (Floats) value);                \
          }                                                                                      \
      }                                                                                          \
  }
DEFINE (double, (LANES / 2), f64)
DEFINE (guint32, LANES, i32)
DEFINE (guint64, (LANES / 2), i64)
#undef DEFINE

#define LINES(COUNT, suffix)                                                                  \
  INLINE void SIMD (lines_of_##suffix) (const HybRunningSums *sums, const gboolean exclusive) \
  {                                                                                           \
    gint64 n = sums->n_lines, i = 0;                                                          \
                                                                                              \
    for (; i + BLOCK * COUNT <= n; i += BLOCK * COUNT)                                        \
      SIMD (block_##suffix) (sums, i, BLOCK, COUNT, exclusive);                               \
    for (; i + 2 * COUNT <= n; i += 2 * COUNT)                                                \
      SIMD (block_##suffix) (sums, i, 2, COUNT, exclusive);                                   \
    for (; i + COUNT <= n; i += COUNT)                                                        \
      SIMD (block_##suffix) (sums, i, 1, COUNT, exclusive);                                   \
    if (i < n)                                                                                \
      SIMD (block_##suffix) (sums, i, 1, n - i, exclusive);                                   \
  }                                                                                           \
                                                                                              \
  static TARGET void SIMD (lines_##suffix) (const HybRunningSums *sums)                       \
  {                                                                                           \
    if (sums->is_exclusive)                                                                   \
      SIMD (lines_of_##suffix) (sums, TRUE);                                                  \
    else                                                                                      \
      SIMD (lines_of_##suffix) (sums, FALSE);                                                 \
  }
LINES (LANES, f32)
LINES ((LANES / 2), f64)
LINES (LANES, i32)
LINES ((LANES / 2), i64)
#undef LINES
#undef BLOCK
