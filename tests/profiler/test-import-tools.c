/* test-import-tools.c — traces of PyTorch, ONNX Runtime and of this program, mapped to graphs.
 *
 * The traces in tests/data/traces were recorded by these tools; make.py beside them makes them anew.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "engine/graph/builder.h"
#include "profiler/exchange/foreign-operators.h"
#include "profiler/exchange/write-trace.h"
#include "tests/profiler/imported.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static char *
read_data (const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests", "data", "traces", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, length, &error);
  g_assert_no_error (error);
  return text;
}

static HybModel *
open_data (const char *name)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests", "data", "traces", name, NULL);

  return imported_open (path);
}

static const char *
name_of (const Imported *imported, guint32 row)
{
  return prof_capture_get_string (imported->capture,
                                  prof_capture_get_node (imported->capture, row)->name);
}

/* The names of the nodes of the first run, in the order in which they began.  (transfer full) */
static char *
join_names (const Imported *imported)
{
  g_autoptr (GString) names = g_string_new (NULL);
  const ProfEvent *events = prof_capture_get_events (imported->capture);

  for (guint i = 0; i < prof_capture_n_events (imported->capture); i++)
    if (events[i].run == 0 && prof_event_kind (&events[i]) == PROF_EVENT_NODE)
      g_string_append_printf (names, "%s ", name_of (imported, events[i].node));
  return g_string_free (g_steal_pointer (&names), FALSE);
}

#define MLP_NODES "dense0_fwd dense0_relu_fwd dense1_fwd dense1_relu_fwd dense2_fwd "
#define LENET_NODES                                                                   \
  "conv0_fwd conv0_tanh_fwd pool0_fwd conv1_fwd conv1_tanh_fwd pool1_fwd dense0_fwd " \
  "dense0_tanh_fwd "                                                                  \
  "dense1_fwd "

