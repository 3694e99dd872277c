/* matrix-vector.h — a matrix times one vector, in float: y[i] += sum_l W[i,l] x[l].
 *
 * Memory bandwidth limits the speed, so W is read exactly once and in order.  A matrix that is
 * multiplied again is read from alternate ends if it is no larger than two second-level caches,
 * which still hold the end that was read last.  The result depends neither on that nor on the number
 * of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A row-major matrix of floats. */
typedef struct
{
  const float *data;
  gint64       rows, columns;
  gint64       stride; /* floats from one row to the next */
} HybMatrix;

/* y[i] += sum_l W[i,l] x[l] for all rows i. */
void hyb_matrix_vector (const HybMatrix *w, const float *x, float *y);
/* y[j] += sum_l W[l,j] x[l] for all columns j. */
void hyb_matrix_transposed_vector (const HybMatrix *w, const float *x, float *y);
