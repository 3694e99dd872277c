/* test-explain.c — explanations add up, and comparisons name what really changed.
 *
 * Made-up captures with known times, and real runs with a delay in one node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/clock.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/explain/difference.h"
#include "profiler/explain/explain.h"
#include "profiler/explain/ladder.h"
#include "profiler/explain/pair-captures.h"
#include "profiler/explain/same-plan.h"
#include "profiler/summary/clean-samples.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include "engine/op/op.h"
#include "profiler/explain/equality.h"

#include <math.h>
#include <string.h>

/* A capture of 9 equal runs with n nodes of these categories and times, and clean runs of
 * clean_micros. */
static ProfCapture *
make_capture (const guint16 *categories, const guint *micros, guint n, guint clean_micros)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  ProfCapture *capture;

  prof_builder_add_graph (builder, "", PROF_NONE, PROF_NONE);
  for (guint run = 0; run < 9; run++)
    {
      guint64   at = 1000;
      ProfEvent whole = { .run = (guint16) run };

      for (guint i = 0; i < n; i++)
        {
          ProfEvent event = { .begin_ns = at,
                              .packed =
                                  prof_event_pack (1000 * micros[i], PROF_EVENT_NODE, 1, 0, 0),
                              .node = i,
                              .run = (guint16) run };

          at += 1000 * micros[i];
          prof_builder_add_event (builder, &event);
        }
      whole.packed = prof_event_pack (1000 * clean_micros, PROF_EVENT_RUN, 0, 0, 0);
      prof_builder_add_event (builder, &whole);
      prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, run, clean_micros * 1e-6);
      prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, run, clean_micros * 1e-6);
    }
  for (guint i = 0; i < n; i++)
    {
      ProfNode node = { .name = prof_builder_text (builder, "node"),
                        .category = categories[i],
                        .flags = PROF_NODE_EXECUTED,
                        .flops = 1000,
                        .bytes_read = NAN,
                        .bytes_written = NAN };

      prof_builder_add_node (builder, &node);
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);
  g_assert_nonnull (capture);
  return capture;
}

static void
explain (const ProfCapture *a, const ProfCapture *b, ProfExplanation *explanation)
{
  const ProfCapture *const captures[] = { a, b };
  g_autoptr (ProfComparison) comparison = prof_compare_captures (captures, 2);

  prof_explain (&(ProfExplained){ comparison, 0, 1, a, b }, explanation);
}

static double
sum_buckets (const ProfExplanation *explanation)
{
  double sum = explanation->unexplained;

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    sum += explanation->bucket[i].seconds;
  return sum;
}

static void
test_buckets_and_residual_are_the_difference (void)
{
  static const guint16 slow[] = { HYB_CATEGORY_LINEAR, HYB_CATEGORY_ELEMENTWISE,
                                  HYB_CATEGORY_MOVEMENT };
  static const guint16 fast[] = { HYB_CATEGORY_LINEAR, HYB_CATEGORY_ELEMENTWISE };
  static const guint16 closed[] = { HYB_CATEGORY_RECURRENT };
  g_autoptr (ProfCapture) a = make_capture (slow, (const guint[]){ 100, 60, 20 }, 3, 250);
  g_autoptr (ProfCapture) b = make_capture (fast, (const guint[]){ 70, 20 }, 2, 95);
  g_autoptr (ProfCapture) c = make_capture (closed, (const guint[]){ 90 }, 1, 95);
  ProfExplanation explanation;

  explain (a, b, &explanation);
  g_assert_cmpfloat_with_epsilon (explanation.saved.median, 155e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (sum_buckets (&explanation), explanation.saved.median, 1e-15);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_HOST].seconds, 65e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_GEMM].seconds, 30e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_POINTWISE].seconds, 40e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_MOVEMENT].seconds, 20e-6, 1e-9);
  g_assert_cmpfloat (fabs (explanation.unexplained), <, 1e-9);
  prof_explanation_clear (&explanation);

  /* A recording without the parts of a fused layer: it is in no bucket. */
  explain (a, c, &explanation);
  g_assert_cmpfloat_with_epsilon (sum_buckets (&explanation), explanation.saved.median, 1e-15);
  g_assert_cmpfloat_with_epsilon (explanation.unexplained, -90e-6, 1e-9);
  prof_explanation_clear (&explanation);
}

