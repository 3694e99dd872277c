/* test-goldens-quantised.c — models that MXNet's own quantisation made, compared with its int8 run:
 * each operator on MXNet's inputs, and the whole model.
 *
 * Values of 8 bits may differ by one level, int32 sums not at all.  tools/goldens/quantised.py made
 * the files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include "engine/analysis/infer-types.h"
#include "engine/imperative/imperative.h"
#include "engine/open/open.h"

#include <math.h>

typedef struct
{
  const char *name;
  cJSON      *json;
  HybModel   *model;
  HybGraph   *graph;
  GHashTable *inputs, *outputs;
  GHashTable *values; /* every output of every operator */
} Case;

static void
case_clear (Case *this)
{
  g_clear_pointer (&this->json, cJSON_Delete);
  g_clear_pointer (&this->model, hyb_model_unref);
  g_clear_pointer (&this->inputs, g_hash_table_unref);
  g_clear_pointer (&this->outputs, g_hash_table_unref);
  g_clear_pointer (&this->values, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static char *
case_path (const Case *this, const char *format)
{
  g_autofree char *file = g_strdup_printf ("%s%s", format[0] == '-' ? this->name : "", format);

  return golden_path ("quantised", this->name, file, NULL);
}

static GHashTable *
case_read_npz (const Case *this, const char *file)
{
  g_autofree char *path = case_path (this, file);
  g_autoptr (GError) error = NULL;
  GHashTable *arrays = golden_read_npz (path, &error);

  g_assert_no_error (error);
  return arrays;
}

static void
case_read (Case *this)
{
  g_autofree char *symbol = case_path (this, "-symbol.json");
  g_autofree char *weights = case_path (this, "-0000.params");
  g_autofree char *json = case_path (this, "case.json");
  g_autoptr (GError) error = NULL;

  this->json = golden_read_json (json, &error);
  g_assert_no_error (error);
  this->model = hyb_model_open (symbol, weights, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  this->graph = hyb_model_get_graph (this->model);
  this->inputs = case_read_npz (this, "input.npz");
  this->outputs = case_read_npz (this, "output.npz");
  this->values = case_read_npz (this, "values.npz");
}

static double
case_number (const Case *this, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive (this->json, key)->valuedouble;
}

/* The largest difference that counts as equal: one level of 8 bits, rounding of a float, and of int32
 * the rounding of the largest one to a float, which is nothing for sums of products. */
static double
allowed (HybDType dtype, double want, double largest)
{
  if (dtype == HYB_I8 || dtype == HYB_U8)
    return 1;
  return hyb_dtype_is_float (dtype) ? 1e-6 + 1e-5 * fabs (want) : 1e-7 * largest;
}

/* Fails the test where got differs; counts levels that differ. */
static guint
compare (const Case *this, const char *name, HybTensor *got, HybTensor *want)
{
  const HybType   *type = hyb_tensor_get_type (want);
  g_autofree char *got_text = hyb_type_to_string (hyb_tensor_get_type (got));
  g_autofree char *want_text = hyb_type_to_string (type);
  double           largest = 0;
  guint            n_off = 0;

  if (!g_str_equal (got_text, want_text))
    {
      g_test_message ("%s: %s is %s, not %s", this->name, name, got_text, want_text);
      g_test_fail ();
      return 0;
    }
  for (gint64 i = 0; i < hyb_tensor_get_size (want); i++)
    largest = MAX (largest, fabs (hyb_tensor_get_value (want, i)));
  for (gint64 i = 0; i < hyb_tensor_get_size (want); i++)
    {
      double a = hyb_tensor_get_value (got, i), b = hyb_tensor_get_value (want, i);

      n_off += !hyb_dtype_is_float (type->dtype) && a != b;
      if (fabs (a - b) <= allowed (type->dtype, b, largest))
        continue;
      g_test_message ("%s: %s[%d] of %s is %.9g, not %.9g", this->name, name, (int) i, want_text, a,
                      b);
      g_test_fail ();
      break;
    }
  return n_off;
}

/* MXNet's tensor for a value of the graph.  (transfer none); NULL if it is not known. */
static HybTensor *
tensor_of (const Case *this, HybValueId value)
{
  const HybNode *node =
      hyb_graph_get_node (this->graph, hyb_graph_get_producer (this->graph, value));
  g_autofree char *name = hyb_graph_dup_value_name (this->graph, value);
  HybTensor       *tensor;

  if (!hyb_node_is_variable (node))
    return g_hash_table_lookup (this->values, name);
  tensor = g_hash_table_lookup (this->inputs, node->name);
  return tensor ? tensor : hyb_model_get_parameter (this->model, node->name);
}

static void
check_node (const Case *this, HybNodeId id, guint *n_off)
{
  const HybNode         *node = hyb_graph_get_node (this->graph, id);
  const HybValueId      *values = hyb_graph_get_inputs (this->graph, id);
  g_autofree HybTensor **inputs = g_new0 (HybTensor *, node->n_inputs + 1);
  g_autofree HybTensor **outputs = g_new0 (HybTensor *, node->n_outputs);
  HybImperativeCall      call = { .op = node->op,
                                  .params = node->params,
                                  .bodies = hyb_graph_get_bodies (this->graph, id),
                                  .n_inputs = node->n_inputs,
                                  .inputs = inputs,
                                  .outputs = outputs };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      inputs[i] = tensor_of (this, values[i]);
      if (!inputs[i])
        g_error ("%s: input %u of %s is not recorded", this->name, i, node->name);
    }
  if (!hyb_imperative_call (&call, NULL, &error))
    {
      g_test_message ("%s: %s: %s", this->name, node->name, error->message);
      g_test_fail ();
      return;
    }
  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_autofree char *name = hyb_graph_dup_value_name (this->graph, node->first_output + i);
      HybTensor       *want = g_hash_table_lookup (this->values, name);

      if (want)
        *n_off += compare (this, name, outputs[i], want);
      else if (i == 0)
        g_error ("%s: MXNet has no value %s", this->name, name);
      hyb_tensor_unref (outputs[i]);
    }
}

/* Each operator on the inputs that it has in MXNet. */
static void
test_each_operator_agrees_within_one_level (gconstpointer data)
{
  g_auto (Case) this = { .name = data };
  guint n_off = 0;

  case_read (&this);
  g_assert_false (hyb_graph_has_opaque (this.graph));
  g_assert_cmpint (hyb_graph_n_nodes (this.graph), ==, (int) case_number (&this, "nodes"));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (this.graph); id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (this.graph, id)))
      check_node (&this, id, &n_off);
  g_test_message ("%s: %u levels differ by one", this.name, n_off);
}

