/* test-read-graph.c — tests of the graph that is made of an ONNX file: names, parameters, bodies, functions, findings.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/exec/executor.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#include <string.h>

static const HybFinding *
find_code (HybModel *model, const char *code)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((const HybFinding *) findings->pdata[i])->code, code) == 0)
      return findings->pdata[i];
  return NULL;
}

static const HybNode *
find_node (HybGraph *graph, const char *name)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (strcmp (hyb_graph_get_node (graph, id)->name, name) == 0)
      return hyb_graph_get_node (graph, id);
  g_error ("no node is called %s", name);
}

static void
test_nodes_keep_the_names_of_the_file (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[2,3]\n"
                                            "w = float[3,1] 1 2 3\n"
                                            "h = MatMul x, w\n"
                                            "y = Relu h\n"
                                            "-> y\n",
                                            13);
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *arguments = hyb_graph_get_arguments (graph, &n);
  g_auto (GStrv) outputs = hyb_graph_dup_output_names (graph);

  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (hyb_graph_get_node (graph, arguments[0])->name, ==, "x");
  g_assert_cmpstr (hyb_graph_get_node (graph, arguments[1])->name, ==, "w");
  g_assert_cmpstr (outputs[0], ==, "y");
  /* A node without a name has that of its output. */
  g_assert_cmpstr (find_node (graph, "h")->type, ==, "MatMul");
  g_assert_nonnull (hyb_model_get_parameter (model, "w"));
  g_assert_null (hyb_model_get_parameter (model, "x"));
  g_assert_cmpuint (hyb_model_get_findings (model)->len, ==, 0);
}

static void
test_an_initialiser_that_is_also_an_input_is_a_parameter (void)
{
  g_autoptr (HybModel) model = nodes_model ("w: float[1]\nx: float[1]\n"
                                            "w = float[1] 5\n"
                                            "y = Add x, w\n-> y\n",
                                            13);
  guint            n;
  HybGraph        *graph = hyb_model_get_graph (model);
  const HybNodeId *arguments = hyb_graph_get_arguments (graph, &n);

  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (hyb_graph_get_node (graph, arguments[0])->name, ==, "x");
  g_assert_nonnull (hyb_model_get_parameter (model, "w"));
}

static void
test_inputs_keep_their_names_behind_one_that_is_left_out (void)
{
  g_autoptr (HybModel) model =
      nodes_model ("x: float[2,3]\nh: float[2,3]\n"
                   "y = Clip x, _, h\nz = Concat x, h | axis=0\n-> y\n-> z\n",
                   13);
  HybGraph        *graph = hyb_model_get_graph (model);
  const HybNode   *clip = find_node (graph, "y"), *concat = find_node (graph, "z");
  g_autofree char *first = hyb_node_dup_input_name (clip, 0);
  g_autofree char *second = hyb_node_dup_input_name (clip, 1);
  g_autofree char *numbered = hyb_node_dup_input_name (concat, 1);

  g_assert_cmpstr (first, ==, "input");
  g_assert_cmpstr (second, ==, "max");
  g_assert_cmpstr (numbered, ==, "inputs1");
}

static void
test_nodes_out_of_order_are_sorted (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[1]\n"
                                            "y = Relu h\nh = Neg x\n-> y\n",
                                            13);

  g_assert_nonnull (find_code (model, "not-topological"));
  g_assert_true (hyb_graph_verify (hyb_model_get_graph (model), NULL));
}

static void
test_a_cycle_is_an_error_that_can_be_looked_at (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[1]\n"
                                            "y = Add h, x\nh = Neg y\n-> y\n",
                                            13);

  g_assert_cmpint (find_code (model, "cycle")->severity, ==, HYB_SEVERITY_ERROR);
  g_assert_true (hyb_graph_verify (hyb_model_get_graph (model), NULL));
}

static void
test_faults_of_names_are_findings (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[1]\n"
                                            "y = Relu nowhere\ny = Neg x\n-> y\n-> z\n",
                                            13);

  g_assert_nonnull (find_code (model, "bad-edge"));
  g_assert_nonnull (find_code (model, "duplicate-value"));
  g_assert_nonnull (find_code (model, "bad-head"));
}

