/* test-statistics.c — medians and verdicts on simulated noise.
 *
 * The noise follows measurements of an unrolled LSTM: times drift together, each sample scatters a
 * little to both sides, and some are disturbed and much slower.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "profiler/base/statistics.h"

#include <math.h>

#define N_SEEDS 100
#define N_MAX   200 /* samples; PROF_MAX_SAMPLES */

typedef struct
{
  guint64 seed, at;
  double  drift;   /* common to a pair: standard deviation of the steps of its logarithm */
  double  scatter; /* of each sample: standard deviation of its logarithm */
  double  rate;    /* share of samples that are disturbed */
  double  level;   /* current drift */
} Noise;

static double
uniform (Noise *noise)
{
  return hyb_random_uniform (noise->seed, noise->at++);
}

static double
normal (Noise *noise)
{
  return hyb_random_normal (noise->seed, noise->at++);
}

/* A random factor on the true time. */
static double
disturb (Noise *noise)
{
  double factor = exp (noise->level + noise->scatter * normal (noise));

  if (uniform (noise) < noise->rate)
    factor *= 1 + 0.9 * uniform (noise);
  return factor;
}

static void
advance_drift (Noise *noise)
{
  noise->level = 0.95 * noise->level + noise->drift * normal (noise);
}

/* Quiet: ratios within ±1 % (middle half), samples with a variation of about 10 %. */
static Noise
quiet (guint64 seed)
{
  return (Noise){ .seed = seed, .drift = 0.02, .scatter = 0.012, .rate = 0.06 };
}

/* A busy machine: variation of 45 %, middle half of the ratios 0.87 … 1.4. */
static Noise
disturbed (guint64 seed)
{
  return (Noise){ .seed = seed, .drift = 0.1, .scatter = 0.2, .rate = 0.3 };
}

/* Takes samples back and forth until prof_pair_stop() ends the series. */
static ProfVerdict
measure (Noise noise, double a, double b, guint *n_samples)
{
  double      times_a[N_MAX], times_b[N_MAX];
  guint       n = 0;
  ProfPairing pairing;

  while (prof_pair_stop (times_a, times_b, n) == PROF_STOP_NOT)
    for (guint i = 0; i < 2; i++)
      {
        advance_drift (&noise);
        times_a[n] = a * disturb (&noise);
        times_b[n++] = b * disturb (&noise);
      }
  prof_pair (times_a, times_b, n, &pairing);
  *n_samples = n;
  return pairing.verdict;
}

/* Seeds for which the verdict is right. */
static guint
count_right (Noise (*noise) (guint64), double a, double b, gboolean want_same)
{
  guint n_right = 0;

  for (guint seed = 1; seed <= N_SEEDS; seed++)
    {
      guint       n;
      ProfVerdict verdict = measure (noise (seed), a, b, &n);

      n_right +=
          want_same ? verdict == PROF_SAME || verdict == PROF_UNDECIDED : verdict == PROF_SLOWER;
    }
  return n_right;
}

static void
test_same_against_itself (void)
{
  g_assert_cmpuint (count_right (quiet, 6.5e-3, 6.5e-3, TRUE), >=, 95);
  g_assert_cmpuint (count_right (disturbed, 6.5e-3, 6.5e-3, TRUE), >=, 95);
}

static void
test_five_percent_is_found (void)
{
  g_assert_cmpuint (count_right (quiet, 1.05 * 80e-6, 80e-6, FALSE), >=, 95);
}

static void
test_large_difference_in_noise (void)
{
  g_assert_cmpuint (count_right (disturbed, 1.9 * 6.5e-3, 6.5e-3, FALSE), >=, 95);
}

static void
test_known_median (void)
{
  const double   values[] = { 9, 1, 8, 2, 7, 3, 6, 4, 5 };
  ProfStatistics statistics;

  prof_statistics (values, G_N_ELEMENTS (values), &statistics);
  g_assert_cmpfloat (statistics.median.median, ==, 5);
  /* P (at most one of nine coins) = 10 / 512 ≤ 2.5 %: from the second to the eighth. */
  g_assert_cmpfloat (statistics.median.low, ==, 2);
  g_assert_cmpfloat (statistics.median.high, ==, 8);
  g_assert_cmpfloat (statistics.minimum, ==, 1);
  g_assert_cmpfloat (statistics.maximum, ==, 9);
  g_assert_cmpfloat (statistics.quarter, ==, 3);
  g_assert_cmpuint (statistics.n_outliers, ==, 0);
}

/* A 95 % interval contains the median in 95 % of the cases. */
static void
test_interval_holds_the_median (void)
{
  guint n_held = 0;

  for (guint seed = 1; seed <= 400; seed++)
    {
      Noise        noise = { .seed = seed, .scatter = 0.3 };
      double       values[41];
      ProfInterval interval;

      for (guint i = 0; i < G_N_ELEMENTS (values); i++)
        values[i] = disturb (&noise);
      interval = prof_median_interval (values, G_N_ELEMENTS (values), 0.95);
      n_held += interval.low <= 1 && 1 <= interval.high;
    }
  g_assert_cmpuint (n_held, >=, 376); /* 380 expected at 95 %; its own deviation is 4 */
}

static void
test_bootstrap_of_a_difference (void)
{
  Noise         noise = { .seed = 5, .scatter = 0.02 };
  double        a[50], b[50];
  const double *series[] = { a, b };
  const guint   n[] = { 50, 50 };
  const double  weights[] = { 1, -1 };
  ProfInterval  interval;

  for (guint i = 0; i < 50; i++)
    {
      a[i] = 10 * disturb (&noise);
      b[i] = 6 * disturb (&noise);
    }
  interval = prof_bootstrap_sum (series, n, weights, 2, 0.95);
  g_assert_cmpfloat (interval.low, <, 4);
  g_assert_cmpfloat (interval.high, >, 4);
  g_assert_cmpfloat (interval.high - interval.low, <, 0.5);
  g_assert_cmpfloat_with_epsilon (interval.median,
                                  prof_median (a, 50) - prof_median (b, 50),
                                  1e-12);
}

static void
test_few_samples_are_undecided (void)
{
  const double a[] = { 2, 2, 2 }, b[] = { 1, 1, 1 };
  ProfPairing  pairing;

  prof_pair (a, b, 3, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  prof_pair (a, b, 0, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  g_assert_true (isnan (pairing.ratio.median));
}

static void
test_outliers_are_counted (void)
{
  double         values[21];
  ProfStatistics statistics;

  for (guint i = 0; i < 21; i++)
    values[i] = 1 + 0.01 * (i % 5);
  values[7] = 5;
  prof_statistics (values, 21, &statistics);
  g_assert_cmpuint (statistics.n_outliers, ==, 1);
  g_assert_cmpfloat (statistics.maximum, ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/statistics/same-against-itself", test_same_against_itself);
  g_test_add_func ("/profiler/statistics/five-percent-is-found", test_five_percent_is_found);
  g_test_add_func ("/profiler/statistics/large-difference-in-noise",
                   test_large_difference_in_noise);
  g_test_add_func ("/profiler/statistics/known-median", test_known_median);
  g_test_add_func ("/profiler/statistics/interval-holds-the-median",
                   test_interval_holds_the_median);
  g_test_add_func ("/profiler/statistics/bootstrap-of-a-difference",
                   test_bootstrap_of_a_difference);
  g_test_add_func ("/profiler/statistics/few-samples-are-undecided",
                   test_few_samples_are_undecided);
  g_test_add_func ("/profiler/statistics/outliers-are-counted", test_outliers_are_counted);
  return g_test_run ();
}
