/* rows.h — what softmax, norms and sums do with a row that lies in a piece.
 *
 * Floats: sums of eight vectors are made in float, as a tree, and added up in double: the error is
 * that of three roundings.  Where that leaves the range of float they are made again in
 * double throughout.  Doubles: in double.  The
 * order is fixed by the length (and the processor's vectors) alone.
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
