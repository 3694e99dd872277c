/* test-chrome.c — the rows and counters of a Chrome trace.
 *
 * The capture is made of chosen numbers.  Perfetto reads "ph":"C" with numbers in args, and wants the
 * complete events of each row nested.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture-builder.h"
#include "profiler/exchange/chrome-counters.h"
#include "profiler/exchange/write-trace.h"
#include "tests/program.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

static void
add_event (ProfBuilder *builder, ProfEventKind kind, guint64 begin, guint64 duration, guint stream)
{
  ProfEvent event = {
    .begin_ns = begin,
    .packed = prof_event_pack (duration, kind, kind != PROF_EVENT_RUN, 0, stream),
    .node = kind == PROF_EVENT_RUN         ? 0
            : stream == 0 && begin >= 5000 ? 1
                                           : 0,
  };

  prof_builder_add_event (builder, &event);
}

static void
add_allocation (ProfBuilder *builder, guint64 when, gint64 bytes)
{
  prof_builder_add_event (builder,
                          &(ProfEvent){ .begin_ns = when,
                                        .packed = prof_event_pack (0, PROF_EVENT_MEMORY, 1, 0, 0),
                                        .node = (guint32) (guint64) bytes,
                                        .step = (guint32) ((guint64) bytes >> 32) });
}

/* A run of 10 µs with two nodes, of which two workers compute slices; it used 1.5 processors. */
static ProfCapture *
make_capture (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  ProfCapture *capture;

  prof_builder_add_graph (builder, "main", PROF_NONE, PROF_NONE);
  for (guint i = 0; i < 2; i++)
    {
      ProfNode node = { .name = prof_builder_text (builder, i == 0 ? "fc1" : "fc2"),
                        .type = prof_builder_text (builder, "FullyConnected"),
                        .origin = PROF_NONE,
                        .step = PROF_NONE,
                        .flops = NAN };

      prof_builder_add_node (builder, &node);
    }
  prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, 0, 10e-6);
  prof_builder_add_sample_facts (builder, PROF_SAMPLE_TRACED, 0,
                                 &(ProfSampleFacts){ .wall = 10e-6, .cpu = 15e-6 });
  prof_builder_add_memory (builder, 0, 4096);
  prof_builder_add_memory (builder, 1, 1024);
  add_event (builder, PROF_EVENT_NODE, 1000, 3000, 0);
  add_allocation (builder, 2000, 512);
  add_event (builder, PROF_EVENT_NODE, 5000, 3000, 0);
  add_allocation (builder, 6000, -512);
  add_event (builder, PROF_EVENT_RUN, 500, 10000, 0);
  add_event (builder, PROF_EVENT_SLICE, 1500, 1000, 1);
  add_event (builder, PROF_EVENT_SLICE, 1500, 2000, 2);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", NULL);
  g_assert_nonnull (capture);
  return capture;
}

static const char *
text_of (const cJSON *event, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (event, key);

  return cJSON_IsString (item) ? item->valuestring : "";
}

/* "ts=value ts=value …" of a counter.  (transfer full) */
static char *
join_counter (const cJSON *events, const char *name, const char *key)
{
  g_autoptr (GString) values = g_string_new (NULL);
  const cJSON *event;

  cJSON_ArrayForEach (event, events)
  {
    const cJSON *value = cJSON_GetObjectItem (cJSON_GetObjectItem (event, "args"), key);

    if (strcmp (text_of (event, "ph"), "C") != 0 || strcmp (text_of (event, "name"), name) != 0)
      continue;
    g_assert_true (cJSON_IsNumber (value));
    g_string_append_printf (values, "%g=%g ", cJSON_GetObjectItem (event, "ts")->valuedouble,
                            value->valuedouble);
  }
  return g_string_free (g_steal_pointer (&values), FALSE);
}

static void
test_counters_show_memory_and_processors (void)
{
  g_autoptr (ProfCapture) capture = make_capture ();
  g_autofree char *text = prof_print_chrome (capture, 0, NULL);
  cJSON           *root = cJSON_Parse (text);
  const cJSON     *events = cJSON_GetObjectItem (root, "traceEvents");
  g_autofree char *memory = join_counter (events, "memory in use", "bytes");
  g_autofree char *allocated = join_counter (events, "allocated", "bytes");
  g_autofree char *cores = join_counter (events, "processors in use", "cores");

  g_assert_nonnull (root);
  g_assert_cmpstr (memory, ==, "0.5=4096 4.5=1024 ");
  g_assert_cmpstr (allocated, ==, "1.5=512 5.5=0 ");
  g_assert_cmpstr (cores, ==, "0=1.5 10=0 ");
  cJSON_Delete (root);
}

/* Each thread is a row of its own with a name; events are sorted and nest within their row. */
static void
test_threads_have_rows_of_their_own (void)
{
  g_autoptr (ProfCapture) capture = make_capture ();
  g_autofree char *text = prof_print_chrome (capture, 0, NULL);
  cJSON           *root = cJSON_Parse (text);
  const cJSON     *event;
  guint            n_rows = 0, n_slices = 0;
  double           last = 0, end[3] = { 0 };

  cJSON_ArrayForEach (event, cJSON_GetObjectItem (root, "traceEvents"))
  {
    double ts = cJSON_GetObjectItem (event, "ts")->valuedouble;
    guint  row = (guint) (cJSON_GetObjectItem (event, "tid")->valuedouble - 4242);

    n_rows += strcmp (text_of (event, "name"), "thread_name") == 0;
    if (strcmp (text_of (event, "ph"), "M") != 0)
      {
        g_assert_cmpfloat (ts, >=, last);
        last = ts;
      }
    if (strcmp (text_of (event, "cat"), "slice") != 0)
      continue;
    n_slices++;
    g_assert_true (row == 1 || row == 2);
    g_assert_cmpfloat (ts, >=, end[row]);
    end[row] = ts + cJSON_GetObjectItem (event, "dur")->valuedouble;
    g_assert_cmpstr (text_of (event, "name"), ==, "FullyConnected");
    g_assert_cmpstr (text_of (cJSON_GetObjectItem (event, "args"), "of"), ==, "fc1");
  }
  g_assert_cmpuint (n_rows, ==, 3);
  g_assert_cmpuint (n_slices, ==, 2);
  cJSON_Delete (root);
}