static void
test_profiles_of_other_tools_are_placed_by_operator_and_order (void)
{
  static const struct
  {
    const char *trace, *symbol, *nodes;
    guint       n_attributed, n_unmatched, n_fused;
  } cases[] = {
    { "torch-mlp.json", "mlp-symbol.json", MLP_NODES, 15, 0, 0 },
    { "torch-lenet.json", "lenet-symbol.json", LENET_NODES, 27, 6, 0 },
    { "onnxruntime-mlp.json", "mlp-symbol.json", "dense0_fwd dense1_fwd dense2_fwd ", 9, 0, 6 },
    { "onnxruntime-lenet.json", "lenet-symbol.json",
      "conv0_fwd conv0_fwd pool0_fwd conv1_fwd conv1_fwd pool1_fwd dense0_fwd dense1_fwd ",
      24, /* of which 6 change the layout of a result */
      9, 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gsize            length;
      g_autofree char *text = read_data (cases[i].trace, &length), *names = NULL;
      Imported         imported = { .model = open_data (cases[i].symbol) };
      g_auto (GStrv) words = NULL;
      g_autofree char *plain = NULL;

      g_test_message ("%s", cases[i].trace);
      imported_read (&imported, text, length, hyb_model_get_graph (imported.model));
      g_assert_cmpuint (imported.import.n_attributed, ==, cases[i].n_attributed);
      g_assert_cmpuint (imported.import.n_operators, ==,
                        cases[i].n_attributed + cases[i].n_unmatched);
      g_assert_cmpuint (imported.import.n_iterations, ==, 3);
      g_assert_cmpuint (imported.import.n_fused, ==, cases[i].n_fused);
      g_assert_cmpuint (imported.summary->n_runs, ==, 3);
      names = join_names (&imported);
      words = g_strsplit (names, "hybridsequential0_", -1);
      plain = g_strjoinv ("", words);
      g_assert_cmpstr (plain, ==, cases[i].nodes);
      imported_clear (&imported);
    }
}

/* aten::linear calls aten::t and aten::addmm: their time is a part of its own. */
static void
test_parts_of_operators_are_not_counted_twice (void)
{
  gsize            length;
  g_autofree char *text = read_data ("torch-mlp.json", &length);
  Imported         imported = { .model = open_data ("mlp-symbol.json") };
  double           sum = 0;

  imported_read (&imported, text, length, hyb_model_get_graph (imported.model));
  /* 102 events of operators: three runs of three aten::linear and two aten::relu, and their parts. */
  g_assert_cmpuint (imported.import.n_operators, ==, 15);
  g_assert_cmpuint (imported.import.n_inside, ==, 102 - 15);
  for (guint i = 0; i < imported.trace->events->len; i++)
    {
      const ProfTraceEvent *event = &g_array_index (imported.trace->events, ProfTraceEvent, i);

      if (strcmp (event->name, "aten::linear") == 0 || strcmp (event->name, "aten::relu") == 0)
        sum += (double) event->duration_ns * 1e-9;
    }
  for (guint i = 0; i < prof_capture_n_events (imported.capture); i++)
    if (prof_event_kind (&prof_capture_get_events (imported.capture)[i]) == PROF_EVENT_NODE)
      sum -= (double) prof_event_duration (&prof_capture_get_events (imported.capture)[i]) * 1e-9;
  g_assert_cmpfloat (fabs (sum), <, 1e-12);
  imported_clear (&imported);
}

/* One rectifier too few: which of the nodes ran is not known, and nothing is claimed. */
static void
test_operators_that_do_not_add_up_are_not_placed (void)
{
  static const char text[] =
      "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"tid\":1,\"ts\":0,\"dur\":1},"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::relu\",\"tid\":1,\"ts\":1,\"dur\":1},"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"tid\":1,\"ts\":2,\"dur\":1},"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"tid\":1,\"ts\":4,\"dur\":1}]";
  Imported imported = { .model = open_data ("mlp-symbol.json") };

  imported_read (&imported, text, sizeof text - 1, hyb_model_get_graph (imported.model));
  g_assert_cmpuint (imported.import.n_attributed, ==, 3);
  g_assert_cmpuint (imported.import.unmatched->len, ==, 1);
  g_assert_nonnull (strstr (g_array_index (imported.import.unmatched, ProfUnmatched, 0).reason,
                            "not known which"));
  imported_clear (&imported);
}

/* ONNX Runtime's names of nodes are those of the graph if that was exported with them. */
static void
test_names_of_nodes_come_first (void)
{
  static const char text[] = "[{\"ph\":\"X\",\"cat\":\"Node\",\"name\":\"hybridsequential0_dense1_"
                             "fwd_kernel_time\",\"tid\":1,"
                             "\"ts\":0,\"dur\":3,\"args\":{\"op_name\":\"Gemm\"}},"
                             "{\"ph\":\"X\",\"cat\":\"Node\",\"name\":\"hybridsequential0_dense1_"
                             "fwd_fence_after\",\"tid\":1,"
                             "\"ts\":3,\"dur\":0,\"args\":{\"op_name\":\"Gemm\"}},"
                             "{\"ph\":\"X\",\"cat\":\"Node\",\"name\":\"hybridsequential0_dense1_"
                             "fwd_kernel_time\",\"tid\":1,"
                             "\"ts\":5,\"dur\":4,\"args\":{\"op_name\":\"Gemm\"}}]";
  Imported          imported = { .model = open_data ("mlp-symbol.json") };

  imported_read (&imported, text, sizeof text - 1, hyb_model_get_graph (imported.model));
  g_assert_cmpuint (imported.import.n_operators, ==, 2);
  g_assert_cmpuint (imported.import.n_attributed, ==, 2);
  g_assert_cmpuint (imported.import.n_iterations, ==, 2);
  g_assert_cmpuint (imported.summary->n_runs, ==, 2);
  g_assert_cmpuint (imported.summary->node->len, ==, 1);
  imported_clear (&imported);
}

#define NODE(at, name, type)                                                               \
  "{\"ph\":\"X\",\"cat\":\"Node\",\"name\":\"" name "_kernel_time\",\"tid\":1,\"ts\":" #at \
  ",\"dur\":1,\"args\":{\"op_name\":\"" type "\"}}"

/* What the optimiser renames is found by the value that it returns, by the node that its name begins with, and by the node
 * whose layout it changes. A node that the optimiser added has none. */
static void
test_renamed_nodes (void)
{
  static const char text[] = "[" NODE (0, "ReorderInput_token_3", "ReorderInput") "," NODE (
      1, "hybridsequential0_dense1_fwd_output_nchwc",
      "FullyConnected") "," NODE (2, "ReorderOutput",
                                  "ReorderOutput") "," NODE (3,
                                                             "hybridsequential0_dense2_fwd/"
                                                             "SomeFusion/_token_1",
                                                             "Gemm") "," NODE (4,
                                                                               "FullyConnec"
                                                                               "ted_0",
                                                                               "FullyConnec"
                                                                               "ted") "," NODE (5,
                                                                                                "Sq"
                                                                                                "ue"
                                                                                                "ez"
                                                                                                "e_"
                                                                                                "to"
                                                                                                "ke"
                                                                                                "n_"
                                                                                                "9",
                                                                                                "Sq"
                                                                                                "ue"
                                                                                                "ez"
                                                                                                "e") "]";
  Imported imported = { .model = open_data ("mlp-symbol.json") };

  imported_read (&imported, text, sizeof text - 1, hyb_model_get_graph (imported.model));
  g_assert_cmpuint (imported.import.n_operators, ==, 6);
  g_assert_cmpuint (imported.import.n_attributed, ==, 5);
  g_assert_cmpuint (imported.import.n_layouts, ==, 2);
  g_assert_cmpuint (imported.import.fusions->len, ==, 3);
  g_assert_cmpstr (g_array_index (imported.import.fusions, ProfFusion, 1).name, ==,
                   "hybridsequential0_dense1_fwd_output_nchwc");
  g_assert_true (g_str_has_prefix (g_array_index (imported.import.fusions, ProfFusion, 1).nodes,
                                   "hybridsequential0_dense1_fwd + "));
  g_assert_cmpuint (imported.summary->node->len, ==, 3);
  imported_clear (&imported);
}

/* ONNX Runtime counts nodes without names after it made initialisers of constants. */
static void
test_numbers_leave_constants_out (void)
{
  static const char text[] =
      "[" NODE (0, "Relu_0", "Relu") "," NODE (1, "Identity_1", "Identity") "]";
  g_autofree char *path =
      g_build_filename (SOURCE_ROOT, "tests", "data", "onnx", "control", "unused.onnx", NULL);
  Imported imported = { .model = imported_open (path) };

  imported_read (&imported, text, sizeof text - 1, hyb_model_get_graph (imported.model));
  g_assert_cmpuint (imported.import.n_operators, ==, 2);
  g_assert_cmpuint (imported.import.n_attributed, ==, 2);
  imported_clear (&imported);
}

/* Adds a node with one input. */
static HybValueId
add_node (HybBuilder *builder, const char *op, const char *name, HybValueId input)
{
  g_autoptr (GError) error = NULL;
  HybValueId value =
      hyb_builder_call (builder, op,
                        &(HybNodeSpec){ .name = name, .n_inputs = 1, .inputs = &input }, &error);

  g_assert_no_error (error);
  return value;
}

/* Nodes of functions are called after the function there and after its call here.  Where two calls have such a node and
 * none is named after the function, it is not known which ran. */
static void
test_nodes_of_functions (void)
{
  static const char *const events[] = {
    NODE (0, "_inlfunc_block_1_a", "tanh"), NODE (1, "_inlfunc_block_2_a", "tanh"),
    NODE (2, "_inlfunc_other_only", "exp"), NODE (3, "_inlfunc_other_a", "tanh"),
    NODE (4, "_inlfunc_block_1_a", "exp"),  NULL
  };
  g_autofree char *joined = g_strjoinv (",", (char **) events);
  g_autofree char *text = g_strdup_printf ("[%s]", joined);
  HybBuilder      *builder = hyb_builder_new ();
  HybValueId       x = hyb_builder_add_variable (builder, "x", NULL);
  g_autoptr (HybGraph) graph = NULL;
  Imported imported = { 0 };

  x = add_node (builder, "tanh", "block_1_0/a", x);
  x = add_node (builder, "exp", "block_1_0/only", x);
  hyb_builder_add_head (builder, add_node (builder, "tanh", "block_2_0/a", x));
  graph = hyb_builder_freeze (builder);
  imported_read (&imported, text, strlen (text), graph);
  g_assert_cmpuint (imported.import.n_operators, ==, 5);
  g_assert_cmpuint (imported.import.n_attributed, ==, 3);
  g_assert_cmpuint (imported.summary->node->len, ==, 3);
  imported_clear (&imported);
}

#undef NODE

static void
test_every_own_operator_of_a_class_exists (void)
{
  for (guint i = 0; i < prof_n_operator_classes (); i++)
    {
      const ProfOperatorClass *class = prof_operator_class (i);

      for (const ProfOwnOperator *own = class->own; own->op; own++)
        {
          const HybOp *op = hyb_op_find (own->op);

          g_assert_nonnull (op);
          g_assert_cmpstr (op->name, ==, own->op);
        }
      for (guint k = 0; class->foreign[k]; k++)
        g_assert_cmpuint (prof_class_of_foreign (class->foreign[k]), ==, i);
    }
}

/* --- Traces of ours --- */

/* Other programs may add marks; a run has a beginning and a duration. */
static void
test_marks_are_no_runs (void)
{
  static const char text[] =
      "{\"hybridscope\":{},\"traceEvents\":["
      "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#0\",\"ts\":0,\"dur\":9},"
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"pass 0\",\"ts\":1,\"dur\":7},"
      "{\"ph\":\"i\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"ts\":20},"
      "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#2\",\"dur\":5}]}";
  Imported imported = { .model = open_data ("mlp-symbol.json") };

  imported_read (&imported, text, sizeof text - 1, hyb_model_get_graph (imported.model));
  g_assert_true (imported.trace->is_own);
  g_assert_cmpuint (imported.import.n_iterations, ==, 1);
  g_assert_cmpuint (imported.summary->n_runs, ==, 1);
  imported_clear (&imported);
}

/* Executions and self time of the node with this name; FALSE: it did not run. */
static gboolean
find_sum (const ProfCapture *capture,
          const ProfSummary *summary,
          const char        *name,
          ProfNodeSum       *sum)
{
  for (guint i = 0; i < summary->node->len; i++)
    {
      *sum = g_array_index (summary->node, ProfNodeSum, i);
      if (strcmp (prof_capture_get_string (capture,
                                           prof_capture_get_node (capture, sum->row)->name),
                  name) == 0)
        return TRUE;
    }
  return FALSE;
}

static guint
count_events (const ProfCapture *capture, ProfEventKind kind)
{
  guint n = 0;

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    n += prof_event_kind (&prof_capture_get_events (capture)[i]) == kind;
  return n;
}

static void
test_a_trace_of_ours_comes_back (void)
{
  g_autoptr (TestModel) model = test_model_foreach (6);
  static const HybMode modes[] = { HYB_MODE_STATIC, HYB_MODE_IMPERATIVE };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_autoptr (ProfCapture) capture = test_model_capture (model, modes[m], FALSE);
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);
      gsize            length;
      g_autofree char *text = prof_print_chrome (capture, 0, &length);
      Imported         imported = { 0 };

      imported_read (&imported, text, length, model->graph);
      g_assert_true (imported.trace->is_own);
      g_assert_cmpuint (imported.import.unmatched->len, ==, 0);
      g_assert_cmpuint (imported.import.n_attributed, ==, imported.import.n_operators);
      g_assert_cmpuint (imported.import.n_spans, ==, count_events (capture, PROF_EVENT_BRANCH));
      g_assert_cmpuint (imported.import.n_spans, ==, 6 * 5);
      for (guint kind = PROF_EVENT_NODE; kind <= PROF_EVENT_BRANCH; kind++)
        g_assert_cmpuint (count_events (imported.capture, kind), ==, count_events (capture, kind));
      g_assert_cmpuint (count_events (imported.capture, PROF_EVENT_RUN), ==,
                        count_events (capture, PROF_EVENT_RUN));
      for (guint i = 0; i < summary->node->len; i++)
        {
          const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
          const char        *name =
              prof_capture_get_string (capture, prof_capture_get_node (capture, sum->row)->name);
          ProfNodeSum back = { 0 };

          g_assert_true (find_sum (imported.capture, imported.summary, name, &back));
          g_assert_cmpfloat_with_epsilon (back.count, sum->count, 1e-9);
        }
      imported_clear (&imported);
    }
}

