/* column-sums.h — adds the rows of a column matrix to the cells of an image that windows cover, for transposed convolutions
 * of floats whose windows overlap.
 *
 * Each row of the image is summed up as `stride` lines of every stride-th cell, to which a tap adds a run of the column
 * matrix; then these are interleaved.  A cell takes its taps in order, the bias first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolution-shape.h"

typedef struct
{
  const HybConvolve *convolve;
  const float *columns; /* (channels · taps, positions), each row `pitch` floats from the next */
  gint64       pitch;
  const float *bias;  /* of the channels; NULL for none */
  float       *image; /* of the channels: receives the sums */
} HybColumnSums;

/* Whether rows of the image are short enough. */
gboolean hyb_column_sums_fit (const HybConvolve *convolve);
/* Writes channels [begin, end) of the image. */
void hyb_column_sums_add (const HybColumnSums *sums, gint64 begin, gint64 end);