/* Slices lie inside the time of their node and do not count again. */
static void
test_slices_are_no_part_of_sums (void)
{
  g_autoptr (ProfCapture) capture = make_capture ();
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  double sum = 0;

  for (guint i = 0; i < summary->node->len; i++)
    sum += g_array_index (summary->node, ProfNodeSum, i).self;
  g_assert_cmpfloat_with_epsilon (sum, 6e-6, 1e-12);
}

/* A GPU is a process with a row for each stream, and one for copies; its work is not in the rows of the host. */
static void
test_gpus_are_processes (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = NULL;
  cJSON           *json;
  g_autoptr (GString) rows = g_string_new (NULL);
  static const ProfEvent events[] = {
    { .begin_ns = 1000, .packed = 500 | (guint64) PROF_EVENT_COPY << 40 | 1ull << 52 },
    { .begin_ns = 2000,
      .packed = 700 | (guint64) PROF_EVENT_DEVICE << 40 | 1ull << 52 | 3ull << 56 },
    { .begin_ns = 3000, .packed = 800 | (guint64) PROF_EVENT_DEVICE << 40 | 2ull << 52, .node = 7 },
    { .begin_ns = 3500, .packed = (guint64) PROF_EVENT_DEVICE << 40 | 1ull << 52 },
    { .begin_ns = 500, .packed = 9000 | (guint64) PROF_EVENT_RUN << 40 },
  };
  ProfNode     node = { .name = prof_builder_text (builder, "fc1"),
                        .type = prof_builder_text (builder, "FullyConnected"),
                        .origin = PROF_NONE,
                        .step = PROF_NONE,
                        .flops = NAN };
  const cJSON *event;

  prof_builder_add_graph (builder, "main", PROF_NONE, PROF_NONE);
  prof_builder_add_node (builder, &node);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    prof_builder_add_event (builder, &events[i]);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", NULL);
  text = prof_print_chrome (capture, 0, NULL);
  json = cJSON_Parse (text);
  g_assert_nonnull (json);
  cJSON_ArrayForEach (event, cJSON_GetObjectItem (json, "traceEvents"))
  {
    const cJSON *args = cJSON_GetObjectItem (event, "args");

    if (strcmp (text_of (event, "ph"), "M") == 0 &&
        cJSON_GetObjectItem (event, "pid")->valueint != PROF_CHROME_PROCESS &&
        *text_of (args, "name"))
      g_string_append_printf (rows, "%s; ", text_of (args, "name"));
    if (strcmp (text_of (event, "ph"), "X") == 0)
      g_string_append_printf (rows, "%s %s %d/%d %g+%g; ", text_of (event, "cat"),
                              text_of (event, "name"), cJSON_GetObjectItem (event, "pid")->valueint,
                              cJSON_GetObjectItem (event, "tid")->valueint,
                              cJSON_GetObjectItem (event, "ts")->valuedouble,
                              cJSON_GetObjectItem (event, "dur")->valuedouble);
  }
  g_assert_cmpstr (rows->str, ==,
                   "GPU 0; stream 0; stream 3; copies; GPU 1; stream 0; "
                   "user_annotation ProfilerStep#0 4242/4242 0+9; "
                   "gpu_memcpy copy 0/1000 0.5+0.5; "
                   "kernel FullyConnected 0/3 1.5+0.7; "
                   "kernel (GPU, no operator) 1/0 2.5+0.8; ");
  cJSON_Delete (json);
}

/* Sums of allocations that overflow, and rows and runs that do not exist. */
static void
test_damaged_numbers_are_survived (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  g_autofree char *text = NULL;
  cJSON           *root;

  prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, G_MAXUINT, 1);
  prof_builder_add_sample_facts (builder, PROF_SAMPLE_TRACED, G_MAXUINT,
                                 &(ProfSampleFacts){ .wall = 0, .cpu = NAN });
  prof_builder_add_memory (builder, PROF_NONE, G_MAXUINT64);
  add_allocation (builder, 1, G_MAXINT64);
  add_allocation (builder, 2, G_MAXINT64);
  add_event (builder, PROF_EVENT_RUN, G_MAXUINT64, PROF_DURATION_MAX, 255);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", NULL);
  if (!capture)
    return;
  text = prof_print_chrome (capture, 0, NULL);
  root = cJSON_Parse (text);
  g_assert_nonnull (root);
  cJSON_Delete (root);
}

TEST_PROGRAM (test_chrome)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/profiler/chrome/" name, function)
  ADD ("counters-show-memory-and-processors", test_counters_show_memory_and_processors);
  ADD ("threads-have-rows-of-their-own", test_threads_have_rows_of_their_own);
  ADD ("slices-are-no-part-of-sums", test_slices_are_no_part_of_sums);
  ADD ("gpus-are-processes-with-a-row-a-stream", test_gpus_are_processes);
  ADD ("damaged-numbers-are-survived", test_damaged_numbers_are_survived);
#undef ADD
  return g_test_run ();
}
