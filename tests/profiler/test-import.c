/* test-import.c — maps traces of MXNet's profiler to their graphs.
 *
 * Goldens are in $HYB_SHARED/goldens/profile (or ../shared); broken files are made here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/base/limits.h"
#include "engine/base/random.h"
#include "engine/base/remedy.h"
#include "engine/formats/format.h"
#include "engine/formats/mxnet-symbol.h"
#include "tests/profiler/imported.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <cjson/cJSON.h>
#include <string.h>

static char *
golden_file (const char *name)
{
  const char *shared = g_getenv ("HYB_SHARED");

  return shared ? g_build_filename (shared, "goldens", "profile", name, NULL)
                : g_build_filename (SOURCE_ROOT, "..", "shared", "goldens", "profile", name, NULL);
}

static void
import_golden (Imported *imported, const char *name, const char *symbol)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autofree char *path = golden_file (file);
  g_autofree char *graph = golden_file (symbol);
  g_autofree char *text = NULL;
  gsize            length;
  g_autoptr (GError) error = NULL;

  *imported = (Imported){ .model = imported_open (graph) };
  g_assert_true (g_file_get_contents (path, &text, &length, &error));
  imported_read (imported, text, length, hyb_model_get_graph (imported->model));
}

static guint
count_unmatched (const Imported *imported)
{
  guint n = 0;

  for (guint i = 0; i < imported->import.unmatched->len; i++)
    {
      const ProfUnmatched *unmatched =
          &g_array_index (imported->import.unmatched, ProfUnmatched, i);

      g_assert_nonnull (unmatched->reason);
      g_assert_cmpint (strlen (unmatched->reason), >, 10);
      n += unmatched->count;
    }
  return n;
}

static void
test_every_golden_is_accounted_for (void)
{
  static const struct
  {
    const char *name, *symbol;
    guint       n_attributed, n_iterations, n_steps, n_shared, n_members;
  } cases[] = {
    { "lstm-unrolled", "lstm-unrolled-symbol.json", 107, 1, 0, 0, 0 },
    { "lstm-fused", "lstm-fused-symbol.json", 45, 5, 0, 0, 0 },
    { "lstm-foreach", "lstm-foreach-symbol.json", 113, 1, 8, 0, 0 },
    { "lstm-unrolled-bulk", "lstm-unrolled-symbol.json", 107, 1, 0, 0, 0 },
    { "lstm-unrolled-train-bulk", "lstm-unrolled-symbol.json", 197, 1, 0, 0, 0 },
    { "lstm-fused-train", "lstm-fused-symbol.json", 48, 3, 0, 0, 0 },
    { "lstm-foreach-train", "lstm-foreach-symbol.json", 202, 1, 8, 0, 0 },
    { "executor-unrolled-bulk", "lstm-unrolled-symbol.json", 1, 1, 0, 1, 107 },
    { "executor-unrolled-train-bulk", "lstm-unrolled-symbol.json", 16, 1, 0, 16, 151 },
  };
  g_autofree char *index = golden_file ("index.json");

  if (!g_file_test (index, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("goldens are not here: set HYB_SHARED");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Imported imported;

      import_golden (&imported, cases[i].name, cases[i].symbol);
      g_test_message ("%s", cases[i].name);
      g_assert_cmpuint (imported.import.n_attributed, ==, cases[i].n_attributed);
      g_assert_cmpuint (imported.import.n_iterations, ==, cases[i].n_iterations);
      g_assert_cmpuint (imported.import.n_loop_steps, ==, cases[i].n_steps);
      g_assert_cmpuint (imported.import.n_shared, ==, cases[i].n_shared);
      g_assert_cmpuint (imported.import.n_members, ==, cases[i].n_members);
      g_assert_cmpuint (imported.import.n_attributed + count_unmatched (&imported), ==,
                        imported.import.n_operators);
      g_assert_cmpuint (imported.summary->n_runs, ==, cases[i].n_iterations);
      imported_clear (&imported);
    }
}

/* The self seconds of the node with this name. */
static double
self_of (const ProfCapture *capture, const ProfSummary *summary, const char *name)
{
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);

      if (strcmp (prof_capture_get_string (capture,
                                           prof_capture_get_node (capture, sum->row)->name),
                  name) == 0)
        return sum->self;
    }
  g_error ("%s did not run", name);
}

