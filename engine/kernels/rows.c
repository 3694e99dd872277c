/* rows.c — sums, softmax and normalisation of one contiguous row of n elements.
 *
 * The loops for floats are vectorised in rows-kernel.h; those for doubles are below.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/rows.h"

#include <float.h>
#include <math.h>

#include "engine/kernels/simd/vector-doubles.h"
#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/rows-kernel.h"
#include "engine/kernels/simd/each-simd.h"

double
hyb_row_sum_f32 (gint64 n, const float *x)
{
  return HYB_SIMD_CHOOSE (row_sum) (n, x);
}

double
hyb_row_sum_pieces_f32 (gint64 n, const float *x)
{
  double sum = HYB_SIMD_CHOOSE (row_sum_pieces) (n, x);

  /* Otherwise a piece may have overflowed in float. */
  return G_LIKELY (isfinite (sum)) ? sum : hyb_row_sum_f32 (n, x);
}

/* Returns the sum, or computes it in double where squares may have overflowed or underflowed in float. */
static double
check_squares (double sum, gint64 n, const float *x, double mean)
{
  if (G_LIKELY (sum > 1e-20 && isfinite (sum)))
    return sum;

  sum = 0.0;
  for (gint64 i = 0; i < n; i++)
    sum += ((double) x[i] - mean) * ((double) x[i] - mean);
  return sum;
}

double
hyb_row_squares_f32 (gint64 n, const float *x, double mean)
{
  return check_squares (HYB_SIMD_CHOOSE (row_squares) (n, x, (float) mean), n, x, mean);
}

double
hyb_row_moments_f32 (gint64 n, const float *x, double *mean)
{
  double sum = HYB_SIMD_CHOOSE (row_moments) (n, x, mean);

  return check_squares (sum, n, x, *mean);
}

void
hyb_row_softmax_f32 (gint64 n, const float *x, float scale, float *y)
{
  HYB_SIMD_CHOOSE (row_softmax) (n, x, scale, y);
}

void
hyb_row_log_softmax_f32 (gint64 n, const float *x, float scale, float *y)
{
  HYB_SIMD_CHOOSE (row_log_softmax) (n, x, scale, y);
}

void
hyb_row_normalise_f32 (gint64 n, const float *x, const HybNormalisation_f32 *with, float *y)
{
  HYB_SIMD_CHOOSE (row_normalise) (n, x, with, y);
}

void
hyb_row_line_f32 (gint64 n, const float *x, const HybRowLine_f32 *line, float *y)
{
  HYB_SIMD_CHOOSE (row_line) (n, x, line, y);
}

/* --- Doubles --- */

/* Partial sums that run in parallel: one alone would wait for the latency of each addition. */
#define SUMS 8

static double
add_up (const double sum[SUMS])
{
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

double
hyb_row_sum_f64 (gint64 n, const double *x)
{
  double sum[SUMS] = { 0.0 };
  gint64 whole = n - n % SUMS;

  for (gint64 i = 0; i < whole; i += SUMS)
    for (int k = 0; k < SUMS; k++)
      sum[k] += x[i + k];
  for (gint64 i = whole; i < n; i++)
    sum[i - whole] += x[i];
  return add_up (sum);
}

double
hyb_row_squares_f64 (gint64 n, const double *x, double mean)
{
  double sum[SUMS] = { 0.0 };
  gint64 whole = n - n % SUMS;

  for (gint64 i = 0; i < whole; i += SUMS)
    for (int k = 0; k < SUMS; k++)
      sum[k] += (x[i + k] - mean) * (x[i + k] - mean);
  for (gint64 i = whole; i < n; i++)
    sum[i - whole] += (x[i] - mean) * (x[i] - mean);
  return add_up (sum);
}

double
hyb_row_moments_f64 (gint64 n, const double *x, double *mean)
{
  *mean = hyb_row_sum_f64 (n, x) / (double) n;
  return hyb_row_squares_f64 (n, x, *mean);
}

void
hyb_row_softmax_f64 (gint64 n, const double *x, double scale, double *y)
{
  double maximum = -INFINITY, factor;

  for (gint64 i = 0; i < n; i++)
    {
      y[i] = x[i] * scale;
      maximum = y[i] > maximum ? y[i] : maximum;
    }
  for (gint64 i = 0; i < n; i++)
    y[i] -= maximum;
  hyb_vector_exp_f64 ((gsize) n, y, y);
  factor = 1.0 / hyb_row_sum_f64 (n, y);
  for (gint64 i = 0; i < n; i++)
    y[i] *= factor;
}

void
hyb_row_log_softmax_f64 (gint64 n, const double *x, double scale, double *y)
{
  double maximum = -INFINITY, sum[SUMS] = { 0.0 }, shift;

  for (gint64 i = 0; i < n; i++)
    {
      y[i] = x[i] * scale;
      maximum = y[i] > maximum ? y[i] : maximum;
    }
  for (gint64 i = 0; i < n; i++)
    sum[i % SUMS] += exp (y[i] - maximum);
  shift = log (add_up (sum));
  for (gint64 i = 0; i < n; i++)
    y[i] = y[i] - maximum - shift;
}

void
hyb_row_normalise_f64 (gint64 n, const double *x, const HybNormalisation_f64 *with, double *y)
{
  const double *gamma = with->gamma, *beta = with->beta;
  double        mean = with->mean, inverse = with->inverse;

  for (gint64 i = 0; i < n; i++)
    y[i] = (x[i] - mean) * inverse * gamma[i] + beta[i];
}

void
hyb_row_line_f64 (gint64 n, const double *x, const HybRowLine_f64 *line, double *y)
{
  double mean = line->mean, scale = line->scale, shift = line->shift;

  for (gint64 i = 0; i < n; i++)
    y[i] = (x[i] - mean) * scale + shift;
}
