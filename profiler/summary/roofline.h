/* roofline.h — the peak rates of this machine, measured, and how near an operator comes to them.
 *
 * In the roofline model the attainable rate is limited by arithmetic or, at low intensity, by
 * memory bandwidth.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

typedef struct
{
  double      flops;     /* per second, in a large matrix product with all threads */
  double      bytes;     /* per second, read and written in a large copy */
  const char *disturbed; /* why both may be too low, as a sentence (static); NULL */
} ProfPeaks;

/* The peaks of this machine.  Repeats each measurement until the three fastest repetitions that did not
 * wait for a processor agree, or for half a second.  Peaks that agree are stored beside the model of the
 * machine (machine/machine-store.h), per host, processor and number of threads.  NaN in a process whose memory is limited so
 * much that they cannot be measured. */
ProfPeaks prof_roofline_measure (const ProfFacts *machine);
/* The name of their group there, by host, processor and threads: a home may be shared by several
 * machines.  (transfer full) */
char *prof_roofline_dup_machine (const ProfFacts *machine);
/* The peaks that a capture stores; NaN: not measured. */
ProfPeaks prof_roofline_peaks (const ProfCapture *capture);

typedef struct
{
  double intensity;  /* FLOP per byte, as computed from shapes */
  double flops;      /* per second, achieved */
  double attainable; /* FLOP per second, at this intensity */
  double reached;    /* share of the attainable rate; above 1 if the measured peaks are too low
                      * for this work, such as data that lies in caches */
  double wasted;     /* seconds × (1 − reached) */
} ProfRoofPoint;

/* Computes the point of work that took this long.  FALSE if work or peaks are not known. */
gboolean prof_roofline_point (const ProfPeaks *peaks,
                              double           seconds,
                              double           flops,
                              double           bytes,
                              ProfRoofPoint   *point);
/* How near the point comes to the roof, in words: "80 %"; "above (×3.1)" if the measured peaks are too
 * low for it.  (transfer full) */
char *prof_roofline_text (const ProfRoofPoint *point);
