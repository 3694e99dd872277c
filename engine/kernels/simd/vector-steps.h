/* vector-steps.h — rounding, and lines that are cut off, over arrays of floats, vectorised.
 *
 * Every level of vector instructions gives the same bytes, except that hyb_vector_hard_sigmoid() rounds once less
 * where there is fused multiply-add.  NaN gives NaN.  x and y may be the same array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

void hyb_vector_floor (gsize n, const float *x, float *y); /* the largest integer not above */
void hyb_vector_ceil (gsize n, const float *x, float *y);  /* the smallest integer not below */
void hyb_vector_trunc (gsize n, const float *x, float *y); /* the integer part */
void hyb_vector_even (gsize n, const float *x, float *y);  /* the nearest integer, halves to even */
void hyb_vector_relu (gsize n, const float *x, float *y);  /* x where positive, else 0 */
/* x where positive, else slope x */
void hyb_vector_leaky (gsize n, const float *x, float slope, float *y);
/* y[i] = alpha x[i] + beta, limited to [0, 1]. */
void hyb_vector_hard_sigmoid (gsize n, const float *x, float alpha, float beta, float *y);
/* high where x is above it, low where x is below it, else x; NaN stays NaN. */
void hyb_vector_clip (gsize n, const float *x, float low, float high, float *y);
