/* advise.h — what could be done about it, each with the number that says so.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

typedef struct
{
  const char *rule;    /* "fusable"; static */
  char       *trigger; /* the number that set it off, in words */
  char       *text;    /* what to do */
  double      gain;    /* seconds of a run, estimated; NaN: cannot be said */
  double      factor;  /* how many times faster the whole would be; NaN */
} ProfAdvice;

/* Of ProfAdvice, largest gain first. */
GPtrArray *prof_advise (const ProfCapture *capture, const ProfSummary *summary);

/* Seconds that a sequence of cells, unrolled by name, would take as one fused layer, by
 * the ladder's model: inputs of all steps in one product, pointwise work in the cache.
 * NaN: there is no such sequence.  scope gets the cell's name. */
double prof_estimate_fused (const ProfCapture *capture,
                            const ProfSummary *summary,
                            guint             *n_steps,
                            const char       **scope);
