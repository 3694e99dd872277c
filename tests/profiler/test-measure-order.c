/* test-measure-order.c — what has been measured when a measurement is cancelled.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/report-text.h"
#include "profiler/record/measure.h"
#include "profiler/summary/measured-capture.h"
#include "profiler/summary/summary.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <string.h>

typedef struct
{
  const char   *phase; /* is cancelled at its beginning; NULL: at report number n */
  guint         n;
  GCancellable *cancellable;
} Stop;

static void
stop_cb (gpointer data, const ProfProgress *progress)
{
  Stop *stop = data;

  if (stop->phase ? strcmp (progress->phase, stop->phase) == 0 : stop->n-- == 0)
    g_cancellable_cancel (stop->cancellable);
}

static void
measure_until (const char *phase, ProfSeries *series)
{
  g_autoptr (TestModel) model = test_model_unrolled (2, 2, 1);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Stop stop = { .phase = phase, .cancellable = cancellable };

  prof_series_init (series);
  prof_measure (&subject, 1, series,
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
  g_assert_cmpuint (series.traced->len, ==, 1); /* the first run of all */
  g_assert_false (series.has_counts);
  prof_series_clear (&series);
}

/* Operators, what lies between them and all else make the whole run. */
static void
assert_shares_add_up (const ProfSubject *subject, const ProfSeries *series)
{
  g_autoptr (ProfCapture) capture = prof_capture_measurement (subject, series, NULL, NULL);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  ProfGroupSum rest[PROF_MAX_REST];
  guint        n_rest = prof_summary_rest (summary, rest);
  double       share = 0;

  g_assert_cmpuint (summary->n_runs, ==, MIN (series->exact, series->traced->len));
  for (guint i = 0; i < summary->operators->len; i++)
    share += g_array_index (summary->operators, ProfGroupSum, i).share;
  for (guint i = 0; i < n_rest; i++)
    share += rest[i].share;
  g_assert_cmpfloat_with_epsilon (share, 1, 1e-3);
}

/* Whatever run is cut by cancelling, it does not count, and the first run is an answer. */
static void
test_cut_anywhere (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (2, 2, 1);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  gboolean is_cut = TRUE;

  for (guint moment = 0; is_cut; moment++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Stop               stop = { .n = moment, .cancellable = cancellable };
      ProfMeasureOptions options = { .warmup = 2,
                                     .repeat = 4,
                                     .traced = 6,
                                     .cancellable = cancellable,
                                     .progress = stop_cb,
                                     .data = &stop };
      ProfSeries         series;

      prof_series_init (&series);
      g_assert_true (prof_measure (&subject, 1, &series, &options, NULL));
      is_cut = g_cancellable_is_cancelled (cancellable);
      g_assert_cmpuint (series.clean->len, >=, 1);
      g_assert_cmpuint (series.traced->len, >=, 1);
      assert_shares_add_up (subject, &series);
      prof_series_clear (&series);
    }
}

/* Where the time allows few runs, the first one is an answer, and nothing is run again. */
static void
test_long_runs (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (2, 2, 1);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  ProfMeasureOptions options = { .warmup = -1, .traced = 10, .rebuild = TRUE, .seconds = 1e-9 };
  ProfSeries         series;

  prof_series_init (&series);
  g_assert_true (prof_measure (&subject, 1, &series, &options, NULL));
  g_assert_cmpint (series.stop, ==, PROF_STOP_TIME);
  g_assert_true (series.is_only_first);
  g_assert_cmpuint (series.warm->len, ==, 0);
  g_assert_cmpuint (series.clean->len, ==, 1);
  g_assert_cmpuint (series.traced->len, ==, 1);
  g_assert_cmpfloat (g_array_index (series.clean, double, 0), ==, series.first);
  assert_shares_add_up (subject, &series);
  prof_series_clear (&series);
}

/* A first run that was cancelled has no times: a sentence says so, and no number is given in their place. */
static void
test_cut_first_run (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (2, 2, 1);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  g_autofree char   *report = NULL;
  ProfMeasureOptions options = { .traced = 2, .cancellable = cancellable };
  ProfSeries         series;

  g_cancellable_cancel (cancellable);
  prof_series_init (&series);
  g_assert_true (prof_measure (&subject, 1, &series, &options, NULL));
  g_assert_cmpuint (series.cut_nodes, ==, 0);
  series.cut_seconds = 5;
  series.cut_nodes = 12;
  capture = prof_capture_measurement (subject, &series, NULL, NULL);
  summary = prof_summary_new (capture);
  report = prof_report_text (capture, summary);
  g_assert_nonnull (strstr (report,
                            "The first run was cancelled after 5.00 s, when 12 operators had "
                            "finished: nothing was measured."));
  g_assert_null (strstr (report, "memory "));
  prof_series_clear (&series);
}

TEST_PROGRAM (test_measure_order)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/measure-order/runs-are-traced-before-events-are-counted",
                   test_counting);
  g_test_add_func ("/profiler/measure-order/clean-runs-come-before-traced-ones", test_tracing);
  g_test_add_func ("/profiler/measure-order/shares-add-up-wherever-it-is-cut", test_cut_anywhere);
  g_test_add_func ("/profiler/measure-order/of-long-runs-the-first-is-the-answer", test_long_runs);
  g_test_add_func ("/profiler/measure-order/a-cancelled-first-run-is-told", test_cut_first_run);
  return g_test_run ();
}
