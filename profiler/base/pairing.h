/* pairing.h — how much faster one subject is than another, how sure that is, and when to stop.
 *
 * Subjects are built several times while they are measured (measure.h), since where memory and
 * threads happen to be placed makes a build faster or slower than the next.  The variance between
 * builds is part of every interval.  Start with prof_pair_builds().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/disturbance.h"
#include "profiler/base/statistics.h"

typedef enum
{
  PROF_FASTER, /* a takes less time than b */
  PROF_SLOWER,
  PROF_SAME,
  PROF_UNDECIDED,
} ProfVerdict;

/* "faster", "slower", "same", "undecided". */
const char *prof_verdict_name (ProfVerdict verdict);
/* The same for readers: "too few runs" where there is no interval that could decide. */
const char *prof_verdict_describe (ProfVerdict verdict, const ProfInterval *interval);

/* Relative differences below this are irrelevant. */
#define PROF_SAME_WITHIN 0.01
/* The standard deviation between builds of one subject, relative to its time, that is assumed where
 * fewer than PROF_MIN_BUILDS builds were measured. */
#define PROF_BUILD_DEVIATION 0.01
/* Between sessions: frequency, temperature and other load differ as well. */
#define PROF_SESSION_DEVIATION 0.02
/* Builds from which the variance between them is estimated from themselves. */
#define PROF_MIN_BUILDS 6

/* The ratio a / b.  Its estimate, interval and verdict have one source. */
typedef struct
{
  guint        n;        /* pairs */
  guint        n_builds; /* of each subject; 0: not measured in turns */
  ProfInterval ratio;    /* 95 % */
  ProfInterval strict;   /* 99.8 %, so that verdicts may be checked after every build */
  /* Two builds of one subject differ by up to this, relatively (95 %); NaN with less than
   * PROF_MIN_BUILDS builds. */
  double      spread;
  ProfVerdict verdict; /* of a against b; based on strict */
} ProfPairing;

/* The smallest relative difference that strict can tell from none; NaN if it is not known. */
double prof_pairing_resolution (const ProfPairing *pairing);

/* Samples of two subjects, a[i] and b[i] taken next to each other. */
typedef struct
{
  const double *a, *b; /* seconds */
  const guint  *build; /* of each pair, never decreasing; NULL: all of one build */
  guint         n;     /* pairs */
} ProfPairs;

/* Those pairs that make the estimate: prof_select_undisturbed().  of_a, of_b: facts about the samples;
 * NULL: not known.  Free with g_free(). */
ProfPairs *prof_pairs_undisturbed (const ProfPairs       *pairs,
                                   const ProfSampleFacts *of_a,
                                   const ProfSampleFacts *of_b);

/* Compares pairs by Student's interval of the builds' medians of log (a / b).  With fewer than
 * PROF_MIN_BUILDS builds, parts of the series take their place, and the variance between builds
 * is assumed. */
void prof_pair_builds (const ProfPairs *pairs, ProfPairing *pairing);
/* The same for n pairs of one build. */
void prof_pair (const double *a, const double *b, guint n, ProfPairing *pairing);
/* Compares two series that were not measured in turns.  deviation: relative standard deviation
 * between two measurements of one subject, such as PROF_SESSION_DEVIATION. */
void prof_compare_unpaired (const ProfInterval *a,
                            const ProfInterval *b,
                            double              deviation,
                            ProfPairing        *pairing);
/* The interval of the median of n samples over several builds, in the order in which they were
 * taken: that of prof_median_interval(), and wide enough for the variance between builds. */
ProfInterval
prof_builds_interval (const double *values, const guint *build, guint n, double confidence);

/* The medians of log (a / b) and of log b, by build or, with fewer than PROF_MIN_BUILDS builds, by
 * part of the series. */
typedef struct
{
  double *ratio, *level;
  guint   n, n_builds;
} ProfBlocks;

/* Computes the blocks of pairs; free the arrays with prof_blocks_clear(). */
void prof_blocks_init (ProfBlocks *blocks, const ProfPairs *pairs);
/* Frees the arrays of blocks, not blocks itself. */
void prof_blocks_clear (ProfBlocks *blocks);

/* Why a series ended. */
typedef enum
{
  PROF_STOP_NOT,     /* more samples are needed; in a finished series: as many as requested */
  PROF_STOP_DECIDED, /* every pair has a verdict */
  PROF_STOP_PRECISE, /* the interval is narrower than 1 % to each side */
  PROF_STOP_ENOUGH,  /* PROF_MAX_SAMPLES, or as many builds as are useful */
  PROF_STOP_TIME,
  PROF_STOP_CANCELLED,
} ProfStop;

#define PROF_MAX_SAMPLES 200
#define PROF_MIN_SAMPLES 10 /* between checks of a series without builds */

/* The reason in words. */
const char *prof_stop_name (ProfStop stop);
/* Whether one series has enough samples.  build: of each sample; NULL: of one build, which is checked
 * only after every PROF_MIN_SAMPLES. */
ProfStop prof_series_stop (const double *values, const guint *build, guint n);
/* Whether pairs of at least min_builds builds have a verdict.  To be called when a build is complete. */
ProfStop prof_pair_stop (const ProfPairs *pairs, guint min_builds);
