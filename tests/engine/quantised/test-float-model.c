/* test-float-model.c — float models of quantised ones: as far from the original model as quantised
 * parameters are, and from MXNet's int8 run as that is from the original.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/formats/npz.h"
#include "engine/graph/builder.h"
#include "engine/open/model-predict.h"
#include "engine/open/open.h"
#include "engine/quantised/float-model.h"
#include "tests/program.h"

#include <cjson/cJSON.h>

#define FOLDER SOURCE_ROOT "/tests/data/goldens/quantised/"

static HybModel *
open_case (const char *name)
{
  g_autofree char *symbol = g_strdup_printf (FOLDER "%s/%s-symbol.json", name, name);
  g_autofree char *weights = g_strdup_printf (FOLDER "%s/%s-0000.params", name, name);
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (symbol, weights, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  return model;
}

static HybTensorList *
read_case (const char *name, const char *file)
{
  g_autofree char *path = g_strdup_printf (FOLDER "%s/%s.npz", name, file);
  g_autoptr (GError) error = NULL;
  HybTensorList *list = hyb_npz_read_file (path, &error);

  g_assert_no_error (error);
  return list;
}

/* How far MXNet's quantised output is from its output before quantisation. */
static double
float_error (const char *name)
{
  g_autofree char *path = g_strdup_printf (FOLDER "%s/case.json", name);
  g_autofree char *text = NULL;
  cJSON           *json;
  double           value;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  json = cJSON_Parse (text);
  value = cJSON_GetObjectItemCaseSensitive (json, "float_error")->valuedouble;
  cJSON_Delete (json);
  return value;
}

/* The nodes and parameters of the float model. */
static void
check_is_float (HybModel *floats)
{
  HybGraph *graph = hyb_model_get_graph (floats);
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_graph_verify (graph, &error));
  g_assert_no_error (error);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      g_assert_null (node->op->float_form);
      g_assert_cmpuint (node->n_bodies, ==, 0);
    }
  for (guint i = 0; i < hyb_model_n_parameters (floats); i++)
    {
      const char *name = hyb_model_get_parameter_name (floats, i);

      g_assert_false (g_str_has_suffix (name, "_quantize"));
      g_assert_cmpint (hyb_tensor_get_dtype (hyb_model_get_parameter (floats, name)), ==, HYB_F32);
    }
}

/* Largest difference of a run of floats from MXNet's output before quantisation. */
static double
distance_from_original (HybModel *floats, HybTensorList *input, HybTensorList *want)
{
  /* The same model twice: the distance's largest number is unused, so compare by hand. */
  g_autoptr (HybTensorList) outputs = NULL;
  g_autoptr (GError) error = NULL;
  double most = 0;

  outputs = hyb_model_predict (floats, input, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < hyb_tensor_get_size (hyb_tensor_list_get (want, 0)->tensor); i++)
    most = MAX (most, ABS (hyb_tensor_get_value (hyb_tensor_list_get (outputs, 0)->tensor, i) -
                           hyb_tensor_get_value (hyb_tensor_list_get (want, 0)->tensor, i)));
  return most;
}

static void
test_the_float_model_is_near_the_original (gconstpointer data)
{
  const char *name = data;
  g_autoptr (HybModel) model = open_case (name);
  g_autoptr (HybTensorList) input = read_case (name, "input");
  g_autoptr (HybTensorList) original = read_case (name, "float");
  g_autoptr (HybModel) floats = NULL;
  g_autoptr (GError) error = NULL;
  HybFloatReport   report;
  HybFloatDistance distance;
  double           from_original;

  floats = hyb_float_model (model, &report, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.n_layers, >, 0);
  check_is_float (floats);

  /* Float weights are kept as they were; int8 ones are right to 1/254 of their range. */
  from_original = distance_from_original (floats, input, original);
  g_test_message ("%s: %u int8 parameters, %g from the original", name, report.n_parameters,
                  from_original);
  g_assert_cmpfloat (from_original, <=, report.n_parameters == 0 ? 1e-5 : 0.05);

  g_assert_true (hyb_float_distance (model, floats, input, &distance, &error));
  g_assert_cmpfloat (distance.max_abs, <=, float_error (name) + from_original + 1e-4);
  g_free (distance.output);
}

static void
test_a_float_model_is_refused (void)
{
  HybBuilder *builder = hyb_builder_new ();
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  HybFloatReport report;

  hyb_builder_add_head (builder, hyb_builder_add_variable (builder, "data", NULL));
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);
  g_assert_null (hyb_float_model (model, &report, &error));
  g_assert_nonnull (strstr (error->message, "float model already"));
}

/* The levels of an array say nothing without its range. */
static void
test_an_array_without_range_is_refused (void)
{
  HybBuilder *builder = hyb_builder_new ();
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybTensor) levels = NULL;
  g_autoptr (GError) error = NULL;
  HybValueId     w = hyb_builder_add_variable (builder, "w", NULL);
  HybFloatReport report;
  HybType        type = { hyb_shape_1d (2), HYB_I8 };

  hyb_builder_add_head (builder, hyb_builder_call (builder, "relu",
                                                   &(HybNodeSpec){
                                                       .name = "r", .n_inputs = 1, .inputs = &w },
                                                   &error));
  g_assert_no_error (error);
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);
  levels = hyb_tensor_new_zeros (&type, &error);
  hyb_model_set_parameter (model, "w", levels);
  g_assert_null (hyb_float_model (model, &report, &error));
  g_assert_nonnull (strstr (error->message, "and its range"));
}

TEST_PROGRAM (test_float_model)
{
  static const char *const cases[] = {
    "attention",   "branch",       "conv-bn-relu", "conv-online", "dense-channels",
    "dense-plain", "dense-tensor", "functions",    "normalised",  "pairs",
    "pairs-plain", "residual",     "words",        "dense-steps",
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/engine/quantised/float-model/%s/near-the-original", cases[i]);

      g_test_add_data_func (path, cases[i], test_the_float_model_is_near_the_original);
    }
  g_test_add_func ("/engine/quantised/float-model/a-float-model-is-refused",
                   test_a_float_model_is_refused);
  g_test_add_func ("/engine/quantised/float-model/an-array-without-range-is-refused",
                   test_an_array_without_range_is_refused);
  return g_test_run ();
}
