/* window-rows.h — lays out rows of one plane of an image for windows that slide over them.
 *
 * Each row gets its padding, so that windows need no test for the border.  With strides along the row it becomes one
 * row for each phase: every stride-th cell, starting at a given one.  So the cells under one tap of the kernel of
 * neighbouring positions are neighbours, too, and vectors of them can be loaded.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/direct-layout.h"

/* Floats behind the last row that vectors may read and write. */
#define HYB_WINDOW_SLACK 32

typedef struct
{
  gint64        image[2], map[2]; /* rows and columns */
  gint64        stride[2], pad[2];
  HybDirectTaps taps;                  /* of a row */
  gint64        pitch;                 /* floats from phase to phase of a row; whole vectors */
  gint64        row;                   /* floats from row to row: all phases */
  gint64        more;                  /* rows that the window of one position covers, less 1 */
  gint64        strip;                 /* rows of the map whose windows are laid out at a time */
  gint64        columns[HYB_MAX_TAPS]; /* where the cells under each tap of a row begin in it */
  float         outside;               /* the value of padding */
} HybWindowRows;

/* Whether the windows of a convolution can be laid out, and the second-level cache holds a strip of them. */
gboolean hyb_window_rows_fit (const HybConvolve *convolve);
/* Prepares rows for the windows of a convolution of modest sizes; cells outside of the image have the value `outside`. */
void hyb_window_rows_init (HybWindowRows *rows, const HybConvolve *convolve, float outside);
/* Returns the floats that one strip takes, with its slack. */
gint64 hyb_window_rows_size (const HybWindowRows *rows);
/* Lays out the rows of a plane that the windows of n ≤ rows->strip rows of the map cover, from its row `first` on. */
void hyb_window_rows_fill (const HybWindowRows *rows,
                           const float         *image,
                           gint64               first,
                           gint64               n,
                           float               *to);
