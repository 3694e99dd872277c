/* extremes.c — the largest and smallest floats of rows and of columns; the loops are in extremes-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/extremes.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/reduction/extremes-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_max_row_f32 (gpointer accumulator, gconstpointer x, gint64 n)
{
  HYB_SIMD_CHOOSE (largest_row) (accumulator, x, n);
}

void
hyb_min_row_f32 (gpointer accumulator, gconstpointer x, gint64 n)
{
  HYB_SIMD_CHOOSE (smallest_row) (accumulator, x, n);
}

void
hyb_max_columns_f32 (gpointer accumulators, gconstpointer x, gint64 n, gint64 n_rows, gint64 stride)
{
  HYB_SIMD_CHOOSE (largest_columns) (accumulators, x, n, n_rows, stride);
}

void
hyb_min_columns_f32 (gpointer accumulators, gconstpointer x, gint64 n, gint64 n_rows, gint64 stride)
{
  HYB_SIMD_CHOOSE (smallest_columns) (accumulators, x, n, n_rows, stride);
}
