/* matrix-vector-kernel.h — the inner loops of matrix-vector.c for one instruction set.
 *
 * add_streamed_rows: y[i] += sum_l W[i,l] x[l]; for each row i, for l in steps of 4 vectors.
 * add_cached_rows:   the same; for each block of 4 rows, for l in steps of 2 vectors.
 * add_columns:       y[j] += sum_l W[l,j] x[l]; for each block of 8 rows l, for j by vectors.
 *
 * each-simd.h includes this file once for each instruction set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define PRODUCT(at, sum) simd_multiply_add (simd_load (x + (at)), simd_load (w + (at)), sum)

/* For a matrix that does not fit the cache.  One row at a time: reading several rows at once, or
 * prefetching, was slower. */
static TARGET void
SIMD (add_streamed_rows) (gint64       n,
                          gint64       k,
                          const float *w,
                          gint64       ldw,
                          const float *x,
                          float       *y,
                          gint64       step)
{
  for (gint64 i = 0; i < n; i++, w += ldw, y += step)
    {
      Floats a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
      gint64 l = 0;

      for (; l + 4 * LANES <= k; l += 4 * LANES)
        {
          a = PRODUCT (l, a);
          b = PRODUCT (l + LANES, b);
          c = PRODUCT (l + 2 * LANES, c);
          d = PRODUCT (l + 3 * LANES, d);
        }
      for (; l + LANES <= k; l += LANES)
        a = PRODUCT (l, a);
      if (l < k)
        b = simd_multiply_add (simd_load_part (x + l, k - l), simd_load_part (w + l, k - l), b);
      *y += simd_sum ((a + b) + (c + d));
    }
}

#undef PRODUCT

#define ROWS_1(X)       X (0)
#define ROWS_4(X)       X (0) X (1) X (2) X (3)
#define DECLARE(r)      Floats a##r = { 0 }, b##r = { 0 };
#define PRODUCT_EVEN(r) a##r = simd_multiply_add (x0, simd_load (w + (r) *ldw + l), a##r);
#define PRODUCT_ODD(r)  b##r = simd_multiply_add (x1, simd_load (w + (r) *ldw + l + LANES), b##r);
#define PRODUCT_PART(r) \
  b##r = simd_multiply_add (x0, simd_load_part (w + (r) *ldw + l, k - l), b##r);
#define ADD(r) y[(r) *step] += simd_sum (a##r + b##r);

/* Defines add_1 and add_4: that many rows at a time share the loads of x. */
#define DEFINE(rows)                                                                            \
  INLINE void SIMD (                                                                            \
      add_##rows) (gint64 k, const float *w, gint64 ldw, const float *x, float *y, gint64 step) \
  {                                                                                             \
    gint64 l = 0;                                                                               \
    ROWS_##rows (DECLARE);                                                                      \
                                                                                                \
    for (; l + 2 * LANES <= k; l += 2 * LANES)                                                  \
      {                                                                                         \
        Floats x0 = simd_load (x + l), x1 = simd_load (x + l + LANES);                          \
                                                                                                \
        ROWS_##rows (PRODUCT_EVEN);                                                             \
        ROWS_##rows (PRODUCT_ODD);                                                              \
      }                                                                                         \
    if (l + LANES <= k)                                                                         \
      {                                                                                         \
        Floats x0 = simd_load (x + l);                                                          \
                                                                                                \
        ROWS_##rows (PRODUCT_EVEN);                                                             \
        l += LANES;                                                                             \
      }                                                                                         \
    if (l < k)                                                                                  \
      {                                                                                         \
        Floats x0 = simd_load_part (x + l, k - l);                                              \
                                                                                                \
        ROWS_##rows (PRODUCT_PART);                                                             \
      }                                                                                         \
    ROWS_##rows (ADD);                                                                          \
  }

DEFINE (1)
DEFINE (4)

/* For a matrix that fits the cache. */
static TARGET void
SIMD (add_cached_rows) (gint64       n,
                        gint64       k,
                        const float *w,
                        gint64       ldw,
                        const float *x,
                        float       *y,
                        gint64       step)
{
  gint64 i = 0;

  for (; i + 4 <= n; i += 4)
    SIMD (add_4) (k, w + i * ldw, ldw, x, y + i * step, step);
  for (; i < n; i++)
    SIMD (add_1) (k, w + i * ldw, ldw, x, y + i * step, step);
}

#undef ADD
#undef DEFINE

#define PRODUCT(r, sum) simd_multiply_add (x##r, simd_load (w + (r) *ldw + j), sum)

/* Adds eight rows of W at a time to y, which stays in the first-level cache. */
static TARGET void
SIMD (add_columns) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  gint64 l = 0;

  for (; l + 8 <= k; l += 8, w += 8 * ldw)
    {
      gint64 j = 0;
      Floats x0 = simd_fill (x[l]), x1 = simd_fill (x[l + 1]), x2 = simd_fill (x[l + 2]);
      Floats x3 = simd_fill (x[l + 3]), x4 = simd_fill (x[l + 4]), x5 = simd_fill (x[l + 5]);
      Floats x6 = simd_fill (x[l + 6]), x7 = simd_fill (x[l + 7]);

      for (; j + LANES <= n; j += LANES)
        {
          Floats a = PRODUCT (0, simd_load (y + j));
          Floats b = PRODUCT (4, (Floats){ 0 });

          a = PRODUCT (1, a);
          b = PRODUCT (5, b);
          a = PRODUCT (2, a);
          b = PRODUCT (6, b);
          a = PRODUCT (3, a);
          b = PRODUCT (7, b);
          simd_store (y + j, a + b);
        }
      for (; j < n; j++)
        {
          float a = y[j], b = 0;

          for (gint64 r = 0; r < 4; r++)
            {
              a += x[l + r] * w[r * ldw + j];
              b += x[l + 4 + r] * w[(4 + r) * ldw + j];
            }
          y[j] = a + b;
        }
    }
  for (; l < k; l++, w += ldw)
    {
      gint64 j = 0;
      Floats x0 = simd_fill (x[l]);

      for (; j + LANES <= n; j += LANES)
        simd_store (y + j, PRODUCT (0, simd_load (y + j)));
      for (; j < n; j++)
        y[j] += x[l] * w[j];
    }
}

#undef PRODUCT
