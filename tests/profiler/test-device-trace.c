/* test-device-trace.c — every kernel of the pretend GPU is found under its operator, step and run, where work is
 * launched, replayed and repeated by loops; what CUPTI refuses or loses is said.
 *
 * The order of operators and steps that is expected is that of a run on the processor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/device-buffers.h"
#include "profiler/record/measure.h"
#include "profiler/summary/device-time.h"
#include "profiler/summary/measured-capture.h"
#include "profiler/summary/summary.h"
#include "tests/profiler/device-models.h"
#include "tests/program.h"

static void
run_subject (ProfSubject *subject)
{
  g_autoptr (GError) error = NULL;

  prof_subject_run (subject, NULL, &error);
  g_assert_no_error (error);
}

/* --- The order of operators --- */

/* Operators that compute something of their own, on either side. */
static gboolean
is_listed (const char *type)
{
  static const char *const types[] = { "dot",     "tanh",         "cumsum",
                                       "sigmoid", "elemwise_add", "elemwise_sub" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i], type) == 0)
      return TRUE;
  return FALSE;
}

static void
append_operator (GString *to, const HybGraph *graph, guint32 node, guint32 step, gboolean on_host)
{
  const char *type = hyb_graph_get_node ((HybGraph *) graph, node)->type;

  if (is_listed (type) && (strcmp (type, "cumsum") == 0) == on_host)
    g_string_append_printf (to, "%s %d\n", type, (int) step);
}

static void
note_operator (gpointer data, const HybSpan *span)
{
  if (span->kind == HYB_SPAN_NODE)
    append_operator (data, span->in, span->id, span->step, FALSE);
}

/* The operators of a run on the processor with their steps, one a line.  (transfer full) */
static char *
list_expected (HybGraph *graph)
{
  g_autoptr (ProfSubject) subject = new_subject (graph, HYB_MODE_HYBRID, NULL);
  GString *list = g_string_new (NULL);
  HybProbe probe = { .data = list, .begin = note_operator };

  hyb_executor_set_probe (prof_subject_get_executor (subject), &probe);
  run_subject (subject);
  return g_string_free (list, FALSE);
}

/* The same of the GPU's work in one run.  Adds its times to *ns.  (transfer full) */
static char *
list_traced (const ProfRecorder *recorder, guint run, guint64 *ns)
{
  const GArray *events = prof_recorder_get_device_events (recorder);
  GString      *list = g_string_new (NULL);

  for (guint i = 0; i < events->len; i++)
    {
      const ProfEvent *event = &g_array_index (events, ProfEvent, i);

      if (event->run != run)
        continue;
      *ns += prof_event_duration (event);
      g_assert_cmpuint (prof_event_device (event), ==, 1);
      if (prof_event_kind (event) == PROF_EVENT_COPY)
        continue;
      g_assert_cmpint (prof_event_kind (event), ==, PROF_EVENT_DEVICE);
      g_assert_cmpuint (event->node, !=, G_MAXUINT32);
      if (prof_event_depth (event) == PROF_DEVICE_FIRST)
        append_operator (list, prof_recorder_get_slot (recorder, event->graph)->graph, event->node,
                         event->step, FALSE);
    }
  return g_string_free (list, FALSE);
}

/* --- Runs --- */

static ProfDeviceTrace *
start_trace (void)
{
  g_autofree char *why = NULL;
  ProfDeviceTrace *trace = prof_device_trace_start (&why);

  g_assert_cmpstr (why, ==, NULL);
  g_assert_nonnull (trace);
  return trace;
}

#define N_TRACED 3

/* Traces runs after two that were not; the second one records in static mode. */
static void
check_model (HybGraph *graph, HybMode mode)
{
  g_autofree char *expected = list_expected (graph);
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autoptr (ProfSubject) subject = new_subject (graph, mode, gpu);
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  HybExecutor     *executor = prof_subject_get_executor (subject);
  ProfDeviceTrace *trace;
  guint            n_launched = 0;
  g_autofree char *problems_found = NULL;

  g_assert_cmpstr (expected, !=, "");
  run_subject (subject);
  run_subject (subject);
  trace = start_trace ();
  prof_recorder_follow_device (recorder, trace);
  hyb_executor_set_probe (executor, prof_recorder_get_probe (recorder));
  for (guint run = 0; run < N_TRACED; run++)
    {
      guint64          ns = 0, given;
      g_autofree char *traced = NULL;

      prof_recorder_begin_run (recorder, run, FALSE, 0);
      recorded_nanoseconds ();
      n_launched = calls ("cuLaunchKernel");
      run_subject (subject);
      n_launched = calls ("cuLaunchKernel") - n_launched;
      prof_recorder_end_run (recorder);
      given = recorded_nanoseconds ();
      traced = list_traced (recorder, run, &ns);
      g_assert_cmpstr (traced, ==, expected);
      g_assert_cmpuint (ns, ==, given);
      g_assert_cmpuint (ns, >, 0);
    }
  /* The later runs are replays of what the first one recorded. */
  g_assert_true ((n_launched == 0) == (mode == HYB_MODE_STATIC));
  problems_found = prof_device_trace_dup_problems (trace);
  g_assert_cmpstr (problems_found, ==, NULL);
  hyb_executor_set_probe (executor, NULL);
  prof_recorder_follow_device (recorder, NULL);
  prof_device_trace_stop (trace);
}

