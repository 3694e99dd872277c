/* test-diagnose.c — runs each of the doctor's rules on a graph that violates it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"

#include "engine/doctor/match-parameters.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/open/open.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define BEGIN          "{\"arg_nodes\": [], \"nodes\": ["
#define END(heads)     "], \"heads\": [" heads "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"
#define VARIABLE(name) "{\"op\": \"null\", \"name\": \"" name "\", \"inputs\": []}"
#define NODE(op, name, attrs, inputs) \
  "{\"op\": \"" op "\", \"name\": \"" name "\", \"attrs\": {" attrs "}, \"inputs\": [" inputs "]}"

#define FC                                                                  \
  BEGIN VARIABLE ("data") "," VARIABLE ("fc_weight") "," VARIABLE (         \
      "fc_bias") "," NODE ("FullyConnected", "fc", "\"num_hidden\": \"4\"", \
                           "[0,0,0],[1,0,0],[2,0,0]")

static HybModel *
read_text (const char *text)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_symbol_read (model, bytes, "x.json", &error));
  hyb_model_set_file (model, "x.json");
  return model;
}

static void
add_parameter (HybModel *model, const char *name, HybDType dtype, HybShape shape)
{
  HybType type = { shape, dtype };
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, NULL);

  hyb_model_set_parameter (model, name, tensor);
  hyb_model_set_weights_file (model, "x.params");
}

static void
diagnose (HybModel *model)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_diagnose_new_types (graph);

  hyb_diagnose (model, types);
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

static const HybFindingItem *
get_item (const HybFinding *finding, guint index)
{
  g_assert_nonnull (finding);
  g_assert_nonnull (finding->items);
  g_assert_cmpuint (index, <, finding->items->len);
  return &g_array_index (finding->items, HybFindingItem, index);
}

static void
test_a_good_pair_has_no_errors (void)
{
  g_autoptr (HybModel) model = read_text (FC END ("[3,0,0]"));
  GPtrArray *findings;

  add_parameter (model, "fc_weight", HYB_F32, hyb_shape_2d (4, 7));
  add_parameter (model, "fc_bias", HYB_F32, hyb_shape_1d (4));
  diagnose (model);
  findings = hyb_model_get_findings (model);
  for (guint i = 0; i < findings->len; i++)
    g_assert_cmpint (((HybFinding *) findings->pdata[i])->severity, !=, HYB_SEVERITY_ERROR);
}

static void
test_shapes (void)
{
  g_autoptr (HybModel) model = read_text (FC END ("[3,0,0]"));
  const HybFindingItem *item;

  add_parameter (model, "fc_weight", HYB_F32, hyb_shape_2d (5, 7));
  add_parameter (model, "fc_bias", HYB_F32, hyb_shape_1d (4));
  diagnose (model);
  item = get_item (find_code (model, "wrong-shape"), 0);
  g_assert_cmpstr (item->name, ==, "fc_weight");
  g_assert_cmpstr (item->expected, ==, "[4, null]");
  g_assert_cmpstr (item->got, ==, "[5, 7]");
}

static void
test_element_types (void)
{
  g_autoptr (HybModel) model = read_text (FC END ("[3,0,0]"));
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  const HybFindingItem *item;

  add_parameter (model, "fc_weight", HYB_F32, hyb_shape_2d (4, 7));
  add_parameter (model, "fc_bias", HYB_F16, hyb_shape_1d (4));
  diagnose (model);
  item = get_item (find_code (model, "wrong-dtype"), 0);
  g_assert_cmpstr (item->name, ==, "fc_bias");
  g_assert_cmpstr (item->expected, ==, "\"float32\"");
  g_assert_cmpstr (item->got, ==, "\"float16\"");

  hyb_diagnose_repair (model, changes);
  g_assert_cmpint (hyb_tensor_get_dtype (hyb_model_get_parameter (model, "fc_bias")), ==, HYB_F32);
}

static void
test_missing_and_unused (void)
{
  g_autoptr (HybModel) model = read_text (FC END ("[3,0,0]"));
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  add_parameter (model, "fc_weight", HYB_F32, hyb_shape_2d (4, 7));
  add_parameter (model, "fc_bais", HYB_F32, hyb_shape_1d (5));
  diagnose (model);
  g_assert_cmpstr (get_item (find_code (model, "missing-parameter"), 0)->name, ==, "fc_bias");
  g_assert_nonnull (strstr (find_code (model, "missing-parameter")->hint, "fc_bais"));
  g_assert_cmpstr (get_item (find_code (model, "unused-parameter"), 0)->name, ==, "fc_bais");
  g_assert_null (find_code (model, "wrong-pair"));

  hyb_diagnose_repair (model, changes); /* it may be meant for the missing one */
  g_assert_nonnull (hyb_model_get_parameter (model, "fc_bais"));
}

