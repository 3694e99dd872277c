/* rows-kernel.h — the loops of rows.c for one instruction set; each runs over i < n by vectors.
 *
 * row_sum:        sum_i x[i], in doubles; for i in steps of 8 vectors of doubles.
 * row_sum_pieces: sum_i x[i]; for i in steps of 8 vectors, added as a tree of floats.
 * row_squares:    sum_i (x[i] − mean)²; for i in steps of 8 vectors, added as a tree.
 * row_softmax:    y[i] = exp (x[i] − max) / sum; one pass each for the maximum, the exponentials
 *                 with their sum, and the scaling.
 * row_normalise:  y[i] = (x[i] − mean) inverse gamma[i] + beta[i].
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"

/* For |x| up to this vector_exp_near() gives exp (x). */
#define EXP_NEAR 87.f

/* Floats that are added as floats before they are added to a sum of doubles. */
#define PIECE (8 * LANES)

/* A sum of vectors of floats in doubles: one vector for each half of the lanes. */
typedef struct
{
  Doubles low, high;
} SIMD (Sums);

INLINE void
SIMD (add_to_sums) (SIMD (Sums) * sums, Floats value)
{
  float lane[LANES];

  simd_store (lane, value);
  sums->low += simd_load_doubles (lane);
  sums->high += simd_load_doubles (lane + LANES / 2);
}

INLINE double
SIMD (sum_of_sums) (const SIMD (Sums) * sums)
{
  return simd_sum_doubles (sums->low + sums->high);
}

#define TREE(v) (((v (0) + v (1)) + (v (2) + v (3))) + ((v (4) + v (5)) + (v (6) + v (7))))

/* Eight sums run in parallel: one alone would wait for the latency of each addition. */
static TARGET double
SIMD (row_sum) (gint64 n, const float *x)
{
  const gint64 width = LANES / 2;
  Doubles      sums[8];
  double       rest = 0.0;
  gint64       i = 0;

  HYB_UNROLL (8)
  for (int k = 0; k < 8; k++)
    sums[k] = (Doubles){ 0.0 };
  for (; i + 8 * width <= n; i += 8 * width)
    {
      HYB_UNROLL (8)
      for (int k = 0; k < 8; k++)
        sums[k] += simd_load_doubles (x + i + k * width);
    }
  for (; i + width <= n; i += width)
    sums[0] += simd_load_doubles (x + i);
  for (; i < n; i++)
    rest += (double) x[i];

  for (int k = 0; k < 4; k++)
    sums[k] += sums[k + 4];
  sums[0] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  return simd_sum_doubles (sums[0]) + rest;
}

#define ELEMENT(k) simd_load (x + i + (k) *LANES)

/* Each element goes through three additions of floats before it is added in double. */
static TARGET double
SIMD (row_sum_pieces) (gint64 n, const float *x)
{
  SIMD (Sums) sums = { { 0.0 }, { 0.0 } };
  Floats rest = { 0 };
  gint64 i = 0;

  for (; i + PIECE <= n; i += PIECE)
    SIMD (add_to_sums) (&sums, TREE (ELEMENT));
  for (; i + LANES <= n; i += LANES)
    SIMD (add_to_sums) (&sums, ELEMENT (0));
  if (i < n)
    rest = simd_keep_part (simd_load_part (x + i, n - i), n - i);
  SIMD (add_to_sums) (&sums, rest);
  return SIMD (sum_of_sums) (&sums);
}

#define SQUARE(k) \
  ((simd_load (x + i + (k) *LANES) - mean) * (simd_load (x + i + (k) *LANES) - mean))

static TARGET double
SIMD (row_squares) (gint64 n, const float *x, float mean)
{
  SIMD (Sums) sums = { { 0.0 }, { 0.0 } };
  Floats rest = { 0 };
  gint64 i = 0;

  for (; i + PIECE <= n; i += PIECE)
    SIMD (add_to_sums) (&sums, TREE (SQUARE));
  for (; i + LANES <= n; i += LANES)
    rest += SQUARE (0);
  if (i < n)
    {
      Floats difference = simd_keep_part (simd_load_part (x + i, n - i) - mean, n - i);

      rest += difference * difference;
    }
  SIMD (add_to_sums) (&sums, rest);
  return SIMD (sum_of_sums) (&sums);
}

