/* matrix-vector.c — a matrix times one vector: chooses the loop and splits it over threads.
 *
 *   y[i] += sum_l W[i,l] x[l]: for each slice of rows, for each row i or several at once, see
 *   choose_rows(), for l.  Transposed: for each slice of 64 columns, for each block of 8 rows,
 *   for each column.
 *
 * The inner loops are in matrix-vector-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/matrix-vector.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/machine-model.h"

#define SIMD_KERNEL "engine/kernels/matrix/matrix-vector-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 32768
/* Columns are split over threads in multiples of this, a whole number of vectors for every
 * instruction set: so the number of threads does not decide which columns the scalar remainder
 * loop computes. */
#define COLUMNS 64
/* Elements of a row below which adding up four sums costs more than they save: AMD Zen 5, 128 × 32, 145 ns with four
 * and 123 with two (AVX2), 166 and 135 (AVX-512); 384 × 96, 917 and 817, 1042 and 963; equal from 128 on. */
#define SHORT_ROW 96

/* y[i step] += sum_l w[i ldw + l] x[l] for i < n, l < k. */
typedef void (*AddRows) (gint64       n,
                         gint64       k,
                         const float *w,
                         gint64       ldw,
                         const float *x,
                         float       *y,
                         gint64       step);
/* y[j] += sum_l w[l ldw + j] x[l] for j < n, l < k. */
typedef void (
    *AddColumns) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y);

/* One product, shared by the threads that compute its slices. */
typedef struct
{
  AddRows      add_rows;
  AddColumns   add_columns;
  gboolean     backwards; /* reads the last row first */
  HybMatrix    w;
  const float *x;
  float       *y;
} VectorProduct;

static void
rows_slice (gint64 begin, gint64 end, gpointer data)
{
  const VectorProduct *product = data;
  const HybMatrix     *w = &product->w;
  gint64               first = product->backwards ? end - 1 : begin;
  gint64               step = product->backwards ? -1 : 1;

  product->add_rows (end - begin, w->columns, w->data + first * w->stride, step * w->stride,
                     product->x, product->y + first, step);
}

static void
columns_slice (gint64 begin, gint64 end, gpointer data)
{
  const VectorProduct *product = data;
  const HybMatrix     *w = &product->w;
  gint64               first = begin * COLUMNS;

  product->add_columns (MIN (end * COLUMNS, w->columns) - first, w->rows, w->data + first,
                        w->stride, product->x, product->y + first);
}

/* The bytes of the matrix. */
static gsize
bytes_of (const HybMatrix *w)
{
  return sizeof (float) * (gsize) w->rows * (gsize) w->columns;
}

/* Rows of at most SHORT_ROW elements have two sums instead of four, whatever the processor: its caches do not
 * decide about bytes. */
static AddRows
choose_rows (const HybMatrix *w)
{
  if (w->columns <= SHORT_ROW)
    return HYB_SIMD_CHOOSE (add_short_rows);
  return hyb_machine_shares_loads (bytes_of (w)) ? HYB_SIMD_CHOOSE (add_rows_together)
                                                 : HYB_SIMD_CHOOSE (add_rows_singly);
}

/* Whether to read the matrix from its end: TRUE on every second of several calls in a row with the same
 * matrix, whose end the cache then still holds.  Up to two second-level caches: with 2 MB, products with 4 MB
 * took 28 % less time; with 1 MB, 5 % more. */
static gboolean
reads_backwards (const HybMatrix *w)
{
  static _Thread_local const float *last;
  static _Thread_local gboolean     backwards;

  backwards = w->data == last && !backwards;
  last = w->data;
  return backwards && !hyb_machine_is_far (bytes_of (w));
}

void
hyb_matrix_vector (const HybMatrix *w, const float *x, float *y)
{
  VectorProduct product = { .w = *w, .x = x, .y = y, .backwards = reads_backwards (w) };

  product.add_rows = choose_rows (w);
  hyb_parallel_for (w->rows, 1 + GRAIN / MAX (w->columns, 1), rows_slice, &product);
}

void
hyb_matrix_transposed_vector (const HybMatrix *w, const float *x, float *y)
{
  VectorProduct product = { .w = *w, .x = x, .y = y };

  product.add_columns = HYB_SIMD_CHOOSE (add_columns);

  hyb_parallel_for ((w->columns + COLUMNS - 1) / COLUMNS, 1 + GRAIN / (COLUMNS * MAX (w->rows, 1)),
                    columns_slice, &product);
}
