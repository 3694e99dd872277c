/* test-mxnet-symbol.c — reads and writes symbol files of all versions; damaged ones must be refused
 * with the right finding.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol.h"

#include "engine/formats/file.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <string.h>

#define END            "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"
#define NODES          "{\"arg_nodes\": [], \"nodes\": ["
#define HEADS          "], \"heads\": ["
#define VARIABLE(name) "{\"op\": \"null\", \"name\": \"" name "\", \"inputs\": []}"

/* NULL if it is refused; findings and error stay with the caller's model. */
static HybGraph *
read_text (HybModel *model, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return hyb_symbol_read (model, bytes, "x.json", error) ? hyb_model_get_graph (model) : NULL;
}

static const HybFinding *
find_code (HybModel *model, const char *code)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, code) == 0)
      return findings->pdata[i];
  return NULL;
}

/* An error finding of this code that says these words; a graph may remain. */
static void
assert_refused (const char *text, const char *code, const char *words)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  const HybFinding *finding;

  read_text (model, text, NULL);
  finding = find_code (model, code);
  g_assert_nonnull (finding);
  g_assert_cmpint (finding->severity, ==, HYB_SEVERITY_ERROR);
  if (!strstr (finding->message, words))
    g_error ("“%s” says nothing of “%s”", finding->message, words);
}

static void
assert_warned (const char *text, const char *code)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  const HybFinding *finding;

  g_assert_nonnull (read_text (model, text, &error));
  g_assert_no_error (error);
  finding = find_code (model, code);
  g_assert_nonnull (finding);
  g_assert_cmpint (finding->severity, ==, HYB_SEVERITY_WARNING);
}

static void
test_refusals (void)
{
  assert_refused ("{}", "not-a-model", "nodes");
  assert_refused (NODES VARIABLE ("x") "]}", "bad-head", "heads");
  assert_refused (NODES "7" HEADS "[0,0,0]" END, "bad-node", "object");
  assert_refused (NODES "{\"op\": \"null\", \"name\": \"x\"}" HEADS "[0,0]" END, "bad-node",
                  "inputs");
  assert_refused (NODES VARIABLE ("x") HEADS "[1,0,0]" END, "bad-head", "node 1");
  assert_refused (NODES VARIABLE ("x") HEADS "[0,1,0]" END, "bad-head", "output 1");
  assert_refused (NODES VARIABLE ("x") HEADS "[0,-1,0]" END, "bad-head", "reference");
  assert_refused (NODES VARIABLE ("x") HEADS "[0,0,0,0]" END, "bad-head", "reference");
  assert_refused (NODES VARIABLE ("x") ", " VARIABLE ("x") HEADS "[0,0,0]" END, "duplicate-name",
                  "“x”");
  assert_refused (NODES "{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[5,0,0]]}" HEADS
                        "[0,0,0]" END,
                  "bad-edge", "node 5");
  /* Variables come first, so the file has two nodes. */
  assert_refused (NODES VARIABLE (
                      "x") ", {\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[2,0,0]]}" HEADS
                           "[0,0,0]" END,
                  "bad-edge", "node 2, but the graph has 2 nodes");
  assert_refused (NODES VARIABLE (
                      "x") ", {\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[0,1,0]]}" HEADS
                           "[1,0,0]" END,
                  "bad-edge", "output 1 of “x”");
}

static void
test_attribute_errors_name_all (void)
{
  static const char text[] = NODES VARIABLE (
      "x") ", {\"op\": \"Activation\", \"name\": \"act\", \"attrs\": {\"act_type\": "
           "\"swish\"}, \"inputs\": [[0,0,0]]}" HEADS "[1,0,0]" END;

  assert_refused (text, "bad-attribute", "“act”");
  assert_refused (text, "bad-attribute", "act_type");
  assert_refused (text, "bad-attribute", "swish");
  assert_refused (text, "bad-attribute", "sigmoid");
}

