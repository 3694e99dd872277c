/* column-sums.c — see column-sums.h.
 *
 *   for each channel, for some rows of the image: lines = bias; for each tap, for each of these rows that it covers: add a
 *   run to the line of its phase; interleave the lines
 *
 * The loops are in column-sums-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/column-sums.h"

#include <string.h>

/* Floats of all lines of a row, on the stack, and lines. */
#define MAX_LINE_FLOATS 8192
#define MAX_LINES       16
#define MAX_TAPS        64
/* Rows of the image that are summed up together, at most. */
#define MAX_ROWS 16
/* Floats behind a line that vectors may write. */
#define SLACK 16

/* Where a tap along the last axis adds n elements from number `from` of a row of the map on. */
typedef struct
{
  gint64 from, n, to;
} Run;

/* A cell or a tap along an axis, in strides: position · stride + phase. */
typedef struct
{
  gint64 position, phase;
} Place;

/* The lines of a row, and the runs that each row of the map adds to them. */
typedef struct
{
  gint64 n_lines, length; /* floats from line to line */
  gint64 n_taps;
  Run    runs[MAX_TAPS];
  Place  places[MAX_TAPS]; /* of the taps along the rows */
} Lines;

/* Rows of a slice of a channel, and their lines. */
typedef struct
{
  gint64 channel, slice, n_rows;
  Place  rows[MAX_ROWS];
  float *lines;
} Block;

static Place
find_place (const HybConvolve *convolve, int axis, gint64 cell)
{
  return (Place){ cell / convolve->stride[axis], cell % convolve->stride[axis] };
}

/* The position of the map along one axis whose tap covers a cell; -1 if there is none. */
static gint64
find_position (const HybConvolve *convolve, int axis, gint64 cell, gint64 tap)
{
  gint64 at = cell + convolve->pad[axis] - tap * convolve->dilate[axis];

  return at >= 0 && at % convolve->stride[axis] == 0 &&
                 at / convolve->stride[axis] < convolve->map[axis]
             ? at / convolve->stride[axis]
             : -1;
}

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/convolution/column-sums-kernel.h"
#include "engine/kernels/simd/each-simd.h"

gboolean
hyb_column_sums_fit (const HybConvolve *convolve)
{
  gint64 stride = convolve->stride[2];

  return stride <= MAX_LINES && convolve->kernel[1] <= MAX_TAPS &&
         convolve->kernel[2] <= MAX_TAPS &&
         convolve->image[2] <= MAX_LINE_FLOATS - MAX_LINES * (SLACK + 1);
}

static gint64
floor_divide (gint64 a, gint64 b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Finds the lines of a convolution that fits. */
static Lines
find_lines (const HybConvolve *convolve)
{
  gint64 stride = convolve->stride[2];
  Lines  lines = { .n_lines = stride,
                   .length = (convolve->image[2] + stride - 1) / stride + SLACK,
                   .n_taps = convolve->kernel[2] };

  for (gint64 tap = 0; tap < convolve->kernel[1]; tap++)
    lines.places[tap] = find_place (convolve, 1, tap * convolve->dilate[1]);
  for (gint64 tap = 0; tap < lines.n_taps; tap++)
    {
      gint64 cell = tap * convolve->dilate[2] - convolve->pad[2];
      gint64 place = floor_divide (cell, stride), phase = cell - place * stride;
      gint64 low = MAX (-place, 0);
      gint64 high =
          MIN (convolve->map[2], floor_divide (convolve->image[2] - 1 - phase, stride) + 1 - place);

      lines.runs[tap] = (Run){ low, MAX (high - low, 0), phase * lines.length + place + low };
    }
  return lines;
}

void
hyb_column_sums_add (const HybColumnSums *sums, gint64 begin, gint64 end)
{
  Lines lines = find_lines (sums->convolve);

  for (gint64 channel = begin; channel < end; channel++)
    HYB_SIMD_CHOOSE (sum_channel) (sums, &lines, channel);
}