/* The overlap is the difference with all threads less the difference with one. */
/* An interval that ends at zero does not tell on which side the time is. */
static void
test_intervals_that_touch_zero_are_not_clear (void)
{
  ProfExplanation explanation = { .run = 1 };
  ProfBucket     *bucket = &explanation.bucket[PROF_BUCKET_GEMM];

  *bucket = (ProfBucket){ .seconds = 0.5, .low = 0.001, .high = 1 };
  g_assert_true (prof_explanation_is_clear (&explanation, PROF_BUCKET_GEMM));
  bucket->low = 0;
  g_assert_false (prof_explanation_is_clear (&explanation, PROF_BUCKET_GEMM));
  *bucket = (ProfBucket){ .seconds = -0.5, .low = -1, .high = 0 };
  g_assert_false (prof_explanation_is_clear (&explanation, PROF_BUCKET_GEMM));
  bucket->high = -0.001;
  g_assert_true (prof_explanation_is_clear (&explanation, PROF_BUCKET_GEMM));
  /* Nor does one that too few runs leave unknown. */
  bucket->low = bucket->high = NAN;
  g_assert_false (prof_explanation_is_clear (&explanation, PROF_BUCKET_GEMM));
}

static void
test_overlap_is_what_threads_change (void)
{
  static const guint16 kinds[] = { HYB_CATEGORY_LINEAR, HYB_CATEGORY_ELEMENTWISE };
  g_autoptr (ProfCapture) a = make_capture (kinds, (const guint[]){ 100, 100 }, 2, 210);
  g_autoptr (ProfCapture) b = make_capture (kinds, (const guint[]){ 60, 60 }, 2, 125);
  g_autoptr (ProfCapture) a_one = make_capture (kinds, (const guint[]){ 150, 100 }, 2, 260);
  g_autoptr (ProfCapture) b_one = make_capture (kinds, (const guint[]){ 110, 90 }, 2, 205);
  g_autoptr (ProfComparison) all = prof_compare_captures ((const ProfCapture *const[]){ a, b }, 2);
  g_autoptr (ProfComparison) one =
      prof_compare_captures ((const ProfCapture *const[]){ a_one, b_one }, 2);
  ProfExplanation explanation;

  prof_explain_threads (&(ProfExplained){ all, 0, 1, a, b },
                        &(ProfExplained){ one, 0, 1, a_one, b_one }, &explanation);
  g_assert_cmpfloat_with_epsilon (explanation.saved.median, 85e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (sum_buckets (&explanation), explanation.saved.median, 1e-15);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_GEMM].seconds, 40e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_POINTWISE].seconds, 10e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_HOST].seconds, 5e-6, 1e-9);
  /* More threads save 80 µs in b and 50 µs in a. */
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_OVERLAP].seconds, 30e-6, 1e-12);
  g_assert_nonnull (strstr (explanation.bucket[PROF_BUCKET_OVERLAP].rung, "80.0 µs"));
  g_assert_nonnull (strstr (explanation.bucket[PROF_BUCKET_OVERLAP].rung, "50.0 µs"));
  prof_explanation_clear (&explanation);
}

/* What a bucket claims is compared with what its own rung measured. */
static void
test_residual_is_claim_less_rung (void)
{
  static const guint16 kinds[] = { HYB_CATEGORY_LINEAR, HYB_CATEGORY_ELEMENTWISE };
  g_autoptr (ProfCapture) a = make_capture (kinds, (const guint[]){ 200, 100 }, 2, 300);
  g_autoptr (ProfCapture) b = make_capture (kinds, (const guint[]){ 100, 100 }, 2, 200);
  ProfExplanation explanation;
  ProfBucketKind  worst;

  explain (a, b, &explanation);
  g_assert_true (prof_explanation_has_cause (&explanation));
  g_assert_true (isnan (explanation.bucket[PROF_BUCKET_GEMM].residual));
  g_assert_false (prof_explanation_is_incomplete (&explanation, &worst));
  prof_bucket_set_rung (&explanation.bucket[PROF_BUCKET_GEMM], 95e-6, g_strdup ("one: 95 µs"));
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_GEMM].residual, 5e-6, 1e-9);
  g_assert_false (prof_explanation_is_incomplete (&explanation, &worst));
  /* The preset once said “184 ms” beside a rung of 3.88 ms. */
  prof_bucket_set_rung (&explanation.bucket[PROF_BUCKET_GEMM], 2e-6, g_strdup ("one: 2 µs"));
  g_assert_true (prof_explanation_is_incomplete (&explanation, &worst));
  g_assert_cmpint (worst, ==, PROF_BUCKET_GEMM);
  g_assert_true (prof_explanation_is_clear (&explanation, PROF_BUCKET_GEMM));
  /* Half a per cent of a run is less than traced runs of one build can tell. */
  explanation.bucket[PROF_BUCKET_POINTWISE].seconds = 1e-6;
  explanation.bucket[PROF_BUCKET_POINTWISE].low = 0.9e-6;
  explanation.bucket[PROF_BUCKET_POINTWISE].high = 1.1e-6;
  g_assert_false (prof_explanation_is_clear (&explanation, PROF_BUCKET_POINTWISE));
  explanation.is_same_plan = TRUE;
  g_assert_false (prof_explanation_has_cause (&explanation));
  prof_explanation_clear (&explanation);
}

