/* window-pool-kernel.h — the inner loops of window-pool.c for one instruction set; see each-simd.h.
 *
 * pool_columns: for each row of the strip, for each vector of columns: the maxima or sums of the cells of the window's rows
 * that lie inside the image.  pool_taps: for each vector of the map: of these, the maximum or sum under the taps of a row.
 * The last vector of a row overlaps the one before it, and computes the same again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows that are computed together. */
#define MAX_ROWS 4

INLINE Floats
SIMD (take_in) (const gboolean is_max, Floats cell, Floats value)
{
  return is_max ? simd_max (cell, value) : value + cell;
}

/* The first n lanes of value, then `outside`. */
INLINE Floats
SIMD (end_with) (Floats value, gint64 n, float outside)
{
  Ints lane, limit = (Ints){ 0 } + (gint32) n;

  for (int i = 0; i < LANES; i++)
    lane[i] = i;
  return simd_choose (lane < limit, value, simd_fill (outside));
}

/* Up to LANES columns of n rows of the strip: from[i step], and `rows` - 1 cells below it.  `outside` stands behind the
 * last column. */
INLINE void
SIMD (reduce_columns) (const int      n,
                       const gboolean is_max,
                       const gboolean is_whole,
                       const Strip   *strip,
                       const float   *from,
                       gint64         rows,
                       gint64         columns,
                       Floats        *value)
{
  gint64 step = strip->stride[0] * strip->image[1];

  HYB_UNROLL (4)
  for (int i = 0; i < n; i++)
    value[i] = simd_fill (is_max ? -FLT_MAX : 0);
  for (gint64 y = 0; y < rows; y++, from += strip->image[1])
    HYB_UNROLL (4)
  for (int i = 0; i < n; i++)
    {
      const float *at = from + i * step;
      Floats       cell = is_whole ? simd_load (at) : simd_load_part (at, columns);

      value[i] = SIMD (take_in) (is_max, cell, value[i]);
    }
  HYB_UNROLL (4)
  for (int i = 0; i < n && !is_whole; i++)
    value[i] = SIMD (end_with) (value[i], columns, strip->outside);
}

INLINE void
SIMD (reduce_up_to) (const int      n,
                     const gboolean is_max,
                     const Strip   *strip,
                     const float   *from,
                     gint64         rows,
                     gint64         columns,
                     Floats        *value)
{
  if (columns >= LANES)
    SIMD (reduce_columns) (n, is_max, TRUE, strip, from, rows, columns, value);
  else
    SIMD (reduce_columns) (n, is_max, FALSE, strip, from, rows, MAX (columns, 0), value);
}

/* Columns in order. */
INLINE void
SIMD (columns_in_order) (const int      n,
                         const gboolean is_max,
                         const Strip   *strip,
                         const float   *from,
                         gint64         rows,
                         float         *to)
{
  gint64 cells = strip->cells;
  Floats value[MAX_ROWS];

  to += strip->first[0];
  for (gint64 k = 0; k < cells; k += LANES)
    {
      gint64 at = cells < LANES ? 0 : MIN (k, cells - LANES);

      SIMD (reduce_up_to) (n, is_max, strip, from + at, rows, cells - at, value);
      HYB_UNROLL (4)
      for (int i = 0; i < n; i++)
        simd_store (to + i * strip->row + at, value[i]);
    }
}

/* Every other column, then the others.  Where the last vectors begin with an odd column, the two change places. */
INLINE void
SIMD (columns_in_pairs) (const int      n,
                         const gboolean is_max,
                         const Strip   *strip,
                         const float   *from,
                         gint64         rows,
                         float         *to)
{
  gint64 cells = strip->cells;
  Floats low[MAX_ROWS], high[MAX_ROWS];

  for (gint64 k = 0; k < cells; k += 2 * LANES)
    {
      gint64 at = cells < 2 * LANES ? 0 : MIN (k, cells - 2 * LANES);
      float *even = to + strip->first[at & 1] + at / 2;
      float *odd = to + strip->first[~at & 1] + (at + 1) / 2;

      SIMD (reduce_up_to) (n, is_max, strip, from + at, rows, cells - at, low);
      SIMD (reduce_up_to) (n, is_max, strip, from + at + LANES, rows, cells - at - LANES, high);
      HYB_UNROLL (4)
      for (int i = 0; i < n; i++)
        {
          simd_store (even + i * strip->row, simd_even_lanes (low[i], high[i]));
          simd_store (odd + i * strip->row, simd_odd_lanes (low[i], high[i]));
        }
    }
}

