/* test-device-chrome.c — the Chrome trace of runs on the pretend GPU: rows, arrows, sums, and what our import reads back.
 *
 * The times are those that the pretend CUPTI gave out.  Perfetto wants the complete events of each row to nest, and each
 * end of an arrow inside one of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture-builder.h"
#include "profiler/exchange/import.h"
#include "profiler/exchange/write-trace.h"
#include "profiler/record/recorder.h"
#include "profiler/record/series.h"
#include "profiler/summary/device-time.h"
#include "profiler/summary/measured-capture.h"
#include "tests/profiler/device-models.h"
#include "tests/program.h"

#include <cjson/cJSON.h>
#include <math.h>

#define N_RUNS 3

/* --- Recording --- */

typedef struct
{
  HybGraph    *graph;
  ProfCapture *capture;
  guint64      given; /* ns that the pretend CUPTI gave out */
  cJSON       *json;
} Trace;

static void
trace_clear (Trace *trace)
{
  hyb_graph_unref (trace->graph);
  g_clear_pointer (&trace->capture, prof_capture_unref);
  cJSON_Delete (trace->json);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Trace, trace_clear)

static void
parse (Trace *trace)
{
  gsize            length;
  g_autofree char *text = prof_print_chrome (trace->capture, 0, &length);

  trace->json = cJSON_Parse (text);
  g_assert_nonnull (trace->json);
  g_assert_cmpuint (strlen (text), ==, length);
}

static void
run_subject (ProfSubject *subject)
{
  g_autoptr (GError) error = NULL;

  prof_subject_run (subject, NULL, &error);
  g_assert_no_error (error);
}

/* Runs that are all kept, unlike those of prof_measure(), which warms up. */
static void
trace_runs (Trace *self, ProfSubject *subject, ProfSeries *series)
{
  g_autofree char *why = NULL;
  ProfDeviceTrace *trace = prof_device_trace_start (&why);
  HybExecutor     *executor = prof_subject_get_executor (subject);
  double           seconds = 1e-3;
  ProfSampleFacts  facts = { .wall = seconds, .cpu = seconds };

  g_assert_cmpstr (why, ==, NULL);
  series->recorder = prof_recorder_new ();
  series->device_trace = g_strdup ("CUPTI 13.0");
  prof_recorder_follow_device (series->recorder, trace);
  hyb_executor_set_probe (executor, prof_recorder_get_probe (series->recorder));
  for (guint run = 0; run < N_RUNS; run++)
    {
      prof_recorder_begin_run (series->recorder, run, FALSE, 0);
      recorded_nanoseconds ();
      run_subject (subject);
      prof_recorder_end_run (series->recorder);
      self->given += recorded_nanoseconds ();
      g_array_append_val (series->traced, seconds);
      g_array_append_val (series->traced_facts, facts);
    }
  hyb_executor_set_probe (executor, NULL);
  prof_recorder_follow_device (series->recorder, NULL);
  prof_device_trace_stop (trace);
}

/* FALSE and a skipped test where NVRTC is not installed. */
static gboolean
record (Trace *trace, HybGraph *graph /* (transfer full) */, HybMode mode)
{
  ProfSeries series;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ProfSubject) subject = NULL;
  g_autoptr (GError) error = NULL;

  trace->graph = graph;
  if (!start (""))
    return FALSE;
  gpu = open_gpu ();
  subject = new_subject (graph, mode, gpu);
  prof_series_init (&series);
  run_subject (subject);
  run_subject (subject); /* static mode replays from now on */
  trace_runs (trace, subject, &series);
  trace->capture = prof_capture_measurement (subject, &series, NULL, &error);
  g_assert_no_error (error);
  prof_series_clear (&series);
  parse (trace);
  return TRUE;
}

/* --- Reading JSON --- */

#define EACH(event, trace) \
  cJSON_ArrayForEach (event, cJSON_GetObjectItem ((trace)->json, "traceEvents"))

static const char *
text_of (const cJSON *item, const char *key)
{
  const char *text = cJSON_GetStringValue (cJSON_GetObjectItem (item, key));

  return text ? text : "";
}

static gboolean
has_text (const cJSON *item, const char *key, const char *text)
{
  return strcmp (text_of (item, key), text) == 0;
}

/* -1 if it is absent. */
static gint64
int_of (const cJSON *item, const char *key)
{
  const cJSON *number = cJSON_GetObjectItem (item, key);

  return number ? (gint64) number->valuedouble : -1;
}

/* Of an event's args. */
static gint64
arg_of (const cJSON *event, const char *key)
{
  return int_of (cJSON_GetObjectItem (event, "args"), key);
}