/* A difference within what sessions differ by has no cause. */
static void
test_uncertain_difference_has_no_cause (void)
{
  static const guint16 kinds[] = { HYB_CATEGORY_LINEAR };
  g_autoptr (ProfCapture) a = make_capture (kinds, (const guint[]){ 203 }, 1, 203);
  g_autoptr (ProfCapture) b = make_capture (kinds, (const guint[]){ 200 }, 1, 200);
  ProfExplanation explanation;

  explain (a, b, &explanation);
  g_assert_false (prof_explanation_has_cause (&explanation));
  prof_explanation_clear (&explanation);
}

static void
test_planted_slowdown_is_reported (void)
{
  static const guint16 kinds[] = { HYB_CATEGORY_LINEAR, HYB_CATEGORY_ELEMENTWISE };
  g_autoptr (ProfCapture) a = make_capture (kinds, (const guint[]){ 100, 105 }, 2, 205);
  g_autoptr (ProfCapture) b = make_capture (kinds, (const guint[]){ 100, 100 }, 2, 200);
  ProfExplanation explanation;

  explain (a, b, &explanation);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_POINTWISE].seconds, 5e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon (explanation.bucket[PROF_BUCKET_GEMM].seconds, 0, 1e-9);
  prof_explanation_clear (&explanation);
}

/* --- A real slowdown --- */

#define PLANTED_NS 400000
#define N_PLANTED  9

/* A probe that delays the end of one node, before the recorder reads the clock. */
typedef struct
{
  const HybProbe *inner; /* the recorder's probe; NULL: not recorded */
  const char     *node;  /* name; NULL: no delay */
} DelayProbe;

static void
delay_begin (gpointer data, const HybSpan *span)
{
  const DelayProbe *delay = data;

  if (delay->inner)
    delay->inner->begin (delay->inner->data, span);
}

static void
delay_end (gpointer data, const HybSpan *span)
{
  const DelayProbe *delay = data;
  guint64           until = prof_clock_now () + PLANTED_NS;

  if (span->kind == HYB_SPAN_NODE && delay->node &&
      strcmp (hyb_graph_get_node (span->in, span->id)->name, delay->node) == 0)
    while (prof_clock_now () < until)
      ;
  if (delay->inner)
    delay->inner->end (delay->inner->data, span);
}

static void
delay_memory (gpointer data, guint16 device, gint64 bytes)
{
  const DelayProbe *delay = data;

  if (delay->inner && delay->inner->memory)
    delay->inner->memory (delay->inner->data, device, bytes);
}

static void
run_delayed (ProfSubject *subject, const DelayProbe *delay, GArray *seconds)
{
  HybProbe probe = {
    .data = (gpointer) delay, .begin = delay_begin, .end = delay_end, .memory = delay_memory
  };
  guint64 begin;
  double  took;
  g_autoptr (GError) error = NULL;

  hyb_executor_set_probe (prof_subject_get_executor (subject), &probe);
  begin = prof_clock_now ();
  prof_subject_run (subject, NULL, &error);
  took = (double) (prof_clock_now () - begin) * 1e-9;
  hyb_executor_set_probe (prof_subject_get_executor (subject), NULL);
  g_assert_no_error (error);
  g_array_append_val (seconds, took);
}

/* Measures both subjects in turns, so that other load affects them alike; the second has the delay.
 * */