static void
test_another_models_file (void)
{
  g_autoptr (HybModel) model = read_text (FC END ("[3,0,0]"));

  add_parameter (model, "conv_gamma", HYB_F32, hyb_shape_1d (3));
  diagnose (model);
  g_assert_nonnull (find_code (model, "wrong-pair"));
}

static void
test_not_finite (void)
{
  g_autoptr (HybModel) model = read_text (FC END ("[3,0,0]"));

  add_parameter (model, "fc_weight", HYB_F32, hyb_shape_2d (4, 7));
  add_parameter (model, "fc_bias", HYB_F32, hyb_shape_1d (4));
  ((float *) hyb_tensor_get_data (hyb_model_get_parameter (model, "fc_bias")))[2] = NAN;
  diagnose (model);
  g_assert_cmpstr (get_item (find_code (model, "not-finite"), 0)->name, ==, "fc_bias");
}

static void
test_dead_nodes (void)
{
  g_autoptr (HybModel) model =
      read_text (FC "," NODE ("relu", "forgotten", "", "[3,0,0]") END ("[3,0,0]"));

  diagnose (model);
  g_assert_cmpstr (get_item (find_code (model, "dead-node"), 0)->name, ==, "forgotten");
}

static void
test_unknown_operators (void)
{
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE (
      "x") "," NODE ("Actvation", "a", "", "[0,0,0]") "," NODE ("Custom", "c", "", "[1,0,0]")
                                              END ("[2,0,0]"));
  const HybFinding *finding;

  diagnose (model);
  finding = find_code (model, "unknown-operator");
  g_assert_nonnull (finding);
  g_assert_nonnull (strstr (finding->hint, "“Activation”"));
  g_assert_cmpstr (finding->path, ==, "$.nodes[1]");
}

/* Findings name the operator behind “Custom”, and say why a gradient operator of MXNet is none here. */
static void
test_operators_without_code (void)
{
  g_autoptr (HybModel) model = read_text (
      BEGIN VARIABLE ("x") "," NODE ("Custom", "c", "\"op_type\": \"mine\"",
                                     "[0,0,0]") "," NODE ("_backward_relu", "b", "",
                                                          "[1,0,0],[1,0,0]") END ("[2,0,0]"));
  const HybFinding *custom = NULL, *gradient = NULL;
  GPtrArray        *findings;

  diagnose (model);
  findings = hyb_model_get_findings (model);
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (!g_str_equal (finding->code, "unknown-operator"))
        continue;
      if (strstr (finding->message, "“Custom with op_type=mine”"))
        custom = finding;
      if (strstr (finding->message, "“_backward_relu”"))
        gradient = finding;
    }
  g_assert_nonnull (custom);
  g_assert_cmpint (custom->remedy, ==, HYB_REMEDY_OPERATOR);
  g_assert_nonnull (gradient);
  g_assert_nonnull (strstr (gradient->hint, "It computes a gradient inside of MXNet"));
}

static void
test_labels_and_states (void)
{
  g_autoptr (HybModel) model =
      read_text (BEGIN VARIABLE ("data") "," VARIABLE ("p") "," VARIABLE ("data1") "," NODE (
          "RNN", "rnn", "\"mode\": \"gru\", \"num_layers\": \"1\", \"state_size\": \"2\"",
          "[0,0,0],[1,0,0],[2,0,0]") "," VARIABLE ("softmax_label") "," NODE ("SoftmaxOutput",
                                                                              "softmax", "",
                                                                              "[3,0,0],[4,0,0]")
                     END ("[5,0,0]"));

  diagnose (model);
  g_assert_cmpstr (get_item (find_code (model, "state-as-input"), 0)->name, ==, "data1");
  g_assert_cmpstr (get_item (find_code (model, "label-needed"), 0)->name, ==, "softmax_label");
}

