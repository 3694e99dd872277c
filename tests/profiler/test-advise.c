/* test-advise.c — advice and the roofline say only what was measured.
 *
 * Summaries are made up, so that no time is measured here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/builder.h"
#include "profiler/base/machine.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/explain/advise.h"
#include "profiler/explain/equality.h"
#include "profiler/summary/roofline.h"
#include "profiler/summary/typical-runs.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* A capture of six clean runs of 2 ms.  forms: (nullable) what the model can be converted to; device: NULL for
 * the processor. */
static ProfCapture *
make_capture_on (const char *mode, const char *forms, const char *device)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  ProfCapture *capture;

  prof_facts_set (facts, "mode", mode);
  prof_facts_set (facts, PROF_FORMS_KEY, forms);
  prof_facts_set (facts, PROF_DEVICE_KEY, device);
  prof_builder_add_facts (builder, facts);
  for (guint i = 0; i < 6; i++)
    prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, i, 2e-3);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", &error);
  g_assert_no_error (error);
  return capture;
}

static ProfCapture *
make_capture (const char *mode, const char *forms)
{
  return make_capture_on (mode, forms, NULL);
}

/* A summary of traced runs of 1 ms, with this time between nodes in exact runs. */
static ProfSummary *
make_summary (const ProfCapture *capture, double low, double high)
{
  ProfSummary *summary = prof_summary_new (capture);

  summary->n_runs = summary->n_used = 7;
  summary->traced = summary->exact = 1e-3;
  summary->nodes = 0.99e-3;
  summary->between = 0.01e-3;
  summary->interpreter = (low + high) / 2;
  summary->interpreter_low = low;
  summary->interpreter_high = high;
  return summary;
}

/* The advice of a rule; NULL if it was not given. */
static const ProfAdvice *
find (GPtrArray *list, const char *rule)
{
  for (guint i = 0; i < list->len; i++)
    if (strcmp (((const ProfAdvice *) list->pdata[i])->rule, rule) == 0)
      return list->pdata[i];
  return NULL;
}

/* Clean runs took twice as long as traced ones, on a busy machine; nothing lies between nodes. */
static void
test_slow_clean_runs_are_not_host_bound (void)
{
  g_autoptr (ProfCapture) capture = make_capture ("static", "");
  g_autoptr (ProfSummary) summary = make_summary (capture, 8e-6, 9e-6);
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);

  g_assert_null (find (list, "host-bound"));
}

static void
test_one_slow_exact_run_is_not_host_bound (void)
{
  g_autoptr (ProfCapture) capture = make_capture ("static", "");
  g_autoptr (ProfSummary) summary = make_summary (capture, 0.29e-3, 0.9e-3);
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);

  g_assert_null (find (list, "host-bound"));
}

static void
test_time_between_nodes_is_host_bound (void)
{
  g_autoptr (ProfCapture) capture = make_capture ("static", "");
  g_autoptr (ProfSummary) summary = make_summary (capture, 0.4e-3, 0.5e-3);
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);
  const ProfAdvice *advice = find (list, "host-bound");
  g_autofree char  *gain = NULL;

  g_assert_nonnull (advice);
  /* This model has no fused form. */
  g_assert_null (strstr (advice->text, "fused"));
  g_assert_true (isnan (advice->gain));
  g_assert_cmpfloat (advice->high, ==, 0.5e-3);
  gain = prof_advice_gain (advice);
  g_assert_nonnull (strstr (gain, "not known, at most 500 µs"));
}

