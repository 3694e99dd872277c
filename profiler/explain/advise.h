/* advise.h — suggestions to make a model faster, each with the figure that triggered it.
 *
 * Every rule is one function in advise.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

typedef struct
{
  const char *rule;    /* "fusable"; static */
  char       *trigger; /* the figure that triggered it, in words, without a full stop */
  char       *text;    /* what to do, without a full stop */
  double      gain;    /* estimated seconds per run; NaN: cannot be estimated */
  double      factor;  /* how many times faster a run would be; NaN: not known */
} ProfAdvice;

/* GPtrArray of ProfAdvice, largest gain first; owns its elements.  (transfer full) */
GPtrArray *prof_advise (const ProfCapture *capture, const ProfSummary *summary);
