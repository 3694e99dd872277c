/* advise.h — suggestions to make a model faster, each with the figure that triggered it.
 *
 * Every rule is one function in advise.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

typedef struct
{
  const char *rule;      /* "fusable"; static */
  char       *trigger;   /* the figure that triggered it, in words, without a full stop */
  char       *text;      /* the advice, without a full stop */
  double      gain;      /* estimated seconds per run; NaN: not known */
  double      low, high; /* the bounds of the gain, in seconds; NaN: unknown.  A bound without an
                          * estimate says that no more than high can be gained */
  double      factor;    /* how many times faster a run would be; NaN: not known */
} ProfAdvice;

/* The fact of a capture that lists the forms its model can be converted to: "foreach, fused". */
#define PROF_FORMS_KEY "forms.possible"

/* The gain, in words in parentheses after a space: " (about 2 ms a run, 1.5 ms … 2.5 ms)", " (gain
 * not known, at most 2 ms a run)"; empty for advice that makes nothing faster.  (transfer full) */
char *prof_advice_gain (const ProfAdvice *advice);

/* GPtrArray of ProfAdvice, largest gain first; owns its elements.  (transfer full) */
GPtrArray *prof_advise (const ProfCapture *capture, const ProfSummary *summary);
