/* statistics.h — medians, their confidence intervals, and verdicts on pairs of series.
 *
 * Times on a shared machine are skewed and drift, so everything is based on ranks: medians,
 * intervals between order statistics, and ratios of samples that were taken next to each other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A median and its confidence interval. */
typedef struct
{
  double median, low, high;
} ProfInterval;

typedef struct
{
  guint        n;
  ProfInterval median; /* 95 % */
  double       minimum, maximum, mean;
  double       quarter, three_quarters, p95; /* quantiles */
  double       deviation;                    /* standard deviation relative to the mean */
  guint        n_outliers; /* samples with a modified z-score above 3.5; they are not removed */
} ProfStatistics;

/* The median of n values, which need not be sorted; NaN for n = 0. */
double prof_median (const double *values, guint n);
/* Fills statistics; for n = 0 everything but n is NaN or 0. */
void prof_statistics (const double *values, guint n, ProfStatistics *statistics);

/* The interval between two order statistics (sign test), which is exact for every distribution.
 * With too few samples for the confidence it spans all of them. */
ProfInterval prof_median_interval (const double *values, guint n, double confidence);
/* A bootstrap interval of the weighted sum of the medians of n_series series with n[i] samples
 * each.  1000 resamples, always the same. */
ProfInterval prof_bootstrap_sum (const double *const *series,
                                 const guint         *n,
                                 const double        *weights,
                                 guint                n_series,
                                 double               confidence);

typedef enum
{
  PROF_FASTER, /* a takes less time than b */
  PROF_SLOWER,
  PROF_SAME,
  PROF_UNDECIDED,
} ProfVerdict;

/* "faster", "slower", "same", "undecided". */
const char *prof_verdict_name (ProfVerdict verdict);

/* Relative differences below this are irrelevant. */
#define PROF_SAME_WITHIN 0.01

/* The ratio a / b. */
typedef struct
{
  guint        n;
  ProfInterval ratio;   /* 95 % */
  ProfInterval strict;  /* 99.9 %, so that verdicts may be checked after every ten samples */
  ProfVerdict  verdict; /* of a against b; based on strict */
} ProfPairing;

/* Compares n pairs of samples that were taken next to each other. */
void prof_pair (const double *a, const double *b, guint n, ProfPairing *pairing);
/* Compares two series that were not measured together; its intervals are wider. */
void prof_compare_unpaired (const double *a,
                            guint         n_a,
                            const double *b,
                            guint         n_b,
                            ProfPairing  *pairing);

/* Why a series ended. */
typedef enum
{
  PROF_STOP_NOT,     /* more samples are needed; in a finished series: as many as requested */
  PROF_STOP_DECIDED, /* every pair has a verdict */
  PROF_STOP_PRECISE, /* the interval is narrower than 1 % to each side */
  PROF_STOP_ENOUGH,  /* PROF_MAX_SAMPLES */
  PROF_STOP_TIME,
  PROF_STOP_CANCELLED,
} ProfStop;

#define PROF_MAX_SAMPLES 200
#define PROF_MIN_SAMPLES 10 /* for a verdict on a small difference, and between checks */

/* The reason in words. */
const char *prof_stop_name (ProfStop stop);
/* Whether one series has enough samples.  Checks only after every PROF_MIN_SAMPLES. */
ProfStop prof_series_stop (const double *values, guint n);
/* Whether a pair of series has enough samples.  Checks only after every PROF_MIN_SAMPLES. */
ProfStop prof_pair_stop (const double *a, const double *b, guint n);
