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
SIMD (copy_phase) (const PhaseSource *source, gint64 n, Floats outside, float *to)
{
  gint64 k = 0;

  for (; k < n && k + LANES <= source->cells; k += LANES)
    simd_store (to + k, simd_load (source->from + k));
  if (k < n && k < source->cells)
    {
      gint64 left = source->cells - k;

      simd_store (to + k, SIMD (end_with) (simd_load_part (source->from + k, left), left, outside));
      k += LANES;
    }
  for (; k < n; k += LANES)
    simd_store (to + k, outside);
}

/* to[k] = from[2 k] while 2 k < cells, then `outside`, for k < n. */
INLINE void
SIMD (split_phase) (const PhaseSource *source, gint64 n, Floats outside, float *to)
{
  gint64 k = 0;

  for (; k < n && 2 * k < source->cells; k += LANES)
    {
      const float *from = source->from + 2 * k;
      gint64       left = source->cells - 2 * k;
      Floats       low = SIMD (load_cells) (from, left);
      Floats       high = SIMD (load_cells) (from + MIN (left, LANES), left - LANES);
      Floats       value = simd_even_lanes (low, high);

      simd_store (to + k,
                  left >= 2 * LANES ? value : SIMD (end_with) (value, (left + 1) / 2, outside));
    }
  for (; k < n; k += LANES)
    simd_store (to + k, outside);
}

/* The same for any stride. */
INLINE void
SIMD (gather_phase) (const PhaseSource *source, gint64 stride, gint64 n, float outside, float *to)
{
  gint64 end = MIN (n, (source->cells + stride - 1) / stride);

  for (gint64 k = 0; k < end; k++)
    to[k] = source->from[k * stride];
  for (gint64 k = end; k < n; k++)
    to[k] = outside;
}

/* Writes the image rows [y, end), of which those outside of the image are padding. */
static TARGET void
SIMD (fill_rows) (const HybWindowRows *rows, const float *image, gint64 y, gint64 end, float *to)
{
  Floats outside = simd_fill (rows->outside);
  gint64 stride = rows->stride[1];

  for (; y < end; y++)
    for (gint64 phase = 0; phase < rows->taps.n_phases; phase++, to += rows->pitch)
      {
        gboolean    is_inside = y >= 0 && y < rows->image[0];
        PhaseSource source = is_inside ? find_source (rows, image + y * rows->image[1], phase)
                                       : (PhaseSource){ .begin = rows->pitch };
        gint64      n = rows->pitch - source.begin;

        for (gint64 k = 0; k < source.begin; k += LANES)
          simd_store (to + k, outside);
        if (stride == 1)
          SIMD (copy_phase) (&source, n, outside, to + source.begin);
        else if (stride == 2)
          SIMD (split_phase) (&source, n, outside, to + source.begin);
        else
          SIMD (gather_phase) (&source, stride, n, rows->outside, to + source.begin);
      }
}
