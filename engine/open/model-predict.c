/* model-predict.c — runs a model once on arrays that are named.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/open/model-predict.h"

#include "engine/base/error.h"

char **
hyb_model_dup_input_names (HybModel *model)
{
  HybGraph        *graph = model ? hyb_model_get_graph (model) : NULL;
  GPtrArray       *names = g_ptr_array_new ();
  guint            n = 0;
  const HybNodeId *ids = graph ? hyb_graph_get_variables (graph, &n) : NULL;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, ids[i])->name;

      if (!hyb_model_get_parameter (model, name))
        g_ptr_array_add (names, g_strdup (name));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* Parameter files may hold more than the graph reads. */
gboolean
hyb_model_bind_parameters (HybModel *model, HybExecutor *executor, GError **error)
{
  g_return_val_if_fail (model && executor, FALSE);
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);
      HybTensor  *parameter = hyb_model_get_parameter (model, name);

      if (parameter && hyb_graph_find_variable (hyb_model_get_graph (model), name) != HYB_NO_ID &&
          !hyb_executor_bind (executor, name, parameter, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
bind_inputs (HybExecutor *executor, HybTensorList *inputs, GError **error)
{
  for (guint i = 0; inputs && i < hyb_tensor_list_n (inputs); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (inputs, i);

      if (!hyb_executor_bind (executor, entry->name, entry->tensor, error))
        return FALSE;
    }
  return TRUE;
}

HybTensorList *
hyb_model_predict (HybModel *model, HybTensorList *inputs, GError **error)
{
  HybGraph *graph = model ? hyb_model_get_graph (model) : NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybTensorList) outputs = hyb_tensor_list_new ();
  g_auto (GStrv) names = NULL;

  g_return_val_if_fail (model, NULL);
  if (!graph)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, hyb_model_get_file (model),
                    "Open the graph's file", "it has parameters, but no graph that could run");
      return NULL;
    }
  executor = hyb_executor_new (graph, &(HybExecutorOptions){ .mode = HYB_MODE_HYBRID });
  if (!hyb_model_bind_parameters (model, executor, error) ||
      !bind_inputs (executor, inputs, error) || !hyb_executor_run (executor, NULL, error))
    return NULL;
  names = hyb_graph_dup_output_names (graph);
  for (guint i = 0; names[i]; i++)
    hyb_tensor_list_set (outputs, names[i], hyb_executor_get_output (executor, i));
  return g_steal_pointer (&outputs);
}