/* Gradients are nodes that the graph does not have: they get rows that name what they came from. */
static void
test_gradients_of_a_trace_of_ours_get_rows (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (2, 4, 1);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, TRUE);
  gsize            length;
  g_autofree char *text = prof_print_chrome (capture, 0, &length);
  Imported         imported = { 0 };
  guint            n_added = 0;

  imported_read (&imported, text, length, model->graph);
  g_assert_cmpuint (count_events (imported.capture, PROF_EVENT_NODE), >, 0);
  for (guint i = 0; i < prof_capture_n_nodes (imported.capture); i++)
    {
      const ProfNode *node = prof_capture_get_node (imported.capture, i);

      if (node->flags & PROF_NODE_ADDED)
        {
          g_assert_cmpuint (node->origin, <, i);
          n_added++;
        }
    }
  g_assert_cmpuint (n_added, >, 0);
  imported_clear (&imported);
}

/* Cut anywhere and with random bytes, a trace of ours is read or refused, and nothing is worse. */
static void
test_damaged_traces_of_ours_are_survived (void)
{
  g_autoptr (TestModel) model = test_model_foreach (3);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, TRUE);
  gsize            length;
  g_autofree char *text = prof_print_chrome (capture, 40, &length);

  for (guint i = 0; i < 400; i++)
    {
      g_autofree char *damaged = g_memdup2 (text, length);
      gsize            cut = i < 200 ? length * i / 200 : length;
      Imported         imported = { 0 };

      for (guint k = 0; i >= 200 && k < 6; k++)
        damaged[hyb_random_word (i, 2 * k) % length] =
            "0123456789{}[]\":,-e"[hyb_random_word (i, 2 * k + 1) % 19];
      imported.trace = prof_trace_read (damaged, cut, "trace", NULL);
      if (!imported.trace)
        continue;
      imported.capture = prof_import_trace (imported.trace, model->graph, &(ProfImportOptions){ 0 },
                                            &imported.import, NULL);
      g_assert_nonnull (imported.capture);
      imported.summary = prof_summary_new (imported.capture);
      imported_clear (&imported);
    }
}