typedef HybGraph *(*GraphFunc) (void);

static const struct
{
  const char *name, *settings;
  GraphFunc   make;
} models[] = {
  { "layers", "", new_layers },
  { "layers-and-long-records", "kernel=240", new_layers },
  { "layers-of-two-kernels-a-call", "split=yes", new_layers },
  { "layers-in-another-order", "seed=9 order=reverse", new_layers },
  { "layers-around-a-step-of-the-host", "", new_layers_with_host },
  { "nested-loops", "", new_nested_loops },
};

static void
check_index (gconstpointer index, HybMode mode)
{
  guint i = GPOINTER_TO_UINT (index);
  g_autoptr (HybGraph) graph = models[i].make ();

  if (start (models[i].settings))
    check_model (graph, mode);
}

static void
test_launched (gconstpointer index)
{
  check_index (index, HYB_MODE_HYBRID);
}

static void
test_replayed (gconstpointer index)
{
  check_index (index, HYB_MODE_STATIC);
}

/* --- Measurements --- */

#define N_REPEATED 2

/* Measures nested loops on the GPU.  (transfer full) */
static ProfCapture *
measure (HybMode mode, ProfSeries *series)
{
  g_autoptr (HybGraph) graph = new_nested_loops ();
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autoptr (ProfSubject) subject = new_subject (graph, mode, gpu);
  ProfMeasureOptions options = { .warmup = 1, .repeat = N_REPEATED, .traced = N_TRACED };
  g_autoptr (GError) error = NULL;
  ProfCapture *capture;

  prof_series_init (series);
  prof_measure (&subject, 1, series, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (series->clean->len, ==, N_REPEATED);
  g_assert_cmpuint (series->traced->len, ==, N_TRACED);
  capture = prof_capture_measurement (subject, series, NULL, &error);
  g_assert_no_error (error);
  return capture;
}

static const ProfNodeSum *
find_node (const ProfCapture *capture, const ProfSummary *summary, const char *type, guint graph)
{
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);

      if (node->graph == graph && strcmp (prof_capture_get_string (capture, node->type), type) == 0)
        return sum;
    }
  g_error ("no %s in graph %u", type, graph);
}

/* Operators are counted, loops contain what is in them, and everything adds up to the run. */
static void
test_sums (gconstpointer mode)
{
  ProfSeries series;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  const ProfNodeSum *outer, *inner, *tanh;
  ProfGroupSum       rest[PROF_MAX_REST];
  double             sum = 0;

  if (!start (""))
    return;
  capture = measure ((HybMode) GPOINTER_TO_INT (mode), &series);
  summary = prof_summary_new (capture);
  g_assert_cmpstr (series.device_problem, ==, NULL);
  g_assert_cmpstr (prof_capture_get_text (capture, PROF_DEVICE_TRACE_KEY), ==, "CUPTI 13.0");
  g_assert_true (summary->is_of_device);
  g_assert_cmpuint (summary->n_runs, ==, N_TRACED);
  g_assert_cmpfloat (summary->no_operator, ==, 0);
  g_assert_cmpfloat (summary->device_busy, >, 0);
  for (guint i = 0; i < summary->node->len; i++)
    sum += g_array_index (summary->node, ProfNodeSum, i).self;
  for (guint i = prof_summary_rest (summary, rest); i-- > 0;)
    sum += rest[i].self;
  g_assert_cmpfloat_with_epsilon (sum, summary->traced, 1e-9 * summary->traced);

  outer = find_node (capture, summary, "_foreach", 0);
  inner = find_node (capture, summary, "_foreach", 1);
  tanh = find_node (capture, summary, "tanh", 2);
  g_assert_cmpfloat (outer->count, ==, 1);
  g_assert_cmpfloat (inner->count, ==, 6);
  g_assert_cmpfloat (tanh->count, ==, 36);
  g_assert_cmpfloat (tanh->self, ==, tanh->inclusive);
  g_assert_cmpfloat (inner->inclusive, >, inner->self + tanh->self);
  g_assert_cmpfloat (outer->inclusive, >, inner->inclusive);
  g_assert_cmpuint (summary->step->len, ==, 6);
  prof_series_clear (&series);
}