static void
test_a_bad_node_stays_as_a_box (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  HybGraph *graph = read_text (model,
                               NODES VARIABLE ("x") ", {\"op\": \"relu\", \"name\": \"r\", "
                                                    "\"inputs\": []}" HEADS "[1,0,0]" END,
                               NULL);

  g_assert_nonnull (graph);
  g_assert_true (hyb_graph_has_opaque (graph));
  g_assert_cmpstr (hyb_graph_get_node (graph, 1)->type, ==, "relu");
  g_assert_nonnull (find_code (model, "bad-node"));
}

static void
test_circles_are_refused_by_name (void)
{
  assert_refused (NODES "{\"op\": \"relu\", \"name\": \"a\", \"inputs\": [[1,0,0]]},"
                        "{\"op\": \"relu\", \"name\": \"b\", \"inputs\": [[0,0,0]]}" HEADS
                        "[1,0,0]" END,
                  "cycle", "“a” ← “b” ← “a”");
  assert_refused (NODES "{\"op\": \"relu\", \"name\": \"self\", \"inputs\": [[0,0,0]]}" HEADS
                        "[0,0,0]" END,
                  "cycle", "“self”");
}

static void
test_forward_references_are_sorted (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  HybGraph *graph =
      read_text (model,
                 NODES "{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[1,0,0]]}, " VARIABLE ("x")
                     HEADS "[0,0,0]" END,
                 &error);

  g_assert_no_error (error);
  g_assert_cmpstr (hyb_graph_get_node (graph, 0)->name, ==, "x");
  g_assert_true (hyb_graph_verify (graph, NULL));
}

static void
test_kindness (void)
{
  assert_warned (NODES VARIABLE ("x") "], \"colour\": 3, \"heads\": [[0,0,0]" END, "unknown-key");
  assert_warned ("{\"nodes\": [" VARIABLE ("x") HEADS "[0,0,0]" END, "missing-key");
  assert_warned (NODES "{\"op\": \"null\", \"name\": \"x\", \"inputs\": [], \"hue\": 1}" HEADS
                       "[0,0,0]" END,
                 "unknown-key");
  assert_warned (NODES "{\"op\": \"null\", \"inputs\": []}" HEADS "[0,0,0]" END, "nameless-node");
  assert_warned (NODES VARIABLE ("d\\u00e4ta") HEADS "[0,0,0]" END, "json-escape");
  assert_warned (NODES VARIABLE (
                     "x") ", {\"op\": \"softmax\", \"name\": \"r\", \"attrs\": {\"temprature\": "
                          "\"1\"}, \"inputs\": [[0,0,0]]}" HEADS "[1,0,0]" END,
                 "unknown-attribute");
}

/* MXNet 1.9.1 loads zeros_like with the attribute dtype, and ignores it. */
static void
test_attributes_of_operators_without_any_are_noted (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  const HybFinding *finding;

  read_text (model,
             NODES VARIABLE (
                 "x") ", {\"op\": \"zeros_like\", \"name\": \"r\", \"attrs\": {\"dtype\": "
                      "\"float32\"}, \"inputs\": [[0,0,0]]}" HEADS "[1,0,0]" END,
             NULL);
  finding = find_code (model, "unknown-attribute");
  g_assert_nonnull (finding);
  g_assert_cmpint (finding->severity, ==, HYB_SEVERITY_NOTE);
  g_assert_nonnull (strstr (finding->hint, "ignores it, too"));
  g_assert_cmpint (finding->remedy, !=, HYB_REMEDY_REPAIR);
}

