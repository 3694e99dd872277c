/* test-replace-operator.c — which operators fit in the place of an unknown one, and putting one there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/change.h"
#include "engine/doctor/replace-operator.h"

#include "engine/formats/mxnet-symbol.h"
#include "tests/program.h"

#include <string.h>

#define VARIABLE(name) "{\"op\": \"null\", \"name\": \"" name "\", \"inputs\": []}"
#define NODE(op, name, attrs, inputs) \
  "{\"op\": \"" op "\", \"name\": \"" name "\", \"attrs\": {" attrs "}, \"inputs\": [" inputs "]}"
#define BEGIN      "{\"arg_nodes\": [], \"nodes\": ["
#define END(heads) "], \"heads\": [" heads "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"

/* Two dense layers with an unknown operator between them, twice. */
#define DENSE(op)                                                                                                                           \
  BEGIN                                                                                                                                     \
  VARIABLE ("data")                                                                                                                         \
  "," VARIABLE ("w1") "," VARIABLE ("b1") "," NODE ("FullyConnected", "fc1", "\"num_hidden\": \"8\"", "[0,0,0],[1,0,0],[2,0,0]") "," NODE ( \
      op, "odd1", "\"beta\": \"2\"",                                                                                                        \
      "[3,0,0]") "," NODE (op, "odd2", "",                                                                                                  \
                           "[4,0,0]") "," VARIABLE ("w2") "," VARIABLE ("b2") "," NODE ("Full"                                              \
                                                                                        "yCon"                                              \
                                                                                        "nect"                                              \
                                                                                        "ed",                                               \
                                                                                        "fc2",                                              \
                                                                                        "\"nu"                                              \
                                                                                        "m_"                                                \
                                                                                        "hidd"                                              \
                                                                                        "en\""                                              \
                                                                                        ": "                                                \
                                                                                        "\"3"                                               \
                                                                                        "\"",                                               \
                                                                                        "[5,"                                               \
                                                                                        "0,0]"                                              \
                                                                                        ",[6,"                                              \
                                                                                        "0,0]"                                              \
                                                                                        ",[7,"                                              \
                                                                                        "0,"                                                \
                                                                                        "0]")                                               \
      END ("[8,0,0]")

static HybModel *
read_text (const char *text)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;

  hyb_symbol_read (model, bytes, "x.json", &error);
  g_assert_no_error (error);
  return model;
}