static void
measure_delayed (ProfSubject *const *subjects, const char *node, ProfCapture **captures)
{
  ProfSeries series[2];
  DelayProbe delays[2] = { { NULL, NULL }, { NULL, node } };

  for (guint i = 0; i < 2; i++)
    {
      prof_series_init (&series[i]);
      series[i].recorder = prof_recorder_new ();
    }
  for (guint run = 0; run < N_PLANTED; run++)
    for (guint i = 0; i < 2; i++)
      {
        delays[i].inner = NULL;
        run_delayed (subjects[i], &delays[i], series[i].clean);
        delays[i].inner = prof_recorder_get_probe (series[i].recorder);
        prof_recorder_begin_run (series[i].recorder, run, FALSE, 0);
        run_delayed (subjects[i], &delays[i], series[i].traced);
        prof_recorder_end_run (series[i].recorder);
      }
  for (guint i = 0; i < 2; i++)
    {
      captures[i] = prof_capture_measurement (subjects[i], &series[i], NULL, NULL);
      g_assert_nonnull (captures[i]);
      prof_series_clear (&series[i]);
    }
}

/* One operator becomes slower by a known time: the comparison names it with that time. */
static void
test_real_slowdown_is_found (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (4, 8, 2);
  g_autoptr (ProfSubject) a = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfSubject) b = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  ProfSubject *const subjects[] = { a, b };
  ProfCapture       *captures[2];
  g_autoptr (GArray) list = NULL;
  const ProfDifference *worst;
  ProfExplanation       explanation;

  measure_delayed (subjects, "net_lstm0_t2_i2h", captures);
  list = prof_difference (captures[0], captures[1]);
  worst = &g_array_index (list, ProfDifference, 0);
  g_assert_cmpstr (worst->name, ==, "net_lstm0_t2_i2h");
  g_assert_cmpint (worst->pairing.verdict, ==, PROF_SLOWER);
  /* Half of the delay is far more than all other nodes take. */
  g_assert_cmpfloat (worst->b - worst->a, >, 0.5e-9 * PLANTED_NS);
  explain (captures[1], captures[0], &explanation);
  g_assert_cmpfloat (explanation.saved.median, >, 0.5e-9 * PLANTED_NS);
  g_assert_cmpfloat (explanation.bucket[PROF_BUCKET_GEMM].seconds, >,
                     0.5 * explanation.saved.median);
  prof_explanation_clear (&explanation);
  prof_capture_unref (captures[0]);
  prof_capture_unref (captures[1]);
}

/* Residuals are claims less rungs, also after memory has been moved out of the host bucket. */
static void
check_ladder_residuals (ProfLadder *ladder)
{
  ProfExplanation explanation;

  if (!prof_ladder_explain (ladder, NULL, &explanation, NULL))
    g_assert_not_reached ();
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation.bucket[i];

      g_assert_true (!bucket->rung == !!isnan (bucket->proved));
      if (i != PROF_BUCKET_MEMORY && bucket->rung)
        g_assert_cmpfloat_with_epsilon (bucket->residual, bucket->seconds - bucket->proved, 1e-15);
    }
  g_assert_true (isnan (explanation.bucket[PROF_BUCKET_MEMORY].residual));
  prof_explanation_clear (&explanation);
}

/* Every rung computes the same numbers, and what rungs save adds up. */
static void
test_ladder_runs_what_it_says (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (6, 8, 2);
  ProfSubjectOptions common = { .name = "test" };
  ProfMeasureOptions options = { .warmup = 1, .repeat = 6, .traced = 3, .seconds = 20 };
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfLadder) ladder =
      prof_ladder_new (model->graph, (HybTensor *const *) model->values->pdata, NULL, &common,
                       &error);
  const ProfRung *first;

  g_assert_no_error (error);
  g_assert_cmpuint (ladder->rungs->len, >=, 3);
  first = ladder->rungs->pdata[0];
  for (guint i = 1; i < ladder->rungs->len; i++)
    {
      ProfEquality equality;
      ProfSubject *subject = ((ProfRung *) ladder->rungs->pdata[i])->subject;

      g_assert_true (prof_subject_run (first->subject, NULL, &error));
      g_assert_true (prof_subject_run (subject, NULL, &error));
      prof_compare_numbers (first->subject, subject, &equality);
      g_assert_true (equality.ok);
      g_assert_cmpuint (equality.n_compared, ==, 1);
    }
  g_assert_true (prof_ladder_measure (ladder, &options, &error));
  for (guint i = 1; i < ladder->rungs->len; i++)
    {
      const ProfRung *rung = ladder->rungs->pdata[i];

      g_assert_true (rung->saved.low <= rung->saved.median);
      g_assert_true (rung->saved.median <= rung->saved.high);
      g_assert_true (rung->verdict != PROF_FASTER || rung->saved.median > 0);
      g_assert_true (rung->verdict != PROF_SLOWER || rung->saved.median < 0);
    }
  check_ladder_residuals (ladder);
  g_assert_true (prof_subject_has_same_plan (first->subject, first->subject));
}