/* MXNet 1.9.1 uses the last value of a key, and of the lists “param”, “attr” and “attrs” the last. */
static void
test_the_last_value_of_a_key_counts (void)
{
  static const char *const attributes[] = {
    "\"attrs\": {\"axis\": \"1\", \"axis\": \"0\"}",
    "\"attr\": {\"axis\": \"1\"}, \"attrs\": {\"axis\": \"0\"}",
    "\"param\": {\"axis\": \"1\"}, \"attr\": {\"axis\": \"0\"}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    {
      g_autoptr (HybModel) model = hyb_model_new ();
      g_autofree char *text =
          g_strconcat (NODES VARIABLE ("x") ", {\"op\": \"softmax\", "
                                            "\"name\": \"r\", ",
                       attributes[i], ", \"inputs\": [[0,0,0]]}" HEADS "[1,0,0]" END, NULL);
      HybGraph      *graph = read_text (model, text, NULL);
      const HybNode *node = hyb_graph_get_node (graph, 1);

      g_assert_cmpstr (hyb_node_get_attribute (node, "axis"), ==, "0");
      g_assert_cmpint (hyb_params_get_int (node->op->params, node->params, "axis", 7), ==, 0);
    }
}

static void
test_unknown_operators_are_boxes (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  HybGraph *graph =
      read_text (model,
                 NODES VARIABLE (
                     "x") ", {\"op\": \"NoSuch\", \"name\": \"n\", \"attrs\": {\"k\": \"v\"}, "
                          "\"inputs\": [[0,0,0]]}" HEADS "[1,2,0]" END,
                 NULL);

  g_assert_cmpuint (hyb_graph_get_node (graph, 1)->n_outputs, ==, 3);
  g_assert_cmpstr (hyb_graph_get_node (graph, 1)->type, ==, "NoSuch");
  g_assert_cmpstr (hyb_node_get_attribute (hyb_graph_get_node (graph, 1), "k"), ==, "v");
}

/* Before 0.9: operator parameters in "param", two-element entries, no auxiliary nodes. */
static void
test_files_before_0_9 (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  guint     n;
  HybGraph *graph = read_text (
      model,
      "{\"nodes\": ["
      "{\"op\": \"null\", \"param\": {}, \"name\": \"data\", \"inputs\": [], "
      "\"backward_source_id\": -1},"
      "{\"op\": \"null\", \"param\": {}, \"name\": \"bn_gamma\", \"inputs\": [], "
      "\"backward_source_id\": -1},"
      "{\"op\": \"null\", \"param\": {}, \"name\": \"bn_beta\", \"inputs\": [], "
      "\"backward_source_id\": -1},"
      "{\"op\": \"BatchNorm\", \"param\": {\"eps\": \"0.01\"}, \"name\": \"bn\", \"inputs\": [[0, "
      "0], [1, 0], [2, 0]], \"backward_source_id\": -1, \"attr\": {\"lr_mult\": \"0.2\", "
      "\"gamma_wd_mult\": \"0.3\"}}"
      "], \"arg_nodes\": [0, 1, 2], \"heads\": [[3, 0]]}",
      &error);
  const HybNodeId *ids;
  const HybNode   *gamma, *normalised;

  g_assert_no_error (error);
  ids = hyb_graph_get_auxiliary (graph, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (hyb_graph_get_node (graph, ids[0])->name, ==, "bn_moving_mean");
  g_assert_cmpstr (hyb_graph_get_node (graph, ids[1])->name, ==, "bn_moving_var");
  g_assert_cmpstr (hyb_node_get_attribute (hyb_graph_get_node (graph, ids[1]), "__init__"), ==,
                   "[\"one\", {}]");
  gamma = hyb_graph_get_node (graph, hyb_graph_find_variable (graph, "bn_gamma"));
  g_assert_cmpstr (hyb_node_get_attribute (gamma, "__wd_mult__"), ==, "0.3");
  normalised = hyb_graph_get_node (graph, hyb_graph_n_nodes (graph) - 1);
  g_assert_cmpstr (normalised->name, ==, "bn");
  g_assert_cmpstr (hyb_node_get_attribute (normalised, "__lr_mult__"), ==, "0.2");
  g_assert_null (hyb_node_get_attribute (normalised, "lr_mult"));
  g_assert_null (hyb_model_get_version (model));
}

static void
test_argmax_of_minus_one_before_0_9_5 (void)
{
  static const char *const versions[] = { "904", "10901" };

  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      g_autoptr (HybModel) model = hyb_model_new ();
      g_autofree char *text =
          g_strconcat (NODES VARIABLE (
                           "x") ", {\"op\": \"argmax\", \"name\": \"a\", \"attr\": {\"axis\": "
                                "\"-1\"}, "
                                "\"inputs\": [[0,0,0]]}], \"heads\": [[1,0,0]], \"attrs\": "
                                "{\"mxnet_version\": [\"int\", ",
                       versions[i], "]}}", NULL);
      HybGraph *graph = read_text (model, text, NULL);

      g_assert_cmpstr (hyb_node_get_attribute (hyb_graph_get_node (graph, 1), "axis"), ==,
                       i == 0 ? NULL : "-1");
    }
}