static void
test_operators_are_checked_against_their_schemas (void)
{
  static const struct
  {
    const char *line;
    gint64      opset;
    const char *code;
  } cases[] = {
    { "y = Rellu x", 13, "unknown-operator" },
    { "y = mine::Op x", 13, "custom-domain" },
    { "y = pkg.mine::Op x", 13, "function-missing" },
    { "y = Gelu x", 13, "opset-stamp" },
    { "y = Squeeze x | axes=[0]", 13, "opset-stamp" },
    { "y, z = Split x | axis=0", 18, "opset-stamp" }, /* as MXNet writes it */
    { "y, z = Split x | axis=0", 17, NULL },
    { "y, z = Split x | axis=0 num_outputs=2", 18, NULL },
    { "y = Squeeze x | axes=[0]", 11, NULL },
    { "y = Elu x | alpha=2", 13, "bad-attribute" },
    { "y = Relu x | alpha=2.0", 13, "unknown-attribute" },
    { "y = Add x", 13, "bad-node" },
    { "y = Add x, x", 13, NULL },
    { "y = Relu x", 29, "unknown-opset" },
    { "y = Gelu x", G_MININT64 + 1, "opset-stamp" },
    { "y = Relu x, x", (gint64) 1 << 48, "bad-node" }, /* versions are not tried one by one */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("x: float[1]\n%s\n-> y\n", cases[i].line);
      g_autoptr (HybModel) model = nodes_model (text, cases[i].opset);

      g_test_message ("%s", cases[i].line);
      if (cases[i].code)
        g_assert_nonnull (find_code (model, cases[i].code));
      else
        g_assert_cmpuint (hyb_model_get_findings (model)->len, ==, 0);
    }
}

/* Runs a graph whose input x is two numbers. */
static gboolean
run_graph (const char *lines, gint64 opset, GError **error)
{
  g_autoptr (HybModel) model = nodes_model (lines, opset);
  g_autoptr (HybTensor) x = hyb_tensor_new_zeros (&(HybType){ hyb_shape_1d (2), HYB_F32 }, NULL);
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (hyb_model_get_graph (model),
                        &(HybExecutorOptions){ .mode = HYB_MODE_HYBRID });

  g_assert_true (hyb_executor_bind (executor, "x", x, NULL));
  return hyb_executor_run (executor, NULL, error);
}

static void
test_a_node_in_a_form_of_another_version_does_not_run (void)
{
  const char *lines = "x: float[2]\ny = ReduceSum x | axes=[0]\n-> y\n";
  g_autoptr (GError) error = NULL;

  g_assert_true (run_graph (lines, 12, &error));
  g_assert_no_error (error);
  g_assert_false (run_graph (lines, 13, &error));
  g_assert_nonnull (strstr (error->message, "no such form in operator set 13"));
}

