/* running-sums-kernel.h — running sums of neighbouring lines of floats for one instruction set: y[k] = y[k − 1] + x[k], in
 * place, with sums in double.
 *
 * For each vector of lines, over k.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* n lines from x on, LANES or fewer; a constant where this is inlined for whole vectors. */
INLINE void
SIMD (running_vector) (float *x, gint64 length, gint64 stride, gint64 n)
{
  Doubles low = { 0.0 }, high = { 0.0 };

  for (gint64 k = 0; k < length; k++, x += stride)
    {
      Floats value = n == LANES ? simd_load (x) : simd_load_part (x, n);

      low += simd_low_doubles (value);
      high += simd_high_doubles (value);
      value = simd_join_doubles (low, high);
      if (n == LANES)
        simd_store (x, value);
      else
        simd_store_part (x, n, value);
    }
}

static TARGET void
SIMD (running_sums) (float *x, gint64 length, gint64 stride, gint64 n)
{
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    SIMD (running_vector) (x + i, length, stride, LANES);
  if (i < n)
    SIMD (running_vector) (x + i, length, stride, n - i);
}
