/* statistics.c — statistics by rank: quantiles, and intervals between order statistics.
 *
 * Start reading at prof_median_interval().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIDDLE_PROBABILITY 0.99 /* between those of the usual and the strict verdict */
#define MAX_TURNS          60   /* of a search, which takes about five */
#define MAX_LAG            200  /* samples further apart count as independent */
#define OUTLIER_SCORE      3.5  /* modified z-score */
/* The median absolute deviation of a normal distribution, in standard deviations. */
#define MAD_SCALE 0.6745

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double *
sort_copy (const double *values, guint n)
{
  double *sorted = g_new (double, MAX (n, 1));

  if (n > 0)
    memcpy (sorted, values, n * sizeof *values);
  qsort (sorted, n, sizeof *sorted, compare_doubles);
  return sorted;
}

double
prof_mean (const double *values, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[i];
  return n > 0 ? sum / n : NAN;
}

double
prof_deviation (const double *values, guint n)
{
  double mean = prof_mean (values, n), squares = 0;

  for (guint i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  return n > 1 ? sqrt (squares / (n - 1)) : 0;
}

/* The quantile at, 0 to 1, interpolated between neighbours; NaN for n = 0. */
static double
quantile_of_sorted (const double *sorted, guint n, double at)
{
  double position = at * (n - 1);
  guint  below = n > 0 ? (guint) CLAMP (floor (position), 0, n - 1) : 0;

  if (n == 0)
    return NAN;
  if (below + 1 >= n)
    return sorted[n - 1];
  return sorted[below] + (position - below) * (sorted[below + 1] - sorted[below]);
}

double
prof_quantile (const double *values, guint n, double at)
{
  g_autofree double *sorted = sort_copy (values, n);

  return quantile_of_sorted (sorted, n, at);
}

double
prof_median (const double *values, guint n)
{
  return prof_quantile (values, n, 0.5);
}

/* --- Intervals --- */

/* The largest r with P (fewer than r heads in n tosses of a fair coin) ≤ alpha / 2.  The interval
 * from the r-th smallest to the r-th largest sample then contains the median with confidence 1 -
 * alpha.  0: too few samples. */
static guint
order_rank (guint n, double alpha)
{
  double log_term = -(double) n * M_LN2; /* of C(n, 0) / 2^n */
  double sum = 0;
  guint  rank = 0;

  for (guint k = 0; k < n / 2 + 1; k++)
    {
      sum += exp (log_term);
      if (sum > alpha / 2)
        break;
      rank = k + 1;
      log_term += log ((double) (n - k)) - log ((double) (k + 1));
    }
  return rank;
}

/* How many neighbouring samples count for one: 1 + 2 Σ of the correlations of the signs (above or
 * below the median) of samples 1, 2, … apart, up to the first that is not positive. */
static double
cluster_size (const double *values, guint n, double median)
{
  g_autofree double *sign = g_new (double, MAX (n, 1));
  double             mean = 0, variance = 0, size = 1;

  for (guint i = 0; i < n; i++)
    mean += (sign[i] = values[i] > median ? 1 : -1) / n;
  for (guint i = 0; i < n; i++)
    variance += (sign[i] - mean) * (sign[i] - mean);
  for (guint lag = 1; lag < MIN (n / 3, MAX_LAG) && variance > 0; lag++)
    {
      double sum = 0;

      for (guint i = 0; i + lag < n; i++)
        sum += (sign[i] - mean) * (sign[i + lag] - mean);
      /* Correlations of a series with its own mean are too small by about 1 / n. */
      sum = sum / variance + 1.0 / n;
      if (sum <= 0)
        break;
      size += 2 * sum;
    }
  return size;
}

/* The interval of values in the order in which they were taken; sorted: the same, sorted. */
static ProfInterval
interval_of (const double *values, const double *sorted, guint n, double confidence)
{
  ProfInterval interval = { quantile_of_sorted (sorted, n, 0.5), NAN, NAN };
  double       middle = (n + 1) / 2.0, rank;

  if (n < PROF_MIN_FOR_INTERVAL)
    return interval;
  rank = MAX (order_rank (n, 1 - confidence), 1);
  /* The interval's width in ranks grows with the root of the number of samples that count for one. */
  rank = middle - (middle - rank) * sqrt (cluster_size (values, n, interval.median));
  rank = CLAMP (floor (rank), 1, (n + 1) / 2);
  interval.low = sorted[(guint) rank - 1];
  interval.high = sorted[n - (guint) rank];
  return interval;
}

gboolean
prof_interval_is_known (const ProfInterval *interval)
{
  return isfinite (interval->low) && isfinite (interval->high);
}

ProfInterval
prof_median_interval (const double *values, guint n, double confidence)
{
  g_autofree double *sorted = sort_copy (values, n);

  return interval_of (values, sorted, n, confidence);
}

/* The probability that a variable with Student's distribution is below t ≥ 0; a finite sum of powers
 * of the cosine (Abramowitz and Stegun 26.7.3, 26.7.4). */
static double
student_distribution (double t, guint degrees)
{
  double angle = atan (t / sqrt (degrees)), cosine = cos (angle);
  double term = degrees % 2 ? cosine : 1, sum = degrees > 1 ? term : 0;

  for (guint k = degrees % 2 ? 3 : 2; k + 2 <= degrees; k += 2)
    sum += term *= cosine * cosine * (k - 1) / k;
  sum *= sin (angle);
  return 0.5 + (degrees % 2 ? (angle + sum) / G_PI : sum / 2);
}

static double
student_density (double t, guint degrees)
{
  int    sign;
  double half = degrees / 2.0;
  double scale = lgamma_r (half + 0.5, &sign) - lgamma_r (half, &sign) - log (G_PI * degrees) / 2;

  return exp (scale - (half + 0.5) * log1p (t * t / degrees));
}

/* Newton's method, and halves of the interval where it leaves it. */
static double
find_student_quantile (double probability, guint degrees)
{
  double low = 0, high = 1, t, next;

  /* 1. Double the interval until it holds the quantile; 1e9 bounds the loop where rounding keeps
   * the distribution below the probability. */
  while (student_distribution (high, degrees) < probability && high < 1e9)
    {
      low = high;
      high *= 2;
    }
  next = (low + high) / 2;
  for (guint i = 0; i < MAX_TURNS; i++)
    {
      double excess;

      t = next;
      excess = student_distribution (t, degrees) - probability;
      if (excess < 0)
        low = t;
      else
        high = t;
      next = t - excess / student_density (t, degrees);
      /* 2. The density in the tails is so small that a step of Newton may leave the interval (or be
       * no number): halve it instead. */
      if (!(next >= low && next <= high))
        next = (low + high) / 2;
      if (fabs (next - t) <= 1e-14 * t)
        break;
    }
  return next;
}

/* Quantiles that were found stay: comparisons ask for the same few after every build. */
double
prof_student_quantile (double probability, guint degrees)
{
  static _Thread_local struct
  {
    double probability, quantile;
    guint  degrees; /* 0: empty */
  } found[64];
  guint place = (2 * degrees + (probability > MIDDLE_PROBABILITY)) % G_N_ELEMENTS (found);

  g_return_val_if_fail (degrees > 0 && probability >= 0.5 && probability < 1, NAN);
  if (found[place].degrees != degrees || found[place].probability != probability)
    {
      found[place].quantile = find_student_quantile (probability, degrees);
      found[place].probability = probability;
      found[place].degrees = degrees;
    }
  return found[place].quantile;
}

void
prof_statistics (const double *values, guint n, ProfStatistics *statistics)
{
  g_autofree double *sorted = sort_copy (values, n);
  g_autofree double *distances = g_new (double, MAX (n, 1));
  double             median = quantile_of_sorted (sorted, n, 0.5);
  double             mean = prof_mean (values, n), mad;

  for (guint i = 0; i < n; i++)
    distances[i] = fabs (values[i] - median);
  *statistics = (ProfStatistics){
    .n = n,
    .median = interval_of (values, sorted, n, 0.95),
    .minimum = n > 0 ? sorted[0] : NAN,
    .maximum = n > 0 ? sorted[n - 1] : NAN,
    .mean = mean,
    .quarter = quantile_of_sorted (sorted, n, 0.25),
    .three_quarters = quantile_of_sorted (sorted, n, 0.75),
    .p95 = quantile_of_sorted (sorted, n, 0.95),
  };

  mad = prof_median (distances, n);
  for (guint i = 0; i < n; i++)
    statistics->n_outliers += MAD_SCALE * distances[i] > OUTLIER_SCORE * mad && mad > 0;
  statistics->deviation = n > 1 ? prof_deviation (values, n) / mean : 0;
}
