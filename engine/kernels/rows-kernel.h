/* rows-kernel.h — the loops of rows.c for one instruction set; each runs over i < n by vectors.
 *
 * row_sum:        sum_i x[i], in doubles; for i in steps of 4 vectors.
 * row_sum_pieces: sum_i x[i]; for i in steps of 8 vectors, added as a tree of floats.
 * row_squares:    sum_i (x[i] − mean)²; for i in steps of 8 vectors, added as a tree.
 * row_softmax:    y[i] = exp (x[i] − max) / sum; one pass each for the maximum, the exponentials
 *                 with their sum, and the scaling.
 * row_normalise:  y[i] = (x[i] − mean) inverse gamma[i] + beta[i].
 * row_line:       y[i] = (x[i] − mean) scale + shift; for i in steps of 4 vectors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"

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
  sums->low += simd_low_doubles (value);
  sums->high += simd_high_doubles (value);
}

INLINE double
SIMD (sum_of_sums) (const SIMD (Sums) * sums)
{
  return simd_sum_doubles (sums->low + sums->high);
}

#define TREE(v) (((v (0) + v (1)) + (v (2) + v (3))) + ((v (4) + v (5)) + (v (6) + v (7))))

/* Eight sums run in parallel, in pairs: one alone would wait for the latency of each addition. */
INLINE double
SIMD (sum_of_row) (gint64 n, const float *x)
{
  SIMD (Sums) sums[4];
  gint64 i = 0;

  HYB_UNROLL (4)
  for (int k = 0; k < 4; k++)
    sums[k] = (SIMD (Sums)){ { 0.0 }, { 0.0 } };
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        SIMD (add_to_sums) (&sums[k], simd_load (x + i + k * LANES));
    }
  HYB_UNROLL (3)
  for (int k = 0; k < 3; k++)
    if (i + LANES <= n)
      {
        SIMD (add_to_sums) (&sums[k], simd_load (x + i));
        i += LANES;
      }
  if (i < n)
    SIMD (add_to_sums) (&sums[3], simd_keep_part (simd_load_part (x + i, n - i), n - i));

  return simd_sum_doubles (((sums[0].low + sums[2].low) + (sums[1].low + sums[3].low)) +
                           ((sums[0].high + sums[2].high) + (sums[1].high + sums[3].high)));
}

static TARGET double
SIMD (row_sum) (gint64 n, const float *x)
{
  return SIMD (sum_of_row) (n, x);
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

INLINE double
SIMD (squares_of_row) (gint64 n, const float *x, float mean)
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

static TARGET double
SIMD (row_squares) (gint64 n, const float *x, float mean)
{
  return SIMD (squares_of_row) (n, x, mean);
}

/* Sets the mean and returns the squares. */
static TARGET double
SIMD (row_moments) (gint64 n, const float *x, double *mean)
{
  *mean = SIMD (sum_of_row) (n, x) / (double) n;
  return SIMD (squares_of_row) (n, x, (float) *mean);
}

/* The largest element; −∞ for an empty row, any number or NaN if an element is NaN. */
INLINE float
SIMD (row_maximum) (gint64 n, const float *x)
{
  float  scalar = -INFINITY;
  Floats largest[4];
  gint64 i = 0;

  for (; n < LANES && i < n; i++)
    scalar = x[i] > scalar ? x[i] : scalar;
  if (n < LANES)
    return scalar;

  HYB_UNROLL (4)
  for (int k = 0; k < 4; k++)
    largest[k] = simd_fill (scalar);
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        largest[k] = simd_max (largest[k], simd_load (x + i + k * LANES));
    }
  for (; i + LANES <= n; i += LANES)
    largest[0] = simd_max (largest[0], simd_load (x + i));
  largest[1] = simd_max (largest[1], simd_load (x + n - LANES));
  return simd_lane_max (
      simd_max (simd_max (largest[0], largest[1]), simd_max (largest[2], largest[3])));
}

/* Writes y[i] = 2³² exp (x[i] − maximum), unless y is NULL, and returns their sum.  Whether it is NULL is a constant where
 * this is inlined. */
