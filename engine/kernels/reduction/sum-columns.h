/* sum-columns.h — sums of the columns and of the short rows of a matrix of floats, in doubles; loops of reductions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* sums[i] += x[row stride + i] for n columns and n_rows rows; sums are doubles. */
void hyb_sum_columns_f32 (gpointer sums, gconstpointer x, gint64 n, gint64 n_rows, gint64 stride);
/* sums[i] = the sum of row i of `length` floats, of which eight vectors are added as floats before they are
 * added in double. */
void hyb_sum_rows_f32 (gconstpointer x, gint64 n_rows, gint64 length, gpointer sums);
/* Adds n doubles to n others. */
void hyb_sum_combine_f32 (gpointer sums, gconstpointer others, gint64 n);
/* y[i] = sums[i] / count */
void hyb_sum_means_f32 (const double *sums, gint64 n, double count, float *y);