/* The same model planned twice, and with other operators. */
static void
test_identical_plans_are_noticed (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (3, 8, 2);
  g_autoptr (TestModel) again = test_model_unrolled (3, 8, 2);
  g_autoptr (TestModel) longer = test_model_unrolled (4, 8, 2);
  g_autoptr (TestModel) wider = test_model_unrolled (3, 9, 2);
  g_autoptr (TestModel) loop = test_model_foreach (3);
  g_autoptr (TestModel) same_loop = test_model_foreach (3);
  g_autoptr (TestModel) longer_loop = test_model_foreach (4);

  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (ProfSubject) a = test_model_subject (model, mode, FALSE);
      g_autoptr (ProfSubject) b = test_model_subject (again, mode, FALSE);
      g_autoptr (ProfSubject) c = test_model_subject (longer, mode, FALSE);
      g_autoptr (ProfSubject) d = test_model_subject (wider, mode, FALSE);
      g_autoptr (ProfSubject) e = test_model_subject (loop, mode, FALSE);
      g_autoptr (ProfSubject) f = test_model_subject (same_loop, mode, FALSE);
      g_autoptr (ProfSubject) g = test_model_subject (longer_loop, mode, FALSE);
      g_autoptr (ProfSubject) other_mode =
          test_model_subject (model, (mode + 1) % (HYB_MODE_STATIC + 1), FALSE);

      g_assert_true (prof_subject_has_same_plan (a, b));
      g_assert_false (prof_subject_has_same_plan (a, c));
      g_assert_false (prof_subject_has_same_plan (a, d));
      g_assert_true (prof_subject_has_same_plan (e, f));
      g_assert_false (prof_subject_has_same_plan (e, g));
      g_assert_false (prof_subject_has_same_plan (a, e));
      g_assert_false (prof_subject_has_same_plan (a, other_mode));
      g_assert_true (prof_subject_has_plain_plan (a));
    }
}

/* Clean runs over several builds: how many there are, and that series belong together. */
static void
test_builds_are_measured_in_turns (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (3, 8, 2);
  g_autoptr (ProfSubject) a = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfSubject) b = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  ProfSubject *const subjects[] = { a, b };
  ProfMeasureOptions options = {
    .warmup = 1, .repeat = 20, .rebuild = TRUE, .traced = 2, .seconds = 60
  };
  ProfSeries series[2];
  g_autoptr (ProfCapture) capture_a = NULL;
  g_autoptr (ProfCapture) capture_b = NULL;
  g_autoptr (ProfComparison) comparison = NULL;
  ProfPairing pairing;

  prof_series_init (&series[0]);
  prof_series_init (&series[1]);
  g_assert_true (prof_measure (subjects, 2, series, &options, NULL));
  g_assert_cmpuint (series[0].clean->len, ==, 20);
  g_assert_cmpuint (g_array_index (series[1].build, guint, 19), ==, 9);
  capture_a = prof_capture_measurement (a, &series[0], NULL, NULL);
  capture_b = prof_capture_measurement (b, &series[1], NULL, NULL);
  g_assert_cmpstr (prof_capture_get_text (capture_a, PROF_BUILDS_KEY), ==, "2 2 2 2 2 2 2 2 2 2");
  g_assert_true (prof_captures_took_turns (capture_a, capture_b));
  comparison = prof_compare_captures ((const ProfCapture *const[]){ capture_a, capture_b }, 2);
  prof_comparison_pair (comparison, 0, 1, &pairing);
  g_assert_cmpuint (pairing.n, >=, 6);
  for (guint i = 0; i < 2; i++)
    prof_series_clear (&series[i]);
}

