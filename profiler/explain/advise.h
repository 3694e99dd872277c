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