/* Writes what lies outside of the image before and behind the columns of n rows. */
INLINE void
SIMD (pad_rows) (const int n, const Strip *strip, float *to)
{
  Floats outside = simd_fill (strip->outside);

  for (int phase = 0; phase < strip->n_phases; phase++, to += strip->pitch)
    {
      for (gint64 k = 0; k < strip->pad_end[phase]; k += LANES)
        HYB_UNROLL (4)
      for (int i = 0; i < n; i++)
        simd_store (to + i * strip->row + k, outside);
      for (gint64 k = strip->pad_begin[phase]; k < strip->width; k += LANES)
        HYB_UNROLL (4)
      for (int i = 0; i < n; i++)
        simd_store (to + i * strip->row + k, outside);
    }
}

/* n rows of the strip from `row` on, whose windows all cover `rows` rows of the image from `from` on. */
INLINE void
SIMD (pool_columns) (const int      n,
                     const gboolean is_max,
                     const Strip   *strip,
                     const float   *from,
                     gint64         rows,
                     gint64         row)
{
  float *to = strip->columns + row * strip->row;

  SIMD (pad_rows) (n, strip, to);
  if (strip->stride[1] == 2)
    SIMD (columns_in_pairs) (n, is_max, strip, from, rows, to);
  else
    SIMD (columns_in_order) (n, is_max, strip, from, rows, to);
}

/* All rows of a strip: together where their windows lie inside the image, else one by one. */
INLINE void
SIMD (pool_strip_columns) (const gboolean is_max, const Strip *strip)
{
  gint64 kernel = strip->kernel[0], height = strip->image[0], stride = strip->stride[0];

  for (gint64 row = 0, n; row < strip->n_rows; row += n)
    {
      gint64       y = (strip->first_row + row) * stride - strip->pad;
      gint64       low = CLAMP (y, 0, height), high = CLAMP (y + kernel, low, height);
      const float *from = strip->rows + low * strip->image[1];

      n = y >= 0 && y + (MAX_ROWS - 1) * stride + kernel <= height &&
                  row + MAX_ROWS <= strip->n_rows
              ? MAX_ROWS
              : 1;
      if (n == MAX_ROWS)
        SIMD (pool_columns) (MAX_ROWS, is_max, strip, from, kernel, row);
      else
        SIMD (pool_columns) (1, is_max, strip, from, high - low, row);
    }
}

/* n rows of the map from `row` on.  Rows that are shorter than a vector are written with what follows them, which is written
 * later; only at the end of the map are fewer than LANES cells left. */
INLINE void
SIMD (pool_taps) (const int      n,
                  const gboolean is_max,
                  const gboolean is_narrow,
                  const Strip   *strip,
                  gint64         row)
{
  gint64 columns = strip->n_columns;

  for (gint64 k = 0; k < columns; k += LANES)
    {
      gint64       column = is_narrow ? 0 : MIN (k, columns - LANES);
      const float *from = strip->columns + row * strip->row + column;
      float       *to = strip->map + row * columns + column;
      Floats       value[MAX_ROWS], divisor;

      HYB_UNROLL (4)
      for (int i = 0; i < n; i++)
        value[i] = simd_fill (is_max ? -FLT_MAX : 0);
      for (gint64 x = 0; x < strip->kernel[1]; x++)
        {
          const float *cells = from + strip->taps[x];

          HYB_UNROLL (4)
          for (int i = 0; i < n; i++)
            value[i] = SIMD (take_in) (is_max, simd_load (cells + i * strip->row), value[i]);
        }
      if (!is_max && strip->row_factors)
        {
          divisor = simd_load (strip->column_factors + column);
          HYB_UNROLL (4)
          for (int i = 0; i < n; i++)
            if (strip->multiplies)
              value[i] *= simd_fill (strip->row_factors[row + i]) * divisor;
            else
              value[i] /= simd_fill (strip->row_factors[row + i]) * divisor;
        }
      HYB_UNROLL (4)
      for (int i = 0; i < n; i++)
        if (is_narrow && strip->map_end - to < i * columns + LANES)
          simd_store_part (to + i * columns, strip->map_end - to - i * columns, value[i]);
        else
          simd_store (to + i * columns, value[i]);
    }
}

INLINE void
SIMD (pool_strip_taps) (const gboolean is_max, const gboolean is_narrow, const Strip *strip)
{
  gint64 row = 0;

  for (; row + MAX_ROWS <= strip->n_rows; row += MAX_ROWS)
    SIMD (pool_taps) (MAX_ROWS, is_max, is_narrow, strip, row);
  for (; row < strip->n_rows; row++)
    SIMD (pool_taps) (1, is_max, is_narrow, strip, row);
}

INLINE void
SIMD (pool_strip) (const gboolean is_max, const Strip *strip)
{
  SIMD (pool_strip_columns) (is_max, strip);
  if (strip->stride[1] > 2)
    part_columns (strip);
  if (strip->n_columns < LANES)
    SIMD (pool_strip_taps) (is_max, TRUE, strip);
  else
    SIMD (pool_strip_taps) (is_max, FALSE, strip);
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

static const Kernels SIMD (kernels) = { SIMD (pool_max), SIMD (pool_sum) };

#undef MAX_ROWS