/* A graph of 20 operators in a chain, sigmoid and tanh in turns, and then exp, tanh and sqrt. */
static char *
print_chain (void)
{
  static const char *const last[] = { "exp", "tanh", "sqrt" };
  g_autoptr (GString) text =
      g_string_new ("{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]}");

  for (guint i = 0; i < 23; i++)
    g_string_append_printf (text, ",{\"op\":\"%s\",\"name\":\"n%u\",\"inputs\":[[%u,0,0]]}",
                            i >= 20 ? last[i - 20]
                            : i % 2 ? "tanh"
                                    : "sigmoid",
                            i, i);
  g_string_append (text, "],\"arg_nodes\":[0],\"heads\":[[23,0,0]]}");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The name of a bulked event is cut.  What it covers ends where the next event has an operator, which is
 * bulked as well or not. */
static void
test_no_operator_is_counted_twice (void)
{
  static const char *const names[] = {
    "[sigmoid,tanh,sigmoid,tanh,sigmoid,tanh,sigmoid,tanh,sigmoid,tanh,sigmoid,tanh,sigmoid,tanh,"
    "sigmoid,tanh,sigmoid,tanh,sigmoid,tan",
    "exp",
    "[tanh,sqrt]",
    "tanh",
    "sqrt",
  };
  static const guint cases[][4] = { { 0, 1, 3, 4 }, { 0, 1, 2, G_MAXUINT } };
  char              *symbol = print_chain ();
  g_autoptr (GBytes) bytes = g_bytes_new_take (symbol, strlen (symbol));

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      Imported imported = { .model = NULL };
      g_autoptr (GString) text = g_string_new ("{\"traceEvents\":[");
      g_autoptr (GError) error = NULL;

      for (guint i = 0; i < 4 && cases[c][i] != G_MAXUINT; i++)
        g_string_append_printf (
            text,
            "%s{\"name\":\"%s\",\"cat\":\"operator\",\"ph\":\"B\",\"ts\":%u,\"pid\":0,\"tid\":1},"
            "{\"name\":\"%s\",\"cat\":\"operator\",\"ph\":\"E\",\"ts\":%u,\"pid\":0,\"tid\":1}",
            i == 0 ? "" : ",", names[cases[c][i]], 1000 + 100 * i, names[cases[c][i]],
            1050 + 100 * i);
      g_string_append (text, "]}");
      imported.model = hyb_model_new ();
      g_assert_true (hyb_symbol_read (imported.model, bytes, "chain", &error));
      imported_read (&imported, text->str, text->len, hyb_model_get_graph (imported.model));
      g_assert_cmpuint (imported.summary->n_runs, ==, 1);
      g_assert_cmpuint (imported.summary->node->len, ==, 23);
      for (guint k = 0; k < imported.summary->node->len; k++)
        g_assert_cmpfloat (g_array_index (imported.summary->node, ProfNodeSum, k).count, ==, 1);
      imported_clear (&imported);
    }
}