static void
test_a_node_with_inputs_of_a_type_that_its_operator_does_not_take_is_refused (void)
{
  static const struct
  {
    const char *line;
    gint64      opset;
    const char *refusal; /* NULL: it runs */
  } cases[] = {
    { "y = Add x, k", 13, "input 0 “x” is float32 but input 1 “k” is int64" },
    { "y = Not x", 13, "input 0 “x” is float32, which version 1 of Not does not take" },
    { "y = Gather x, k", 13, NULL },
    { "y = Pow x, k", 11, "input 1 “k” is int64, which version 7 of Pow does not take" },
    { "y = Pow x, k", 12, NULL }, /* since then the exponent has a type of its own */
    { "h = Cast k | to=1\ny = Add x, h", 13, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *lines =
          g_strdup_printf ("x: float[2]\nk = Cast x | to=7\n%s\n-> y\n", cases[i].line);
      g_autoptr (GError) error = NULL;
      gboolean is_run = run_graph (lines, cases[i].opset, &error);

      g_test_message ("%s", cases[i].line);
      if (!cases[i].refusal)
        g_assert_no_error (error);
      g_assert_cmpint (is_run, ==, !cases[i].refusal);
      if (cases[i].refusal)
        g_assert_cmpstr (strstr (error->message, cases[i].refusal) ? "" : error->message, ==, "");
    }
}

static void
test_external_data_stays_below_the_folder (void)
{
  static const char *const places[] = { "/etc/passwd", "../x", "a/../../x", "" };

  for (guint i = 0; i <= G_N_ELEMENTS (places); i++)
    {
      const char *place = i < G_N_ELEMENTS (places) ? places[i] : "no-such-file.data";
      Message    *graph = nodes_graph ("x: float[4]\ny = Add x, w\n-> y\n");
      Message    *tensor = g_byte_array_new ();
      g_autoptr (HybModel) model = NULL;

      put_int (tensor, 1, 4);
      put_int (tensor, 2, HYB_ONNX_FLOAT);
      put_string (tensor, 8, "w");
      put_message (tensor, 13, make_entry ("location", place));
      put_int (tensor, 14, 1);
      put_message (graph, 5, tensor);
      model = nodes_read (nodes_file (graph, 13), NULL);
      g_assert_nonnull (
          find_code (model, i < G_N_ELEMENTS (places) ? "external-path" : "missing-external-data"));
    }
}

/* --- Bodies --- */

/* An attribute that is a graph. */
static Message *
make_body (const char *name, const char *lines)
{
  Message *attribute = g_byte_array_new ();

  put_string (attribute, 1, name);
  put_message (attribute, 6, nodes_graph (lines));
  put_int (attribute, 20, HYB_ONNX_ATTRIBUTE_GRAPH);
  return attribute;
}

/* y = If c: x + w, else −x, where w is an initialiser of the branch. */
static HybModel *
read_branches (void)
{
  Message *graph = nodes_graph ("c: bool[]\nx: float[2]\n-> y\n");
  Message *node = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  HybModel *model;

  put_string (node, 1, "c");
  put_string (node, 2, "y");
  put_string (node, 4, "If");
  put_message (node, 5, make_body ("else_branch", "b = Neg x\n-> b\n"));
  put_message (node, 5, make_body ("then_branch", "w = float[2] 1 2\na = Add x, w\n-> a\n"));
  put_message (graph, 1, node);
  model = nodes_read (nodes_file (graph, 13), &error);
  g_assert_no_error (error);
  return model;
}

static void
test_bodies_capture_what_is_outside (void)
{
  g_autoptr (HybModel) model = read_branches ();
  HybGraph      *graph = hyb_model_get_graph (model);
  const HybNode *node = find_node (graph, "y");
  guint          n;

  /* The condition, x and w. */
  g_assert_cmpuint (node->n_inputs, ==, 3);
  g_assert_cmpuint (node->n_bodies, ==, 2);
  for (guint b = 0; b < 2; b++)
    {
      HybGraph *body =
          hyb_graph_get_bodies (graph, hyb_graph_get_producer (graph, node->first_output))[b];

      hyb_graph_get_variables (body, &n);
      for (guint v = 0; v < n; v++)
        {
          guint input = node->op->body_variable (node->params, node->n_inputs, b, v);

          g_assert_cmpuint (input, >, 0);
          g_assert_cmpuint (input, <, node->n_inputs);
          g_assert_cmpint (node->op->body_port (node->params, node->n_inputs, b, v), ==,
                           HYB_PORT_CAPTURED);
        }
    }
  /* What a branch brings along is a parameter of the model. */
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 1);
}

