/* chrome-counters.h — counter tracks of a Chrome trace: memory and processors in use.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

#define PROF_CHROME_PROCESS \
  4242 /* not the index of any device, since readers put both in one row */

typedef struct
{
  const ProfCapture *capture;
  GHashTable        *in_use;    /* row → bytes that the plan holds while it runs, as guint64 */
  GHashTable        *cores;     /* run → double: processors that it used, if known */
  guint64            last;      /* bytes in use that were written last */
  gint64             allocated; /* sum of the MEMORY events so far */
  guint64            run_end; /* ns: where the counter of processors returns to 0; 0: it is there */
} ProfChromeCounters;

/* Reads the memory and CPU time in a capture. */
void prof_chrome_counters_init (ProfChromeCounters *counters, const ProfCapture *capture);
/* Frees the members of counters. */
void prof_chrome_counters_clear (ProfChromeCounters *counters);
/* Appends counter events that change when event begins, each followed by a comma.  Call it for all
 * events in the order of their begins; base: ns that are 0 in the trace. */
void prof_chrome_counters_append (ProfChromeCounters *counters,
                                  GString            *to,
                                  const ProfEvent    *event,
                                  guint64             base);
/* Appends the rest after the last event. */
void prof_chrome_counters_finish (ProfChromeCounters *counters, GString *to, guint64 base);
/* Appends ns as microseconds with three decimals. */
void prof_chrome_append_micros (GString *to, guint64 ns);