/* A whole model in one bulked event is divided as in the trace without bulking. */
static void
test_bulk_like_another_trace (void)
{
  g_autofree char *index = golden_file ("index.json");
  Imported         like, bulk;
  ProfImport       import = { 0 };
  g_autoptr (ProfCapture) shared = NULL;
  g_autoptr (ProfSummary) of_shared = NULL;
  double all = 0;

  if (!g_file_test (index, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("goldens are not here: set HYB_SHARED");
      return;
    }
  import_golden (&like, "lstm-unrolled", "lstm-unrolled-symbol.json");
  import_golden (&bulk, "executor-unrolled-bulk", "lstm-unrolled-symbol.json");
  shared = prof_import_trace (bulk.trace, hyb_model_get_graph (bulk.model),
                              &(ProfImportOptions){ .like = like.capture }, &import, NULL);
  g_assert_nonnull (shared);
  g_assert_cmpuint (import.n_members, ==, 107);
  of_shared = prof_summary_new (shared);
  for (guint i = 0; i < like.summary->node->len; i++)
    all += g_array_index (like.summary->node, ProfNodeSum, i).self;
  for (guint i = 0; i < like.summary->node->len; i += 7)
    {
      guint32     row = g_array_index (like.summary->node, ProfNodeSum, i).row;
      const char *name =
          prof_capture_get_string (like.capture, prof_capture_get_node (like.capture, row)->name);

      g_assert_cmpfloat_with_epsilon (self_of (shared, of_shared, name) / of_shared->traced,
                                      self_of (like.capture, like.summary, name) / all, 1e-3);
    }
  prof_import_clear (&import);
  imported_clear (&like);
  imported_clear (&bulk);
}

static void
test_unrolled_nodes_run_once (void)
{
  g_autofree char *index = golden_file ("index.json");
  Imported         imported;

  if (!g_file_test (index, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("goldens are not here: set HYB_SHARED");
      return;
    }
  import_golden (&imported, "lstm-unrolled", "lstm-unrolled-symbol.json");
  g_assert_cmpuint (imported.summary->node->len, ==, 107);
  for (guint i = 0; i < imported.summary->node->len; i++)
    g_assert_cmpfloat (g_array_index (imported.summary->node, ProfNodeSum, i).count, ==, 1);
  g_assert_cmpuint (imported.summary->step->len, ==, 8);
  imported_clear (&imported);
}

/* --- Broken and foreign files --- */

#define EVENT(name, phase, ts)                                                                  \
  "{\n \"name\": \"" name "\",\n \"cat\": \"operator\",\n \"ph\": \"" phase "\",\n \"ts\": " ts \
  ",\n \"pid\": 0,\n \"tid\": 18446744073709551615\n }\n"

static void
test_names_that_are_not_escaped (void)
{
  static const char text[] =
      "{\n \"traceEvents\": [\n" EVENT ("a\"b\\c\", d", "B", "100") ",\n" EVENT (
          "a\"b\\c\", d", "E", "107") ",\n" EVENT ("back\\", "B", "110") "," EVENT ("back\\", "E",
                                                                                    "111") "]}";
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfTrace) trace = prof_trace_read (text, sizeof text - 1, "a", &error);
  const ProfTraceEvent *event;

  g_assert_no_error (error);
  g_assert_cmpuint (trace->events->len, ==, 4);
  g_assert_cmpuint (trace->n_broken, ==, 0);
  g_assert_false (trace->is_cut);
  event = &g_array_index (trace->events, ProfTraceEvent, 0);
  g_assert_cmpstr (event->name, ==, "a\"b\\c\", d");
  g_assert_cmpuint (event->tid, ==, G_MAXUINT64);
  g_assert_cmpint (event->begin_ns, ==, 100000);
  g_assert_cmpstr (g_array_index (trace->events, ProfTraceEvent, 2).name, ==, "back\\");
}

static void
test_broken_event_costs_only_itself (void)
{
  static const char text[] =
      "{\"traceEvents\": [" EVENT ("tanh", "B", "1") ", {\"name\": nonsense\x01, "
                                                     "\"ph\": }, " EVENT ("tanh", "E", "5.25") "]}";
  g_autoptr (ProfTrace) trace = prof_trace_read (text, sizeof text - 1, "a", NULL);

  g_assert_nonnull (trace);
  g_assert_cmpuint (trace->n_broken, ==, 1);
  g_assert_cmpuint (trace->events->len, ==, 2);
  g_assert_cmpint (g_array_index (trace->events, ProfTraceEvent, 1).begin_ns, ==, 5250);
}

/* Numbers as long as the place in which they are read, one longer and so on. */
static void
test_numbers_of_any_length (void)
{
  for (int length = 30; length < 70; length++)
    {
      g_autofree char *text =
          g_strdup_printf ("{\"traceEvents\": [" EVENT ("tanh", "B", "7.%0*d") "]}", length - 2, 0);
      g_autoptr (ProfTrace) trace = prof_trace_read (text, strlen (text), "a", NULL);

      g_assert_nonnull (trace);
      g_assert_cmpuint (trace->events->len, ==, 1);
      g_assert_cmpint (g_array_index (trace->events, ProfTraceEvent, 0).begin_ns, ==, 7000);
    }
}

/* Searched to its end for each object, a file of this size would take longer than a test may. */
static void
test_unclosed_objects_are_passed_over (void)
{
  const guint n = 1 << 20;
  g_autoptr (GString) text = g_string_new ("{\"traceEvents\": [" EVENT ("tanh", "B", "1") ", ");
  g_autoptr (ProfTrace) trace = NULL;

  for (guint i = 0; i < n; i++)
    g_string_append (text, "{\"");
  trace = prof_trace_read (text->str, text->len, "a", NULL);
  g_assert_nonnull (trace);
  g_assert_cmpuint (trace->events->len, ==, 1);
  g_assert_cmpuint (trace->n_broken, >, 0);
}

/* A trace that is cut off after every byte. */
static void
test_cut_anywhere (void)
{
  static const char text[] = "{\"traceEvents\": [" EVENT ("FullyConnected", "B", "1") "," EVENT (
      "FullyConnected", "E",
      "5") "," EVENT ("tanh", "B",
                      "6") "," EVENT ("tanh", "E",
                                      "9") "," EVENT ("[elemwise_add,tanh,FullyCo", "B",
                                                      "10") "," EVENT ("[elemwise_add,tanh,FullyCo",
                                                                       "E", "30") "]}";
  g_autoptr (TestModel) model = test_model_unrolled (3, 4, 1);

  for (gsize length = 0; length < sizeof text; length++)
    {
      g_autoptr (ProfTrace) trace = prof_trace_read (text, length, "a", NULL);
      ProfImport import;
      g_autoptr (ProfCapture) capture = NULL;
      g_autoptr (ProfSummary) summary = NULL;

      if (!trace)
        continue;
      capture = prof_import_trace (trace, model->graph, &(ProfImportOptions){ 0 }, &import, NULL);
      g_assert_nonnull (capture);
      summary = prof_summary_new (capture);
      if (length < sizeof text - 3)
        g_assert_true (trace->is_cut);
      else
        g_assert_cmpuint (import.n_attributed, ==, 3);
      prof_import_clear (&import);
    }
}

static void
test_damaged_traces_are_survived (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (4, 4, 1);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (GString) text = g_string_new ("{\"traceEvents\": [");
  guint64 at = 0;

  for (guint i = 0; i < 20; i++)
    g_string_append_printf (text, "%s" EVENT ("tanh", "B", "%u") "," EVENT ("tanh", "E", "%u"),
                            i > 0 ? "," : "", 10 * i, 10 * i + 7);
  g_string_append (text, "]}");
  for (guint round = 0; round < 2000; round++)
    {
      g_autofree char *copy = g_memdup2 (text->str, text->len);
      g_autoptr (ProfTrace) trace = NULL;

      for (guint hit = 0; hit < 1 + round % 9; hit++)
        {
          gsize where = hyb_random_word (3, at++) % text->len;

          copy[where] = "\"\\{}[],:0e-. \n\x80"[hyb_random_word (3, at++) % 16];
        }
      trace = prof_trace_read (copy, text->len, "a", NULL);
      if (trace)
        {
          ProfImport import;
          g_autoptr (ProfCapture) got =
              prof_import_trace (trace, model->graph, &(ProfImportOptions){ 0 }, &import, NULL);

          g_assert_nonnull (got);
          prof_import_clear (&import);
        }
    }
}

static void
test_other_tools_by_node_name (void)
{
  static const char text[] =
      "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"tanh\",\"pid\":1,\"tid\":\"main\",\"ts\":1.5,"
      "\"dur\":2.25,\"args\":{\"node\":\"net_lstm0_t2_out\",\"x\":[1,{\"y\":null}]}},"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":9,\"dur\":"
      "1}]";
  g_autoptr (TestModel) model = test_model_unrolled (3, 4, 1);
  Imported           imported = { 0 };
  const ProfNodeSum *sum;

  imported_read (&imported, text, sizeof text - 1, model->graph);
  g_assert_cmpuint (imported.import.n_attributed, ==, 1);
  g_assert_cmpuint (count_unmatched (&imported), ==, 1);
  g_assert_cmpuint (imported.summary->node->len, ==, 1);
  sum = &g_array_index (imported.summary->node, ProfNodeSum, 0);
  g_assert_cmpstr (prof_capture_get_string (imported.capture,
                                            prof_capture_get_node (imported.capture, sum->row)
                                                ->name),
                   ==, "net_lstm0_t2_out");
  g_assert_cmpfloat_with_epsilon (sum->self, 2.25e-6, 1e-15);
  imported_clear (&imported);
}

/* GLib keeps interned texts until the process ends; a file must not decide how many there are. */
static void
test_names_are_given_back (void)
{
  static const char text[] =
      "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"never_seen_before\",\"pid\":1,\"tid\":1,"
      "\"ts\":1,\"dur\":1}]";
  g_autoptr (TestModel) model = test_model_unrolled (3, 4, 1);
  Imported imported = { 0 };

  imported_read (&imported, text, sizeof text - 1, model->graph);
  g_assert_cmpuint (count_unmatched (&imported), ==, 1);
  g_assert_cmpuint (g_quark_try_string ("never_seen_before"), ==, 0);
  g_assert_cmpuint (g_quark_try_string ("neverseenbefore"), ==, 0);
  imported_clear (&imported);
}

static void
test_file_without_events (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (prof_trace_read ("{\"nodes\": []}", 13, "x.json", &error));
  g_assert_error (error, PROF_ERROR, PROF_ERROR_TRACE);
  g_assert_nonnull (strstr (error->message, "x.json: there is no event in it"));
}

/* An object that never ends, whose strings look like objects that never end: each of 200,000 beginnings reads to the end
 * of the file, unless that is given up. */
static void
test_objects_in_strings (void)
{
  g_autoptr (GString) text = g_string_new ("[{\"name\": \"relu\"}, {");
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfTrace) trace = NULL;

  for (guint i = 0; i < 200000; i++)
    g_string_append (text, "\"k\":\"{\",");
  trace = prof_trace_read (text->str, text->len, "x.json", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (trace->events->len, ==, 1);
  g_assert_cmpuint (trace->n_broken, >, 0);
  g_assert_true (trace->is_cut);
}

/* “{}” is two bytes of the file and an event of a hundred; so are short texts. */
static void
test_limit_of_memory (void)
{
  g_autoptr (GString) empty = g_string_new ("{\"traceEvents\": [");
  g_autoptr (GString) texts = g_string_new ("{\"traceEvents\": [");
  const GString *files[] = { empty, texts };

  for (guint i = 0; i < 10000; i++)
    {
      g_string_append (empty, "{}");
      g_string_append_printf (texts, "{\"%u\":1}", i);
    }
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ProfTrace) trace = NULL;

      hyb_limits_set (1000000, 0);
      g_assert_null (prof_trace_read (files[i]->str, files[i]->len, "x.json", &error));
      g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT);
      g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_MEMORY);
      g_clear_error (&error);

      hyb_limits_set (10000000, 0);
      trace = prof_trace_read (files[i]->str, files[i]->len, "x.json", &error);
      g_assert_no_error (error);
      g_assert_cmpuint (trace->events->len, ==, 10000);
    }
  hyb_limits_set (0, 0);
}

