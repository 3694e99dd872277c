/* test-recorder.c — what the recorder stores of real runs, and how it is attributed and summed.
 *
 * Small models run in all modes (profile-run.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "profiler/base/clock.h"
#include "profiler/summary/gradients.h"
#include "profiler/summary/summary.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static const ProfNodeSum *
find_sum (const ProfCapture *capture, const ProfSummary *summary, const char *name)
{
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);

      if (strcmp (prof_capture_get_string (capture, node->name), name) == 0)
        return sum;
    }
  return NULL;
}

static void
test_every_node_is_counted (void)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_autoptr (TestModel) model = test_model_unrolled (5, 16, 2);
      g_autoptr (ProfCapture) capture = test_model_capture (model, modes[m], FALSE);
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);

      g_assert_cmpuint (summary->n_runs, ==, 4); /* the fifth is exact */
      /* A plan does not run views. */
      g_assert_cmpuint (summary->node->len, ==, modes[m] == HYB_MODE_IMPERATIVE ? 21 : 20);
      for (guint i = 0; i < summary->node->len; i++)
        g_assert_cmpfloat (g_array_index (summary->node, ProfNodeSum, i).count, ==, 1);
      g_assert_cmpfloat (summary->unattributed, ==, 0);
      /* Unrolled steps are found by name. */
      g_assert_cmpuint (summary->step->len, ==, 5);
      g_assert_cmpfloat (g_array_index (summary->step, ProfStepSum, 4).count, ==, 4);
    }
}

/* Passes rewrite the graph: added nodes get rows, and most nodes keep theirs. */
static void
test_optimised_graphs_are_attributed (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (9, 16, 2);
  ProfSubjectOptions how = { .name = "test", .mode = HYB_MODE_STATIC };
  ProfMeasureOptions options = { .warmup = 1, .repeat = 3, .traced = 3, .seconds = 30 };
  g_autoptr (ProfSubject) subject =
      prof_subject_new (model->graph, (HybTensor *const *) model->values->pdata, &how, NULL);
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  ProfSeries series;
  guint      n_own = 0;

  prof_series_init (&series);
  g_assert_true (prof_measure (&subject, 1, &series, &options, NULL));
  capture = prof_capture_measurement (subject, &series, NULL, NULL);
  prof_series_clear (&series);
  summary = prof_summary_new (capture);
  g_assert_cmpfloat (summary->unattributed, ==, 0);
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNode *node =
          prof_capture_get_node (capture, g_array_index (summary->node, ProfNodeSum, i).row);

      g_assert_true (isfinite (node->flops));
      n_own += !(node->flags & PROF_NODE_ADDED);
    }
  g_assert_cmpuint (n_own, >=, 9 * 2);
}

static void
test_loop_bodies_are_attributed (void)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_STATIC };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    for (guint backward = 0; backward < 2; backward++)
      {
        g_autoptr (TestModel) model = test_model_foreach (7);
        g_autoptr (ProfCapture) capture = test_model_capture (model, modes[m], backward);
        g_autoptr (ProfSummary) summary = prof_summary_new (capture);
        const ProfNodeSum *body = find_sum (capture, summary, "scaled");
        const ProfNodeSum *loop = find_sum (capture, summary, "loop");

        g_assert_nonnull (body);
        g_assert_nonnull (loop);
        if (!backward)
          g_assert_cmpfloat (body->count, ==, 7);
        g_assert_cmpfloat (loop->count, ==, 1);
        g_assert_cmpfloat (loop->inclusive, >=, loop->self);
        g_assert_cmpuint (prof_capture_get_node (capture, body->row)->graph, !=, 0);
        g_assert_cmpuint (summary->step->len, ==, 7);
        g_assert_cmpfloat (summary->unattributed, ==, 0);
        g_assert_cmpfloat (prof_capture_get_node (capture, body->row)->flops, ==, 64);
      }
}

/* A measurement says with which library its products were computed. */
static void
test_libraries_are_named (void)
{
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  const char *openblas = NULL;

  prof_machine_describe (facts);
  for (guint i = 0; i < prof_facts_n (facts); i++)
    if (strcmp (prof_facts_get (facts, i)->key, "library.openblas") == 0)
      openblas = prof_facts_get (facts, i)->text;
  g_assert_nonnull (openblas);
  g_assert_true (g_str_has_prefix (openblas, "OpenBLAS "));
}

