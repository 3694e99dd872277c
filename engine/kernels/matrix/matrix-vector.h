/* matrix-vector.h — a matrix times one vector, of floats.
 *
 * What counts is the way of the matrix from memory, which is read once: front to
 * back, and a small one that comes again and again from alternate ends.  An element of the result
 * depends neither on that nor on the number of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* y (n) += W x, W is n × k with rows ldw apart. */
void hyb_matrix_vector (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y);
/* y (n) += Wᵀ x, W is k × n with rows ldw apart. */
void hyb_matrix_transposed_vector (gint64       n,
                                   gint64       k,
                                   const float *w,
                                   gint64       ldw,
                                   const float *x,
                                   float       *y);