static void
test_flat_vectors (void)
{
  g_autoptr (HybModel) model =
      read_text (BEGIN VARIABLE ("data") "," VARIABLE ("rnn_parameters") "," VARIABLE (
          "s") "," NODE ("RNN", "rnn",
                         "\"mode\": \"gru\", \"num_layers\": \"1\", \"state_size\": \"2\"",
                         "[0,0,0],[1,0,0],[2,0,0]") END ("[3,0,0]"));
  g_autofree HybType *types = hyb_diagnose_new_types (hyb_model_get_graph (model));

  types[0].shape = hyb_shape_3d (5, 1, 3);
  add_parameter (model, "rnn_parameters", HYB_F32, hyb_shape_1d (43));
  hyb_diagnose (model, types);
  g_assert_cmpstr (get_item (find_code (model, "packed-length"), 0)->expected, ==, "[42]");
  g_assert_cmpstr (get_item (find_code (model, "packed-length"), 0)->got, ==, "[43]");
}

static void
test_conflicts_in_the_graph (void)
{
  g_autoptr (HybModel) model = read_text (
      BEGIN "{\"op\": \"null\", \"name\": \"a\", \"attrs\": {\"__shape__\": \"(2, 3)\"}, "
            "\"inputs\": []},"
            "{\"op\": \"null\", \"name\": \"b\", \"attrs\": {\"__shape__\": \"(2, 4)\"}, "
            "\"inputs\": []}," NODE ("elemwise_add", "sum", "", "[0,0,0],[1,0,0]") END ("[2,0,0]"));

  diagnose (model);
  g_assert_cmpstr (find_code (model, "shape-conflict")->node, ==, "sum");
}

static void
test_old_gate_order (void)
{
#define GATE(name, act, index) \
  NODE ("Activation", name, "\"act_type\": \"" act "\"", "[1," index ",0]")
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE (
      "x") "," NODE ("SliceChannel", "gates", "\"num_outputs\": \"4\"",
                     "[0,0,0]") "," GATE ("in", "sigmoid",
                                          "0") "," GATE ("transform", "tanh",
                                                         "1") "," GATE ("forget", "sigmoid",
                                                                        "2") "," GATE ("out",
                                                                                       "sigmoid",
                                                                                       "3")
                                              END ("[2,0,0],[3,0,0],[4,0,0],[5,0,0]"));
#undef GATE

  diagnose (model);
  g_assert_cmpstr (find_code (model, "old-gate-order")->node, ==, "gates");
}

static void
test_loops_whose_parts_do_not_fit (void)
{
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE ("x") "," VARIABLE (
      "s") ",{\"op\": \"_foreach\", \"name\": \"loop\", \"attrs\": {\"num_args\": \"3\", "
           "\"num_outputs\": \"2\", \"num_out_data\": \"1\", \"in_data_locs\": \"[0]\", "
           "\"in_state_locs\": \"[7]\", \"remain_locs\": \"[]\"}, \"inputs\": [[0,0,0],[1,0,0]], "
           "\"subgraphs\": [{\"nodes\": [" VARIABLE ("x-0") "," VARIABLE (
               "s-0") "," NODE ("elemwise_add", "add", "",
                                "[0,0,0],[1,0,0]") "], \"arg_nodes\": [0,1], \"heads\": "
                                                   "[[2,0,0],[2,0,0]]}]}" END ("[2,0,0]"));

  diagnose (model);
  g_assert_nonnull (strstr (find_code (model, "control-flow-mismatch")->message, "in_state_locs"));
}

static void
test_unknown_attributes_are_removed (void)
{
  g_autoptr (HybModel) model = read_text (
      BEGIN VARIABLE ("x") "," NODE ("softmax", "s", "\"axis\": \"-1\", \"colour\": \"red\"",
                                     "[0,0,0]") END ("[1,0,0]"));
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  const HybNode *node;

  diagnose (model);
  hyb_diagnose_repair (model, changes);
  node = hyb_graph_get_node (hyb_model_get_graph (model), 1);
  g_assert_null (hyb_node_get_attribute (node, "colour"));
  g_assert_cmpstr (hyb_node_get_attribute (node, "axis"), ==, "-1");
  g_assert_nonnull (strstr (hyb_change_text (changes, 0), "colour"));
}