/* A subject with a number of threads of its own leaves that of the process as it was. */
static void
test_threads_are_restored (void)
{
  g_autoptr (TestModel) model = test_model_foreach (3);
  ProfSubjectOptions options = {
    .name = "test", .mode = HYB_MODE_STATIC, .no_passes = TRUE, .threads = 1
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfSubject) subject =
      prof_subject_new (model->graph, (HybTensor *const *) model->values->pdata, &options, &error);
  ProfMeasureOptions measure = { .warmup = 1, .repeat = 2, .traced = 1, .seconds = 30 };
  ProfSeries         series;

  g_assert_no_error (error);
  hyb_parallel_set_threads (3);
  prof_series_init (&series);
  g_assert_true (prof_measure (&subject, 1, &series, &measure, &error));
  prof_series_clear (&series);
  g_assert_cmpuint (hyb_parallel_get_threads (), ==, 3);
  hyb_parallel_set_threads (0);
}

static void
test_times_add_up (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (40, 128, 8);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  double self = 0;

  for (guint i = 0; i < summary->node->len; i++)
    self += g_array_index (summary->node, ProfNodeSum, i).self;
  g_assert_cmpfloat (self, >, 0);
  g_assert_cmpfloat_with_epsilon (self + summary->between + summary->other, summary->traced,
                                  1e-12 * summary->traced);
}

/* The self times of one run add up to its outermost nodes. */
static void
test_self_times_of_a_run_are_its_nodes (void)
{
  g_autoptr (TestModel) model = test_model_foreach (9);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  HybExecutor *executor = prof_subject_get_executor (subject);
  guint64      inside[PROF_DEPTH_MAX + 2] = { 0 };
  guint64      self_sum = 0, outer = 0;

  hyb_executor_set_probe (executor, prof_recorder_get_probe (recorder));
  prof_recorder_begin_run (recorder, 0, FALSE, 0);
  g_assert_true (prof_subject_run (subject, NULL, NULL));
  prof_recorder_end_run (recorder);

  for (gsize i = 0; i < prof_recorder_n_events (recorder, 0); i++)
    {
      const ProfEvent *event = prof_recorder_get_event (recorder, 0, i);
      guint            depth = prof_event_depth (event);

      if (prof_event_kind (event) == PROF_EVENT_MEMORY)
        continue;
      if (prof_event_kind (event) == PROF_EVENT_RUN)
        break;
      g_assert_cmpuint (inside[depth + 1], <=, prof_event_duration (event));
      self_sum += prof_event_duration (event) - inside[depth + 1];
      inside[depth + 1] = 0;
      inside[depth] += prof_event_duration (event);
      outer += depth == 1 ? prof_event_duration (event) : 0;
    }
  g_assert_cmpuint (self_sum, ==, outer);
}

/* A product of (2, 8) and (8, 8), with a bias: its output of 2 × 8 numbers takes 64 bytes. */
static void
test_details_of_nodes (void)
{
  static const HybMode modes[] = { HYB_MODE_STATIC, HYB_MODE_IMPERATIVE };

  for (guint k = 0; k < G_N_ELEMENTS (modes); k++)
    {
      g_autoptr (TestModel) model = test_model_unrolled (3, 8, 2);
      g_autoptr (ProfCapture) capture = test_model_capture (model, modes[k], FALSE);
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);
      guint n_found = 0;

      for (guint i = 0; i < summary->node->len; i++)
        {
          const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
          const ProfNode    *node = prof_capture_get_node (capture, sum->row);
          const char        *name = prof_capture_get_string (capture, node->name);

          if (!g_str_has_suffix (name, "_i2h"))
            continue;
          n_found++;
          g_assert_cmpstr (sum->inputs, ==, "float32 (2, 8) float32 (8, 8) float32 (8,)");
          g_assert_cmpfloat (sum->allocated, >=, 64);
        }
      g_assert_cmpuint (n_found, ==, 3);
      g_assert_null (prof_capture_find_detail (capture, PROF_NONE - 1));
    }
}

static void
test_recording_changes_no_byte (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (6, 32, 3);
  g_autoptr (ProfSubject) plain = test_model_subject (model, HYB_MODE_STATIC, TRUE);
  g_autoptr (ProfSubject) recorded = test_model_subject (model, HYB_MODE_STATIC, TRUE);
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();

  hyb_executor_set_probe (prof_subject_get_executor (recorded), prof_recorder_get_probe (recorder));
  prof_recorder_begin_run (recorder, 0, FALSE, 0);
  g_assert_true (prof_subject_run (plain, NULL, NULL));
  g_assert_true (prof_subject_run (recorded, NULL, NULL));
  prof_recorder_end_run (recorder);

  g_assert_cmpuint (prof_subject_n_outputs (plain), ==, 1 + 3);
  for (guint i = 0; i < prof_subject_n_outputs (plain); i++)
    {
      HybTensor *a = prof_subject_get_output (plain, i);
      HybTensor *b = prof_subject_get_output (recorded, i);

      g_assert_cmpmem (hyb_tensor_get_data (a), hyb_tensor_get_bytes (a), hyb_tensor_get_data (b),
                       hyb_tensor_get_bytes (b));
    }
}

