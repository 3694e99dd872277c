/* sum-columns-kernel.h — the loops of sum-columns.c for one instruction set.
 *
 * For each strip of STRIP rows, for each block of BLOCK vectors of columns (the rest: one vector, then
 * a part of one), for each row of the strip.  The sums of a block stay in registers; each column is
 * added row by row, as a plain loop would.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Doubles of a vector. */
#define WIDTH (LANES / 2)
/* Vectors whose sums are in registers. */
#define BLOCK 8
/* Rows that are read in turn; more streams are not prefetched well. */
#define STRIP 16

/* n_vectors is a constant wherever these are inlined. */
#define DEFINE(name, STEP)                                                                 \
  INLINE void SIMD (name##_block) (double *sums, const float *x, const int n_vectors,      \
                                   gint64 n_rows, gint64 stride)                           \
  {                                                                                        \
    Doubles sum[BLOCK], value;                                                             \
                                                                                           \
    memcpy (sum, sums, sizeof (Doubles) * (gsize) n_vectors);                              \
    for (gint64 row = 0; row < n_rows; row++, x += stride)                                 \
      HYB_UNROLL (8)                                                                       \
    for (int k = 0; k < n_vectors; k++)                                                    \
      {                                                                                    \
        value = simd_load_doubles (x + k * WIDTH);                                         \
        sum[k] += STEP (value);                                                            \
      }                                                                                    \
    memcpy (sums, sum, sizeof (Doubles) * (gsize) n_vectors);                              \
  }                                                                                        \
                                                                                           \
  /* n < WIDTH columns. */                                                                 \
  INLINE void SIMD (name##_part) (double *sums, const float *x, gint64 n, gint64 n_rows,   \
                                  gint64 stride)                                           \
  {                                                                                        \
    Doubles sum = { 0.0 }, value;                                                          \
    float   lane[LANES];                                                                   \
                                                                                           \
    memcpy (&sum, sums, sizeof (double) * (gsize) n);                                      \
    for (gint64 row = 0; row < n_rows; row++, x += stride)                                 \
      {                                                                                    \
        simd_store (lane, simd_load_part (x, n));                                          \
        value = simd_load_doubles (lane);                                                  \
        sum += STEP (value);                                                               \
      }                                                                                    \
    memcpy (sums, &sum, sizeof (double) * (gsize) n);                                      \
  }                                                                                        \
                                                                                           \
  static TARGET void SIMD (name##_columns) (gpointer accumulators, gconstpointer elements, \
                                            gint64 n, gint64 n_rows, gint64 stride)        \
  {                                                                                        \
    double *sums = accumulators;                                                           \
                                                                                           \
    for (gint64 first = 0; first < n_rows; first += STRIP)                                 \
      {                                                                                    \
        const float *x = (const float *) elements + first * stride;                        \
        gint64       height = MIN (STRIP, n_rows - first), i = 0;                          \
                                                                                           \
        for (; i + BLOCK * WIDTH <= n; i += BLOCK * WIDTH)                                 \
          SIMD (name##_block) (sums + i, x + i, BLOCK, height, stride);                    \
        for (; i + WIDTH <= n; i += WIDTH)                                                 \
          SIMD (name##_block) (sums + i, x + i, 1, height, stride);                        \
        if (i < n)                                                                         \
          SIMD (name##_part) (sums + i, x + i, n - i, height, stride);                     \
      }                                                                                    \
  }

#define ITSELF(value) (value)
#define SQUARE(value) ((value) * (value))

DEFINE (sum, ITSELF)
DEFINE (square, SQUARE)

static TARGET void
SIMD (sum_combine) (gpointer accumulators, gconstpointer others, gint64 n)
{
  const double *b = others;
  double       *a = accumulators;

  HYB_INDEPENDENT
  for (gint64 i = 0; i < n; i++)
    a[i] += b[i];
}

/* y[i] = a[i] / count */
static TARGET void
SIMD (sum_means) (const double *a, gint64 n, double count, float *y)
{
  HYB_INDEPENDENT
  for (gint64 i = 0; i < n; i++)
    y[i] = (float) (a[i] / count);
}

#undef ITSELF
#undef SQUARE
#undef DEFINE
#undef WIDTH
#undef BLOCK
#undef STRIP
