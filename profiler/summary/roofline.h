/* roofline.h — what this machine can do at most, measured, and how near an operator comes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

typedef struct
{
  double flops; /* a second: a large matrix product, all threads */
  double bytes; /* a second: a large copy, read and written */
} ProfPeaks;

/* Measured in a fraction of a second, and kept for this processor and number of threads
 * in the user's cache. */
ProfPeaks prof_roofline_measure (void);
/* As a capture has them; NaN: not measured. */
ProfPeaks prof_roofline_peaks (const ProfCapture *capture);

typedef struct
{
  double intensity;  /* FLOP a byte, as the model says */
  double flops;      /* a second, achieved */
  double attainable; /* a second, at this intensity */
  double reached;    /* share of what is attainable, 0 … 1 */
  double wasted;     /* seconds × (1 − reached) */
} ProfRoofPoint;

/* FALSE: work or peaks are not known. */
gboolean prof_roofline_point (const ProfPeaks *peaks,
                              double           seconds,
                              double           flops,
                              double           bytes,
                              ProfRoofPoint   *point);
