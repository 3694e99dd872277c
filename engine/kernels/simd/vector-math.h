/* vector-math.h — exponentials, logarithms, angles and the like over arrays of floats, vectorised.
 *
 * The error is at most 2 units in the last place of the float result over the whole range, for
 * tanh 2.1 if the processor has no fused multiply-add, and for acosh 2.5.  NaN gives NaN, infinities give the limits of
 * the function.  x and y may be the same array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

void hyb_vector_exp (gsize n, const float *x, float *y);      /* y[i] = exp (x[i]) */
void hyb_vector_tanh (gsize n, const float *x, float *y);     /* y[i] = tanh (x[i]) */
void hyb_vector_sigmoid (gsize n, const float *x, float *y);  /* y[i] = 1 / (1 + exp (−x[i])) */
void hyb_vector_erf (gsize n, const float *x, float *y);      /* y[i] = erf (x[i]) */
void hyb_vector_softplus (gsize n, const float *x, float *y); /* y[i] = log (1 + exp (x[i])) */
void hyb_vector_expm1 (gsize n, const float *x, float *y);    /* y[i] = exp (x[i]) − 1 */
void hyb_vector_log (gsize n, const float *x, float *y);      /* natural */
void hyb_vector_sin (gsize n, const float *x, float *y);      /* of radians */
void hyb_vector_cos (gsize n, const float *x, float *y);      /* of radians */
void hyb_vector_tan (gsize n, const float *x, float *y);      /* of radians */
void hyb_vector_asin (gsize n, const float *x, float *y);     /* NaN beyond −1 … 1 */
void hyb_vector_acos (gsize n, const float *x, float *y);     /* NaN beyond −1 … 1 */
void hyb_vector_atan (gsize n, const float *x, float *y);     /* from −π/2 to π/2 */
void hyb_vector_log1p (gsize n, const float *x, float *y);    /* y[i] = log (1 + x[i]) */
void hyb_vector_sinh (gsize n, const float *x, float *y);     /* (exp x − exp −x) / 2 */
void hyb_vector_cosh (gsize n, const float *x, float *y);     /* (exp x + exp −x) / 2 */
void hyb_vector_asinh (gsize n, const float *x, float *y);    /* the inverse of sinh */
void hyb_vector_acosh (gsize n, const float *x, float *y);    /* NaN below 1 */
void hyb_vector_atanh (gsize n, const float *x, float *y);    /* NaN beyond −1 … 1 */
