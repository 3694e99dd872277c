/* statements.h — the statements about a comparison.
 *
 * The terminal, reports and the window show the same statements.  Each is made from numbers of one
 * ProfComparison; the window reads them from the JSON of hscope compare.  Noise is said without a sign.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/explain/ladder.h"

/* "fused is 2.42 × as fast as unrolled (2.31 – 2.53)", with the interval that decides.
 * (transfer full) */
char *scope_say_pair (const char *a, const char *b, const ProfPairing *pairing);
/* A time; "–" for none.  (transfer full) */
char *scope_say_time (double seconds);
/* How much less time something takes: "−7.34 ms (−7.51 ms … −7.12 ms)", or "± 12.0 µs" for possible noise;
 * "too few runs".  (transfer full) */
char *scope_say_change (const ProfInterval *saved, ProfVerdict verdict);
/* The time that a bucket saves, in the same way; its interval decides.  (transfer full) */
char *scope_say_bucket (const ProfBucket *bucket);
/* Without the interval.  (transfer full) */
char *scope_say_bucket_shortly (const ProfBucket *bucket);
/* Whether the interval of a bucket contains 0. */
gboolean scope_bucket_is_noise (const ProfBucket *bucket);
/* How much faster: "+142 %" for a ratio of times, or "± 3 %" for possible noise; "–" for too few
 * runs.  (transfer full) */
char *scope_say_speed_up (const ProfPairing *pairing, int n_decimals);
/* That the machine changed its speed: factors on times, see prof_comparison_get_speed().
 * (transfer full) */
char *scope_say_speed (double fastest, double slowest);
/* The same of a comparison.  (nullable) NULL: the machine did not change it.  (transfer full) */
char *scope_say_speed_of (const ProfComparison *comparison /* (nullable) */);
/* Why one subject is faster, in a few words.  (transfer full) */
char *scope_say_reason (const ProfExplanation *explanation);

/* TRUE if the difference may be noise. */
gboolean scope_is_noise (ProfVerdict verdict);
/* "−12.1 ms in all, 0.2 ms of it in rungs that may be noise".  rungs: of ProfRung.  (transfer full) */
char *scope_say_rungs (const GPtrArray *rungs);