/* Microseconds with three decimals as nanoseconds. */
static gint64
ns_of (const cJSON *event, const char *key)
{
  return llround (cJSON_GetObjectItem (event, key)->valuedouble * 1000);
}

static gboolean
is_slice (const cJSON *event)
{
  return has_text (event, "ph", "X");
}

static gboolean
is_work (const cJSON *event)
{
  return is_slice (event) &&
         (has_text (event, "cat", "kernel") || has_text (event, "cat", "gpu_memcpy"));
}

static gboolean
have_same_row (const cJSON *a, const cJSON *b)
{
  return int_of (a, "pid") == int_of (b, "pid") && int_of (a, "tid") == int_of (b, "tid");
}

static gboolean
holds (const cJSON *slice, const cJSON *event)
{
  gint64 begin = ns_of (slice, "ts"), at = ns_of (event, "ts");

  return have_same_row (slice, event) && begin <= at && at <= begin + ns_of (slice, "dur");
}

/* The slice of the row in which an end of an arrow lies, of which the one that begins last. */
static const cJSON *
find_slice (const Trace *trace, const cJSON *arrow)
{
  const cJSON *found = NULL, *event;

  EACH (event, trace)
  if (is_slice (event) && holds (event, arrow))
    found = event;
  return found;
}

/* The number of executions of operators that the host launched in a run. */
static guint
count_launches (const Trace *trace, gint64 run)
{
  const cJSON *event;
  guint        n = 0;

  EACH (event, trace)
  n += has_text (event, "cat", "cpu_op") && arg_of (event, "device") >= 0 &&
       arg_of (event, "run") == run;
  return n;
}

/* --- Checks --- */

/* Sorted by time; the slices of each row nest. */
static void
check_order (const Trace *trace)
{
  const cJSON *event, *other;
  gint64       last = 0;

  EACH (event, trace)
  {
    g_assert_cmpint (ns_of (event, "ts"), >=, last);
    last = ns_of (event, "ts");
    if (!is_slice (event))
      continue;
    for (other = event->next; other; other = other->next)
      if (is_slice (other) && have_same_row (event, other) &&
          ns_of (other, "ts") < last + ns_of (event, "dur"))
        g_assert_cmpint (ns_of (other, "ts") + ns_of (other, "dur"), <=,
                         last + ns_of (event, "dur"));
  }
}

/* Every row with work has a name: that of its stream, or “copies”; kernels and copies are not in one row. */
static void
check_rows (const Trace *trace)
{
  const cJSON *event, *name;
  guint        n_kernels = 0, n_copies = 0;

  EACH (event, trace)
  {
    g_autofree char *wanted = NULL;
    gboolean         is_copy = has_text (event, "cat", "gpu_memcpy"), is_named = FALSE;

    if (!is_work (event))
      continue;
    g_assert_cmpint (int_of (event, "pid"), ==, 0);
    g_assert_cmpint (arg_of (event, "device"), ==, 0);
    g_assert_cmpint (arg_of (event, "correlation"), >, 0);
    wanted = is_copy ? g_strdup ("copies")
                     : g_strdup_printf ("stream %d", (int) arg_of (event, "stream"));
    EACH (name, trace)
    if (has_text (name, "name", "thread_name") && have_same_row (name, event))
      {
        g_assert_cmpstr (text_of (cJSON_GetObjectItem (name, "args"), "name"), ==, wanted);
        is_named = TRUE;
      }
    g_assert_true (is_named);
    n_copies += is_copy;
    n_kernels += !is_copy;
  }
  g_assert_cmpuint (n_kernels, >, 0);
  g_assert_cmpuint (n_copies, >, 0);
}

/* What is written is what the profiler library told, and belongs to operators. */
static void
check_sums (const Trace *trace)
{
  const cJSON *event;
  guint64      written = 0;

  EACH (event, trace)
  if (is_work (event))
    {
      written += (guint64) ns_of (event, "dur");
      g_assert_cmpint (arg_of (event, "run"), <, N_RUNS);
      if (has_text (event, "cat", "kernel"))
        g_assert_cmpstr (text_of (cJSON_GetObjectItem (event, "args"), "node"), !=, "");
    }
  g_assert_cmpuint (written, ==, trace->given);
}

