/* test-goldens-errors.c — graphs that MXNet refuses are refused here as well, with the name of the
 * node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include "engine/analysis/infer-types.h"

#include <string.h>

static void
fill (HybTensor *tensor, gint64 *at, const cJSON *values)
{
  const cJSON *item;

  if (!cJSON_IsArray (values))
    {
      hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor),
                            (gsize) (*at)++, values->valuedouble);
      return;
    }

  cJSON_ArrayForEach (item, values) fill (tensor, at, item);
}

/* Zeros of the given shapes, with values where the case has some. */
static GHashTable *
make_inputs (const cJSON *json)
{
  const cJSON *values = cJSON_GetObjectItemCaseSensitive (json, "values");
  GHashTable  *inputs = golden_tensors_new ();
  const cJSON *item, *dim;

  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (json, "given"))
  {
    const cJSON *given = cJSON_GetObjectItemCaseSensitive (values, item->string);
    HybType      type = { .shape.rank = 0, .dtype = HYB_F32 };
    HybTensor   *tensor;
    gint64       at = 0;

    cJSON_ArrayForEach (dim, item) type.shape.dim[type.shape.rank++] = (gint64) dim->valuedouble;
    tensor = hyb_tensor_new_zeros (&type, NULL);
    if (given)
      fill (tensor, &at, cJSON_GetObjectItemCaseSensitive (given, "values"));
    g_hash_table_insert (inputs, g_strdup (item->string), tensor);
  }

  return inputs;
}

/* Parameters that are not given become zeros, so that a refusal is not one for a missing
 * input; FALSE if inference refuses already. */
static gboolean
add_parameters (HybGraph *graph, GHashTable *inputs, GError **error)
{
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *input = g_hash_table_lookup (inputs, node->name);

      if (input)
        types[node->first_output] = *hyb_tensor_get_type (input);
    }
  if (!hyb_infer_types (graph, types, NULL, FALSE, error))
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);

      if (!g_hash_table_contains (inputs, node->name) &&
          hyb_type_is_known (&types[node->first_output]))
        g_hash_table_insert (inputs, g_strdup (node->name),
                             hyb_tensor_new_zeros (&types[node->first_output], NULL));
    }

  return TRUE;
}

static gboolean
read_case (const cJSON *json, HybModel **model, GError **error)
{
  const cJSON *symbol = cJSON_GetObjectItemCaseSensitive (json, "symbol");
  const cJSON *text = cJSON_GetObjectItemCaseSensitive (json, "text");

  if (symbol)
    return (*model = golden_read_symbol (symbol, error)) != NULL;

  *model = hyb_model_new ();
  return golden_read_text (*model, text->valuestring, "text", error);
}

/* Whether MXNet's message is about one node; ours then has to name it too. */
static gboolean
is_about_a_node (const cJSON *json, const char *stage)
{
  const char *message = cJSON_GetObjectItemCaseSensitive (json, "message")->valuestring;

  return g_str_equal (stage, "infer") && strstr (message, "operator op:");
}

static gboolean
is_lack_of_kernel (const cJSON *json)
{
  const char *message = cJSON_GetObjectItemCaseSensitive (json, "message")->valuestring;

  return strstr (message, "only supported for GPU") != NULL;
}

/* What MXNet's reader refuses for no reason that matters is read, and noted; a node of an
 * unknown operator is kept, to be looked at. */
static void
expect_noted (HybModel *model)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  if (findings->len > 0)
    g_test_message ("noted: %s", ((const HybFinding *) findings->pdata[0])->message);
  else if (!hyb_graph_has_opaque (hyb_model_get_graph (model)))
    {
      g_test_message ("the file is read and nothing is noted");
      g_test_fail ();
    }
}

static void
test_refusal (gconstpointer data)
{
  const cJSON *json = data;
  const char  *stage = cJSON_GetObjectItemCaseSensitive (json, "stage")->valuestring;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GHashTable) inputs = make_inputs (json);
  g_autoptr (GPtrArray) outputs = NULL;

  if (read_case (json, &model, &error))
    {
      GoldenRun run = { .graph = hyb_model_get_graph (model),
                        .tensors = inputs,
                        .mode = HYB_MODE_STATIC };

      if (g_str_equal (stage, "load"))
        {
          expect_noted (model);
          return;
        }
      if (add_parameters (run.graph, inputs, &error))
        outputs = golden_run (&run, NULL, &error);
    }

  /* What lacks a kernel there may have one here. */
  if (outputs && is_lack_of_kernel (json))
    return;
  if (outputs)
    {
      g_test_message ("nothing is refused");
      g_test_fail ();
      return;
    }

  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  if (is_about_a_node (json, stage) && !strstr (error->message, "“op”"))
    {
      g_test_message ("the node is not named");
      g_test_fail ();
    }
}

TEST_PROGRAM (test_goldens_errors)
{
  g_autoptr (cJSON) json = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *file = NULL;
  const cJSON     *item;

  g_test_init (&argc, &argv, NULL);

  file = golden_path ("ops", "errors.json", NULL);
  json = golden_read_json (file, &error);
  g_assert_no_error (error);
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (json, "cases"))
  {
    g_autofree char *path =
        g_strdup_printf ("/engine/goldens/errors/%s",
                         cJSON_GetObjectItemCaseSensitive (item, "name")->valuestring);

    g_test_add_data_func (path, item, test_refusal);
  }

  return g_test_run ();
}
