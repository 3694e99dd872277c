/* window-rows.c — lays out rows of one plane of an image for windows that slide over them; see window-rows.h.
 *
 *   for each row of the strip, for each phase: to[k] = image[first + k stride], or 0 for padding
 *
 * Narrow rows are laid out vector by vector, all rows at a time; others row by row (window-rows-kernel.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/window-rows.h"

#include "engine/kernels/simd/simd.h"

/* Floats of a strip: 24 KiB, which stay in the first-level cache beside the map. */
#define STRIP_FLOATS 6144
/* Floats of a strip, at most: 512 KiB. */
#define MAX_STRIP_FLOATS ((gint64) 128 << 10)
/* Strips have a multiple of this number of rows of the map. */
#define UNIT_ROWS 4
/* Rows begin at multiples of a cache line. */
#define UNIT HYB_LINE_FLOATS
/* Images with at most this number of columns are laid out vector by vector: all rows of a vector, then the next vector. */
#define NARROW 64

/* Where phase number `phase` comes from. */
static HybWindowPhase
find_phase (const HybWindowRows *rows, gint64 phase)
{
  gint64 stride = rows->stride[1], first = rows->taps.rest[phase] - rows->pad[1];
  gint64 begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
  gint64 cell = first + begin * stride, cells = rows->image[1] - cell;

  if (begin >= rows->pitch || cells <= 0)
    return (HybWindowPhase){ .begin = rows->pitch };
  return (HybWindowPhase){ begin, begin + (cells + stride - 1) / stride, cell, cells };
}

void
hyb_window_rows_init (HybWindowRows *rows, const HybConvolve *convolve)
{
  gint64 n, width, last = convolve->kernel[2] - 1;

  *rows = (HybWindowRows){ .image = { convolve->image[1], convolve->image[2] },
                           .map = { convolve->map[1], convolve->map[2] },
                           .stride = { convolve->stride[1], convolve->stride[2] },
                           .pad = { convolve->pad[1], convolve->pad[2] },
                           .more = (convolve->kernel[1] - 1) * convolve->dilate[1] };
  hyb_direct_taps_init (&rows->taps, convolve, 2);
  width = rows->map[1] + rows->taps.shift[last];
  rows->pitch = (width + UNIT - 1) / UNIT * UNIT;
  rows->row = rows->pitch * rows->taps.n_phases;
  n = (STRIP_FLOATS / rows->row - rows->more - 1) / rows->stride[0] + 1;
  rows->strip = MIN (MAX (n - n % UNIT_ROWS, UNIT_ROWS), rows->map[0]);
  for (gint64 t = 0; t <= last; t++)
    rows->columns[t] = rows->taps.phase[t] * rows->pitch + rows->taps.shift[t];
  for (gint64 phase = 0; phase < rows->taps.n_phases; phase++)
    rows->phases[phase] = find_phase (rows, phase);
}

gint64
hyb_window_rows_size (const HybWindowRows *rows)
{
  return ((rows->strip - 1) * rows->stride[0] + rows->more + 1) * rows->row + HYB_WINDOW_SLACK;
}

gboolean
hyb_window_rows_fit (const HybConvolve *convolve)
{
  HybWindowRows rows;

  if (!hyb_direct_sizes_are_modest (convolve))
    return FALSE;
  hyb_window_rows_init (&rows, convolve);
  return rows.row <= MAX_STRIP_FLOATS && hyb_window_rows_size (&rows) <= MAX_STRIP_FLOATS;
}

#define SIMD_KERNEL "engine/kernels/convolution/window-rows-kernel.h"
#include "engine/kernels/simd/each-simd.h"

HybWindowPlane
hyb_window_plane (const HybWindowRows *rows, const float *images, gint64 n_planes, gint64 plane)
{
  gint64 cells = rows->image[0] * rows->image[1];

  return (HybWindowPlane){ .image = images + plane * cells,
                           .before = plane * cells,
                           .after = (n_planes - 1 - plane) * cells };
}

void
hyb_window_rows_fill (const HybWindowRows  *rows,
                      const HybWindowPlane *plane,
                      gint64                first,
                      gint64                n,
                      float                *to)
{
  gint64 y = first * rows->stride[0] - rows->pad[0];
  gint64 end = y + (n - 1) * rows->stride[0] + rows->more + 1;

  HYB_SIMD_CHOOSE (fill_rows) (rows, plane, y, end, to);
}