static void
test_a_function_is_written_in_place_of_its_call (void)
{
  Message *graph = nodes_graph ("x: float[2]\ny = mine::Twice x\n-> y\n");
  Message *file = nodes_file (graph, 13), *function = g_byte_array_new ();
  Message *set = g_byte_array_new (), *own = g_byte_array_new ();
  Message *body = nodes_graph ("h = Neg a\nb = Neg h\n");
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GByteArray) nodes = body;
  HybGraph *inside;
  gsize     at = 0;

  put_string (function, 1, "Twice");
  put_string (function, 4, "a");
  put_string (function, 5, "b");
  /* Nodes are field 1 of a graph and field 7 of a function. */
  while (at < nodes->len)
    {
      guint length = nodes->data[at + 1];

      put_bytes (function, 7, nodes->data + at + 2, length);
      at += 2 + length;
    }
  put_int (set, 2, 13);
  put_message (function, 9, set);
  put_string (function, 10, "mine");
  put_message (file, 25, function);
  put_string (own, 1, "mine");
  put_int (own, 2, 1);
  put_message (file, 8, own);
  model = nodes_read (file, NULL);
  inside = hyb_model_get_graph (model);
  g_assert_cmpuint (hyb_graph_n_nodes (inside), ==, 3);
  g_assert_cmpstr (find_node (inside, "y/h")->type, ==, "Neg");
}

static void
test_a_function_that_calls_itself_is_refused (void)
{
  Message *graph = nodes_graph ("x: float[2]\ny = mine::F x\n-> y\n");
  Message *file = nodes_file (graph, 13), *function = g_byte_array_new ();
  g_autoptr (GByteArray) call = nodes_graph ("b = mine::F a\n");
  g_autoptr (GError) error = NULL;

  put_string (function, 1, "F");
  put_string (function, 4, "a");
  put_string (function, 5, "b");
  put_bytes (function, 7, call->data + 2, call->len - 2);
  put_string (function, 10, "mine");
  put_message (file, 25, function);
  g_assert_null (nodes_read (file, &error));
  g_assert_nonnull (strstr (error->message, "F may call itself"));
}

/* A node of twenty bytes takes a thousand in memory. */
static void
test_more_nodes_than_memory_are_refused (void)
{
  g_autoptr (GString) lines = g_string_new ("x: float[2]\n");
  g_autoptr (HybModel) few = NULL, many = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 3000; i++)
    g_string_append (lines, "y = Relu x\n");
  g_string_append (lines, "-> y");
  hyb_limits_set (8 << 20, 0);
  few = nodes_read (nodes_file (nodes_graph (lines->str), 13), &error);
  g_assert_no_error (error);
  g_assert_nonnull (few);
  hyb_limits_set (2 << 20, 0);
  many = nodes_read (nodes_file (nodes_graph (lines->str), 13), &error);
  hyb_limits_set (0, 0);
  g_assert_null (many);
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT);
}

TEST_PROGRAM (test_read_graph)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, function) g_test_add_func ("/engine/onnx/graph/" name, function)
  ADD ("more-nodes-than-memory-are-refused", test_more_nodes_than_memory_are_refused);
  ADD ("nodes-keep-the-names-of-the-file", test_nodes_keep_the_names_of_the_file);
  ADD ("an-initialiser-that-is-also-an-input-is-a-parameter",
       test_an_initialiser_that_is_also_an_input_is_a_parameter);
  ADD ("inputs-keep-their-names-behind-one-that-is-left-out",
       test_inputs_keep_their_names_behind_one_that_is_left_out);
  ADD ("nodes-out-of-order-are-sorted", test_nodes_out_of_order_are_sorted);
  ADD ("a-cycle-is-an-error-that-can-be-looked-at", test_a_cycle_is_an_error_that_can_be_looked_at);
  ADD ("faults-of-names-are-findings", test_faults_of_names_are_findings);
  ADD ("operators-are-checked-against-their-schemas",
       test_operators_are_checked_against_their_schemas);
  ADD ("a-node-in-a-form-of-another-version-does-not-run",
       test_a_node_in_a_form_of_another_version_does_not_run);
  ADD ("a-node-with-inputs-of-a-type-that-its-operator-does-not-take-is-refused",
       test_a_node_with_inputs_of_a_type_that_its_operator_does_not_take_is_refused);
  ADD ("external-data-stays-below-the-folder", test_external_data_stays_below_the_folder);
  ADD ("bodies-capture-what-is-outside", test_bodies_capture_what_is_outside);
  ADD ("a-function-is-written-in-place-of-its-call",
       test_a_function_is_written_in_place_of_its_call);
  ADD ("a-function-that-calls-itself-is-refused", test_a_function_that_calls_itself_is_refused);
#undef ADD

  return g_test_run ();
}
