/* vector-math.h — exp, tanh, sigmoid over arrays of float, vectorised.
 *
 * Stated error: at most 2 units in the last place of the float result over the whole range;
 * NaN stays NaN, infinities give their limits.  x and y may be the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

void hyb_vector_exp (gsize n, const float *x, float *y);
void hyb_vector_tanh (gsize n, const float *x, float *y);
void hyb_vector_sigmoid (gsize n, const float *x, float *y);
