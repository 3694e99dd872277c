/* counters.h — what the processor and the kernel count while a run goes on.
 *
 * Hardware counters need a performance unit that this process may use; what the kernel
 * counts itself is nearly always there, page faults and context switches always.  Each
 * thread has a group of counters that run at the same time, so that ratios of them hold.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  PROF_COUNT_CYCLES,
  PROF_COUNT_INSTRUCTIONS,
  PROF_COUNT_CACHE_REFERENCES,
  PROF_COUNT_CACHE_MISSES,
  PROF_COUNT_BRANCH_MISSES,
  PROF_COUNT_PROCESSOR_TIME, /* seconds, of all threads */
  PROF_COUNT_MIGRATIONS,     /* from core to core */
  PROF_COUNT_PAGE_FAULTS,
  PROF_COUNT_SWITCHES,
  PROF_N_COUNTS,
} ProfCount;

const char *prof_count_name (ProfCount count);

typedef struct _ProfCounters ProfCounters;

/* Never NULL: what cannot be counted is left out, and why is one sentence. */
ProfCounters *prof_counters_new (void);
void          prof_counters_free (ProfCounters *counters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfCounters, prof_counters_free)
const char *prof_counters_get_reason (const ProfCounters *counters); /* NULL: all can be counted */

void prof_counters_begin (ProfCounters *counters);
/* NaN for what could not be counted; scaled where the kernel took turns. */
void prof_counters_end (ProfCounters *counters, double counts[PROF_N_COUNTS]);

/* What a group of n counters reads as: how many, ns wanted, ns running, then each.  Scaled
 * to all of the time; FALSE: cut short, of another group, or never running. */
gboolean prof_counters_decode (const guint64 *words, gsize n_words, guint n, double *values);