/* One end of each arrow lies in the execution of a node on the host, the other one in its work. */
static void
check_arrows (const Trace *trace)
{
  const cJSON *from, *to;
  guint        n = 0, n_launched = 0;

  EACH (from, trace)
  {
    const cJSON *host, *work;
    guint        n_ends = 0;

    n_launched += is_work (from) && arg_of (from, "External id") >= 0;
    if (has_text (from, "cat", "kernel") && count_launches (trace, arg_of (from, "run")) > 0)
      g_assert_cmpint (arg_of (from, "External id"), >, 0);
    if (!has_text (from, "ph", "s"))
      continue;
    host = find_slice (trace, from);
    g_assert_nonnull (host);
    EACH (to, trace)
    {
      if (!has_text (to, "ph", "f") || int_of (to, "id") != int_of (from, "id"))
        continue;
      n_ends++;
      g_assert_cmpstr (text_of (to, "bp"), ==, "e");
      g_assert_cmpint (ns_of (from, "ts"), <=, ns_of (to, "ts"));
      work = find_slice (trace, to);
      g_assert_true (work && is_work (work));
      g_assert_cmpint (ns_of (work, "ts"), ==, ns_of (to, "ts"));
      EACH (host, trace)
      if (is_slice (host) && holds (host, from) &&
          arg_of (host, "External id") == arg_of (work, "External id"))
        break;
      g_assert_nonnull (host);
      g_assert_cmpint (arg_of (host, "run"), ==, arg_of (work, "run"));
      g_assert_cmpint (arg_of (host, "step"), ==, arg_of (work, "step"));
      g_assert_cmpstr (text_of (cJSON_GetObjectItem (host, "args"), "node"), ==,
                       text_of (cJSON_GetObjectItem (work, "args"), "node"));
      g_assert_cmpstr (text_of (host, "name"), ==,
                       has_text (work, "cat", "kernel") ? text_of (work, "name")
                                                        : text_of (host, "name"));
    }
    g_assert_cmpuint (n_ends, ==, 1);
    n++;
  }
  g_assert_cmpuint (n, ==, n_launched);
}

static const char *
name_of (const ProfCapture *capture, const ProfNodeSum *sum)
{
  return prof_capture_get_string (capture, prof_capture_get_node (capture, sum->row)->name);
}

/* Of all nodes of a name: a trace does not tell them apart.  *is_unique: it is one node. */
static ProfNodeSum
sum_of (const ProfCapture *capture,
        const ProfSummary *summary,
        const char        *name,
        gboolean          *is_unique)
{
  ProfNodeSum all = { 0 };
  guint       n = 0;

  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);

      if (strcmp (name_of (capture, sum), name) != 0)
        continue;
      n++;
      all.count += sum->count;
      all.self += sum->self;
      all.inclusive += sum->inclusive;
    }
  *is_unique = n == 1;
  return all;
}

/* Our import of the trace gives the sums of the recording. */
static void
check_import (const Trace *trace)
{
  gsize             length;
  g_autofree char  *text = prof_print_chrome (trace->capture, 0, &length);
  ProfImport        import;
  ProfImportOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfTrace) read = prof_trace_read (text, length, "trace", &error);
  g_autoptr (ProfCapture) again = NULL;
  g_autoptr (ProfSummary) a = prof_summary_new (trace->capture);
  g_autoptr (ProfSummary) b = NULL;

  g_assert_no_error (error);
  g_assert_true (read->is_own);
  again = prof_import_trace (read, trace->graph, &options, &import, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (import.unmatched->len, ==, 0);
  g_assert_cmpuint (import.n_attributed, ==, import.n_operators);
  prof_import_clear (&import);
  b = prof_summary_new (again);
  g_assert_true (b->is_of_device);
  g_assert_cmpuint (b->n_runs, ==, a->n_runs);
  g_assert_cmpfloat_with_epsilon (b->traced, a->traced, 1e-9 * a->traced);
  g_assert_cmpfloat_with_epsilon (b->device_busy, a->device_busy, 1e-9 * a->traced);
  g_assert_cmpfloat_with_epsilon (b->no_operator, a->no_operator, 1e-9 * a->traced);
  for (guint i = 0; i < a->node->len; i++)
    {
      const char *name = name_of (trace->capture, &g_array_index (a->node, ProfNodeSum, i));
      gboolean    is_unique, is_unique_there;
      ProfNodeSum x = sum_of (trace->capture, a, name, &is_unique);
      ProfNodeSum y = sum_of (again, b, name, &is_unique_there);

      g_assert_cmpfloat (x.count, >, 0);
      g_assert_cmpfloat (x.count, ==, y.count);
      g_assert_cmpfloat_with_epsilon (x.self, y.self, 1e-9 * a->traced);
      if (is_unique) /* a loop of the same name inside another one would count twice */
        g_assert_cmpfloat_with_epsilon (x.inclusive, y.inclusive, 1e-9 * a->traced);
    }
}