/* Work of the GPU counts once, and the host's only while the GPU rests. */
static void
test_division (void)
{
  ProfSeries series;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfDeviceTime) time = NULL;
  guint64 counted = 0, in_events = 0;

  if (!start (""))
    return;
  capture = measure (HYB_MODE_STATIC, &series);
  time = prof_device_time_new (capture);
  g_assert_nonnull (time);
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      const ProfEvent *event = &prof_capture_get_events (capture)[i];

      counted += prof_device_time_get (time, i);
      in_events += prof_event_is_of_device (event) ? prof_event_duration (event) : 0;
      if (prof_event_kind (event) == PROF_EVENT_RUN)
        {
          /* The pretend GPU does one thing after the other, inside the run. */
          g_assert_cmpuint (counted, <=, in_events);
          g_assert_cmpuint (counted, >, in_events / 2);
          g_assert_cmpuint (prof_device_time_overlap (time, event), ==, counted);
          counted = in_events = 0;
        }
    }
  prof_series_clear (&series);
}

/* Clean runs have the time of the GPU's clock beside that of the wall. */
static void
test_clean (void)
{
  ProfSeries series;
  g_autoptr (ProfCapture) capture = NULL;
  g_autofree double *seconds = NULL;
  guint              n;

  if (!start (""))
    return;
  capture = measure (HYB_MODE_STATIC, &series);
  seconds = prof_capture_dup_samples (capture, PROF_SAMPLE_DEVICE, &n);
  g_assert_cmpuint (n, ==, N_REPEATED);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (seconds[i], >, 0);
  prof_series_clear (&series);
}

/* --- What goes wrong --- */

static const struct
{
  const char *settings, *sentence;
  gboolean    is_refused; /* there is no trace at all */
} faults[] = {
  { "fail=cuptiSubscribe:1:39", "another profiler holds CUPTI, such as nsys", TRUE },
  { "fail=cuptiActivityEnable:3:39", "another profiler holds CUPTI, such as nsys", TRUE },
  { "fail=cuptiActivityEnable:1:35", "does not let this user trace the GPU", TRUE },
  { "fail=cuptiActivityEnable:1:26", "another program uses GPU resources that CUPTI needs", TRUE },
  { "fail=cuptiActivityEnable:1:15", "the NVIDIA driver is older than CUPTI 13", TRUE },
  { "fail=cuptiActivityEnable:1:999", "CUPTI found no NVIDIA driver that it can use", TRUE },
  { "fail=cuptiActivityRegisterCallbacks:1:1", "cuptiActivityRegisterCallbacks failed with", TRUE },
  { "fail=cuptiEnableCallback:2:1", "cuptiEnableCallback failed with", TRUE },
  { "drop=5", "5 records were lost by CUPTI", FALSE },
  { "timeless=3", "3 records have no time stamps and are left out", FALSE },
  { "cut=yes", "buffers end in an incomplete record, which is left out", FALSE },
};

/* Each has its sentence, and clean times are as ever. */
static void
test_fault (gconstpointer index)
{
  guint      i = GPOINTER_TO_UINT (index), n_waits;
  ProfSeries series;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  const char *problem;

  if (!start (faults[i].settings))
    return;
  n_waits = calls ("cuStreamSynchronize");
  capture = measure (HYB_MODE_STATIC, &series);
  n_waits = calls ("cuStreamSynchronize") - n_waits;
  problem = prof_capture_get_text (capture, PROF_DEVICE_TRACE_PROBLEM_KEY);
  g_assert_nonnull (problem);
  if (!strstr (problem, faults[i].sentence))
    g_error ("%s: %s", faults[i].settings, problem);
  summary = prof_summary_new (capture);
  g_assert_cmpfloat (summary->clean, >, 0);
  g_assert_cmpuint (summary->n_runs, ==, N_TRACED);
  g_assert_true (summary->is_of_device == !faults[i].is_refused);
  /* Without a trace each of the 43 operators is waited for, and CUPTI is left alone. */
  if (faults[i].is_refused)
    {
      g_assert_cmpuint (n_waits, >, 43 * N_TRACED);
      g_assert_cmpuint (calls ("cuptiActivityPushExternalCorrelationId"), ==, 0);
      g_assert_nonnull (strstr (problem, "The GPU's work is not traced, because "));
    }
  prof_series_clear (&series);
}

