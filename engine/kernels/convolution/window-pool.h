/* window-pool.h — maximum, sum or average of windows that slide over planes of floats.
 *
 * The cells of each column of a window are reduced first, for all columns of a row of windows, so that neighbouring windows
 * share them; then these results, from left to right.  Cells are read in place: rows beyond the image are left out, and only
 * the reduced columns get padding.  Of zeros of either sign, the maximum may return either.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

typedef enum
{
  HYB_POOL_MAX, /* NaN does not count; the lowest float if there is no other cell */
  HYB_POOL_SUM,
  HYB_POOL_AVERAGE,
} HybPoolKind;

typedef struct
{
  HybPoolKind kind;
  HybConvolve
           window; /* batch: the number of planes; filters, channels and groups have no meaning */
  gboolean counts_padding; /* averages divide by the size of the window in the padded image */
  const float *image;
  float       *map;
  gpointer     workspace; /* hyb_window_pool_workspace() bytes */
} HybWindowPool;

/* Whether hyb_window_pool() can reduce these windows. */
gboolean hyb_window_pool_fits (const HybConvolve *window);
/* Returns the bytes of workspace for windows that fit. */
gsize hyb_window_pool_workspace (const HybConvolve *window);
/* Computes the map of all planes, on several threads. */
void hyb_window_pool (const HybWindowPool *pool);
