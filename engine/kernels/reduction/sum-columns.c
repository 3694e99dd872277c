/* sum-columns.c — sums of the columns of floats in doubles, and of short rows, by vector instructions.
 *
 * Each level gives the same sums of columns.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/sum-columns.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/reduction/sum-columns-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_sum_columns_f32 (gpointer sums, gconstpointer x, gint64 n, gint64 n_rows, gint64 stride)
{
  HYB_SIMD_CHOOSE (sum_columns) (sums, x, n, n_rows, stride);
}

void
hyb_sum_rows_f32 (gconstpointer x, gint64 n_rows, gint64 length, gpointer sums)
{
  HYB_SIMD_CHOOSE (sum_rows) (x, n_rows, length, sums);
}

void
hyb_sum_combine_f32 (gpointer sums, gconstpointer others, gint64 n)
{
  HYB_SIMD_CHOOSE (sum_combine) (sums, others, n);
}

void
hyb_sum_means_f32 (const double *sums, gint64 n, double count, float *y)
{
  HYB_SIMD_CHOOSE (sum_means) (sums, n, count, y);
}