static void
test_little_memory (void)
{
  ProfSeries series;
  g_autoptr (ProfCapture) capture = NULL;

  if (!start (""))
    return;
  prof_device_buffers_set_limit (1000);
  capture = measure (HYB_MODE_STATIC, &series);
  prof_device_buffers_set_limit (0);
  g_assert_nonnull (strstr (series.device_problem, "buffers of records did not fit in memory"));
  prof_series_clear (&series);
}

/* A run without a recorder, or with one that follows nothing, calls nothing of CUPTI. */
static void
test_idle (void)
{
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ProfSubject) subject = NULL;
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();

  if (!start (""))
    return;
  graph = new_layers ();
  gpu = open_gpu ();
  subject = new_subject (graph, HYB_MODE_HYBRID, gpu);
  hyb_executor_set_probe (prof_subject_get_executor (subject), prof_recorder_get_probe (recorder));
  prof_recorder_begin_run (recorder, 0, FALSE, 0);
  run_subject (subject);
  prof_recorder_end_run (recorder);
  hyb_executor_set_probe (prof_subject_get_executor (subject), NULL);
  g_assert_cmpuint (calls ("cuptiActivityPushExternalCorrelationId"), ==, 0);
  g_assert_cmpuint (calls ("cuptiActivityFlushAll"), ==, 0);
  g_assert_cmpuint (calls ("cuptiGetTimestamp"), ==, 0);
}

/* Outputs are the same bits, traced or not. */
static void
test_same_outputs (void)
{
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ProfSubject) subject = NULL;
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  g_autofree void *before = NULL;
  HybTensor       *output;
  ProfDeviceTrace *trace;

  if (!start (""))
    return;
  graph = new_nested_loops ();
  gpu = open_gpu ();
  subject = new_subject (graph, HYB_MODE_STATIC, gpu);
  for (guint i = 0; i < 3; i++)
    run_subject (subject);
  output = prof_subject_get_output (subject, 0);
  before = g_memdup2 (hyb_tensor_get_data (output), hyb_tensor_get_bytes (output));
  trace = start_trace ();
  prof_recorder_follow_device (recorder, trace);
  hyb_executor_set_probe (prof_subject_get_executor (subject), prof_recorder_get_probe (recorder));
  for (guint i = 0; i < N_TRACED; i++)
    {
      prof_recorder_begin_run (recorder, i, FALSE, 0);
      run_subject (subject);
      prof_recorder_end_run (recorder);
      output = prof_subject_get_output (subject, 0);
      g_assert_cmpmem (hyb_tensor_get_data (output), hyb_tensor_get_bytes (output), before,
                       hyb_tensor_get_bytes (output));
    }
  hyb_executor_set_probe (prof_subject_get_executor (subject), NULL);
  prof_device_trace_stop (trace);
}

TEST_PROGRAM (test_device_trace)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *launched =
          g_strdup_printf ("/profiler/device-trace/%s/launched", models[i].name);
      g_autofree char *replayed =
          g_strdup_printf ("/profiler/device-trace/%s/replayed", models[i].name);

      g_test_add_data_func (launched, GUINT_TO_POINTER (i), test_launched);
      g_test_add_data_func (replayed, GUINT_TO_POINTER (i), test_replayed);
    }
  g_test_add_data_func ("/profiler/device-trace/sums-of-launches-add-up",
                        GINT_TO_POINTER (HYB_MODE_HYBRID), test_sums);
  g_test_add_data_func ("/profiler/device-trace/sums-of-replays-add-up",
                        GINT_TO_POINTER (HYB_MODE_STATIC), test_sums);
  g_test_add_func ("/profiler/device-trace/each-moment-counts-once", test_division);
  g_test_add_func ("/profiler/device-trace/clean-runs-have-the-time-of-the-gpu", test_clean);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *name =
          g_strdup_printf ("/profiler/device-trace/%s-has-its-sentence", faults[i].settings);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_fault);
    }
  g_test_add_func ("/profiler/device-trace/little-memory-is-said", test_little_memory);
  g_test_add_func ("/profiler/device-trace/cupti-is-left-alone-without-a-trace", test_idle);
  g_test_add_func ("/profiler/device-trace/outputs-are-the-same", test_same_outputs);
  return g_test_run ();
}