/* Gradients are listed in the order in which they are complete. */
static void
test_gradients_are_ready_in_order (void)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_STATIC };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_autoptr (TestModel) model = test_model_unrolled (5, 8, 2);
      g_autoptr (ProfCapture) capture = test_model_capture (model, modes[m], TRUE);
      g_autoptr (GArray) list = prof_gradients (capture);
      double last = 0;

      g_assert_cmpuint (list->len, ==, 3);
      for (guint i = 0; i < list->len; i++)
        {
          const ProfGradient *gradient = &g_array_index (list, ProfGradient, i);

          g_assert_cmpfloat (gradient->seconds, >=, last);
          g_assert_true (g_str_has_prefix (gradient->name, "net_lstm0_"));
          last = gradient->seconds;
        }
      g_assert_cmpfloat (last, >, 0);
    }
}

static void
test_deep_nesting_is_survived (void)
{
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  const HybProbe *probe = prof_recorder_get_probe (recorder);
  HybSpan         span = { .kind = HYB_SPAN_NODE };

  prof_recorder_begin_run (recorder, 0, FALSE, 0);
  for (guint i = 0; i < 1000; i++)
    probe->begin (probe->data, &span);
  for (guint i = 0; i < 1000; i++)
    probe->end (probe->data, &span);
  probe->end (probe->data, &span); /* one too many */
  prof_recorder_end_run (recorder);
  g_assert_cmpuint (prof_recorder_n_events (recorder, 0), >=, PROF_DEPTH_MAX);
}

/* In an exact run, what is done for a node before its operator lies between nodes.  What the operator calls
 * is its own. */
static void
test_exact_nodes_begin_with_their_operator (void)
{
  for (guint exact = 0; exact < 2; exact++)
    {
      g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
      const HybProbe  *probe = prof_recorder_get_probe (recorder);
      const HybSpan    span = { .kind = HYB_SPAN_NODE, .id = 7 };
      const ProfEvent *node, *run;
      guint64          before, ready, again;

      prof_recorder_begin_run (recorder, 0, exact, 0);
      probe->begin (probe->data, &span);
      before = prof_clock_now ();
      while (prof_clock_now () == before)
        ;
      ready = prof_clock_now ();
      probe->ready (probe->data, &span);
      again = prof_clock_now ();
      while (prof_clock_now () == again)
        ;
      probe->ready (probe->data, &span);
      probe->end (probe->data, &span);
      prof_recorder_end_run (recorder);
      node = prof_recorder_get_event (recorder, 0, 0);
      run = prof_recorder_get_event (recorder, 0, 1);
      if (exact)
        {
          g_assert_cmpuint (node->begin_ns - run->begin_ns, >=, ready - before);
          g_assert_cmpuint (prof_event_duration (node), >, 0);
        }
      else
        g_assert_cmpuint (prof_event_duration (node), >=, again - before);
    }
}

/* Operator by operator, each node is ready once, between its begin and its end. */
typedef struct
{
  guint n_begun, n_ready, n_ended;
} Calls;

static void
count_begin (gpointer data, const HybSpan *span)
{
  ((Calls *) data)->n_begun += span->kind == HYB_SPAN_NODE;
}

static void
count_ready (gpointer data, const HybSpan *span G_GNUC_UNUSED)
{
  Calls *calls = data;

  calls->n_ready++;
  g_assert_cmpuint (calls->n_begun, ==, calls->n_ready);
  g_assert_cmpuint (calls->n_ended, ==, calls->n_ready - 1);
}

static void
count_end (gpointer data, const HybSpan *span)
{
  ((Calls *) data)->n_ended += span->kind == HYB_SPAN_NODE;
}

static void
test_operators_are_ready_once (void)
{
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (TestModel) model = test_model_unrolled (5, 16, 2);
      g_autoptr (ProfSubject) subject = test_model_subject (model, mode, FALSE);
      Calls    calls = { 0 };
      HybProbe probe = {
        .data = &calls, .begin = count_begin, .end = count_end, .ready = count_ready
      };

      hyb_executor_set_probe (prof_subject_get_executor (subject), &probe);
      g_assert_true (prof_subject_run (subject, NULL, NULL));
      hyb_executor_set_probe (prof_subject_get_executor (subject), NULL);
      g_assert_cmpuint (calls.n_begun, >, 0);
      g_assert_cmpuint (calls.n_ready, ==, mode == HYB_MODE_IMPERATIVE ? calls.n_begun : 0);
    }
}

