/* test-measure-order.c — what has been measured when a measurement is cancelled.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <string.h>

typedef struct
{
  const char   *phase; /* is cancelled at its beginning */
  GCancellable *cancellable;
} Stop;

static void
stop_cb (gpointer data, const ProfProgress *progress)
{
  const Stop *stop = data;

  if (strcmp (progress->phase, stop->phase) == 0)
    g_cancellable_cancel (stop->cancellable);
}

static void
measure_until (const char *phase, ProfSeries *series)
{
  g_autoptr (TestModel) model = test_model_unrolled (2, 2, 1);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Stop stop = { phase, cancellable };

  prof_series_init (series);
  prof_measure (&subject,
                1,
                series,
                &(ProfMeasureOptions){ .warmup = 1,
                                       .repeat = 3,
                                       .traced = 2,
                                       .counters = TRUE,
                                       .cancellable = cancellable,
                                       .progress = stop_cb,
                                       .data = &stop },
                &error);
  g_assert_no_error (error);
  g_assert_true (g_cancellable_is_cancelled (cancellable));
  g_assert_cmpint (series->stop, ==, PROF_STOP_CANCELLED);
}

/* Operators have times before events of the processor are counted. */
static void
test_counting (void)
{
  ProfSeries series;

  measure_until ("counters", &series);
  g_assert_cmpuint (series.clean->len, ==, 3);
  g_assert_cmpuint (series.traced->len, ==, 2);
  prof_series_clear (&series);
}

static void
test_tracing (void)
{
  ProfSeries series;

  measure_until ("trace", &series);
  g_assert_cmpuint (series.clean->len, ==, 3);
  g_assert_cmpuint (series.traced->len, <, 2);
  g_assert_false (series.has_counts);
  prof_series_clear (&series);
}

TEST_PROGRAM (test_measure_order)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/measure-order/runs-are-traced-before-events-are-counted",
                   test_counting);
  g_test_add_func ("/profiler/measure-order/clean-runs-come-before-traced-ones", test_tracing);
  return g_test_run ();
}