/* A model in which n graphs are nested in each other in subgraphs. */
static void
read_nested (HybModel *model, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 1; i < n; i++)
    g_string_append (text, NODES
                     "{\"op\": \"_foreach\", \"name\": \"f\", \"inputs\": [], \"subgraphs\": [");
  g_string_append (text, NODES VARIABLE ("x") HEADS "[0,0,0]]}");
  for (guint i = 1; i < n; i++)
    g_string_append (text, "]}" HEADS "[0,0,0]]}");
  read_text (model, text->str, NULL);
  g_string_free (text, TRUE);
}

/* A body is printed below its node, further in by one level for each graph around it. */
static void
test_printed_bodies_are_indented (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autofree char *text = NULL;

  read_nested (model, 3);
  g_assert_nonnull (hyb_model_get_graph (model));
  text = hyb_graph_print (hyb_model_get_graph (model), NULL);
  g_assert_nonnull (strstr (text, "\n  body 0\n"));
  g_assert_nonnull (strstr (text, "\n      body 0\n"));
}

static gboolean
is_too_deep (HybModel *model)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strstr (((HybFinding *) findings->pdata[i])->message, "nested in each other"))
      return TRUE;
  return FALSE;
}

static void
test_deep_subgraphs_are_refused (void)
{
  g_autoptr (HybModel) deep = hyb_model_new ();
  g_autoptr (HybModel) deeper = hyb_model_new ();

  read_nested (deep, 32);
  g_assert_false (is_too_deep (deep));
  read_nested (deeper, 33);
  g_assert_true (is_too_deep (deeper));
  g_assert_nonnull (find_code (deeper, "bad-node"));
}

static void
test_damaged_counts_cost_nothing (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  GString *text = g_string_new (NODES VARIABLE ("x"));

  for (guint i = 0; i < 200; i++)
    g_string_append (text, ", {\"op\": \"NoSuch\", \"name\": \"n\", \"inputs\": [[1,99999,0]]}");
  g_string_append (text, HEADS "[0,0,0]" END);
  read_text (model, text->str, NULL);
  g_string_assign (text, NODES VARIABLE ("x"));
  for (guint i = 0; i < 200; i++)
    g_string_append_printf (text,
                            ", {\"op\": \"NoSuch\", \"name\": \"n\", \"inputs\": [[%u,99999,0]]}",
                            i);
  g_string_append (text, HEADS "[0,0,0]" END);
  g_assert_null (read_text (model, text->str, NULL));
  assert_refused (NODES VARIABLE ("x") ", {\"op\": \"NoSuch\", \"name\": \"n\", \"inputs\": "
                                       "[[0,4294967295,0]]}" HEADS "[0,0,0]" END,
                  "bad-edge", "reference");
  g_string_free (text, TRUE);
}

/* Names that the reader cannot know: versions of variables that a Gluon block counted twice. */
static gboolean
is_excused (const char *name)
{
  static const char *const names[] = { "bn-residual-predict", "bn-residual-train",
                                       "zoo-mobilenet0.25", NULL };

  return g_strv_contains (names, name);
}

