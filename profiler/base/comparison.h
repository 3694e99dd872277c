/* comparison.h — the one estimate of several subjects: their times, and every ratio and difference.
 *
 * In round r of runs in turns, subject i takes exp (slowness[r] + need[i]) seconds: the slowness of the
 * machine in that round, and the need of the subject. All statements about the subjects come from these
 * numbers, so no two statements contradict each other: the quotient of two times is the ratio of
 * prof_comparison_pair(), however the machine changes its speed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/disturbance.h"
#include "profiler/base/pairing.h"

/* The clean runs of a subject.  In turns, run i of all subjects belongs to round i. */
typedef struct
{
  const double          *seconds;
  const ProfSampleFacts *facts; /* NULL: not known */
  const guint           *build; /* of each run, never decreasing; NULL: all of one build */
  guint                  n;
} ProfRuns;

typedef struct _ProfComparison ProfComparison;

/* Estimates n subjects, which must be at least one.  in_turns: FALSE if each was measured at another
 * time.  Rounds in which a subject was disturbed do not count for it, unless too few others remain.
 * (transfer full) */
ProfComparison *prof_comparison_new (const ProfRuns *runs, guint n, gboolean in_turns);
/* Frees comparison; NULL is allowed. */
void prof_comparison_free (ProfComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfComparison, prof_comparison_free)

/* Seconds of a run of a subject while the machine had its typical speed; 95 %. */
const ProfInterval *prof_comparison_get_time (const ProfComparison *comparison, guint subject);
/* Compares subject a with subject b. */
void
prof_comparison_pair (const ProfComparison *comparison, guint a, guint b, ProfPairing *pairing);
/* Seconds that b saves against a; 95 %. */
ProfInterval prof_comparison_get_saved (const ProfComparison *comparison, guint a, guint b);
/* Whether all subjects have a verdict against the first, over at least min_builds builds. */
ProfStop prof_comparison_stop (const ProfComparison *comparison, guint min_builds);
/* Gets how long a run took in the fastest and in the slowest part of the measurement, relative to the
 * time that prof_comparison_get_time() gives.  TRUE if the machine changed its speed: they differ by more
 * than PROF_STEADY_WITHIN. */
gboolean
prof_comparison_get_speed (const ProfComparison *comparison, double *fastest, double *slowest);
#define PROF_STEADY_WITHIN 0.15

/* The observations behind an interval: logarithms of time a over time b by block, which is a build, or
 * a part of the series where there are fewer than PROF_MIN_BUILDS builds.  (transfer full) */
double *
prof_comparison_dup_ratios (const ProfComparison *comparison, guint a, guint b, guint *n_blocks);
/* By block, the logarithm of how slow the machine was, up to a constant.  (transfer full) */
double *
prof_comparison_dup_slowness (const ProfComparison *comparison, guint subject, guint *n_blocks);

/* Compares n pairs of one build. */
void prof_pair (const double *a, const double *b, guint n, ProfPairing *pairing);
