/* counters.h — hardware and kernel counters over a number of runs.
 *
 * Hardware counters need a performance monitoring unit that this process may use; counters of the
 * kernel are nearly always available, page faults and context switches always.  Each thread has a
 * group of counters that run at the same time, so that their ratios are meaningful.
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
  PROF_COUNT_PROCESSOR_TIME, /* seconds, summed over all threads */
  PROF_COUNT_MIGRATIONS,     /* of threads between cores */
  PROF_COUNT_PAGE_FAULTS,
  PROF_COUNT_SWITCHES, /* of context */
  PROF_N_COUNTS,
} ProfCount;

/* "cycles", "page faults". */
const char *prof_count_name (ProfCount count);

typedef struct _ProfCounters ProfCounters;

/* Opens the counters that are available for all threads of this process.  Never NULL.  (transfer
 * full) */
ProfCounters *prof_counters_new (void);
/* Closes the counters; NULL is allowed. */
void prof_counters_free (ProfCounters *counters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfCounters, prof_counters_free)
/* Why hardware counters are missing, without a full stop; NULL if they are available. */
const char *prof_counters_get_reason (const ProfCounters *counters);

/* Resets and starts the counters. */
void prof_counters_begin (ProfCounters *counters);
/* Stops the counters and reads them: NaN for those that are not available, extrapolated where the
 * kernel multiplexed groups. */
void prof_counters_end (ProfCounters *counters, double counts[PROF_N_COUNTS]);

/* Decodes the words read from a group of n counters: the number of counters, ns enabled, ns
 * running, then the values.  Values are scaled to all of the time.  FALSE if the words are cut
 * short, of another group, or if the group never ran.  Public for its test. */
gboolean prof_counters_decode (const guint64 *words, gsize n_words, guint n, double *values);
