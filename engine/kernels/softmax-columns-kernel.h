/* softmax-columns-kernel.h — softmax of neighbouring lines of floats for one instruction set.
 *
 * For each vector of lines, over k: the largest elements, then 2³² exp (x − largest) and their sums in double, then the
 * quotients.  Subtracting the largest element keeps exp() finite and cancels in the quotient, as the factor 2³² does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"

/* n lines from x on, LANES or fewer; a constant where this is inlined for whole vectors. */
INLINE void
SIMD (softmax_vector) (const HybSoftmaxView *view, const float *x, float *y, gint64 n)
{
#define LOAD(from) (n == LANES ? simd_load (from) : simd_load_part (from, n))
#define STORE(to, value)              \
  do                                  \
    if (n == LANES)                   \
      simd_store (to, value);         \
    else                              \
      simd_store_part (to, n, value); \
  while (0)
  Floats  scale = simd_fill ((float) view->scale), largest = simd_fill (-INFINITY), factor;
  Doubles low = { 0.0 }, high = { 0.0 };
  gint64  length = view->length, step = view->inner;

  for (gint64 k = 0; k < length; k++)
    largest = simd_max (LOAD (x + k * step) * scale, largest); /* NaN does not count */
  for (gint64 k = 0; k < length; k++)
    {
      Floats value = SIMD (vector_exp_of_negative) (LOAD (x + k * step) * scale - largest);

      low += simd_low_doubles (value);
      high += simd_high_doubles (value);
      STORE (y + k * step, value);
    }
  factor = simd_join_doubles (1.0 / low, 1.0 / high);
  for (gint64 k = 0; k < length; k++)
    STORE (y + k * step, LOAD (y + k * step) * factor);
#undef LOAD
#undef STORE
}

/* All lines of one outer index. */
static TARGET void
SIMD (softmax_lines) (const HybSoftmaxView *view, const float *x, float *y)
{
  gint64 i = 0;

  for (; i + LANES <= view->inner; i += LANES)
    SIMD (softmax_vector) (view, x + i, y + i, LANES);
  if (i < view->inner)
    SIMD (softmax_vector) (view, x + i, y + i, view->inner - i);
}
