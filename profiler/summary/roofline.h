/* roofline.h — the peak rates of this machine, measured, and how near an operator comes to them.
 *
 * In the roofline model the attainable rate is limited by arithmetic or, at low intensity, by
 * memory bandwidth.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

typedef struct
{
  double flops; /* per second, in a large matrix product with all threads */
  double bytes; /* per second, read and written in a large copy */
} ProfPeaks;

/* The peaks of this machine.  The first call takes a fraction of a second; the result is stored in
 * the user's cache, per processor and number of threads, unless the machine is busy. */
ProfPeaks prof_roofline_measure (void);
/* The peaks that a capture stores; NaN: not measured. */
ProfPeaks prof_roofline_peaks (const ProfCapture *capture);

typedef struct
{
  double intensity;  /* FLOP per byte, as computed from shapes */
  double flops;      /* per second, achieved */
  double attainable; /* FLOP per second, at this intensity */
  double reached;    /* share of what is attainable, 0 to 1 */
  double wasted;     /* seconds × (1 − reached) */
} ProfRoofPoint;

/* Computes the point of work that took this long.  FALSE if work or peaks are not known. */
gboolean prof_roofline_point (const ProfPeaks *peaks,
                              double           seconds,
                              double           flops,
                              double           bytes,
                              ProfRoofPoint   *point);
