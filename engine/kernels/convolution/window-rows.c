/* window-rows.c — lays out rows of one plane of an image for windows that slide over them; see window-rows.h.
 *
 *   for each row of the strip, for each phase: to[k] = image[first + k stride], or the value of padding.
 *
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

void
hyb_window_rows_init (HybWindowRows *rows, const HybConvolve *convolve, float outside)
{
  gint64 n, width, last = convolve->kernel[2] - 1;

  *rows = (HybWindowRows){ .image = { convolve->image[1], convolve->image[2] },
                           .map = { convolve->map[1], convolve->map[2] },
                           .stride = { convolve->stride[1], convolve->stride[2] },
                           .pad = { convolve->pad[1], convolve->pad[2] },
                           .more = (convolve->kernel[1] - 1) * convolve->dilate[1],
                           .outside = outside };
  hyb_direct_taps_init (&rows->taps, convolve, 2);
  width = rows->map[1] + rows->taps.shift[last];
  rows->pitch = (width + UNIT - 1) / UNIT * UNIT;
  rows->row = rows->pitch * rows->taps.n_phases;
  n = (STRIP_FLOATS / rows->row - rows->more - 1) / rows->stride[0] + 1;
  rows->strip = MIN (MAX (n - n % UNIT_ROWS, UNIT_ROWS), rows->map[0]);
  for (gint64 t = 0; t <= last; t++)
    rows->columns[t] = rows->taps.phase[t] * rows->pitch + rows->taps.shift[t];
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
  hyb_window_rows_init (&rows, convolve, 0);
  return rows.row <= MAX_STRIP_FLOATS && hyb_window_rows_size (&rows) <= MAX_STRIP_FLOATS;
}

/* The part of a phase that lies inside of the image, of every row. */
typedef struct
{
  gint64 begin; /* floats of padding before it; the pitch: no cell lies inside */
  gint64 first; /* its first cell in a row of the image */
  gint64 cells; /* from there to the end of that row */
} PhaseSource;

/* Where phase number `phase` comes from. */
static PhaseSource
find_source (const HybWindowRows *rows, gint64 phase)
{
  gint64 stride = rows->stride[1], first = rows->taps.rest[phase] - rows->pad[1];
  gint64 begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
  gint64 cell = first + begin * stride;

  if (begin >= rows->pitch || cell >= rows->image[1])
    return (PhaseSource){ .begin = rows->pitch };
  return (PhaseSource){ begin, cell, rows->image[1] - cell };
}

#define SIMD_KERNEL "engine/kernels/convolution/window-rows-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_window_rows_fill (const HybWindowRows *rows,
                      const float         *image,
                      gint64               first,
                      gint64               n,
                      float               *to)
{
  gint64 y = first * rows->stride[0] - rows->pad[0];
  gint64 end = y + (n - 1) * rows->stride[0] + rows->more + 1;

  HYB_SIMD_CHOOSE (fill_rows) (rows, image, y, end, to);
}
