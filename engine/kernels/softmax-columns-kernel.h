/* softmax-columns-kernel.h — softmax of neighbouring lines of floats, and its logarithm, for one instruction set.
 *
 * For each vector of lines, over k: the largest elements, then 2³² exp (x − largest), of which four at a time are added as
 * floats before they are added to sums of doubles, then the quotients.  Subtracting the largest element keeps exp() finite
 * and cancels in the quotient, as the factor 2³² does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"

/* The first n elements, of LANES or fewer. */
INLINE Floats
SIMD (softmax_load) (const float *x, gint64 n)
{
  return n == LANES ? simd_load (x) : simd_load_part (x, n);
}

INLINE void
SIMD (softmax_store) (float *y, gint64 n, Floats value)
{
  if (n == LANES)
    simd_store (y, value);
  else
    simd_store_part (y, n, value);
}

/* n lines from x on, LANES or fewer.  n for whole vectors and is_log are constants where this is inlined. */
INLINE void
SIMD (softmax_vector) (const HybSoftmaxView *view,
                       const float          *x,
                       float                *y,
                       gint64                n,
                       const gboolean        is_log)
{
  Floats scale = simd_fill ((float) view->scale), largest = simd_fill (-INFINITY), factor, value[4];
  Doubles low = { 0.0 }, high = { 0.0 };
  gint64  length = view->length, step = view->inner, k = 0;

  for (gint64 i = 0; i < length; i++) /* NaN does not count */
    largest = simd_max (SIMD (softmax_load) (x + i * step, n) * scale, largest);
  while (k < length)
    {
      gint64 count = length - k >= 4 ? 4 : 1;

      HYB_UNROLL (4)
      for (gint64 i = 0; i < 4; i++)
        if (i < count)
          {
            value[i] = SIMD (vector_exp_of_negative) (
                SIMD (softmax_load) (x + (k + i) * step, n) * scale - largest);
            if (!is_log)
              SIMD (softmax_store) (y + (k + i) * step, n, value[i]);
          }
      if (count == 4)
        value[0] = (value[0] + value[1]) + (value[2] + value[3]);
      low += simd_low_doubles (value[0]);
      high += simd_high_doubles (value[0]);
      k += count;
    }
  factor = is_log ? SIMD (vector_log) (simd_join_doubles (low * 0x1p-32, high * 0x1p-32))
                  : simd_join_doubles (1.0 / low, 1.0 / high);
  for (gint64 i = 0; i < length; i++)
    if (is_log)
      SIMD (softmax_store)
  (y + i * step, n, SIMD (softmax_load) (x + i * step, n) * scale - largest - factor);
  else SIMD (softmax_store) (y + i * step, n, SIMD (softmax_load) (y + i * step, n) * factor);
}

INLINE void
SIMD (softmax_lines_of) (const HybSoftmaxView *view,
                         const float          *x,
                         float                *y,
                         const gboolean        is_log)
{
  gint64 i = 0;

  for (; i + LANES <= view->inner; i += LANES)
    SIMD (softmax_vector) (view, x + i, y + i, LANES, is_log);
  if (i < view->inner)
    SIMD (softmax_vector) (view, x + i, y + i, view->inner - i, is_log);
}

/* All lines of one outer index. */
static TARGET void
SIMD (softmax_lines) (const HybSoftmaxView *view, const float *x, float *y)
{
  if (view->log)
    SIMD (softmax_lines_of) (view, x, y, TRUE);
  else
    SIMD (softmax_lines_of) (view, x, y, FALSE);
}
