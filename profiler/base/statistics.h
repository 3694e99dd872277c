/* statistics.h — medians and their confidence intervals.
 *
 * Times on a shared machine are skewed and drift, so everything is based on ranks: medians, and
 * intervals between order statistics.  Comparisons of two series are in pairing.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Fewer samples have no interval: six are the fewest whose extremes enclose the median with a
 * probability of 95 % (1 − 2 / 2⁶ = 97 %). */
#define PROF_MIN_FOR_INTERVAL 6

/* An estimate and its confidence interval, which contains it.  low and high are NaN if there are
 * too few samples: prof_interval_is_known(). */
typedef struct
{
  double median, low, high;
} ProfInterval;

/* Whether there were enough samples for an interval. */
gboolean prof_interval_is_known (const ProfInterval *interval);

typedef struct
{
  guint        n;
  ProfInterval median; /* 95 % */
  double       minimum, maximum, mean;
  double       quarter, three_quarters, p95; /* quantiles */
  double       deviation;                    /* standard deviation relative to the mean */
  guint        n_outliers; /* samples with a modified z-score above 3.5; they are not removed */
} ProfStatistics;

/* The mean of n values; NaN for n = 0. */
double prof_mean (const double *values, guint n);
/* The standard deviation of n values; 0 for fewer than two. */
double prof_deviation (const double *values, guint n);
/* The median of n values, which need not be sorted; NaN for n = 0. */
double prof_median (const double *values, guint n);
/* The quantile at, 0 to 1, of n values; NaN for n = 0. */
double prof_quantile (const double *values, guint n, double at);
/* Fills statistics; for n = 0 everything but n is NaN or 0. */
void prof_statistics (const double *values, guint n, ProfStatistics *statistics);

/* The interval between two order statistics, which is exact for independent samples of every
 * distribution (sign test).  Samples, in the order in which they were taken, that resemble their
 * neighbours count for fewer: a burst of load or a drift widens the interval. */
ProfInterval prof_median_interval (const double *values, guint n, double confidence);

/* The t for which a variable with Student's distribution is below t with this probability, at least
 * 0.5; degrees: of freedom, from 1. */
double prof_student_quantile (double probability, guint degrees);