static guint
check_folder (const char *folder)
{
  g_autofree char *below = g_build_filename ("models", folder, NULL);
  g_auto (GStrv) files = golden_list (below, "-symbol.json");
  guint n = 0;

  for (guint i = 0; files && files[i]; i++)
    {
      g_autofree char *name = g_strconcat (files[i], "-symbol.json", NULL);
      g_autofree char *path = golden_path (below, name, NULL);
      g_autoptr (GBytes) bytes = hyb_file_read (path, 0, NULL);
      g_autoptr (HybModel) model = hyb_model_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;
      gsize            length;

      hyb_symbol_read (model, bytes, path, &error);
      g_assert_no_error (error);
      g_assert_true (hyb_graph_verify (hyb_model_get_graph (model), &error));
      text = hyb_symbol_print (hyb_model_get_graph (model), &length);
      g_test_message ("%s", files[i]);
      if (!is_excused (folder))
        g_assert_cmpmem (text, length, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      n++;
    }
  return n;
}

static void
test_written_as_mxnet_writes (void)
{
  g_auto (GStrv) folders = golden_list ("models", NULL);
  guint n = 0;

  for (guint i = 0; folders && folders[i]; i++)
    n += check_folder (folders[i]);
  if (n == 0)
    g_test_skip ("goldens/models is not here");
}

static void
test_every_cut_is_survived (void)
{
  const char *text = NODES VARIABLE (
      "x") ", {\"op\": \"softmax\", \"name\": \"s\", \"attrs\": {\"axis\": \"-1\"}, "
           "\"inputs\": [[0,0,0]]}" HEADS "[1,0,0]" END;

  for (gsize n = 0; n < strlen (text); n++)
    {
      g_autofree char *cut = g_strndup (text, n);
      g_autoptr (HybModel) model = hyb_model_new ();
      g_autoptr (GError) error = NULL;

      g_assert_null (read_text (model, cut, &error));
      g_assert_nonnull (error);
    }
}

TEST_PROGRAM (test_mxnet_symbol)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/formats/mxnet-symbol/refusals", test_refusals);
  g_test_add_func ("/engine/formats/mxnet-symbol/attribute-errors-name-all",
                   test_attribute_errors_name_all);
  g_test_add_func ("/engine/formats/mxnet-symbol/a-bad-node-stays-as-a-box",
                   test_a_bad_node_stays_as_a_box);
  g_test_add_func ("/engine/formats/mxnet-symbol/circles-are-refused-by-name",
                   test_circles_are_refused_by_name);
  g_test_add_func ("/engine/formats/mxnet-symbol/forward-references-are-sorted",
                   test_forward_references_are_sorted);
  g_test_add_func ("/engine/formats/mxnet-symbol/kindness", test_kindness);
  g_test_add_func ("/engine/formats/mxnet-symbol/unknown-operators-are-boxes",
                   test_unknown_operators_are_boxes);
  g_test_add_func ("/engine/formats/mxnet-symbol/files-before-0.9", test_files_before_0_9);
  g_test_add_func ("/engine/formats/mxnet-symbol/argmax-of-minus-one-before-0.9.5",
                   test_argmax_of_minus_one_before_0_9_5);
  g_test_add_func ("/engine/formats/mxnet-symbol/printed-bodies-are-indented",
                   test_printed_bodies_are_indented);
  g_test_add_func ("/engine/formats/mxnet-symbol/deep-subgraphs-are-refused",
                   test_deep_subgraphs_are_refused);
  g_test_add_func ("/engine/formats/mxnet-symbol/damaged-counts-cost-nothing",
                   test_damaged_counts_cost_nothing);
  g_test_add_func ("/engine/formats/mxnet-symbol/written-as-mxnet-writes",
                   test_written_as_mxnet_writes);
  g_test_add_func ("/engine/formats/mxnet-symbol/every-cut-is-survived",
                   test_every_cut_is_survived);

  g_test_add_func ("/engine/formats/mxnet-symbol/attributes-of-operators-without-any-are-noted",
                   test_attributes_of_operators_without_any_are_noted);
  g_test_add_func ("/engine/formats/mxnet-symbol/the-last-value-of-a-key-counts",
                   test_the_last_value_of_a_key_counts);
  return g_test_run ();
}