INLINE double
SIMD (row_exponentials) (gint64 n, const float *x, float maximum, float *y)
{
#define EXP(value) SIMD (vector_exp_of_negative) ((value) + simd_fill (-maximum))
  SIMD (Sums) sums = { { 0.0 }, { 0.0 } };
  Floats piece[4], rest = { 0 };
  gint64 i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        {
          if (k * LANES % 16 == 0)
            __builtin_prefetch (x + n + i + k * LANES); /* often the next row */
          piece[k] = EXP (simd_load (x + i + k * LANES));
          if (y)
            simd_store (y + i + k * LANES, piece[k]);
        }
      SIMD (add_to_sums) (&sums, (piece[0] + piece[1]) + (piece[2] + piece[3]));
    }
  for (; i + LANES <= n; i += LANES)
    {
      piece[0] = EXP (simd_load (x + i));
      if (y)
        simd_store (y + i, piece[0]);
      rest += piece[0];
    }
  if (i < n)
    {
      piece[0] = EXP (simd_load_part (x + i, n - i));
      if (y)
        simd_store_part (y + i, n - i, piece[0]);
      rest += simd_keep_part (piece[0], n - i);
    }
  SIMD (add_to_sums) (&sums, rest);
  return SIMD (sum_of_sums) (&sums);
#undef EXP
}

/* Returns the row x scale: x itself for 1, else y. */
INLINE const float *
SIMD (scale_row) (gint64 n, const float *x, float scale, float *y)
{
  if (scale == 1.f)
    return x;
  for (gint64 i = 0; i < n; i++)
    y[i] = x[i] * scale;
  return y;
}

/* Subtracting the maximum keeps exp() finite and cancels in the quotient, as the factor 2³² does. */
static TARGET void
SIMD (row_softmax) (gint64 n, const float *x, float scale, float *y)
{
  float  factor;
  gint64 i = 0;

  x = SIMD (scale_row) (n, x, scale, y);
  factor = (float) (1.0 / SIMD (row_exponentials) (n, x, SIMD (row_maximum) (n, x), y));
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

/* As row_softmax, for its logarithms: exponentials are needed only for their sum. */
static TARGET void
SIMD (row_log_softmax) (gint64 n, const float *x, float scale, float *y)
{
  float  maximum, shift;
  gint64 i = 0;

  x = SIMD (scale_row) (n, x, scale, y);
  maximum = SIMD (row_maximum) (n, x);
  shift = (float) log (SIMD (row_exponentials) (n, x, maximum, NULL) * 0x1p-32);
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        simd_store (y + i + k * LANES, simd_load (x + i + k * LANES) - maximum - shift);
    }
  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, simd_load (x + i) - maximum - shift);
  if (i < n)
    simd_store_part (y + i, n - i, simd_load_part (x + i, n - i) - maximum - shift);
}

static TARGET void
SIMD (row_normalise) (gint64 n, const float *x, const HybNormalisation_f32 *with, float *y)
{
  const float *gamma = with->gamma, *beta = with->beta;
  float        mean = with->mean, inverse = with->inverse;
  gint64       i = 0;

  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, (simd_load (x + i) - mean) * inverse * simd_load (gamma + i) +
                           simd_load (beta + i));
  if (i < n)
    simd_store_part (y + i, n - i,
                     (simd_load_part (x + i, n - i) - mean) * inverse *
                             simd_load_part (gamma + i, n - i) +
                         simd_load_part (beta + i, n - i));
}

#define LINE(value) (((value) -mean) * scale + shift)

static TARGET void
SIMD (row_line) (gint64 n, const float *x, const HybRowLine_f32 *line, float *y)
{
  Floats mean = simd_fill (line->mean), scale = simd_fill (line->scale);
  Floats shift = simd_fill (line->shift);
  gint64 i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        simd_store (y + i + k * LANES, LINE (simd_load (x + i + k * LANES)));
    }
  for (; i + LANES <= n; i += LANES)
    simd_store (y + i, LINE (simd_load (x + i)));
  if (i < n)
    simd_store_part (y + i, n - i, LINE (simd_load_part (x + i, n - i)));
}

#undef LINE
#undef PIECE
#undef TREE
#undef ELEMENT
#undef SQUARE
