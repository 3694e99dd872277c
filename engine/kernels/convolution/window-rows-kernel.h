/* window-rows-kernel.h — the loops of window-rows.c for one instruction set; see each-simd.h.
 *
 * fill_each: for each row, for each phase: copy its cells, and padding around them.  Vectors are written whole: what they
 * write behind a phase is written again by the next one, and HYB_WINDOW_SLACK is left behind the last.
 * fill_vectors: for each phase, for each vector of it, for each row: load a vector of the image, take padding for the lanes
 * outside, store it.  The lanes outside are the same for all rows, so that short rows take few instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Up to LANES cells; zeros after them. */
INLINE Floats
SIMD (load_cells) (const float *from, gint64 cells)
{
  return cells >= LANES ? simd_load (from)
         : cells > 0    ? simd_load_part (from, cells)
                        : (Floats){ 0 };
}

/* to[k] = from[k] while k < cells, then 0, for k < n. */
INLINE void
SIMD (copy_phase) (const float *from, gint64 cells, gint64 n, float *to)
{
  gint64 k = 0;

  for (; k < n && k + LANES <= cells; k += LANES)
    simd_store (to + k, simd_load (from + k));
  if (k < n && k < cells)
    {
      simd_store (to + k, simd_load_part (from + k, cells - k));
      k += LANES;
    }
  for (; k < n; k += LANES)
    simd_store (to + k, (Floats){ 0 });
}

/* to[k] = from[2 k] while 2 k < cells, then 0, for k < n. */
INLINE void
SIMD (split_phase) (const float *from, gint64 cells, gint64 n, float *to)
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

      simd_store (to + k, simd_even_lanes (low, high));
      k += LANES;
    }
  for (; k < n; k += LANES)
    simd_store (to + k, (Floats){ 0 });
}

/* The same for any stride. */
INLINE void
SIMD (gather_phase) (const float *from, gint64 cells, gint64 stride, gint64 n, float *to)
{
  gint64 end = MIN (n, (cells + stride - 1) / stride);

  for (gint64 k = 0; k < end; k++)
    to[k] = from[k * stride];
  for (gint64 k = end; k < n; k++)
    to[k] = 0;
}

/* One phase of one row of the image. */
INLINE void
SIMD (fill_phase) (const HybWindowRows  *rows,
                   const HybWindowPhase *source,
                   const float          *image_row,
                   float                *to)
{
  const float *from = image_row + source->first;
  gint64       stride = rows->stride[1], n = rows->pitch - source->begin;

  for (gint64 k = 0; k < source->begin; k += LANES)
    simd_store (to + k, (Floats){ 0 });
  to += source->begin;
  if (stride == 1)
    SIMD (copy_phase) (from, source->cells, n, to);
  else if (stride == 2)
    SIMD (split_phase) (from, source->cells, n, to);
  else
    SIMD (gather_phase) (from, source->cells, stride, n, to);
}

/* Image rows one by one, from y to end, of which those outside of the image are padding. */
INLINE void
SIMD (fill_each) (const HybWindowRows *rows, const float *image, gint64 y, gint64 end, float *to)
{
  HybWindowPhase nothing = { .begin = rows->pitch };
  gint64         n_phases = rows->taps.n_phases;

  for (; y < end; y++)
    {
      gboolean     is_inside = y >= 0 && y < rows->image[0];
      const float *row = is_inside ? image + y * rows->image[1] : image;

      for (gint64 phase = 0; phase < n_phases; phase++, to += rows->pitch)
        SIMD (fill_phase) (rows, is_inside ? &rows->phases[phase] : &nothing, row, to);
    }
}

/* One vector of n rows, of which the lanes `inside` come from the image. */
INLINE void
SIMD (fill_vector) (const HybWindowRows *rows,
                    const int            stride,
                    Ints                 inside,
                    const float         *from,
                    gint64               n,
                    float               *to)
{
  gint64 width = rows->image[1], step = rows->row;

  for (gint64 y = 0; y < n; y++, from += width, to += step)
    {
      Floats cells = stride == 1 ? simd_load (from)
                                 : simd_even_lanes (simd_load (from), simd_load (from + LANES));

      simd_store (to, (Floats) ((Ints) cells & inside));
    }
}

/* n rows of one phase, vector by vector, from an image whose vectors can be read whole. */
INLINE void
SIMD (fill_vectors) (const HybWindowRows  *rows,
                     const int             stride,
                     const HybWindowPhase *source,
                     const float          *image_row,
                     gint64                n,
                     float                *to)
{
  Ints lane;

  for (int i = 0; i < LANES; i++)
    lane[i] = i;
  for (gint64 k = 0; k < rows->pitch; k += LANES)
    if (k + LANES <= source->begin || k >= source->end)
      for (gint64 y = 0; y < n; y++)
        simd_store (to + y * rows->row + k, (Floats){ 0 });
    else
      {
        Ints low = (Ints){ 0 } + (gint32) (source->begin - k),
             high = (Ints){ 0 } + (gint32) (source->end - k);

        SIMD (fill_vector)
        (rows, stride, (lane >= low) & (lane < high),
         image_row + source->first + (k - source->begin) * stride, n, to + k);
      }
}

/* Finds the rows [*y, *end) of the image whose vectors lie within the memory of all planes together. */
INLINE void
SIMD (find_whole_rows) (const HybWindowRows  *rows,
                        const HybWindowPlane *plane,
                        gint64               *y,
                        gint64               *end)
{
  gint64 stride = rows->stride[1], width = rows->image[1], before = 0, after = 0;

  for (gint64 p = 0; p < rows->taps.n_phases; p++)
    if (rows->phases[p].begin < rows->pitch)
      {
        const HybWindowPhase *phase = &rows->phases[p];
        gint64                vectors = (MIN (phase->end, rows->pitch) + LANES - 1) / LANES;

        before = MAX (before, phase->begin % LANES * stride - phase->first);
        after = MAX (after, phase->first + (vectors * LANES - phase->begin) * stride);
      }
  before -= plane->before;
  after -= plane->after + rows->image[0] * width;
  *y = MAX (*y, 0);
  *end = MIN (*end, rows->image[0]);
  while (*y < *end && *y * width < before)
    *y += 1;
  while (*y < *end && (*end - 1) * width + after > 0)
    *end -= 1;
}

/* Writes the image rows [y, end), of which those outside of the image are padding. */
static TARGET void
SIMD (fill_rows) (const HybWindowRows  *rows,
                  const HybWindowPlane *plane,
                  gint64                y,
                  gint64                end,
                  float                *to)
{
  const float *image = plane->image;
  gint64       low = y, high = end, stride = rows->stride[1];
  float       *whole;

  if (stride > 2 || rows->image[1] > NARROW)
    high = low;
  else
    SIMD (find_whole_rows) (rows, plane, &low, &high);
  if (low >= high)
    {
      SIMD (fill_each) (rows, image, y, end, to);
      return;
    }
  SIMD (fill_each) (rows, image, y, low, to);
  whole = to + (low - y) * rows->row;
  for (gint64 phase = 0; phase < rows->taps.n_phases; phase++, whole += rows->pitch)
    {
      const HybWindowPhase *source = &rows->phases[phase];
      const float          *from = image + low * rows->image[1];

      if (stride == 1)
        SIMD (fill_vectors) (rows, 1, source, from, high - low, whole);
      else
        SIMD (fill_vectors) (rows, 2, source, from, high - low, whole);
    }
  SIMD (fill_each) (rows, image, high, end, to + (high - y) * rows->row);
}
