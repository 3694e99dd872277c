/* rows.h — what softmax, norms and sums do with a row that lies in a piece.
 *
 * Sums are made in double, and in the order that the length (and the processor's vectors)
 * alone gives; but squares and exponentials of floats are summed up as floats, eight or four
 * vectors at a time, as a tree: an error of three roundings.  Where squares leave the range of
 * float they are made again in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Σ x */
double hyb_row_sum_f32 (gint64 n, const float *x);
double hyb_row_sum_f64 (gint64 n, const double *x);
/* Σ (x − mean)² */
double hyb_row_squares_f32 (gint64 n, const float *x, double mean);
double hyb_row_squares_f64 (gint64 n, const double *x, double mean);

/* y = exp (scale · x) / Σ exp (scale · x); n ≥ 1; x and y may be the same. */
void hyb_row_softmax_f32 (gint64 n, const float *x, float scale, float *y);
void hyb_row_softmax_f64 (gint64 n, const double *x, double scale, double *y);

/* y = (x − mean) · inverse · gamma + beta; x and y may be the same. */
void hyb_row_normalise_f32 (gint64       n,
                            const float *x,
                            float        mean,
                            float        inverse,
                            const float *gamma,
                            const float *beta,
                            float       *y);
void hyb_row_normalise_f64 (gint64        n,
                            const double *x,
                            double        mean,
                            double        inverse,
                            const double *gamma,
                            const double *beta,
                            double       *y);
