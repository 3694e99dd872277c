/* resample.h — resamples the rows and columns of planes of floats: each result is a weighted sum of a few elements.
 *
 * Linear and cubic interpolation in up to two axes are written so.  Results do not depend on the number of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define HYB_RESAMPLE_MAX_TAPS 4
/* Elements of an axis, so that floats count them. */
#define HYB_RESAMPLE_MAX_SIZE 16777216

/* How one axis is resampled: result i is the sum over the taps t of weight[t · to + i] times the element number
 * index[t · to + i], a whole number; an index outside of the axis stands for element 0. */
typedef struct
{
  gint64 from, to; /* elements */
  int    n_taps; /* at most HYB_RESAMPLE_MAX_TAPS; 0: the axis stays as it is, and from equals to */
  const float *index, *weight;
} HybTaps;

/* Planes of rows.from × columns.from elements become planes of rows.to × columns.to. */
typedef struct
{
  gint64  n_planes;
  HybTaps rows, columns;
} HybResample;

/* Computes y from x, on several threads. */
void hyb_resample (const HybResample *resample, const float *x, float *y);
/* The gradient of x from that of y, on several threads. */
void hyb_resample_backward (const HybResample *resample, const float *dy, float *dx);
