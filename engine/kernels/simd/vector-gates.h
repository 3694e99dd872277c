/* vector-gates.h — x times a function of x between 0 and 1, over arrays of floats, vectorised.
 *
 * The error is at most 1e-6 where |y| ≤ 1, and 1e-6 |y| elsewhere.  NaN gives NaN, and so does −∞ as −∞ · 0.  x and y may be
 * the same array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

void hyb_vector_gelu (gsize n, const float *x, float *y); /* ½ x (1 + erf (x / √2)) */
void hyb_vector_gelu_tanh (gsize        n,
                           const float *x,
                           float       *y); /* ½ x (1 + tanh (√(2/π) (x + 0.044715 x³))) */
void hyb_vector_silu (gsize n, const float *x, float *y);       /* x / (1 + exp (−x)) */
void hyb_vector_hard_swish (gsize n, const float *x, float *y); /* x min (max (x + 3, 0), 6) / 6 */
