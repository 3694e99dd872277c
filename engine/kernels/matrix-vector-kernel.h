/* matrix-vector-kernel.h — the inner loops of matrix-vector.c for one instruction set; see
 * each-simd.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define PRODUCT(at, sum) simd_multiply_add (simd_load (x + (at)), simd_load (w + (at)), sum)

/* Rows one after the other: asking for several at a time, or ahead, was slower. */
static TARGET void
SIMD (add_rows) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  for (gint64 i = 0; i < n; i++, w += ldw)
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
      y[i] += simd_sum ((a + b) + (c + d));
    }
}

#undef PRODUCT

#define PRODUCT(r, sum) simd_multiply_add (x##r, simd_load (w + (r) *ldw + j), sum)

/* Eight rows at a time go into y, which stays near. */
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