/* --- Tests --- */

typedef HybGraph *(*GraphFunc) (void);

static const struct
{
  const char *name;
  GraphFunc   make;
} models[] = {
  { "layers", new_layers },
  { "layers-around-a-step-of-the-host", new_layers_with_host },
  { "nested-loops", new_nested_loops },
};

static void
check (gconstpointer index, HybMode mode)
{
  g_auto (Trace) trace = { 0 };

  if (!record (&trace, models[GPOINTER_TO_UINT (index)].make (), mode))
    return;
  g_assert_true ((count_launches (&trace, N_RUNS - 1) == 0) == (mode == HYB_MODE_STATIC));
  check_order (&trace);
  check_rows (&trace);
  check_sums (&trace);
  check_arrows (&trace);
  check_import (&trace);
}

static void
test_launched (gconstpointer index)
{
  check (index, HYB_MODE_HYBRID);
}

static void
test_replayed (gconstpointer index)
{
  check (index, HYB_MODE_STATIC);
}

/* --- Chosen numbers --- */

static void
add_event (ProfBuilder *builder, const ProfEvent *event)
{
  prof_builder_add_event (builder, event);
}

/* Two copies overlap, as those in both directions do on hardware, and work of another process has no launcher. */
static void
test_overlap (void)
{
  static const struct
  {
    guint64       begin, ns;
    ProfEventKind kind;
    guint         depth, device, stream;
    guint32       node;
  } rows[] = {
    { 100, 50, PROF_EVENT_NODE, 1, 1, 0, 0 },
    { 160, 50, PROF_EVENT_NODE, 1, 1, 0, 0 },
    { 200, 500, PROF_EVENT_COPY, PROF_DEVICE_FURTHER, 1, 1, 0 },
    { 400, 500, PROF_EVENT_COPY, PROF_DEVICE_FURTHER, 1, 2, 0 },
    { 700, 100, PROF_EVENT_COPY, PROF_DEVICE_FURTHER, 1, 1, 0 },
    { 900, 40, PROF_EVENT_DEVICE, PROF_DEVICE_FIRST, 1, 1, 0 },
    { 950, 40, PROF_EVENT_DEVICE, PROF_DEVICE_FIRST, 1, 1, 0 },
    { 1000, 40, PROF_EVENT_DEVICE, PROF_DEVICE_FIRST, 1, 1, PROF_NONE },
    { 50, 1500, PROF_EVENT_RUN, 0, 0, 0, 0 },
  };
  static const gint64 expected_rows[] = { 1000, 3000, 1000, 1, 1, 1 };
  static const gint64 launchers[] = { 2, 2, 2, 1, 2, -1 };
  g_auto (Trace) trace = { .graph = new_layers () };
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  ProfNode     node = { .name = prof_builder_text (builder, "fc1"),
                        .type = prof_builder_text (builder, "FullyConnected"),
                        .origin = PROF_NONE,
                        .step = PROF_NONE,
                        .flops = NAN };
  const cJSON *event;
  guint        n = 0;

  prof_builder_add_graph (builder, "main", PROF_NONE, PROF_NONE);
  prof_builder_add_node (builder, &node);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    add_event (builder,
               &(ProfEvent){ .begin_ns = rows[i].begin,
                             .packed = prof_event_pack (rows[i].ns, rows[i].kind, rows[i].depth,
                                                        rows[i].device, rows[i].stream),
                             .node = rows[i].node,
                             .correlation = 1 });
  bytes = prof_builder_finish (builder);
  trace.capture = prof_capture_new (bytes, "made", NULL);
  g_assert_nonnull (trace.capture);
  parse (&trace);
  check_order (&trace);
  EACH (event, &trace)
  if (is_work (event))
    {
      g_assert_cmpint (int_of (event, "tid"), ==, expected_rows[n]);
      g_assert_cmpint (arg_of (event, "External id"), ==, launchers[n]);
      n++;
    }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (launchers));
}

TEST_PROGRAM (test_device_chrome)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *launched =
          g_strdup_printf ("/profiler/device-chrome/launched/%s", models[i].name);
      g_autofree char *replayed =
          g_strdup_printf ("/profiler/device-chrome/replayed/%s", models[i].name);

      g_test_add_data_func (launched, GUINT_TO_POINTER (i), test_launched);
      g_test_add_data_func (replayed, GUINT_TO_POINTER (i), test_replayed);
    }
  g_test_add_func ("/profiler/device-chrome/overlapping-copies-have-rows-of-their-own",
                   test_overlap);
  return g_test_run ();
}
