/* test-statistics.c — medians and their intervals.
 *
 * The noise follows measurements of an unrolled LSTM: times drift together, each sample scatters a
 * little to both sides, and some are disturbed and much slower.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "profiler/base/statistics.h"
#include "tests/program.h"

#include <math.h>

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

/* Tables of Student's distribution. */
static void
test_student_quantiles (void)
{
  g_assert_cmpfloat_with_epsilon (prof_student_quantile (0.975, 1), 12.7062, 1e-4);
  g_assert_cmpfloat_with_epsilon (prof_student_quantile (0.975, 2), 4.3027, 1e-4);
  g_assert_cmpfloat_with_epsilon (prof_student_quantile (0.975, 5), 2.5706, 1e-4);
  g_assert_cmpfloat_with_epsilon (prof_student_quantile (0.975, 10), 2.2281, 1e-4);
  g_assert_cmpfloat_with_epsilon (prof_student_quantile (0.999, 9), 4.2968, 1e-4);
  g_assert_cmpfloat_with_epsilon (prof_student_quantile (0.95, 30), 1.6973, 1e-4);
  g_assert_cmpfloat_with_epsilon (prof_student_quantile (0.975, 1000), 1.9623, 1e-4);
  g_assert_cmpfloat (prof_student_quantile (0.5, 7), <, 1e-9);

  /* With one and two degrees of freedom there are formulas. */
  for (double p = 0.51; p < 1; p += 0.01)
    {
      double one = tan (G_PI * (p - 0.5)), two = (2 * p - 1) * sqrt (2 / (4 * p * (1 - p)));

      g_assert_cmpfloat_with_epsilon (prof_student_quantile (p, 1), one, 1e-11 * one);
      g_assert_cmpfloat_with_epsilon (prof_student_quantile (p, 2), two, 1e-11 * two);
    }
}

/* Six samples have an interval, from the smallest to the largest; five have none. */
static void
test_five_samples_have_no_interval (void)
{
  const double values[] = { 3, 1, 2, 6, 4, 5 };
  ProfInterval interval = prof_median_interval (values, 5, 0.95);

  g_assert_false (prof_interval_is_known (&interval));
  g_assert_cmpfloat (interval.median, ==, 3);
  interval = prof_median_interval (values, 6, 0.95);
  g_assert_true (prof_interval_is_known (&interval));
  g_assert_cmpfloat (interval.low, ==, 1);
  g_assert_cmpfloat (interval.high, ==, 6);
}

/* The same values in an order that drifts have a wider interval than in random order. */
static void
test_drift_widens_the_interval (void)
{
  double       mixed[60], sorted[60];
  ProfInterval of_mixed, of_sorted;

  for (guint i = 0; i < 60; i++)
    {
      sorted[i] = 1 + i * 0.01;
      mixed[i] = 1 + (i * 23 % 60) * 0.01;
    }
  of_mixed = prof_median_interval (mixed, 60, 0.95);
  of_sorted = prof_median_interval (sorted, 60, 0.95);
  g_assert_cmpfloat (of_sorted.high - of_sorted.low, >, 2 * (of_mixed.high - of_mixed.low));
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

  /* Where most samples are equal, there is no deviation that an outlier could exceed. */
  prof_statistics ((const double[]){ 1, 1, 1, 1, 2 }, 5, &statistics);
  g_assert_cmpuint (statistics.n_outliers, ==, 0);
}

TEST_PROGRAM (test_statistics)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/statistics/known-median", test_known_median);
  g_test_add_func ("/profiler/statistics/interval-holds-the-median",
                   test_interval_holds_the_median);
  g_test_add_func ("/profiler/statistics/student-quantiles-are-those-of-tables",
                   test_student_quantiles);
  g_test_add_func ("/profiler/statistics/five-samples-have-no-interval",
                   test_five_samples_have_no_interval);
  g_test_add_func ("/profiler/statistics/drift-widens-the-interval",
                   test_drift_widens_the_interval);
  g_test_add_func ("/profiler/statistics/outliers-are-counted", test_outliers_are_counted);
  return g_test_run ();
}