static gboolean
offers (GPtrArray *list, const char *name)
{
  for (guint i = 0; i < list->len; i++)
    if (strcmp (((const HybOp *) list->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

static void
test_one_input_is_passed_on_or_goes_through_a_pointwise_operator (void)
{
  g_autoptr (HybModel) model = read_text (DENSE ("Mish"));
  g_autoptr (GPtrArray) list = hyb_replace_list (model, "odd1");

  g_assert_true (hyb_replace_is_possible (hyb_model_get_graph (model), "odd1"));
  g_assert_cmpuint (hyb_replace_count (hyb_model_get_graph (model), "odd1"), ==, 2);
  g_assert_cmpuint (list->len, >, 10);
  g_assert_true (offers (list, "_copy"));
  g_assert_true (offers (list, "relu"));
  g_assert_true (offers (list, "tanh"));
  g_assert_false (offers (list, "elemwise_add")); /* two inputs */
  g_assert_false (offers (list, "_backward_relu"));
}

static void
test_a_similar_name_comes_first (void)
{
  g_autoptr (HybModel) model = read_text (DENSE ("softsine"));
  g_autoptr (GPtrArray) list = hyb_replace_list (model, "odd1");

  g_assert_cmpuint (list->len, >, 1);
  g_assert_cmpstr (((const HybOp *) list->pdata[0])->name, ==, "softsign");
}

/* odd1 has “beta”, odd2 has no attribute. */
static void
test_operators_with_its_attributes_come_first (void)
{
  g_autoptr (HybModel) model = read_text (DENSE ("Mish"));
  g_autoptr (GPtrArray) list = hyb_replace_list (model, "odd1");
  g_autoptr (GPtrArray) without = hyb_replace_list (model, "odd2");

  g_assert_nonnull (hyb_params_find (((const HybOp *) list->pdata[0])->params, "beta"));
  g_assert_cmpstr (((const HybOp *) without->pdata[0])->name, ==, "_copy");
}

/* The operator that the layer had before it was renamed. */
static void
assert_original (const char *op, const char *attributes, const char *variables, const char *inputs)
{
  g_autofree char *text =
      g_strdup_printf (BEGIN VARIABLE ("data") "%s, {\"op\": \"My%sX\", \"name\": \"layer\", "
                                               "\"attrs\": {%s}, \"inputs\": [%s]}" END (
                                                   "[%u,0,0]"),
                       variables, op, attributes, inputs, strstr (inputs, "[2,0,0]") ? 3 : 2);
  g_autoptr (HybModel) model = read_text (text);
  g_autoptr (GPtrArray) list = hyb_replace_list (model, "layer");

  g_assert_true (hyb_replace_is_possible (hyb_model_get_graph (model), "layer"));
  g_assert_cmpuint (list->len, >, 0);
  g_assert_cmpstr (((const HybOp *) list->pdata[0])->name, ==, op);
}

static void
test_layers_with_parameters_have_their_original (void)
{
  static const char both[] = "," VARIABLE ("layer_weight") "," VARIABLE ("layer_bias");
  static const char weight[] = "," VARIABLE ("layer_weight");

  assert_original ("FullyConnected", "\"num_hidden\": \"8\"", both, "[0,0,0], [1,0,0], [2,0,0]");
  assert_original ("FullyConnected", "\"num_hidden\": \"8\", \"no_bias\": \"True\"", weight,
                   "[0,0,0], [1,0,0]");
  assert_original ("Convolution",
                   "\"kernel\": \"(3, 3)\", \"num_filter\": \"8\", \"pad\": \"(1, 1)\"", both,
                   "[0,0,0], [1,0,0], [2,0,0]");
}

static void
test_shapes_of_parameters_decide (void)
{
  g_autoptr (HybModel) model = read_text (DENSE ("Halve"));
  HybType type = { { 2, { 3, 4 } }, HYB_F32 }; /* w2 takes 4 features, and fc1 has 8 */
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, NULL);
  g_autoptr (GPtrArray) list = NULL;
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  hyb_model_set_parameter (model, "w2", tensor);
  list = hyb_replace_list (model, "odd1");
  g_assert_cmpuint (list->len, ==, 0);
  g_assert_false (hyb_replace_operator (model, "odd1", hyb_op_find ("relu"), changes));
  g_assert_cmpuint (changes->len, ==, 0);
}

static void
test_all_nodes_with_the_operator_are_replaced (void)
{
  g_autoptr (HybModel) model = read_text (DENSE ("Mish"));
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  HybGraph *graph;

  g_assert_true (hyb_replace_operator (model, "odd2", hyb_op_find ("relu"), changes));
  g_assert_cmpuint (changes->len, ==, 2);
  g_assert_cmpstr (hyb_change_text (changes, 0), ==,
                   "replaced the operator Mish of “odd1” by relu");
  graph = hyb_model_get_graph (model);
  g_assert_cmpuint (hyb_replace_count (graph, "odd1"), ==, 0);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    g_assert_false (hyb_graph_get_node (graph, id)->op->flags & HYB_OP_OPAQUE);
}

static void
test_custom_operators_differ_by_their_type (void)
{
  g_autoptr (HybModel) model = read_text (
      BEGIN VARIABLE ("data") "," NODE ("Custom", "a", "\"op_type\": \"one\"",
                                        "[0,0,0]") "," NODE ("Custom", "b", "\"op_type\": \"two\"",
                                                             "[1,0,0]") END ("[2,0,0]"));
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  g_assert_true (hyb_replace_operator (model, "b", hyb_op_find ("_copy"), changes));
  g_assert_cmpuint (changes->len, ==, 1);
  g_assert_cmpstr (hyb_change_text (changes, 0), ==,
                   "replaced the operator Custom two of “b” by _copy");
  g_assert_cmpuint (hyb_replace_count (hyb_model_get_graph (model), "a"), ==, 1);
}

static void
test_nothing_fits_five_inputs_or_a_known_node (void)
{
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE ("a") "," VARIABLE ("b") "," VARIABLE (
      "c") "," NODE ("Blend", "odd", "", "[0,0,0],[1,0,0],[2,0,0],[0,0,0],[1,0,0]")
                                              END ("[3,0,0]"));
  g_autoptr (GPtrArray) list = hyb_replace_list (model, "odd");

  g_assert_false (hyb_replace_is_possible (hyb_model_get_graph (model), "odd"));
  g_assert_cmpuint (list->len, ==, 0);
  g_assert_false (hyb_replace_is_possible (hyb_model_get_graph (model), "a"));
  g_assert_false (hyb_replace_is_possible (hyb_model_get_graph (model), "no-such-node"));
  g_assert_false (hyb_replace_is_possible (hyb_model_get_graph (model), NULL));
}

#define ADD(path, function) g_test_add_func ("/engine/doctor/replace-operator/" path, function)

TEST_PROGRAM (test_replace_operator)
{
  g_test_init (&argc, &argv, NULL);

  ADD ("one-input-is-passed-on-or-goes-through-a-pointwise-operator",
       test_one_input_is_passed_on_or_goes_through_a_pointwise_operator);
  ADD ("a-similar-name-comes-first", test_a_similar_name_comes_first);
  ADD ("operators-with-its-attributes-come-first", test_operators_with_its_attributes_come_first);
  ADD ("layers-with-parameters-have-their-original",
       test_layers_with_parameters_have_their_original);
  ADD ("shapes-of-parameters-decide", test_shapes_of_parameters_decide);
  ADD ("all-nodes-with-the-operator-are-replaced", test_all_nodes_with_the_operator_are_replaced);
  ADD ("custom-operators-differ-by-their-type", test_custom_operators_differ_by_their_type);
  ADD ("nothing-fits-five-inputs-or-a-known-node", test_nothing_fits_five_inputs_or_a_known_node);
  return g_test_run ();
}
