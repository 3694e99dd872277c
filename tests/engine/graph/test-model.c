/* test-model.c — a model's parameters and what is remembered beside them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/model.h"

#include "engine/graph/builder.h"
#include "tests/program.h"

static HybTensor *
new_vector (gint64 n)
{
  HybType type = { hyb_shape_1d (n), HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
set (HybModel *model, const char *name, gint64 n)
{
  g_autoptr (HybTensor) tensor = new_vector (n);

  hyb_model_set_parameter (model, name, tensor);
}

static void
test_parameters_keep_the_order_of_their_file (void)
{
  static const char *const names[] = { "z", "a", "m" };
  g_autoptr (HybModel) model = hyb_model_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    set (model, names[i], i + 1);
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 3);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpstr (hyb_model_get_parameter_name (model, i), ==, names[i]);
}

static void
test_a_parameter_that_is_set_again_is_replaced_in_its_place (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();

  set (model, "a", 1);
  set (model, "b", 1);
  set (model, "a", 5);
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 2);
  g_assert_cmpstr (hyb_model_get_parameter_name (model, 0), ==, "a");
  g_assert_cmpint (hyb_tensor_get_shape (hyb_model_get_parameter (model, "a"))->dim[0], ==, 5);
}

static void
test_a_removed_parameter_is_gone_and_the_others_stay (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();

  set (model, "a", 1);
  set (model, "b", 2);
  set (model, "c", 3);
  hyb_model_remove_parameter (model, "b");
  g_assert_null (hyb_model_get_parameter (model, "b"));
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 2);
  g_assert_cmpstr (hyb_model_get_parameter_name (model, 1), ==, "c");
  g_assert_cmpint (hyb_tensor_get_shape (hyb_model_get_parameter (model, "c"))->dim[0], ==, 3);
}

static void
test_prefixes_are_remembered_by_name (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();

  set (model, "mean", 1);
  set (model, "weight", 1);
  hyb_model_set_parameter_prefix (model, "mean", HYB_PREFIX_AUX);
  g_assert_cmpint (hyb_model_get_parameter_prefix (model, 0), ==, HYB_PREFIX_AUX);
  g_assert_cmpint (hyb_model_get_parameter_prefix (model, 1), ==, HYB_PREFIX_NONE);
}

static void
test_types_are_those_of_parameters (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (HybGraph) graph = NULL;
  HybBuilder         *builder = hyb_builder_new ();
  g_autofree HybType *types = NULL;

  hyb_builder_add_head (builder, hyb_builder_add_variable (builder, "data", NULL));
  hyb_builder_add_head (builder, hyb_builder_add_variable (builder, "weight", NULL));
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);
  set (model, "weight", 5);
  types = hyb_model_new_types (model);
  g_assert_false (hyb_type_is_known (&types[0]));
  g_assert_cmpint (types[1].dtype, ==, HYB_F32);
  g_assert_cmpint (types[1].shape.dim[0], ==, 5);
}

static void
test_an_empty_model_has_no_graph_and_no_findings (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();

  g_assert_null (hyb_model_get_graph (model));
  g_assert_cmpuint (hyb_model_get_findings (model)->len, ==, 0);
  g_assert_null (hyb_model_get_file (model));
  g_assert_null (hyb_model_get_input_type (model, "data"));
  g_assert_null (hyb_model_get_example (model, "data"));
}

static void
test_findings_belong_to_the_model (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  HybFinding *finding = hyb_finding_new ("code", HYB_SEVERITY_NOTE, "%d nodes", 3);

  hyb_model_add_finding (model, finding);
  g_assert_cmpuint (hyb_model_get_findings (model)->len, ==, 1);
  g_assert_cmpstr (finding->message, ==, "3 nodes");
}

TEST_PROGRAM (test_model)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/graph/model/parameters-keep-the-order-of-their-file",
                   test_parameters_keep_the_order_of_their_file);
  g_test_add_func ("/engine/graph/model/a-parameter-that-is-set-again-is-replaced-in-its-place",
                   test_a_parameter_that_is_set_again_is_replaced_in_its_place);
  g_test_add_func ("/engine/graph/model/a-removed-parameter-is-gone-and-the-others-stay",
                   test_a_removed_parameter_is_gone_and_the_others_stay);
  g_test_add_func ("/engine/graph/model/prefixes-are-remembered-by-name",
                   test_prefixes_are_remembered_by_name);
  g_test_add_func ("/engine/graph/model/types-are-those-of-parameters",
                   test_types_are_those_of_parameters);
  g_test_add_func ("/engine/graph/model/an-empty-model-has-no-graph-and-no-findings",
                   test_an_empty_model_has_no_graph_and_no_findings);
  g_test_add_func ("/engine/graph/model/findings-belong-to-the-model",
                   test_findings_belong_to_the_model);

  return g_test_run ();
}