/* The largest and the smallest element, not counting NaN; −∞ and ∞ for an empty row. */
INLINE void
SIMD (row_range) (gint64 n, const float *x, float *largest, float *smallest)
{
  Floats high[2], low[2];
  gint64 i = 0;

  *largest = -INFINITY;
  *smallest = INFINITY;
  for (; n < LANES && i < n; i++)
    {
      *largest = x[i] > *largest ? x[i] : *largest;
      *smallest = x[i] < *smallest ? x[i] : *smallest;
    }
  if (n < LANES)
    return;

  high[0] = high[1] = simd_fill (*largest);
  low[0] = low[1] = simd_fill (*smallest);
  for (; i + 2 * LANES <= n; i += 2 * LANES)
    for (int k = 0; k < 2; k++)
      {
        Floats value = simd_load (x + i + k * LANES);

        high[k] = simd_max (value, high[k]);
        low[k] = simd_min (value, low[k]);
      }
  for (int k = 0; k < 2 && n % (2 * LANES) > 0; k++)
    {
      Floats value = simd_load (x + (k == 0 ? n - LANES : MIN (i, n - LANES)));

      high[k] = simd_max (value, high[k]);
      low[k] = simd_min (value, low[k]);
    }
  *largest = simd_lane_max (simd_max (high[0], high[1]));
  *smallest = -simd_lane_max (-simd_min (low[0], low[1]));
}

/* Writes y[i] = exp (x[i] − maximum) and returns the sum of y.  near: no difference is below
 * −EXP_NEAR, or the functions are the same. */
INLINE double
SIMD (row_exponentials) (gint64 n, const float *x, float maximum, const gboolean near, float *y)
{
#define EXP(value) \
  (near ? SIMD (vector_exp_near) ((value) -maximum) : SIMD (vector_exp_below) ((value) -maximum))
  SIMD (Sums) sums = { { 0.0 }, { 0.0 } };
  Floats piece[4], rest = { 0 };
  gint64 i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      for (int k = 0; k < 4; k++)
        {
          if (k * LANES % 16 == 0)
            __builtin_prefetch (x + n + i + k * LANES); /* often the next row */
          piece[k] = EXP (simd_load (x + i + k * LANES));
          simd_store (y + i + k * LANES, piece[k]);
        }
      SIMD (add_to_sums) (&sums, (piece[0] + piece[1]) + (piece[2] + piece[3]));
    }
  for (; i + LANES <= n; i += LANES)
    {
      piece[0] = EXP (simd_load (x + i));
      simd_store (y + i, piece[0]);
      rest += piece[0];
    }
  if (i < n)
    {
      piece[0] = EXP (simd_load_part (x + i, n - i));
      simd_store_part (y + i, n - i, piece[0]);
      rest += simd_keep_part (piece[0], n - i);
    }
  SIMD (add_to_sums) (&sums, rest);
  return SIMD (sum_of_sums) (&sums);
#undef EXP
}

/* Subtracting the maximum keeps exp() finite and cancels in the quotient. */
static TARGET void
SIMD (row_softmax) (gint64 n, const float *x, float scale, float *y)
{
  float  largest, smallest, factor;
  gint64 i = 0;

  if (scale != 1.f)
    {
      for (gint64 k = 0; k < n; k++)
        y[k] = x[k] * scale;
      x = y;
    }

  SIMD (row_range) (n, x, &largest, &smallest);
  factor = (float) (1.0 / (smallest - largest >= -EXP_NEAR
                               ? SIMD (row_exponentials) (n, x, largest, TRUE, y)
                               : SIMD (row_exponentials) (n, x, largest, FALSE, y)));
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        simd_store (y + i + k * LANES, simd_load (y + i + k * LANES) * factor);
    }
  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, simd_load (y + i) * factor);
  if (i < n)
    simd_store_part (y + i, n - i, simd_load_part (y + i, n - i) * factor);
}

static TARGET void
SIMD (row_normalise) (gint64 n, const float *x, const HybNormalisation_f32 *with, float *y)
{
  const float *gamma = with->gamma, *beta = with->beta;
  float        mean = with->mean, inverse = with->inverse;
  gint64       i = 0;

  for (; i + LANES <= n; i += LANES)
    simd_store (y + i,
                (simd_load (x + i) - mean) * inverse * simd_load (gamma + i) +
                    simd_load (beta + i));
  if (i < n)
    simd_store_part (y + i,
                     n - i,
                     (simd_load_part (x + i, n - i) - mean) * inverse *
                             simd_load_part (gamma + i, n - i) +
                         simd_load_part (beta + i, n - i));
}

#undef EXP_NEAR
#undef PIECE
#undef TREE
#undef ELEMENT
#undef SQUARE
