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

/* The part of a phase that lies inside of the image, of every row. */
typedef struct
{
  gint64 begin; /* floats of padding before it; the pitch: no cell lies inside */
  gint64 end;   /* where the padding behind it begins, perhaps behind the pitch */
  gint64 first; /* its first cell in a row of the image */
  gint64 cells; /* from there to the end of that row */
} HybWindowPhase;

typedef struct
{
  gint64         image[2], map[2]; /* rows and columns */
  gint64         stride[2], pad[2];
  HybDirectTaps  taps;                  /* of a row */
  gint64         pitch;                 /* floats from phase to phase of a row; whole vectors */
  gint64         row;                   /* floats from row to row: all phases */
  gint64         more;                  /* rows that the window of one position covers, less 1 */
  gint64         strip;                 /* rows of the map whose windows are laid out at a time */
  gint64         columns[HYB_MAX_TAPS]; /* where the cells under each tap of a row begin in it */
  HybWindowPhase phases[HYB_MAX_TAPS];
} HybWindowRows;

/* A plane of the image, and the floats of other planes before and behind it, which vectors may read. */
typedef struct
{
  const float *image;
  gint64       before, after;
} HybWindowPlane;

/* Whether the windows of a convolution can be laid out, and the second-level cache holds a strip of them. */
gboolean hyb_window_rows_fit (const HybConvolve *convolve);
/* Prepares rows for the windows of a convolution of modest sizes; cells outside of the image are zeros. */
void hyb_window_rows_init (HybWindowRows *rows, const HybConvolve *convolve);
/* Returns the floats that one strip takes, with its slack. */
gint64 hyb_window_rows_size (const HybWindowRows *rows);
/* Returns plane number `plane` of n_planes that lie one behind the other. */
HybWindowPlane
hyb_window_plane (const HybWindowRows *rows, const float *images, gint64 n_planes, gint64 plane);
/* Lays out the rows of a plane that the windows of n ≤ rows->strip rows of the map cover, from its row `first` on. */
void hyb_window_rows_fill (const HybWindowRows  *rows,
                           const HybWindowPlane *plane,
                           gint64                first,
                           gint64                n,
                           float                *to);