TEST_PROGRAM (test_import)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/import/every-golden-is-accounted-for",
                   test_every_golden_is_accounted_for);
  g_test_add_func ("/profiler/import/no-operator-is-counted-twice",
                   test_no_operator_is_counted_twice);
  g_test_add_func ("/profiler/import/bulk-like-another-trace", test_bulk_like_another_trace);
  g_test_add_func ("/profiler/import/unrolled-nodes-run-once", test_unrolled_nodes_run_once);
  g_test_add_func ("/profiler/import/names-that-are-not-escaped", test_names_that_are_not_escaped);
  g_test_add_func ("/profiler/import/broken-event-costs-only-itself",
                   test_broken_event_costs_only_itself);
  g_test_add_func ("/profiler/import/numbers-of-any-length", test_numbers_of_any_length);
  g_test_add_func ("/profiler/import/unclosed-objects-are-passed-over",
                   test_unclosed_objects_are_passed_over);
  g_test_add_func ("/profiler/import/cut-anywhere", test_cut_anywhere);
  g_test_add_func ("/profiler/import/damaged-traces-are-survived",
                   test_damaged_traces_are_survived);
  g_test_add_func ("/profiler/import/other-tools-by-node-name", test_other_tools_by_node_name);
  g_test_add_func ("/profiler/import/file-without-events", test_file_without_events);
  g_test_add_func ("/profiler/import/names-of-events-are-given-back", test_names_are_given_back);
  g_test_add_func ("/profiler/import/objects-in-strings-are-given-up", test_objects_in_strings);
  g_test_add_func ("/profiler/import/small-events-count-with-the-memory-they-take",
                   test_limit_of_memory);
  return g_test_run ();
}
