/* rows.h — sums, softmax and normalisation of one contiguous row of n elements.
 *
 * Sums are in double, in an order that depends only on the length and the instruction set.
 * Pieces, squares and exponentials of floats are first added as floats, eight or four vectors at a
 * time as a tree, which costs three roundings.  Where they exceed the range of float the sum of
 * pieces or squares is computed again in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

double hyb_row_sum_f32 (gint64 n, const float *x);  /* Σ x[i] */
double hyb_row_sum_f64 (gint64 n, const double *x); /* Σ x[i] */
/* Returns Σ x[i] with an error of at most 2e-7 Σ |x[i]|, in half the time of hyb_row_sum_f32(). */
double hyb_row_sum_pieces_f32 (gint64 n, const float *x);
/* Returns Σ (x[i] − mean)². */
double hyb_row_squares_f32 (gint64 n, const float *x, double mean);
/* The same in double. */
double hyb_row_squares_f64 (gint64 n, const double *x, double mean);

/* Sets the mean of n ≥ 1 elements and returns Σ (x[i] − mean)². */
double hyb_row_moments_f32 (gint64 n, const float *x, double *mean);
/* The same in double. */
double hyb_row_moments_f64 (gint64 n, const double *x, double *mean);

/* Writes y[i] = exp (scale x[i]) / Σ exp (scale x[k]); n ≥ 1; x and y may be the same. */
void hyb_row_softmax_f32 (gint64 n, const float *x, float scale, float *y);
/* The same in double. */
void hyb_row_softmax_f64 (gint64 n, const double *x, double scale, double *y);

/* Writes the logarithms of these, y[i] = scale x[i] − log Σ exp (scale x[k]); x and y may be the same. */
void hyb_row_log_softmax_f32 (gint64 n, const float *x, float scale, float *y);
/* The same in double. */
void hyb_row_log_softmax_f64 (gint64 n, const double *x, double scale, double *y);

/* The mean and scale that normalise a row. */
typedef struct
{
  float        mean, inverse; /* inverse: 1 / standard deviation */
  const float *gamma, *beta;  /* scale and shift of each element, (n) */
} HybNormalisation_f32;

/* The same in double. */
typedef struct
{
  double        mean, inverse;
  const double *gamma, *beta;
} HybNormalisation_f64;

/* Writes y[i] = (x[i] − mean) inverse gamma[i] + beta[i]; x and y may be the same. */
void hyb_row_normalise_f32 (gint64 n, const float *x, const HybNormalisation_f32 *with, float *y);
/* The same in double. */
void hyb_row_normalise_f64 (gint64 n, const double *x, const HybNormalisation_f64 *with, double *y);

/* One scale and shift for all elements of a row. */
typedef struct
{
  float mean, scale, shift;
} HybRowLine_f32;

/* The same in double. */
typedef struct
{
  double mean, scale, shift;
} HybRowLine_f64;

/* Writes y[i] = (x[i] − mean) scale + shift; x and y may be the same. */
void hyb_row_line_f32 (gint64 n, const float *x, const HybRowLine_f32 *line, float *y);
/* The same in double. */
void hyb_row_line_f64 (gint64 n, const double *x, const HybRowLine_f64 *line, double *y);