static GHashTable *
all_tensors (const Case *this)
{
  GHashTable    *tensors = golden_tensors_new ();
  GHashTableIter iter;
  gpointer       name, tensor;

  for (guint i = 0; i < hyb_model_n_parameters (this->model); i++)
    {
      const char *parameter = hyb_model_get_parameter_name (this->model, i);

      g_hash_table_insert (tensors, g_strdup (parameter),
                           hyb_tensor_ref (hyb_model_get_parameter (this->model, parameter)));
    }
  g_hash_table_iter_init (&iter, this->inputs);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (tensors, g_strdup (name), hyb_tensor_ref (tensor));
  return tensors;
}

/* The whole model: within one level of the last quantised value. */
static void
test_the_model_agrees_within_one_level (gconstpointer data)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };
  g_auto (Case) this = { .name = data };
  g_autoptr (GHashTable) tensors = NULL;
  g_auto (GStrv) names = NULL;

  case_read (&this);
  tensors = all_tensors (&this);
  names = hyb_graph_dup_output_names (this.graph);
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      GoldenRun run = { .graph = this.graph, .tensors = tensors, .mode = modes[m], .seed = 1 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) got = golden_run (&run, NULL, &error);
      GoldenTolerance tolerance = { 1e-5, case_number (&this, "step") };

      g_assert_no_error (error);
      for (guint i = 0; names[i]; i++)
        {
          HybTensor       *want = g_hash_table_lookup (this.outputs, names[i]);
          g_autofree char *wrong = NULL;

          g_assert_nonnull (want);
          wrong = golden_compare (got->pdata[i], want, &tolerance);
          if (wrong)
            {
              g_test_message ("%s: %s: %s %s", this.name, golden_mode_name (modes[m]), names[i],
                              wrong);
              g_test_fail ();
            }
        }
    }
}

/* The types that follow from the inputs' shapes are those that MXNet computed. */
static void
test_types_are_inferred (gconstpointer data)
{
  g_auto (Case) this = { .name = data };
  g_autofree HybType *types = NULL;
  g_autoptr (GError) error = NULL;

  case_read (&this);
  types = g_new (HybType, hyb_graph_n_values (this.graph));
  for (HybValueId v = 0; v < hyb_graph_n_values (this.graph); v++)
    {
      const HybNode *node = hyb_graph_get_node (this.graph, hyb_graph_get_producer (this.graph, v));
      HybTensor     *input = g_hash_table_lookup (this.inputs, node->name);

      types[v] = HYB_TYPE_UNKNOWN;
      if (hyb_node_is_variable (node) && input)
        types[v].shape = *hyb_tensor_get_shape (input);
    }
  g_assert_true (hyb_infer_types (this.graph, types, NULL, FALSE, &error));
  g_assert_no_error (error);
  for (HybValueId v = 0; v < hyb_graph_n_values (this.graph); v++)
    {
      HybTensor       *want = tensor_of (&this, v);
      g_autofree char *name = hyb_graph_dup_value_name (this.graph, v);
      g_autofree char *got = hyb_type_to_string (&types[v]);
      g_autofree char *text = want ? hyb_type_to_string (hyb_tensor_get_type (want)) : NULL;

      if (want && !g_str_equal (got, text))
        {
          g_test_message ("%s: %s is %s, not %s", this.name, name, got, text);
          g_test_fail ();
        }
    }
}

static void
add_test (const char *what, const char *name, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf ("/engine/goldens/quantised/%s/%s", name, what);

  g_test_add_data_func_full (path, g_strdup (name), test, g_free);
}

TEST_PROGRAM (test_goldens_quantised)
{
  g_auto (GStrv) names = NULL;

  g_test_init (&argc, &argv, NULL);

  names = golden_list ("quantised", NULL);
  for (guint i = 0; names[i]; i++)
    {
      if (g_str_has_suffix (names[i], ".md"))
        continue;
      add_test ("each-operator-agrees-within-one-level", names[i],
                test_each_operator_agrees_within_one_level);
      add_test ("the-model-agrees-within-one-level", names[i],
                test_the_model_agrees_within_one_level);
      add_test ("types-are-inferred", names[i], test_types_are_inferred);
    }
  return g_test_run ();
}
