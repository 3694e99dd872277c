/* statistics.c — statistics by rank: quantiles, order-statistic intervals, a bootstrap, and
 * verdicts.
 *
 * Start reading at prof_pair(), which most comparisons use.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/statistics.h"

#include "engine/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RESAMPLES    1000
#define BOOTSTRAP_SEED 20260721
#define MIN_PAIRS      5     /* for any verdict */
#define LARGE_RATIO    0.22  /* of the logarithm: 25 % more or 20 % less */
#define STRICT         0.999 /* confidence that verdicts need */
#define OUTLIER_SCORE  3.5   /* modified z-score */
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
prof_median (const double *values, guint n)
{
  g_autofree double *sorted = sort_copy (values, n);

  return quantile_of_sorted (sorted, n, 0.5);
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

static ProfInterval
interval_of_sorted (const double *sorted, guint n, double confidence)
{
  guint rank = order_rank (n, 1 - confidence);

  if (n == 0)
    return (ProfInterval){ NAN, NAN, NAN };
  rank = MAX (rank, 1);
  return (ProfInterval){ quantile_of_sorted (sorted, n, 0.5), sorted[rank - 1], sorted[n - rank] };
}

ProfInterval
prof_median_interval (const double *values, guint n, double confidence)
{
  g_autofree double *sorted = sort_copy (values, n);

  return interval_of_sorted (sorted, n, confidence);
}

ProfInterval
prof_bootstrap_sum (const double *const *series,
                    const guint         *n,
                    const double        *weights,
                    guint                n_series,
                    double               confidence)
{
  g_autofree double *sums = g_new (double, N_RESAMPLES);
  g_autofree double *drawn = NULL;
  double             sum = 0;
  guint              max_n = 1;
  guint64            draw = 0;

  for (guint s = 0; s < n_series; s++)
    {
      max_n = MAX (max_n, n[s]);
      sum += weights[s] * prof_median (series[s], n[s]);
    }

  drawn = g_new (double, max_n);
  for (guint i = 0; i < N_RESAMPLES; i++)
    {
      sums[i] = 0;
      for (guint s = 0; s < n_series; s++)
        {
          for (guint k = 0; k < n[s]; k++)
            drawn[k] = series[s][hyb_random_word (BOOTSTRAP_SEED, draw++) % n[s]];
          sums[i] += weights[s] * prof_median (drawn, n[s]);
        }
    }
  qsort (sums, N_RESAMPLES, sizeof *sums, compare_doubles);
  return (ProfInterval){
    sum,
    quantile_of_sorted (sums, N_RESAMPLES, (1 - confidence) / 2),
    quantile_of_sorted (sums, N_RESAMPLES, (1 + confidence) / 2),
  };
}

void
prof_statistics (const double *values, guint n, ProfStatistics *statistics)
{
  g_autofree double *sorted = sort_copy (values, n);
  g_autofree double *distances = g_new (double, MAX (n, 1));
  double             median = quantile_of_sorted (sorted, n, 0.5);
  double             sum = 0, squares = 0, mad;

  for (guint i = 0; i < n; i++)
    {
      sum += values[i];
      distances[i] = fabs (values[i] - median);
    }
  *statistics = (ProfStatistics){
    .n = n,
    .median = interval_of_sorted (sorted, n, 0.95),
    .minimum = n > 0 ? sorted[0] : NAN,
    .maximum = n > 0 ? sorted[n - 1] : NAN,
    .mean = sum / n,
    .quarter = quantile_of_sorted (sorted, n, 0.25),
    .three_quarters = quantile_of_sorted (sorted, n, 0.75),
    .p95 = quantile_of_sorted (sorted, n, 0.95),
  };

  mad = prof_median (distances, n);
  for (guint i = 0; i < n; i++)
    {
      squares += (values[i] - statistics->mean) * (values[i] - statistics->mean);
      statistics->n_outliers += MAD_SCALE * distances[i] > OUTLIER_SCORE * mad && mad > 0;
    }
  statistics->deviation = n > 1 ? sqrt (squares / (n - 1)) / statistics->mean : 0;
}

/* --- Pairs --- */

const char *
prof_verdict_name (ProfVerdict verdict)
{
  static const char *const names[] = {
    [PROF_FASTER] = "faster",
    [PROF_SLOWER] = "slower",
    [PROF_SAME] = "same",
    [PROF_UNDECIDED] = "undecided",
  };

  return names[verdict];
}

/* Faster or slower only if the strict interval excludes 1 and the ratio differs from 1 by more than
 * PROF_SAME_WITHIN; the same only if the 95 % interval is within twice PROF_SAME_WITHIN. */
static ProfVerdict
find_verdict (const ProfInterval *ratio, const ProfInterval *strict, guint n)
{
  /* Few samples decide only large differences: five equal signs happen by chance. */
  if (n < MIN_PAIRS || !isfinite (ratio->median) ||
      (n < PROF_MIN_SAMPLES && fabs (log (ratio->median)) < LARGE_RATIO))
    return PROF_UNDECIDED;
  if (strict->high < 1 && ratio->median < 1 - PROF_SAME_WITHIN)
    return PROF_FASTER;
  if (strict->low > 1 && ratio->median > 1 + PROF_SAME_WITHIN)
    return PROF_SLOWER;
  if (fabs (ratio->median - 1) < PROF_SAME_WITHIN && ratio->low > 1 - 2 * PROF_SAME_WITHIN &&
      ratio->high < 1 + 2 * PROF_SAME_WITHIN)
    return PROF_SAME;
  return PROF_UNDECIDED;
}

void
prof_pair (const double *a, const double *b, guint n, ProfPairing *pairing)
{
  g_autofree double *ratios = g_new (double, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    ratios[i] = a[i] / b[i];
  qsort (ratios, n, sizeof *ratios, compare_doubles);

  *pairing = (ProfPairing){
    .n = n,
    .ratio = interval_of_sorted (ratios, n, 0.95),
    .strict = interval_of_sorted (ratios, n, STRICT),
  };
  pairing->verdict = find_verdict (&pairing->ratio, &pairing->strict, n);
}

/* The widest interval of a quotient: the drift between the two series is not known. */
static ProfInterval
divide (const ProfInterval *a, const ProfInterval *b)
{
  return (ProfInterval){ a->median / b->median, a->low / b->high, a->high / b->low };
}

void
prof_compare_unpaired (const double *a, guint n_a, const double *b, guint n_b, ProfPairing *pairing)
{
  ProfInterval of_a = prof_median_interval (a, n_a, 0.95);
  ProfInterval of_b = prof_median_interval (b, n_b, 0.95);
  ProfInterval strict_a = prof_median_interval (a, n_a, STRICT);
  ProfInterval strict_b = prof_median_interval (b, n_b, STRICT);

  *pairing = (ProfPairing){
    .n = MIN (n_a, n_b),
    .ratio = divide (&of_a, &of_b),
    .strict = divide (&strict_a, &strict_b),
  };
  pairing->verdict = find_verdict (&pairing->ratio, &pairing->strict, pairing->n);
}

/* --- When to stop --- */

const char *
prof_stop_name (ProfStop stop)
{
  static const char *const names[] = {
    [PROF_STOP_NOT] = "as many as asked for",
    [PROF_STOP_DECIDED] = "decided",
    [PROF_STOP_PRECISE] = "interval below 1 %",
    [PROF_STOP_ENOUGH] = "200 samples",
    [PROF_STOP_TIME] = "time",
    [PROF_STOP_CANCELLED] = "cancelled",
  };

  return names[stop];
}

/* Checks take place after every PROF_MIN_SAMPLES. */
static gboolean
is_check_due (guint n)
{
  return n >= PROF_MIN_SAMPLES && n % PROF_MIN_SAMPLES == 0;
}

ProfStop
prof_series_stop (const double *values, guint n)
{
  ProfInterval interval;

  if (n >= PROF_MAX_SAMPLES)
    return PROF_STOP_ENOUGH;
  if (!is_check_due (n))
    return PROF_STOP_NOT;

  interval = prof_median_interval (values, n, 0.95);
  return interval.high - interval.low < 2 * PROF_SAME_WITHIN * interval.median ? PROF_STOP_PRECISE
                                                                               : PROF_STOP_NOT;
}

ProfStop
prof_pair_stop (const double *a, const double *b, guint n)
{
  ProfPairing pairing;

  if (n >= PROF_MAX_SAMPLES)
    return PROF_STOP_ENOUGH;
  if (!is_check_due (n))
    return PROF_STOP_NOT;

  prof_pair (a, b, n, &pairing);
  return pairing.verdict != PROF_UNDECIDED ? PROF_STOP_DECIDED : PROF_STOP_NOT;
}