/* MXNet 1.9.1 ignores the lengths of RNN on the CPU, but not those of SequenceMask. */
static void
test_lengths_are_noted_for_recurrent_layers_only (void)
{
  g_autoptr (HybModel) mask = read_text (BEGIN VARIABLE ("x") "," VARIABLE (
      "length") "," NODE ("SequenceMask", "m", "\"use_sequence_length\": \"True\"",
                          "[0,0,0],[1,0,0]") END ("[2,0,0]"));
  g_autoptr (HybModel) rnn = read_text (BEGIN VARIABLE ("x") "," VARIABLE ("w") "," VARIABLE (
      "h") "," VARIABLE ("length") "," NODE ("RNN", "r",
                                             "\"use_sequence_length\": \"True\", \"mode\": "
                                             "\"gru\", \"num_layers\": \"1\", "
                                             "\"state_size\": \"2\"",
                                             "[0,0,0],[1,0,0],[2,0,0],[3,0,0]") END ("[4,0,0]"));

  diagnose (mask);
  diagnose (rnn);
  g_assert_null (find_code (mask, "mxnet-differs"));
  g_assert_nonnull (find_code (rnn, "mxnet-differs"));
}

static void
test_facts_that_collide (void)
{
  g_autoptr (HybModel) model = read_text (FC END ("[3,0,0]"));
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_diagnose_new_types (graph);
  const HybFinding   *finding;

  add_parameter (model, "fc_weight", HYB_F32, hyb_shape_2d (4, 7));
  add_parameter (model, "fc_bias", HYB_F32, hyb_shape_1d (4));
  types[0].shape = hyb_shape_2d (2, 9);
  hyb_diagnose (model, types);
  finding = find_code (model, "shape-conflict");
  g_assert_nonnull (finding);
  g_assert_nonnull (strstr (finding->message, "“fc_weight” is (4, 7) in x.params"));
  g_assert_nonnull (strstr (finding->message, "“data” is (2, 9) as given"));
  g_assert_cmpint (finding->remedy, ==, HYB_REMEDY_SHAPES);
  g_assert_null (find_code (model, "wrong-shape"));
}

/* The chain names each node between the given shape and the weight that it does not fit. */
static void
test_chains_of_shapes (void)
{
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE ("data") "," VARIABLE (
      "fc_weight") "," NODE ("Flatten", "flat", "",
                             "[0,0,0]") "," NODE ("FullyConnected", "fc",
                                                  "\"num_hidden\": \"4\", \"no_bias\": "
                                                  "\"True\"",
                                                  "[2,0,0],[1,0,0]") END ("[3,0,0]"));
  g_autofree HybType *types = hyb_diagnose_new_types (hyb_model_get_graph (model));

  add_parameter (model, "fc_weight", HYB_F32, hyb_shape_2d (4, 12));
  types[0].shape = hyb_shape_3d (2, 3, 5);
  hyb_diagnose (model, types);
  g_assert_nonnull (strstr (find_code (model, "shape-conflict")->message,
                            "“data” is (2, 3, 5) as given, so “flat” is (2, 15)"));
}

static void
test_labels_have_any_shape (void)
{
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE ("data") "," VARIABLE (
      "softmax_label") "," NODE ("SoftmaxOutput", "softmax", "", "[0,0,0],[1,0,0]")
                                              END ("[2,0,0]"));
  g_autofree HybType *types = hyb_diagnose_new_types (hyb_model_get_graph (model));

  add_parameter (model, "softmax_label", HYB_F32, hyb_shape_1d (32));
  types[0].shape = hyb_shape_2d (2, 9);
  hyb_diagnose (model, types);
  g_assert_null (find_code (model, "wrong-shape"));
  g_assert_null (find_code (model, "shape-conflict"));
}

#define TWO_LAYERS                                                                           \
  BEGIN VARIABLE ("data") "," VARIABLE ("fc1_weight") "," VARIABLE ("fc2_weight") "," NODE ( \
      "FullyConnected", "fc1", "\"num_hidden\": \"4\", \"no_bias\": \"True\"",               \
      "[0,0,0],[1,0,0]") "," NODE ("FullyConnected", "fc2",                                  \
                                   "\"num_hidden\": \"4\", \"no_bias\": \"True\"",           \
                                   "[3,0,0],[2,0,0]") END ("[4,0,0]")