/* A text that counts more or fewer samples than there are is ignored. */
static void
test_wrong_builds_are_ignored (void)
{
  static const char *const texts[] = { "4 6", "9 1", "1 2 3 4", "-1", "", "99999999999999999999" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ProfBuilder) builder = prof_builder_new ();
      g_autoptr (ProfCapture) capture = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (ProfFacts) facts = prof_facts_new ();
      ProfCleanSamples samples;

      prof_facts_set (facts, PROF_BUILDS_KEY, texts[i]);
      prof_builder_add_facts (builder, facts);
      for (guint run = 0; run < 9; run++)
        prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, run, 1);
      bytes = prof_builder_finish (builder);
      capture = prof_capture_new (bytes, "test", NULL);
      prof_clean_samples_init (&samples, capture);
      g_assert_cmpuint (samples.n, ==, 9);
      for (guint k = 0; k < samples.n; k++)
        g_assert_cmpuint (samples.build[k], ==, 0);
      prof_clean_samples_clear (&samples);
    }
}

static void
test_different_numbers_are_noticed (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (3, 8, 2);
  g_autoptr (TestModel) other = test_model_unrolled (3, 8, 2);
  g_autoptr (ProfSubject) a = test_model_subject (model, HYB_MODE_STATIC, TRUE);
  g_autoptr (ProfSubject) b = NULL;
  ProfEquality equality;

  ((float *) hyb_tensor_get_data (other->values->pdata[1]))[0] += 0.5f;
  b = test_model_subject (other, HYB_MODE_STATIC, TRUE);
  g_assert_true (prof_subject_run (a, NULL, NULL));
  g_assert_true (prof_subject_run (b, NULL, NULL));
  prof_compare_numbers (a, a, &equality);
  g_assert_true (equality.ok);
  g_assert_cmpuint (equality.n_compared, ==, 1 + 3);
  prof_compare_numbers (a, b, &equality);
  g_assert_false (equality.ok);
}

/* Cancels after some clean samples. */
static void
stop_after_some (gpointer data, const ProfProgress *progress)
{
  if (g_str_equal (progress->phase, "clean") && progress->done >= 3)
    g_cancellable_cancel (data);
}

static void
test_cancelling_keeps_samples (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (3, 8, 2);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  ProfMeasureOptions options = { .warmup = 1,
                                 .repeat = 100,
                                 .traced = 3,
                                 .cancellable = cancellable,
                                 .progress = stop_after_some,
                                 .data = cancellable };
  ProfSeries         series;
  g_autoptr (ProfCapture) capture = NULL;

  prof_series_init (&series);
  g_assert_true (prof_measure (&subject, 1, &series, &options, NULL));
  g_assert_cmpint (series.stop, ==, PROF_STOP_CANCELLED);
  g_assert_cmpuint (series.clean->len, >=, 3);
  g_assert_cmpuint (series.clean->len, <, 10);
  /* Of traced runs there was only the first run of all. */
  g_assert_cmpuint (series.traced->len, ==, 1);
  capture = prof_capture_measurement (subject, &series, NULL, NULL);
  g_assert_nonnull (capture);
  g_assert_cmpstr (prof_capture_get_text (capture, "clean.stopped"), ==, "cancelled");
  prof_series_clear (&series);
}

TEST_PROGRAM (test_explain)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/explain/buckets-and-residual-are-the-difference",
                   test_buckets_and_residual_are_the_difference);
  g_test_add_func ("/profiler/explain/intervals-that-touch-zero-are-not-clear",
                   test_intervals_that_touch_zero_are_not_clear);
  g_test_add_func ("/profiler/explain/overlap-is-what-threads-change",
                   test_overlap_is_what_threads_change);
  g_test_add_func ("/profiler/explain/planted-slowdown-is-reported-with-its-time",
                   test_planted_slowdown_is_reported);
  g_test_add_func ("/profiler/explain/real-slowdown-is-found", test_real_slowdown_is_found);
  g_test_add_func ("/profiler/explain/ladder-runs-what-it-says", test_ladder_runs_what_it_says);
  g_test_add_func ("/profiler/explain/residual-is-claim-less-rung",
                   test_residual_is_claim_less_rung);
  g_test_add_func ("/profiler/explain/uncertain-difference-has-no-cause",
                   test_uncertain_difference_has_no_cause);
  g_test_add_func ("/profiler/explain/identical-plans-are-noticed",
                   test_identical_plans_are_noticed);
  g_test_add_func ("/profiler/explain/builds-are-measured-in-turns",
                   test_builds_are_measured_in_turns);
  g_test_add_func ("/profiler/explain/wrong-builds-are-ignored", test_wrong_builds_are_ignored);
  g_test_add_func ("/profiler/explain/different-numbers-are-noticed",
                   test_different_numbers_are_noticed);
  g_test_add_func ("/profiler/explain/cancelling-keeps-samples", test_cancelling_keeps_samples);
  return g_test_run ();
}