/* The clean runs of make_capture() take 2 ms. */
static void
test_a_gpu_that_idles_is_host_bound (void)
{
  static const struct
  {
    double      busy;
    gboolean    is_traced, is_static;
    const char *text; /* part of the advice; NULL: none */
  } cases[] = {
    { 1.5e-3, TRUE, TRUE, NULL }, /* a quarter of the time is not enough */
    { 1.2e-3, TRUE, TRUE, "use larger batches" },
    { 1.2e-3, TRUE, FALSE, "--mode static" },
    { 1.2e-3, FALSE, TRUE, NULL }, /* it is not known for how long the GPU worked */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *mode = cases[i].is_static ? "static" : "hybrid";
      g_autoptr (ProfCapture) capture = make_capture_on (mode, "", "a GPU");
      g_autoptr (ProfSummary) summary = make_summary (capture, 0, 0);
      g_autoptr (GPtrArray) list = NULL;
      const ProfAdvice *advice;

      summary->is_of_device = cases[i].is_traced;
      summary->device_busy = cases[i].busy;
      list = prof_advise (capture, summary);
      advice = find (list, "host-bound");
      g_assert_true ((advice != NULL) == (cases[i].text != NULL));
      if (!advice)
        continue;
      g_assert_cmpstr (advice->trigger, ==, "the GPU idles for 800 µs of a clean run, 40 %");
      g_assert_nonnull (strstr (advice->text, cases[i].text));
      g_assert_cmpfloat_with_epsilon (advice->high, 0.8e-3, 1e-12);
    }
}

static void
test_forms_are_named_only_if_they_exist (void)
{
  g_autoptr (ProfCapture) capture = make_capture ("static", "foreach, fused");
  g_autoptr (ProfSummary) summary = make_summary (capture, 0.4e-3, 0.5e-3);
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);

  g_assert_nonnull (strstr (find (list, "host-bound")->text, "--to fused"));
}

static void
test_an_operator_above_the_peak_is_said (void)
{
  ProfPeaks        peaks = { .flops = 1e11, .bytes = 4.2e9 };
  ProfRoofPoint    point;
  g_autofree char *text = NULL, *below = NULL;

  /* 48 GB/s */
  g_assert_true (prof_roofline_point (&peaks, 1, 1, 48e9, &point));
  g_assert_cmpfloat_with_epsilon (point.reached, 48 / 4.2, 1e-12);
  g_assert_cmpfloat (point.wasted, ==, 0);
  text = prof_roofline_text (&point);
  g_assert_cmpstr (text, ==, "above (×11.4)");
  g_assert_true (prof_roofline_point (&peaks, 2, 1, 4.2e9, &point));
  below = prof_roofline_text (&point);
  g_assert_cmpstr (below, ==, "50 %");
}

/* Runs of 1, 2, … 8 s, of which the first waited for 0.5 s. */
static void
test_typical_runs (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  double          wall[8];
  guint64         self[8];
  ProfRunMatrix   matrix = { .n_runs = G_N_ELEMENTS (wall), .wall = wall };
  ProfTypicalRuns typical;

  for (guint i = 0; i < G_N_ELEMENTS (wall); i++)
    {
      ProfSampleFacts facts = { .wall = i + 1, .wait = i == 0 ? 0.5 : 0 };

      wall[i] = i + 1;
      self[i] = (i + 1) * G_GUINT64_CONSTANT (1000000000);
      prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, i, wall[i]);
      prof_builder_add_sample_facts (builder, PROF_SAMPLE_TRACED, i, &facts);
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);
  prof_typical_runs_init (&typical, &matrix, capture);
  /* Of 2 … 8 a quarter of seven, rounded down, goes at each end. */
  g_assert_cmpuint (typical.n_disturbed, ==, 1);
  g_assert_cmpuint (typical.n, ==, 5);
  g_assert_cmpuint (typical.column[0], ==, 2);
  g_assert_cmpuint (typical.column[4], ==, 6);
  g_assert_cmpfloat (prof_typical_mean (&typical, self), ==, 5);
  prof_typical_runs_clear (&typical);
}

