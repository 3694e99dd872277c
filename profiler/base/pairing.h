/* pairing.h — how much faster one subject is than another, how sure that is, and when to stop.
 *
 * Subjects are built several times while they are measured (measure.h), since where memory and
 * threads happen to be placed makes a build faster or slower than the next.  The variance between
 * builds is part of every interval.  The estimate itself is comparison.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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
/* Degrees of freedom of a deviation that is assumed: nearly the normal distribution. */
#define PROF_ASSUMED_DEGREES 1000

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
  ProfVerdict verdict; /* of a against b: prof_find_verdict() */
} ProfPairing;

/* The verdict that two intervals of one ratio support.  FASTER and SLOWER: `strict` excludes 1, and the
 * ratio differs from 1 by more than PROF_SAME_WITHIN.  SAME: it differs by less, and `usual` lies
 * within twice PROF_SAME_WITHIN.  UNDECIDED in all other cases.  The inverse ratio has the opposite
 * verdict. */
ProfVerdict prof_find_verdict (const ProfInterval *usual, const ProfInterval *strict);
/* Adds an independent error to the intervals and decides again.  deviation: its standard deviation,
 * as a logarithm; degrees: of freedom that it is known with, or PROF_ASSUMED_DEGREES. */
void prof_pairing_widen (ProfPairing *pairing, double deviation, guint degrees);

/* The smallest relative difference that strict can detect; NaN if unknown. */
double prof_pairing_resolution (const ProfPairing *pairing);

/* The number of builds of n samples; build: of each, never decreasing, or NULL. */
guint prof_count_builds (const guint *build, guint n);
/* The end of the block of samples that begins at `from`: its build or, with fewer than PROF_MIN_BUILDS
 * builds, one of ten parts of the series. */
guint prof_find_block_end (const guint *build, guint n, guint from);

/* The observations that make a ratio. */
typedef struct
{
  const double *ratio;  /* log (a / b), by block */
  double        middle; /* the estimate of log (a / b) */
  guint         n, n_builds, n_pairs;
} ProfBlocks;

/* Fills pairing by Student's interval over blocks.  With fewer than PROF_MIN_BUILDS builds the variance
 * between builds is assumed. */
void prof_pair_blocks (const ProfBlocks *blocks, ProfPairing *pairing);
/* Compares two series that were not measured in turns.  deviation: relative standard deviation
 * between two measurements of one subject, such as PROF_SESSION_DEVIATION. */
void prof_compare_unpaired (const ProfInterval *a,
                            const ProfInterval *b,
                            double              deviation,
                            ProfPairing        *pairing);
/* The interval of the median of n samples over several builds, in the order in which they were
 * taken: as prof_median_interval(), but wide enough for the variance between builds. */
ProfInterval
prof_builds_interval (const double *values, const guint *build, guint n, double confidence);

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
