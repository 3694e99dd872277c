/* statistics.h — medians, how sure we are of them, and when two things differ.
 *
 * Times of a shared machine are skewed and drift, so everything is by rank: medians,
 * intervals between order statistics, ratios of samples taken next to each other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  double median, low, high; /* of the median, at the confidence asked for */
} ProfInterval;

typedef struct
{
  guint        n;
  ProfInterval median; /* 95 % */
  double       minimum, maximum, mean;
  double       quarter, three_quarters, p95;
  double       deviation;  /* of the samples, relative to the mean */
  guint        n_outliers; /* modified z-score over 3.5: shown, never removed */
} ProfStatistics;

/* values need not be sorted and stay as they are; of none, everything is NaN. */
double prof_quantile (const double *values, guint n, double at);
double prof_median (const double *values, guint n);
void   prof_statistics (const double *values, guint n, ProfStatistics *statistics);

/* Between order statistics (sign test): exact whatever the distribution.  With few
 * samples the interval is all there is. */
ProfInterval prof_median_interval (const double *values, guint n, double confidence);
/* By drawing n samples 1000 times, always the same draws.  weights: of the sum of
 * medians of n_series series; for sums and differences. */
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

const char *prof_verdict_name (ProfVerdict verdict);

/* Differences below this do not matter to anybody. */
#define PROF_SAME_WITHIN 0.01

/* a over b, of samples that were taken next to each other. */
typedef struct
{
  guint        n;
  ProfInterval ratio;  /* 95 % */
  ProfInterval strict; /* 99.9 %: what verdicts rest on, so that looking often does no harm */
  ProfVerdict  verdict;
} ProfPairing;

void prof_pair (const double *a, const double *b, guint n, ProfPairing *pairing);
/* Unpaired: medians and intervals of two sets that were not measured together. */
void prof_compare_unpaired (const double *a,
                            guint         n_a,
                            const double *b,
                            guint         n_b,
                            ProfPairing  *pairing);

/* Whether more samples would tell more. */
typedef enum
{
  PROF_STOP_NOT,
  PROF_STOP_DECIDED, /* every verdict is there */
  PROF_STOP_PRECISE, /* the interval is narrower than 1 % to each side */
  PROF_STOP_ENOUGH,  /* as many samples as anybody needs */
  PROF_STOP_TIME,
  PROF_STOP_CANCELLED,
} ProfStop;

#define PROF_MAX_SAMPLES 200
#define PROF_MIN_SAMPLES 10

const char *prof_stop_name (ProfStop stop);
/* Of one series, looked at after every ten samples. */
ProfStop prof_series_stop (const double *values, guint n);
/* Of pairs. */
ProfStop prof_pair_stop (const double *a, const double *b, guint n);
