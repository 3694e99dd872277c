/* depthwise-kernel.h — the inner loops of depthwise.c for one instruction set; see each-simd.h.
 *
 * sum_rows: for each row of cells under n rows of the map, for each tap of a row: load a vector of cells; for each row of
 * the map whose window has it: sums[row] += weight · cells.  n, the window and the stride of rows are constants where
 * it is inlined, so that all loops are unrolled and weights stay in registers.
 * sum_any: the same for every window; for each tap: load a vector of cells for each of n rows.
 *
 * A sum takes its taps in the same order in both.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/rectify-kernel.h"

#define MAX_TAPS 7
/* From this size of the window on, weights do not stay in registers, so that two vectors share each load of them. */
#define MIN_WIDE 7

/* Finishes a vector of sums and writes it; fewer than LANES are left at the end of a row. */
INLINE void
SIMD (write_sums) (const Strip *strip, gint64 at, gint64 left, Floats sum)
{
  sum = sum + simd_fill (strip->bias);
  if (strip->other)
    sum = sum + (left >= LANES ? simd_load (strip->other + at)
                               : simd_load_part (strip->other + at, left));
  if (strip->rectify)
    sum = SIMD (rectify) (sum, strip->slope);
  if (left >= LANES)
    simd_store (strip->map + at, sum);
  else
    simd_store_part (strip->map + at, left, sum);
}

/* n rows from `row` on, n_vectors vectors from the one that begins at `column`; the window is size × size. */
INLINE void
SIMD (sum_rows) (const int     n,
                 const int     n_vectors,
                 const int     size,
                 const int     stride,
                 const Strip  *strip,
                 const Floats *weights,
                 gint64        row,
                 gint64        column)
{
  const float *from = strip->rows + row * strip->stride * strip->row + column;
  gint64       step = strip->dilate * strip->row, rows = strip->shared * strip->n_columns;
  gint64       at = row * strip->n_columns + column;
  Floats       sum[4][2] = { { { 0 } } };

  HYB_UNROLL (13)
  for (int y = 0; y < (n - 1) * stride + size; y++)
    {
      const float *cells = from + y * step;

      HYB_UNROLL (7)
      for (int x = 0; x < size; x++)
        {
          Floats value[2];

          HYB_UNROLL (2)
          for (int v = 0; v < n_vectors; v++)
            value[v] = simd_load_register (cells + strip->columns[x] + v * LANES);
          HYB_UNROLL (4)
          for (int i = 0; i < n; i++)
            if (y - i * stride >= 0 && y - i * stride < size)
              HYB_UNROLL (2)
          for (int v = 0; v < n_vectors; v++)
            sum[i][v] =
                simd_multiply_add (weights[(y - i * stride) * size + x], value[v], sum[i][v]);
        }
    }
  HYB_UNROLL (4)
  for (int i = 0; i < n; i++)
    HYB_UNROLL (2)
  for (int v = 0; v < n_vectors; v++)
    SIMD (write_sums)
  (strip, at + i * rows + v * LANES, strip->n_columns - column - v * LANES, sum[i][v]);
}

/* n rows from `row` on. */
INLINE void
SIMD (sum_whole_rows) (const int     n,
                       const int     size,
                       const int     stride,
                       const Strip  *strip,
                       const Floats *weights,
                       gint64        row)
{
  gint64 column = 0;

  if (size >= MIN_WIDE)
    for (; column + LANES < strip->n_columns; column += 2 * LANES)
      SIMD (sum_rows) (n, 2, size, stride, strip, weights, row, column);
  for (; column < strip->n_columns; column += LANES)
    SIMD (sum_rows) (n, 1, size, stride, strip, weights, row, column);
}

/* All rows, four at a time, then two, then one, which are as far apart as those that share cells. */
INLINE void
SIMD (sum_strip) (const int size, const int stride, const Strip *strip)
{
  Floats weights[MAX_TAPS * MAX_TAPS];
  gint64 apart = strip->shared;

  HYB_UNROLL (49)
  for (int t = 0; t < size * size; t++)
    weights[t] = simd_fill (strip->weight[t]);
  for (gint64 first = 0; first < MIN (apart, strip->n_rows); first++)
    {
      gint64 row = first;

      for (; row + 3 * apart < strip->n_rows; row += 4 * apart)
        SIMD (sum_whole_rows) (4, size, stride, strip, weights, row);
      for (; row + apart < strip->n_rows; row += 2 * apart)
        SIMD (sum_whole_rows) (2, size, stride, strip, weights, row);
      for (; row < strip->n_rows; row += apart)
        SIMD (sum_whole_rows) (1, size, stride, strip, weights, row);
    }
}

INLINE void
SIMD (sum_any_rows) (const int n, const Strip *strip, gint64 row, gint64 column)
{
  const float *from = strip->rows + row * strip->stride * strip->row + column;
  const float *weight = strip->weight;
  gint64       step = strip->stride * strip->row;
  Floats       sum[4] = { 0 };

  for (gint64 y = 0; y < strip->kernel[0]; y++)
    for (gint64 x = 0; x < strip->kernel[1]; x++, weight++)
      {
        const float *cells = from + y * strip->dilate * strip->row + strip->columns[x];
        Floats       w = simd_fill (*weight);

        HYB_UNROLL (4)
        for (int i = 0; i < n; i++)
          sum[i] = simd_multiply_add (w, simd_load (cells + i * step), sum[i]);
      }
  HYB_UNROLL (4)
  for (int i = 0; i < n; i++)
    SIMD (write_sums)
  (strip, (row + i) * strip->n_columns + column, strip->n_columns - column, sum[i]);
}

static TARGET void
SIMD (sum_any) (const Strip *strip)
{
  gint64 row = 0;

  for (; row + 4 <= strip->n_rows; row += 4)
    for (gint64 column = 0; column < strip->n_columns; column += LANES)
      SIMD (sum_any_rows) (4, strip, row, column);
  for (; row < strip->n_rows; row++)
    for (gint64 column = 0; column < strip->n_columns; column += LANES)
      SIMD (sum_any_rows) (1, strip, row, column);
}

#define DEFINE(name, size, stride)                          \
  static TARGET void SIMD (sum_##name) (const Strip *strip) \
  {                                                         \
    SIMD (sum_strip) (size, stride, strip);                 \
  }
DEFINE (three_1, 3, 1)
DEFINE (three_2, 3, 2)
DEFINE (five_1, 5, 1)
DEFINE (five_2, 5, 2)
DEFINE (seven_1, 7, 1)
DEFINE (seven_2, 7, 2)

static const Kernels SIMD (kernels) = { { SIMD (sum_three_1), SIMD (sum_three_2) },
                                        { SIMD (sum_five_1), SIMD (sum_five_2) },
                                        { SIMD (sum_seven_1), SIMD (sum_seven_2) },
                                        SIMD (sum_any) };

#undef DEFINE
#undef MAX_TAPS
#undef MIN_WIDE