/* A square weight is transposed with the others, because no shape says otherwise. */
static void
test_square_weights_are_transposed_with_others (void)
{
  g_autoptr (HybModel) model = read_text (TWO_LAYERS);
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  const HybFinding *finding;

  add_parameter (model, "fc1_weight", HYB_F32, hyb_shape_2d (7, 4));
  add_parameter (model, "fc2_weight", HYB_F32, hyb_shape_2d (4, 4));
  ((float *) hyb_tensor_get_data (hyb_model_get_parameter (model, "fc2_weight")))[1] = 5;
  ((float *) hyb_tensor_get_data (hyb_model_get_parameter (model, "fc1_weight")))[1] = 3;
  diagnose (model);
  finding = find_code (model, "transposed");
  g_assert_cmpstr (get_item (finding, 0)->expected, ==, "[4, 7]");
  g_assert_cmpstr (get_item (finding, 1)->name, ==, "fc2_weight");
  g_assert_null (find_code (model, "wrong-shape"));

  hyb_diagnose_repair (model, changes);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_model_get_parameter (model, "fc1_weight"), 7), ==,
                     3);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_model_get_parameter (model, "fc2_weight"), 4), ==,
                     5);
}

/* No order of axes makes (4, 5) fit, so nothing is called transposed. */
static void
test_shapes_that_no_order_mends (void)
{
  g_autoptr (HybModel) model = read_text (TWO_LAYERS);

  add_parameter (model, "fc1_weight", HYB_F32, hyb_shape_2d (4, 7));
  add_parameter (model, "fc2_weight", HYB_F32, hyb_shape_2d (4, 5));
  diagnose (model);
  g_assert_null (find_code (model, "transposed"));
  g_assert_nonnull (find_code (model, "wrong-shape"));
}

/* One array that has another layer's name and another shape explains nothing. */
static void
test_another_models_layers_are_not_renamed (void)
{
  g_autoptr (HybModel) model = read_text (TWO_LAYERS);

  add_parameter (model, "fc1_weight", HYB_F32, hyb_shape_2d (4, 7));
  add_parameter (model, "fc3_weight", HYB_F32, hyb_shape_2d (4, 9));
  hyb_model_match_parameters (model);
  g_assert_null (find_code (model, "renamed-parameter"));
  g_assert_null (hyb_model_get_parameter (model, "fc2_weight"));

  hyb_model_remove_parameter (model, "fc3_weight");
  add_parameter (model, "fc3_weight", HYB_F32, hyb_shape_2d (4, 4));
  hyb_model_match_parameters (model);
  g_assert_nonnull (find_code (model, "renamed-parameter"));
  g_assert_nonnull (hyb_model_get_parameter (model, "fc2_weight"));
}

static void
test_no_name_in_common_is_a_wrong_pair (void)
{
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE ("data") "," VARIABLE (
      "fc_weight") "," NODE ("FullyConnected", "fc", "\"num_hidden\": \"4\", \"no_bias\": \"True\"",
                             "[0,0,0],[1,0,0]") END ("[2,0,0]"));
  const HybFinding *first;

  add_parameter (model, "rnn_parameters", HYB_F32, hyb_shape_1d (42));
  diagnose (model);
  first = hyb_model_get_findings (model)->pdata[0];
  g_assert_cmpstr (first->code, ==, "wrong-pair");
  g_assert_null (find_code (model, "missing-parameter"));
  g_assert_null (find_code (model, "unused-parameter"));
}

/* arcsin and arcsinh are equally near, so neither is taken. */
static void
test_doubtful_spellings_are_left_alone (void)
{
  g_autoptr (HybModel) model = read_text (BEGIN VARIABLE (
      "x") "," NODE ("arcsinx", "a", "", "[0,0,0]") "," NODE ("Custom", "c", "", "[1,0,0]")
                                              END ("[2,0,0]"));
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  diagnose (model);
  g_assert_cmpint (find_code (model, "unknown-operator")->severity, ==, HYB_SEVERITY_ERROR);
  hyb_diagnose_repair (model, changes);
  g_assert_cmpstr (hyb_graph_get_node (hyb_model_get_graph (model), 1)->type, ==, "arcsinx");
  g_assert_cmpstr (hyb_graph_get_node (hyb_model_get_graph (model), 2)->type, ==, "Custom");
}