static gpointer
record_elsewhere (gpointer data)
{
  ProfRecorder   *recorder = data;
  const HybProbe *probe = prof_recorder_get_probe (recorder);
  HybSpan         span = { .kind = HYB_SPAN_COPY };

  for (guint i = 0; i < 500; i++)
    {
      probe->begin (probe->data, &span);
      probe->end (probe->data, &span);
    }
  return NULL;
}

static void
test_threads_write_to_their_own_rings (void)
{
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  GThread *threads[4];

  prof_recorder_begin_run (recorder, 0, FALSE, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("test", record_elsewhere, recorder);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  prof_recorder_end_run (recorder);

  g_assert_cmpuint (prof_recorder_n_threads (recorder), ==, 5);
  for (guint i = 1; i < 5; i++)
    g_assert_cmpuint (prof_recorder_n_events (recorder, i), ==, 500);
  g_assert_cmpuint (prof_recorder_n_lost (recorder), ==, 0);
}

/* The caller takes one piece and waits in it until the worker has begun the other one. */
static void
wait_for_both (gint64 begin, gint64 end, gpointer data)
{
  gint *n_begun = data;

  g_atomic_int_inc (n_begun);
  while (g_atomic_int_get (n_begun) < 2)
    g_thread_yield ();
}

static void
test_slices_of_workers_are_recorded_with_their_node (void)
{
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  const HybProbe *probe = prof_recorder_get_probe (recorder);
  HybSpan         span = { .kind = HYB_SPAN_NODE, .id = 7 };
  gint            n_begun = 0;
  guint           n_slices = 0;

  hyb_parallel_set_threads (2);
  hyb_parallel_for (2, 1, wait_for_both, &n_begun); /* not recorded */
  prof_recorder_begin_run (recorder, 3, FALSE, 16);
  probe->begin (probe->data, &span);
  n_begun = 0;
  hyb_parallel_for (2, 1, wait_for_both, &n_begun);
  probe->end (probe->data, &span);
  prof_recorder_end_run (recorder);
  n_begun = 0;
  hyb_parallel_for (2, 1, wait_for_both, &n_begun); /* not recorded */
  hyb_parallel_set_threads (0);

  g_assert_cmpuint (prof_recorder_n_threads (recorder), ==, 2);
  for (gsize i = 0; i < prof_recorder_n_events (recorder, 1); i++)
    {
      const ProfEvent *event = prof_recorder_get_event (recorder, 1, i);
      const ProfEvent *node = prof_recorder_get_event (recorder, 0, 0);

      n_slices += prof_event_kind (event) == PROF_EVENT_SLICE;
      g_assert_cmpuint (event->node, ==, 7);
      g_assert_cmpuint (event->run, ==, 3);
      g_assert_cmpuint (event->begin_ns, >=, node->begin_ns);
      g_assert_cmpuint (event->begin_ns + prof_event_duration (event), <=,
                        node->begin_ns + prof_event_duration (node));
    }
  g_assert_cmpuint (n_slices, ==, 1);
}

TEST_PROGRAM (test_recorder)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/recorder/libraries-are-named", test_libraries_are_named);
  g_test_add_func ("/profiler/recorder/threads-of-the-process-are-restored",
                   test_threads_are_restored);
  g_test_add_func ("/profiler/recorder/every-node-is-counted", test_every_node_is_counted);
  g_test_add_func ("/profiler/recorder/optimised-graphs-are-attributed",
                   test_optimised_graphs_are_attributed);
  g_test_add_func ("/profiler/recorder/loop-bodies-are-attributed",
                   test_loop_bodies_are_attributed);
  g_test_add_func ("/profiler/recorder/times-add-up", test_times_add_up);
  g_test_add_func ("/profiler/recorder/self-times-of-a-run-are-its-nodes",
                   test_self_times_of_a_run_are_its_nodes);
  g_test_add_func ("/profiler/recorder/inputs-and-allocations-of-nodes-are-known",
                   test_details_of_nodes);
  g_test_add_func ("/profiler/recorder/recording-changes-no-byte", test_recording_changes_no_byte);
  g_test_add_func ("/profiler/recorder/gradients-are-ready-in-order",
                   test_gradients_are_ready_in_order);
  g_test_add_func ("/profiler/recorder/deep-nesting-is-survived", test_deep_nesting_is_survived);
  g_test_add_func ("/profiler/recorder/exact-nodes-begin-with-their-operator",
                   test_exact_nodes_begin_with_their_operator);
  g_test_add_func ("/profiler/recorder/operators-are-ready-once", test_operators_are_ready_once);
  g_test_add_func ("/profiler/recorder/threads-write-to-their-own-rings",
                   test_threads_write_to_their_own_rings);
  g_test_add_func ("/profiler/recorder/slices-of-workers-are-recorded-with-their-node",
                   test_slices_of_workers_are_recorded_with_their_node);
  return g_test_run ();
}