TEST_PROGRAM (test_import_tools)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/profiler/import-tools/" name, function)
  ADD ("profiles-of-other-tools-are-placed-by-operator-and-order",
       test_profiles_of_other_tools_are_placed_by_operator_and_order);
  ADD ("parts-of-operators-are-not-counted-twice", test_parts_of_operators_are_not_counted_twice);
  ADD ("operators-that-do-not-add-up-are-not-placed",
       test_operators_that_do_not_add_up_are_not_placed);
  ADD ("names-of-nodes-come-first", test_names_of_nodes_come_first);
  ADD ("renamed-nodes-of-onnx-runtime", test_renamed_nodes);
  ADD ("numbers-leave-constants-out", test_numbers_leave_constants_out);
  ADD ("nodes-of-functions", test_nodes_of_functions);
  ADD ("every-own-operator-of-a-class-exists", test_every_own_operator_of_a_class_exists);
  ADD ("marks-are-no-runs", test_marks_are_no_runs);
  ADD ("a-trace-of-ours-comes-back", test_a_trace_of_ours_comes_back);
  ADD ("gradients-of-a-trace-of-ours-get-rows", test_gradients_of_a_trace_of_ours_get_rows);
  ADD ("damaged-traces-of-ours-are-survived", test_damaged_traces_of_ours_are_survived);
#undef ADD
  return g_test_run ();
}
