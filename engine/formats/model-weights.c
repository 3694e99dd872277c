/* model-weights.c — converts between the parameters of a model and the list in a parameter file.
 *
 * Start at hyb_model_take_weights() and hyb_model_list_parameters().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/model-weights.h"

#include "engine/formats/mapped-file.h"

static const char *
strip_prefix (const char *name, HybPrefix *prefix)
{
  *prefix = g_str_has_prefix (name, "arg:")   ? HYB_PREFIX_ARG
            : g_str_has_prefix (name, "aux:") ? HYB_PREFIX_AUX
                                              : HYB_PREFIX_NONE;
  return *prefix == HYB_PREFIX_NONE ? name : name + 4;
}

void
hyb_model_take_weights (HybModel *model, HybTensorList *list, const char *where)
{
  GPtrArray *findings = hyb_tensor_list_get_findings (list);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  /* Names that the model has already are replaced (a plug-in's model comes with weights); only a
   * name that occurs twice in the list is reported. */
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      HybPrefix             prefix;
      const char           *name = strip_prefix (entry->name, &prefix);

      if (!entry->tensor)
        continue;
      if (!g_hash_table_add (seen, (gpointer) name))
        {
          HybFinding *finding = hyb_finding_new ("duplicate-parameter", HYB_SEVERITY_WARNING,
                                                 "“%s” occurs with several prefixes; the last "
                                                 "one counts",
                                                 name);

          finding->file = g_strdup (where);
          finding->remedy = HYB_REMEDY_REPAIR;
          hyb_model_add_finding (model, finding);
        }
      hyb_model_set_parameter (model, name, entry->tensor);
      hyb_model_set_parameter_prefix (model, name, prefix);
    }

  while (findings->len > 0)
    {
      HybFinding *finding = g_ptr_array_steal_index (findings, 0);

      if (!finding->file)
        finding->file = g_strdup (where);
      hyb_model_add_finding (model, finding);
    }
  hyb_model_set_weights_file (model, where);
}

gboolean
hyb_variable_is_stored_as_auxiliary (HybGraph *graph, HybNodeId variable)
{
  guint            n;
  HybValueId       value = hyb_graph_get_node (graph, variable)->first_output;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  if (!hyb_graph_is_auxiliary (graph, variable))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (hyb_graph_get_node (graph, users[i])->op->category == HYB_CATEGORY_CONTROL)
      return FALSE;
  return TRUE;
}

HybTensorList *
hyb_model_list_parameters (HybModel *model)
{
  HybTensorList *list = hyb_tensor_list_new ();
  HybGraph      *graph = hyb_model_get_graph (model);

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char      *name = hyb_model_get_parameter_name (model, i);
      HybNodeId        id = graph ? hyb_graph_find_variable (graph, name) : HYB_NO_ID;
      gboolean         is_auxiliary = id == HYB_NO_ID
                                          ? hyb_model_get_parameter_prefix (model, i) == HYB_PREFIX_AUX
                                          : hyb_variable_is_stored_as_auxiliary (graph, id);
      g_autofree char *full = g_strconcat (is_auxiliary ? "aux:" : "arg:", name, NULL);

      hyb_tensor_list_set (list, full, hyb_model_get_parameter (model, name));
    }

  return list;
}

gboolean
hyb_model_check_files (HybModel *model, GError **error)
{
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      HybTensor *tensor = hyb_model_get_parameter (model, hyb_model_get_parameter_name (model, i));

      if (tensor && !hyb_mapped_file_check (hyb_tensor_get_data (tensor), error))
        return FALSE;
    }
  return TRUE;
}
