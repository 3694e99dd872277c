/* vector-math.h — exp, tanh, sigmoid, erf and softplus over arrays of floats, vectorised.
 *
 * The error is at most 2 units in the last place of the float result over the whole range, for
 * tanh 2.1 if the processor has no fused multiply-add.  NaN gives NaN, infinities give the limits of
 * the function.  x and y may be the same array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

void hyb_vector_exp (gsize n, const float *x, float *y);      /* y[i] = exp (x[i]) */
void hyb_vector_tanh (gsize n, const float *x, float *y);     /* y[i] = tanh (x[i]) */
void hyb_vector_sigmoid (gsize n, const float *x, float *y);  /* y[i] = 1 / (1 + exp (−x[i])) */
void hyb_vector_erf (gsize n, const float *x, float *y);      /* y[i] = erf (x[i]) */
void hyb_vector_softplus (gsize n, const float *x, float *y); /* y[i] = log (1 + exp (x[i])) */
