/* tiles-kernel.h — the inner loop of tiles.c for one instruction set; see each-simd.h.
 *
 * multiply_R_V: C[R, V vectors] = alpha sum_l A[R,l] B[l, V vectors] + bias + beta C; for l, for each of R rows, for each
 * of V vectors.  The last vector may be a part.  R runs from 1 to the number of rows whose sums fit the registers beside
 * V vectors of B and one number of A, KERNELS (X) expanding to X (rows, vectors) for each kernel.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#if LANES == 16
#define ROWS_OF_1  12
#define ROWS_OF_2  12
#define ROWS_OF_3  8
#define ROWS_OF_4  6
#define KERNELS(X) UP_TO_12 (X, 1) UP_TO_12 (X, 2) UP_TO_8 (X, 3) UP_TO_6 (X, 4)
#elif LANES == 8
#define ROWS_OF_1  12
#define ROWS_OF_2  6
#define ROWS_OF_3  4
#define ROWS_OF_4  2
#define KERNELS(X) UP_TO_12 (X, 1) UP_TO_6 (X, 2) UP_TO_4 (X, 3) UP_TO_2 (X, 4)
#else
#define ROWS_OF_1  4
#define ROWS_OF_2  4
#define ROWS_OF_3  3
#define ROWS_OF_4  3
#define KERNELS(X) UP_TO_4 (X, 1) UP_TO_4 (X, 2) UP_TO_3 (X, 3) UP_TO_3 (X, 4)
#endif

#define UP_TO_2(X, v)  X (1, v) X (2, v)
#define UP_TO_3(X, v)  UP_TO_2 (X, v) X (3, v)
#define UP_TO_4(X, v)  UP_TO_3 (X, v) X (4, v)
#define UP_TO_6(X, v)  UP_TO_4 (X, v) X (5, v) X (6, v)
#define UP_TO_8(X, v)  UP_TO_6 (X, v) X (7, v) X (8, v)
#define UP_TO_12(X, v) UP_TO_8 (X, v) X (9, v) X (10, v) X (11, v) X (12, v)

/* Vector v of a row; the last one has n elements. */
INLINE Floats
SIMD (load_vector) (const float *row, int v, int vectors, gint64 n)
{
  return v + 1 < vectors || (__builtin_constant_p (n) && n == LANES)
             ? simd_load_register (row + v * LANES)
             : simd_load_part (row + v * LANES, n);
}

INLINE void
SIMD (scale_sums) (const Tile *tile, const int rows, const int vectors, Floats (*sum)[4])
{
  if (tile->alpha == 1)
    return;
#pragma GCC unroll 12
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      sum[r][v] *= simd_fill (tile->alpha);
}

INLINE void
SIMD (add_bias) (const Tile *tile, const int rows, const int vectors, gint64 n, Floats (*sum)[4])
{
  if (!tile->bias)
    return;
#pragma GCC unroll 12
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      sum[r][v] += SIMD (load_vector) (tile->bias, v, vectors, n);
}

/* Adds beta times the old C. */
INLINE void
SIMD (add_old) (const Tile *tile, const int rows, const int vectors, gint64 n, Floats (*sum)[4])
{
  if (tile->beta == 0)
    return;
#pragma GCC unroll 12
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      {
        Floats old = SIMD (load_vector) (tile->c + r * tile->ldc, v, vectors, n);

        sum[r][v] = simd_multiply_add (simd_fill (tile->beta), old, sum[r][v]);
      }
}

/* Writes the last vector of each row, which has n elements. */
INLINE void
SIMD (store_last) (float *c, gint64 ldc, const int rows, const int last, gint64 n, Floats (*sum)[4])
{
  if (n == LANES)
    {
#pragma GCC unroll 12
      for (int r = 0; r < rows; r++)
        simd_store (c + r * ldc, sum[r][last]);
    }
  else
    {
#pragma GCC unroll 12
      for (int r = 0; r < rows; r++)
        simd_store_part (c + r * ldc, n, sum[r][last]);
    }
}

INLINE void
SIMD (store_sums) (const Tile *tile, const int rows, const int vectors, gint64 n, Floats (*sum)[4])
{
#pragma GCC unroll 12
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v + 1 < vectors; v++)
      simd_store (tile->c + r * tile->ldc + v * LANES, sum[r][v]);
  SIMD (store_last) (tile->c + (vectors - 1) * LANES, tile->ldc, rows, vectors - 1, n, sum);
}

/* Adds to the sums of a tile whose last vector has n elements.  A row of A is addressed from that of every third one, so
 * that four addresses serve twelve rows. */
INLINE void
SIMD (add_sums) (const Tile *tile, const int rows, const int vectors, gint64 n, Floats (*sum)[4])
{
  const float *a[4], *b = tile->b;
  gint64       a_row = tile->a_row;

#pragma GCC unroll 4
  for (int r = 0; r < rows; r += 3)
    a[r / 3] = tile->a + r * a_row;
  for (gint64 l = tile->k; l > 0; l--, b += tile->b_step)
    {
      Floats weights[4];

#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++)
        weights[v] = SIMD (load_vector) (b, v, vectors, n);
#pragma GCC unroll 12
      for (int r = 0; r < rows; r++)
        {
          Floats number = simd_fill (a[r / 3][r % 3 * a_row]);

#pragma GCC unroll 4
          for (int v = 0; v < vectors; v++)
            sum[r][v] = simd_multiply_add (number, weights[v], sum[r][v]);
        }
#pragma GCC unroll 4
      for (int r = 0; r < rows; r += 3)
        a[r / 3] += tile->a_step;
    }
}

/* rows and vectors are constants for the compiler, which then keeps the sums in registers. */
INLINE void
SIMD (multiply_tile) (const Tile *tile, const int rows, const int vectors)
{
  gint64 n = tile->columns - (vectors - 1) * LANES;
  Floats sum[12][4];

#pragma GCC unroll 12
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      sum[r][v] = (Floats){ 0 };
  if (n == LANES || tile->is_padded)
    SIMD (add_sums) (tile, rows, vectors, LANES, sum);
  else
    SIMD (add_sums) (tile, rows, vectors, n, sum);
  SIMD (scale_sums) (tile, rows, vectors, sum);
  SIMD (add_bias) (tile, rows, vectors, n, sum);
  SIMD (add_old) (tile, rows, vectors, n, sum);
  SIMD (store_sums) (tile, rows, vectors, n, sum);
}

#define DEFINE(rows, vectors)                                              \
  static TARGET void SIMD (multiply_##rows##_##vectors) (const Tile *tile) \
  {                                                                        \
    SIMD (multiply_tile) (tile, rows, vectors);                            \
  }
KERNELS (DEFINE)

#define ENTRY(rows, vectors) [vectors][rows] = SIMD (multiply_##rows##_##vectors),
static const Kernels SIMD (kernels) = { LANES,
                                        { 0, ROWS_OF_1, ROWS_OF_2, ROWS_OF_3, ROWS_OF_4 },
                                        { KERNELS (ENTRY) } };

#undef ENTRY
#undef DEFINE
#undef KERNELS
#undef UP_TO_2
#undef UP_TO_3
#undef UP_TO_4
#undef UP_TO_6
#undef UP_TO_8
#undef UP_TO_12
#undef ROWS_OF_1
#undef ROWS_OF_2
#undef ROWS_OF_3
#undef ROWS_OF_4
