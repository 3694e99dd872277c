/* window-pool-kernel.h — the inner loops of window-pool.c for one instruction set; see each-simd.h.
 *
 * pool_rows: for each tap: load a vector of cells for each of n rows of the map, and take it into the row's result.
 * pool_by_columns: for each row of the map: the maxima of the columns of cells; of these, for each tap of a row, the
 * maximum.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define MAX_ROWS 4

/* Divides a vector of sums if they are averages, and writes it; fewer than LANES are left at the end of a row. */
INLINE void
SIMD (write_results) (const Strip *strip, gint64 row, gint64 column, Floats value)
{
  gint64 left = strip->n_columns - column;
  float *to = strip->map + row * strip->n_columns + column;

  if (strip->row_divisors)
    value = value /
            (simd_fill (strip->row_divisors[row]) * simd_load (strip->column_divisors + column));
  if (left >= LANES)
    simd_store (to, value);
  else
    simd_store_part (to, left, value);
}

/* n rows of the map from `row` on. */
INLINE void
SIMD (pool_rows) (const int n, const gboolean is_max, const Strip *strip, gint64 row, gint64 column)
{
  const float *from = strip->rows + row * strip->stride * strip->row + column;
  gint64       step = strip->stride * strip->row;
  Floats       value[MAX_ROWS];

  HYB_UNROLL (4)
  for (int i = 0; i < n; i++)
    value[i] = simd_fill (is_max ? -FLT_MAX : 0);
  for (gint64 y = 0; y < strip->kernel[0]; y++)
    for (gint64 x = 0; x < strip->kernel[1]; x++)
      {
        const float *cells = from + y * strip->row + strip->columns[x];

        HYB_UNROLL (4)
        for (int i = 0; i < n; i++)
          {
            Floats cell = simd_load (cells + i * step);

            value[i] = is_max ? simd_max (cell, value[i]) : value[i] + cell;
          }
      }
  HYB_UNROLL (4)
  for (int i = 0; i < n; i++)
    SIMD (write_results) (strip, row + i, column, value[i]);
}

INLINE void
SIMD (pool_strip) (const gboolean is_max, const Strip *strip)
{
  gint64 row = 0;

  for (; row + MAX_ROWS <= strip->n_rows; row += MAX_ROWS)
    for (gint64 column = 0; column < strip->n_columns; column += LANES)
      SIMD (pool_rows) (MAX_ROWS, is_max, strip, row, column);
  for (; row < strip->n_rows; row++)
    for (gint64 column = 0; column < strip->n_columns; column += LANES)
      SIMD (pool_rows) (1, is_max, strip, row, column);
}

static TARGET void
SIMD (pool_max) (const Strip *strip)
{
  SIMD (pool_strip) (TRUE, strip);
}

static TARGET void
SIMD (pool_sum) (const Strip *strip)
{
  SIMD (pool_strip) (FALSE, strip);
}

static TARGET void
SIMD (pool_by_columns) (const Strip *strip)
{
  for (gint64 row = 0; row < strip->n_rows; row++)
    {
      const float *from = strip->rows + row * strip->stride * strip->row;

      for (gint64 k = 0; k < strip->row; k += LANES)
        {
          Floats best = simd_fill (-FLT_MAX);

          for (gint64 y = 0; y < strip->kernel[0]; y++)
            best = simd_max (simd_load (from + y * strip->row + k), best);
          simd_store (strip->best + k, best);
        }
      for (gint64 column = 0; column < strip->n_columns; column += LANES)
        {
          Floats best = simd_fill (-FLT_MAX);

          for (gint64 x = 0; x < strip->kernel[1]; x++)
            best = simd_max (simd_load (strip->best + strip->columns[x] + column), best);
          SIMD (write_results) (strip, row, column, best);
        }
    }
}

static const Kernels SIMD (kernels) = { SIMD (pool_max), SIMD (pool_by_columns), SIMD (pool_sum) };

#undef MAX_ROWS