/* “fc1_wieght” is meant, the others are not: another number, another shape, two that are as near. */
static void
test_one_near_name_is_the_misspelt_one (void)
{
  static const struct
  {
    const char *name;
    gint64      rows;
    const char *other;
    gboolean    is_renamed;
  } cases[] = { { "fc1_wieght", 4, NULL, TRUE },
                { "FC1_weight", 4, NULL, TRUE },
                { "fc1_wieght", 5, NULL, FALSE },
                { "fc4_weight", 4, NULL, FALSE },
                { "fc1_wieght", 4, "fc1_weigth", FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HybModel) model = read_text (TWO_LAYERS);
      g_autoptr (GPtrArray) changes = hyb_changes_new ();

      add_parameter (model, cases[i].name, HYB_F32, hyb_shape_2d (cases[i].rows, 7));
      if (cases[i].other)
        add_parameter (model, cases[i].other, HYB_F32, hyb_shape_2d (cases[i].rows, 7));
      add_parameter (model, "fc2_weight", HYB_F32, hyb_shape_2d (4, 4));
      diagnose (model);
      g_assert_cmpint (find_code (model, "missing-parameter")->remedy == HYB_REMEDY_REPAIR, ==,
                       cases[i].is_renamed);
      hyb_diagnose_repair (model, changes);
      if (cases[i].is_renamed)
        g_assert_nonnull (
            strstr (hyb_change_text (changes, 0), "to “fc1_weight”, the only near name"));
      for (guint k = 0; k < changes->len && !cases[i].is_renamed; k++)
        g_assert_null (strstr (hyb_change_text (changes, k), "the only near name"));
    }
}

TEST_PROGRAM (test_diagnose)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/doctor/diagnose/a-good-pair-has-no-errors",
                   test_a_good_pair_has_no_errors);
  g_test_add_func ("/engine/doctor/diagnose/shapes", test_shapes);
  g_test_add_func ("/engine/doctor/diagnose/element-types", test_element_types);
  g_test_add_func ("/engine/doctor/diagnose/missing-and-unused", test_missing_and_unused);
  g_test_add_func ("/engine/doctor/diagnose/another-models-file", test_another_models_file);
  g_test_add_func ("/engine/doctor/diagnose/not-finite", test_not_finite);
  g_test_add_func ("/engine/doctor/diagnose/dead-nodes", test_dead_nodes);
  g_test_add_func ("/engine/doctor/diagnose/unknown-operators", test_unknown_operators);
  g_test_add_func ("/engine/doctor/diagnose/operators-without-code", test_operators_without_code);
  g_test_add_func ("/engine/doctor/diagnose/labels-and-states", test_labels_and_states);
  g_test_add_func ("/engine/doctor/diagnose/flat-vectors", test_flat_vectors);
  g_test_add_func ("/engine/doctor/diagnose/conflicts-in-the-graph", test_conflicts_in_the_graph);
  g_test_add_func ("/engine/doctor/diagnose/old-gate-order", test_old_gate_order);
  g_test_add_func ("/engine/doctor/diagnose/loops-whose-parts-do-not-fit",
                   test_loops_whose_parts_do_not_fit);
  g_test_add_func ("/engine/doctor/diagnose/unknown-attributes-are-removed",
                   test_unknown_attributes_are_removed);
  g_test_add_func ("/engine/doctor/diagnose/lengths-are-noted-for-recurrent-layers-only",
                   test_lengths_are_noted_for_recurrent_layers_only);
  g_test_add_func ("/engine/doctor/diagnose/facts-that-collide", test_facts_that_collide);
  g_test_add_func ("/engine/doctor/diagnose/chains-of-shapes", test_chains_of_shapes);
  g_test_add_func ("/engine/doctor/diagnose/labels-have-any-shape", test_labels_have_any_shape);
  g_test_add_func ("/engine/doctor/diagnose/square-weights-are-transposed-with-others",
                   test_square_weights_are_transposed_with_others);
  g_test_add_func ("/engine/doctor/diagnose/shapes-that-no-order-mends",
                   test_shapes_that_no_order_mends);
  g_test_add_func ("/engine/doctor/diagnose/another-models-layers-are-not-renamed",
                   test_another_models_layers_are_not_renamed);
  g_test_add_func ("/engine/doctor/diagnose/no-name-in-common-is-a-wrong-pair",
                   test_no_name_in_common_is_a_wrong_pair);
  g_test_add_func ("/engine/doctor/diagnose/one-near-name-is-the-misspelt-one",
                   test_one_near_name_is_the_misspelt_one);
  g_test_add_func ("/engine/doctor/diagnose/doubtful-spellings-are-left-alone",
                   test_doubtful_spellings_are_left_alone);

  return g_test_run ();
}
