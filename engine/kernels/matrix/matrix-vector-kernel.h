/* matrix-vector-kernel.h — the inner loops of matrix-vector.c for one instruction set.
 *
 * add_rows_singly:   y[i] += sum_l W[i,l] x[l]; for each row i, for l in steps of 4 vectors.
 * add_rows_together: the same bytes; for each 3 or 4 rows, for l in steps of 4 vectors.
 * add_short_rows:    for each 4 rows, for l in steps of 2 vectors.
 * add_columns:       y[j] += sum_l W[l,j] x[l]; for each block of 8 rows l, for j by vectors.
 *
 * each-simd.h includes this file once for each instruction set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define ROWS_1(X) X (0)
#define ROWS_3(X) X (0) X (1) X (2)
#define ROWS_4(X) X (0) X (1) X (2) X (3)

/* Four sums a row: a multiply-add takes four cycles, two can start in one. */
#define DECLARE(r)   Floats a##r = { 0 }, b##r = { 0 }, c##r = { 0 }, d##r = { 0 };
#define LOAD(at)     simd_load_register (x + l + (at) *LANES)
#define W(r, at)     simd_load (w + (r) *ldw + l + (at) *LANES)
#define PRODUCT_A(r) a##r = simd_multiply_add (x0, W (r, 0), a##r);
#define PRODUCT_B(r) b##r = simd_multiply_add (x0, W (r, 1), b##r);
#define PRODUCT_C(r) c##r = simd_multiply_add (x0, W (r, 2), c##r);
#define PRODUCT_D(r) d##r = simd_multiply_add (x0, W (r, 3), d##r);
#define PRODUCT_PART(r) \
  b##r = simd_multiply_add (x0, simd_load_part (w + (r) *ldw + l, k - l), b##r);
#define ADD(r) y[(r) *step] += simd_sum ((a##r + b##r) + (c##r + d##r));
/* x0 is read once for all rows. */
#define MULTIPLY(rows, at, PRODUCT) \
  {                                 \
    Floats x0 = LOAD (at);          \
                                    \
    ROWS_##rows (PRODUCT);          \
  }

/* Defines add_<rows>: that many rows at a time share the loads of x.  The order of each sum is the same. */
#define DEFINE(rows)                                                                             \
  INLINE void SIMD (add_##rows) (gint64 k, const float *w, gint64 ldw, const float *x, float *y, \
                                 gint64 step)                                                    \
  {                                                                                              \
    gint64 l = 0;                                                                                \
    ROWS_##rows (DECLARE);                                                                       \
                                                                                                 \
    for (; l + 4 * LANES <= k; l += 4 * LANES)                                                   \
      {                                                                                          \
        MULTIPLY (rows, 0, PRODUCT_A)                                                            \
        MULTIPLY (rows, 1, PRODUCT_B)                                                            \
        MULTIPLY (rows, 2, PRODUCT_C)                                                            \
        MULTIPLY (rows, 3, PRODUCT_D)                                                            \
      }                                                                                          \
    for (; l + LANES <= k; l += LANES)                                                           \
      MULTIPLY (rows, 0, PRODUCT_A)                                                              \
    if (l < k)                                                                                   \
      {                                                                                          \
        Floats x0 = simd_load_part (x + l, k - l);                                               \
                                                                                                 \
        ROWS_##rows (PRODUCT_PART);                                                              \
      }                                                                                          \
    ROWS_##rows (ADD);                                                                           \
  }

/* As many rows as their sums fit the registers. */
#if LANES == 16
#define SHARING     4
#define add_sharing SIMD (add_4)
DEFINE (4)
#else
#define SHARING     3
#define add_sharing SIMD (add_3)
DEFINE (3)
#endif
DEFINE (1)

/* Two loads for each vector of W. */
static TARGET void
SIMD (add_rows_singly) (gint64       n,
                        gint64       k,
                        const float *w,
                        gint64       ldw,
                        const float *x,
                        float       *y,
                        gint64       step)
{
  for (gint64 i = 0; i < n; i++)
    SIMD (add_1) (k, w + i * ldw, ldw, x, y + i * step, step);
}

/* 1.25 or 1.33 loads for each vector of W. */
static TARGET void
SIMD (add_rows_together) (gint64       n,
                          gint64       k,
                          const float *w,
                          gint64       ldw,
                          const float *x,
                          float       *y,
                          gint64       step)
{
  gint64 i = 0;

  for (; i + SHARING <= n; i += SHARING)
    add_sharing (k, w + i * ldw, ldw, x, y + i * step, step);
  SIMD (add_rows_singly) (n - i, k, w + i * ldw, ldw, x, y + i * step, step);
}

#undef ADD
#undef DECLARE
#undef DEFINE
#undef SHARING
#undef add_sharing

/* Two sums a row. */
#define DECLARE(r) Floats a##r = { 0 }, b##r = { 0 };
#define ADD(r)     y[(r) *step] += simd_sum (a##r + b##r);
#define DEFINE(rows)                                                                         \
  INLINE void SIMD (add_short_##rows) (gint64 k, const float *w, gint64 ldw, const float *x, \
                                       float *y, gint64 step)                                \
  {                                                                                          \
    gint64 l = 0;                                                                            \
    ROWS_##rows (DECLARE);                                                                   \
                                                                                             \
    for (; l + 2 * LANES <= k; l += 2 * LANES)                                               \
      {                                                                                      \
        MULTIPLY (rows, 0, PRODUCT_A)                                                        \
        MULTIPLY (rows, 1, PRODUCT_B)                                                        \
      }                                                                                      \
    if (l + LANES <= k)                                                                      \
      {                                                                                      \
        MULTIPLY (rows, 0, PRODUCT_A)                                                        \
        l += LANES;                                                                          \
      }                                                                                      \
    if (l < k)                                                                               \
      {                                                                                      \
        Floats x0 = simd_load_part (x + l, k - l);                                           \
                                                                                             \
        ROWS_##rows (PRODUCT_PART);                                                          \
      }                                                                                      \
    ROWS_##rows (ADD);                                                                       \
  }

DEFINE (4)
DEFINE (1)

/* Four sums of four rows are more than the products of a short row. */
static TARGET void
SIMD (add_short_rows) (gint64       n,
                       gint64       k,
                       const float *w,
                       gint64       ldw,
                       const float *x,
                       float       *y,
                       gint64       step)
{
  gint64 i = 0;

  for (; i + 4 <= n; i += 4)
    SIMD (add_short_4) (k, w + i * ldw, ldw, x, y + i * step, step);
  for (; i < n; i++)
    SIMD (add_short_1) (k, w + i * ldw, ldw, x, y + i * step, step);
}

#undef ADD
#undef DECLARE
#undef DEFINE
#undef LOAD
#undef W

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
