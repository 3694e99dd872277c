/* test-clean-limit.c — clean runs get all the time that counted and traced runs do not need.
 *
 * Nothing is timed: series are made up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure.h"
#include "tests/program.h"

/* The limit of 8 seconds for two subjects whose runs take this long. */
static double
find_limit (double seconds, guint traced, gboolean counters, gboolean is_warm)
{
  ProfMeasureOptions options = { .traced = traced, .counters = counters };
  ProfSeries         series[2];
  double             limit;

  for (guint i = 0; i < 2; i++)
    {
      prof_series_init (&series[i]);
      series[i].first = is_warm ? 100 * seconds : seconds;
      if (is_warm)
        g_array_append_val (series[i].warm, seconds);
    }
  limit = prof_measure_clean_limit (&options, series, 2, 8);
  for (guint i = 0; i < 2; i++)
    prof_series_clear (&series[i]);
  return limit;
}

static void
test_without_other_runs_all_time_is_for_clean_ones (void)
{
  g_assert_cmpfloat (find_limit (1e-3, 0, FALSE, TRUE), ==, 8);
  g_assert_cmpfloat (find_limit (100, 0, FALSE, FALSE), ==, 8);
}

/* Two subjects, seven traced runs and one that warms up the recorder. */
static void
test_traced_runs_get_what_they_need (void)
{
  g_assert_cmpfloat_with_epsilon (find_limit (0.01, 7, FALSE, TRUE), 8 - 1.5 * 2 * 8 * 0.01, 1e-9);
  g_assert_cmpfloat_with_epsilon (find_limit (0.01, 7, FALSE, FALSE), 8 - 1.5 * 2 * 8 * 0.01, 1e-9);
  g_assert_cmpfloat_with_epsilon (find_limit (0.01, 0, TRUE, TRUE), 8 - 1.5 * 2 * 3 * 0.01, 1e-9);
}

static void
test_long_runs_leave_most_time_to_clean_ones (void)
{
  g_assert_cmpfloat_with_epsilon (find_limit (0.1, 7, FALSE, TRUE), 0.7 * 8, 1e-9);
  g_assert_cmpfloat_with_epsilon (find_limit (1e6, 7, TRUE, TRUE), 0.7 * 8, 1e-9);
}

TEST_PROGRAM (test_clean_limit)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/clean-limit/without-other-runs-all-time-is-for-clean-ones",
                   test_without_other_runs_all_time_is_for_clean_ones);
  g_test_add_func ("/profiler/clean-limit/traced-runs-get-what-they-need",
                   test_traced_runs_get_what_they_need);
  g_test_add_func ("/profiler/clean-limit/long-runs-leave-most-time-to-clean-ones",
                   test_long_runs_leave_most_time_to_clean_ones);
  return g_test_run ();
}
