/* window-rows-kernel.h — the loops of window-rows.c for one instruction set; see each-simd.h.
 *
 * Vectors are written whole: what they write behind a phase is written again by the next one, and HYB_WINDOW_SLACK is
 * left behind the last.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The first `left` lanes of value, then `outside`. */
INLINE Floats
SIMD (end_with) (Floats value, gint64 left, Floats outside)
{
  Ints lane, limit = (Ints){ 0 } + (gint32) left;

  for (int i = 0; i < LANES; i++)
    lane[i] = i;
  return simd_choose (lane < limit, value, outside);
}

/* Up to LANES cells; zeros after them. */
INLINE Floats
SIMD (load_cells) (const float *from, gint64 cells)
{
  return cells >= LANES ? simd_load (from)
         : cells > 0    ? simd_load_part (from, cells)
                        : (Floats){ 0 };
}

/* to[k] = from[k] while k < cells, then `outside`, for k < n. */
INLINE void
SIMD (copy_phase) (const float *from, gint64 cells, gint64 n, Floats outside, float *to)
{
  gint64 k = 0;

  for (; k < n && k + LANES <= cells; k += LANES)
    simd_store (to + k, simd_load (from + k));
  if (k < n && k < cells)
    {
      gint64 left = cells - k;

      simd_store (to + k, SIMD (end_with) (simd_load_part (from + k, left), left, outside));
      k += LANES;
    }
  for (; k < n; k += LANES)
    simd_store (to + k, outside);
}

/* to[k] = from[2 k] while 2 k < cells, then `outside`, for k < n. */
INLINE void
SIMD (split_phase) (const float *from, gint64 cells, gint64 n, Floats outside, float *to)
{
  gint64 k = 0;

  for (; k < n && 2 * k + 2 * LANES <= cells; k += LANES)
    simd_store (to + k,
                simd_even_lanes (simd_load (from + 2 * k), simd_load (from + 2 * k + LANES)));
  if (k < n && 2 * k < cells)
    {
      gint64 left = cells - 2 * k;
      Floats low = SIMD (load_cells) (from + 2 * k, left);
      Floats high = SIMD (load_cells) (from + 2 * k + MIN (left, LANES), left - LANES);

      simd_store (to + k, SIMD (end_with) (simd_even_lanes (low, high), (left + 1) / 2, outside));
      k += LANES;
    }
  for (; k < n; k += LANES)
    simd_store (to + k, outside);
}

/* The same for any stride. */
INLINE void
SIMD (gather_phase) (const float *from,
                     gint64       cells,
                     gint64       stride,
                     gint64       n,
                     float        outside,
                     float       *to)
{
  gint64 end = MIN (n, (cells + stride - 1) / stride);

  for (gint64 k = 0; k < end; k++)
    to[k] = from[k * stride];
  for (gint64 k = end; k < n; k++)
    to[k] = outside;
}

/* One phase of one row of the image. */
INLINE void
SIMD (fill_phase) (const HybWindowRows *rows,
                   const PhaseSource   *source,
                   const float         *image_row,
                   float               *to)
{
  const float *from = image_row + source->first;
  Floats       outside = simd_fill (rows->outside);
  gint64       stride = rows->stride[1], n = rows->pitch - source->begin;

  for (gint64 k = 0; k < source->begin; k += LANES)
    simd_store (to + k, outside);
  to += source->begin;
  if (stride == 1)
    SIMD (copy_phase) (from, source->cells, n, outside, to);
  else if (stride == 2)
    SIMD (split_phase) (from, source->cells, n, outside, to);
  else
    SIMD (gather_phase) (from, source->cells, stride, n, rows->outside, to);
}

/* Writes the image rows [y, end), of which those outside of the image are padding. */
static TARGET void
SIMD (fill_rows) (const HybWindowRows *rows, const float *image, gint64 y, gint64 end, float *to)
{
  PhaseSource sources[HYB_MAX_TAPS];
  PhaseSource nothing = { .begin = rows->pitch };
  gint64      n_phases = rows->taps.n_phases;

  for (gint64 phase = 0; phase < n_phases; phase++)
    sources[phase] = find_source (rows, phase);
  for (; y < end; y++)
    {
      gboolean     is_inside = y >= 0 && y < rows->image[0];
      const float *row = is_inside ? image + y * rows->image[1] : image;

      for (gint64 phase = 0; phase < n_phases; phase++, to += rows->pitch)
        SIMD (fill_phase) (rows, is_inside ? &sources[phase] : &nothing, row, to);
    }
}