/* Of two runs on a busy machine, both waited for a processor, and one for nearly all of its time. */
static void
test_runs_that_mostly_waited (void)
{
  static double   wall[] = { 24, 1.5 };
  static guint64  self[] = { G_GUINT64_CONSTANT (24000000000), G_GUINT64_CONSTANT (1500000000) };
  ProfRunMatrix   matrix = { .n_runs = G_N_ELEMENTS (wall), .wall = wall };
  ProfTypicalRuns typical;
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (wall); i++)
    {
      ProfSampleFacts facts = { .wall = wall[i], .wait = wall[i] - 1.4 };

      prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, i, wall[i]);
      prof_builder_add_sample_facts (builder, PROF_SAMPLE_TRACED, i, &facts);
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);
  prof_typical_runs_init (&typical, &matrix, capture);
  g_assert_cmpuint (typical.n_disturbed, ==, 2);
  g_assert_cmpuint (typical.n, ==, 1);
  g_assert_cmpfloat (prof_typical_mean (&typical, self), ==, 1.5);
  prof_typical_runs_clear (&typical);
}

/* Two models with outputs of different sizes. */
static void
test_unequal_sizes_are_said (void)
{
  g_autoptr (TestModel) small = test_model_unrolled (2, 8, 2);
  g_autoptr (TestModel) large = test_model_unrolled (2, 16, 2);
  g_autoptr (ProfSubject) a = test_model_subject (small, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfSubject) b = test_model_subject (large, HYB_MODE_STATIC, FALSE);
  ProfEquality     equality;
  g_autofree char *why = NULL;

  g_assert_true (prof_subject_run (a, NULL, NULL) && prof_subject_run (b, NULL, NULL));
  prof_compare_numbers (a, b, &equality);
  g_assert_false (equality.ok);
  why = prof_equality_explain (&equality);
  g_assert_cmpstr (why, ==, "output 1 has 16 elements in one of them and 32 in the other");
}

/* Equal numbers of nothing are no comparison: an ONNX file may declare no outputs. */
static void
test_models_without_outputs_are_not_equal (void)
{
  TestModel model = { hyb_builder_freeze (hyb_builder_new ()), g_ptr_array_new () };
  g_autoptr (ProfSubject) subject = test_model_subject (&model, HYB_MODE_STATIC, FALSE);
  ProfEquality     equality;
  g_autofree char *why = NULL;

  g_assert_true (prof_subject_run (subject, NULL, NULL));
  prof_compare_numbers (subject, subject, &equality);
  g_assert_false (equality.ok);
  why = prof_equality_explain (&equality);
  g_assert_cmpstr (why, ==, "they have no output in common");
  g_ptr_array_unref (model.values);
  hyb_graph_unref (model.graph);
}

TEST_PROGRAM (test_advise)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/profiler/advise/slow-clean-runs-are-not-host-bound",
                   test_slow_clean_runs_are_not_host_bound);
  g_test_add_func ("/profiler/advise/one-slow-exact-run-is-not-host-bound",
                   test_one_slow_exact_run_is_not_host_bound);
  g_test_add_func ("/profiler/advise/time-between-nodes-is-host-bound",
                   test_time_between_nodes_is_host_bound);
  g_test_add_func ("/profiler/advise/a-gpu-that-idles-is-host-bound",
                   test_a_gpu_that_idles_is_host_bound);
  g_test_add_func ("/profiler/advise/forms-are-named-only-if-they-exist",
                   test_forms_are_named_only_if_they_exist);
  g_test_add_func ("/profiler/advise/an-operator-above-the-peak-is-said",
                   test_an_operator_above_the_peak_is_said);
  g_test_add_func ("/profiler/advise/typical-runs-are-undisturbed-and-central", test_typical_runs);
  g_test_add_func ("/profiler/advise/runs-that-mostly-waited-are-not-typical",
                   test_runs_that_mostly_waited);
  g_test_add_func ("/profiler/advise/outputs-of-unequal-sizes-are-said",
                   test_unequal_sizes_are_said);
  g_test_add_func ("/profiler/advise/models-without-outputs-are-not-equal",
                   test_models_without_outputs_are_not_equal);

  return g_test_run ();
}
