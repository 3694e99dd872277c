/* matrix-vector-kernel.h — the inner loops of matrix-vector.c for one instruction set; see
 * simd.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows one after the other: asking for several at a time, or ahead, was slower. */
static TARGET void
HYB_SIMD_JOIN (add_rows,
               NAME) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  for (gint64 i = 0; i < n; i++, w += ldw)
    {
      Vector a = ZERO (), b = ZERO (), c = ZERO (), d = ZERO ();
      gint64 l = 0;

      for (; l + 4 * LANES <= k; l += 4 * LANES)
        {
          a = MULTIPLY_ADD (LOAD (x + l), LOAD (w + l), a);
          b = MULTIPLY_ADD (LOAD (x + l + LANES), LOAD (w + l + LANES), b);
          c = MULTIPLY_ADD (LOAD (x + l + 2 * LANES), LOAD (w + l + 2 * LANES), c);
          d = MULTIPLY_ADD (LOAD (x + l + 3 * LANES), LOAD (w + l + 3 * LANES), d);
        }
      for (; l + LANES <= k; l += LANES)
        a = MULTIPLY_ADD (LOAD (x + l), LOAD (w + l), a);
      if (l < k)
        b = MULTIPLY_ADD (LOAD_PART (x + l, k - l), LOAD_PART (w + l, k - l), b);
      y[i] += SUM (ADD (ADD (a, b), ADD (c, d)));
    }
}

/* Eight rows at a time go into y, which stays near. */
static TARGET void
HYB_SIMD_JOIN (add_columns,
               NAME) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  gint64 l = 0;

  for (; l + 8 <= k; l += 8, w += 8 * ldw)
    {
      gint64 j = 0;
      Vector x0 = SPREAD (x + l), x1 = SPREAD (x + l + 1), x2 = SPREAD (x + l + 2);
      Vector x3 = SPREAD (x + l + 3), x4 = SPREAD (x + l + 4), x5 = SPREAD (x + l + 5);
      Vector x6 = SPREAD (x + l + 6), x7 = SPREAD (x + l + 7);

      for (; j + LANES <= n; j += LANES)
        {
          Vector a = MULTIPLY_ADD (x0, LOAD (w + j), LOAD (y + j));
          Vector b = MULTIPLY_ADD (x4, LOAD (w + 4 * ldw + j), ZERO ());

          a = MULTIPLY_ADD (x1, LOAD (w + ldw + j), a);
          b = MULTIPLY_ADD (x5, LOAD (w + 5 * ldw + j), b);
          a = MULTIPLY_ADD (x2, LOAD (w + 2 * ldw + j), a);
          b = MULTIPLY_ADD (x6, LOAD (w + 6 * ldw + j), b);
          a = MULTIPLY_ADD (x3, LOAD (w + 3 * ldw + j), a);
          b = MULTIPLY_ADD (x7, LOAD (w + 7 * ldw + j), b);
          STORE (y + j, ADD (a, b));
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

      for (; j + LANES <= n; j += LANES)
        STORE (y + j, MULTIPLY_ADD (SPREAD (x + l), LOAD (w + j), LOAD (y + j)));
      for (; j < n; j++)
        y[j] += x[l] * w[j];
    }
}
