/* vector-doubles.h — exponentials over arrays of doubles, vectorised.
 *
 * The error is at most 2.5 units in the last place, and the bytes are the same at every level of vector instructions.  NaN
 * gives NaN.  x and y may be the same array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

void hyb_vector_exp_f64 (gsize n, const double *x, double *y);  /* y[i] = exp (x[i]) */
void hyb_vector_tanh_f64 (gsize n, const double *x, double *y); /* y[i] = tanh (x[i]) */
