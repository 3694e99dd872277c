/* model.c — stores a graph, its parameters and where they came from.
 *
 * Parameters are kept in the order of their file, with an index by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/model-private.h"

#include "engine/tensor/tensor.h"

typedef struct
{
  char      *name;
  HybTensor *tensor;
  HybPrefix  prefix;
} Parameter;

struct _HybModel
{
  gatomicrefcount references;
  HybGraph       *graph;
  GPtrArray      *parameters; /* of Parameter, in the order of the file */
  GHashTable     *by_name;    /* name to Parameter */
  char           *file;
  char           *weights_file;
  char           *format;
  char           *version;
  GBytes         *source;
  GPtrArray      *facts;       /* of section, name, value, one after the other; name may be NULL */
  GHashTable     *input_types; /* name to HybType */
  GHashTable     *examples;    /* name to HybTensor */
  GPtrArray      *findings;
};

static void
parameter_free (gpointer data)
{
  Parameter *parameter = data;

  g_free (parameter->name);
  hyb_tensor_unref (parameter->tensor);
  g_free (parameter);
}

static void
release_tensor (gpointer tensor)
{
  hyb_tensor_unref (tensor);
}

HybModel *
hyb_model_new (void)
{
  HybModel *model = g_new0 (HybModel, 1);

  g_atomic_ref_count_init (&model->references);
  model->parameters = g_ptr_array_new_with_free_func (parameter_free);
  model->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  model->input_types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  model->examples = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, release_tensor);
  model->findings = hyb_findings_new ();
  return model;
}

HybModel *
hyb_model_ref (HybModel *model)
{
  g_return_val_if_fail (model, NULL);
  g_atomic_ref_count_inc (&model->references);
  return model;
}

void
hyb_model_unref (HybModel *model)
{
  if (!model || !g_atomic_ref_count_dec (&model->references))
    return;

  g_clear_pointer (&model->graph, hyb_graph_unref);
  g_hash_table_unref (model->by_name);
  g_ptr_array_unref (model->parameters);
  g_hash_table_unref (model->input_types);
  g_hash_table_unref (model->examples);
  g_ptr_array_unref (model->findings);
  g_free (model->file);
  g_free (model->weights_file);
  g_free (model->format);
  g_free (model->version);
  g_clear_pointer (&model->source, g_bytes_unref);
  g_clear_pointer (&model->facts, g_ptr_array_unref);
  g_free (model);
}

HybGraph *
hyb_model_get_graph (HybModel *model)
{
  g_return_val_if_fail (model, NULL);
  return model->graph;
}

void
hyb_model_set_graph (HybModel *model, HybGraph *graph)
{
  g_return_if_fail (model);

  HybGraph *old = model->graph;

  model->graph = graph ? hyb_graph_ref (graph) : NULL;
  if (old)
    hyb_graph_unref (old);
}

HybTensor *
hyb_model_get_parameter (HybModel *model, const char *name)
{
  g_return_val_if_fail (model && name, NULL);

  Parameter *parameter = g_hash_table_lookup (model->by_name, name);

  return parameter ? parameter->tensor : NULL;
}

HybType *
hyb_model_new_types (HybModel *model)
{
  g_return_val_if_fail (model && model->graph, NULL);

  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n_values = hyb_graph_n_values (graph), n;
  HybType         *types = g_new (HybType, MAX (n_values, 1));
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (model, node->name);

      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
    }
  return types;
}

void
hyb_model_set_parameter (HybModel *model, const char *name, HybTensor *tensor)
{
  g_return_if_fail (model && name && tensor);

  Parameter *parameter = g_hash_table_lookup (model->by_name, name);

  hyb_tensor_ref (tensor);
  if (parameter)
    {
      hyb_tensor_unref (parameter->tensor);
      parameter->tensor = tensor;
      return;
    }

  parameter = g_new0 (Parameter, 1);
  parameter->name = g_strdup (name);
  parameter->tensor = tensor;
  g_ptr_array_add (model->parameters, parameter);
  g_hash_table_insert (model->by_name, parameter->name, parameter);
}

void
hyb_model_remove_parameter (HybModel *model, const char *name)
{
  g_return_if_fail (model && name);

  Parameter *parameter = g_hash_table_lookup (model->by_name, name);

  if (!parameter)
    return;

  g_hash_table_remove (model->by_name, name);
  g_ptr_array_remove (model->parameters, parameter);
}

guint
hyb_model_n_parameters (HybModel *model)
{
  g_return_val_if_fail (model, 0);
  return model->parameters->len;
}

const char *
hyb_model_get_parameter_name (HybModel *model, guint index)
{
  const Parameter *parameter;

  g_return_val_if_fail (model && index < model->parameters->len, NULL);
  parameter = g_ptr_array_index (model->parameters, index);
  return parameter->name;
}

HybPrefix
hyb_model_get_parameter_prefix (HybModel *model, guint index)
{
  const Parameter *parameter;

  g_return_val_if_fail (model && index < model->parameters->len, HYB_PREFIX_NONE);
  parameter = g_ptr_array_index (model->parameters, index);
  return parameter->prefix;
}

void
hyb_model_set_parameter_prefix (HybModel *model, const char *name, HybPrefix prefix)
{
  g_return_if_fail (model && name);

  Parameter *parameter = g_hash_table_lookup (model->by_name, name);

  if (parameter)
    parameter->prefix = prefix;
}

const char *
hyb_model_get_file (HybModel *model)
{
  g_return_val_if_fail (model, NULL);
  return model->file;
}

const char *
hyb_model_get_weights_file (HybModel *model)
{
  g_return_val_if_fail (model, NULL);
  return model->weights_file;
}

const char *
hyb_model_get_format (HybModel *model)
{
  g_return_val_if_fail (model, NULL);
  return model->format;
}

const char *
hyb_model_get_version (HybModel *model)
{
  g_return_val_if_fail (model, NULL);
  return model->version;
}

static void
replace_string (char **string, const char *with)
{
  char *old = *string;

  *string = g_strdup (with);
  g_free (old);
}

void
hyb_model_set_file (HybModel *model, const char *file)
{
  g_return_if_fail (model);
  replace_string (&model->file, file);
}

void
hyb_model_set_weights_file (HybModel *model, const char *file)
{
  g_return_if_fail (model);
  replace_string (&model->weights_file, file);
}

void
hyb_model_set_format (HybModel *model, const char *format)
{
  g_return_if_fail (model);
  replace_string (&model->format, format);
}

void
hyb_model_set_version (HybModel *model, const char *version)
{
  g_return_if_fail (model);
  replace_string (&model->version, version);
}

GPtrArray *
hyb_model_get_findings (HybModel *model)
{
  g_return_val_if_fail (model, NULL);
  return model->findings;
}

void
hyb_model_add_finding (HybModel *model, HybFinding *finding)
{
  g_return_if_fail (model);
  g_ptr_array_add (model->findings, finding);
}

const HybType *
hyb_model_get_input_type (HybModel *model, const char *name)
{
  g_return_val_if_fail (model && name, NULL);
  return g_hash_table_lookup (model->input_types, name);
}

void
hyb_model_set_input_type (HybModel *model, const char *name, const HybType *type)
{
  g_return_if_fail (model && name);
  g_hash_table_insert (model->input_types, g_strdup (name), g_memdup2 (type, sizeof *type));
}

HybTensor *
hyb_model_get_example (HybModel *model, const char *name)
{
  g_return_val_if_fail (model && name, NULL);
  return g_hash_table_lookup (model->examples, name);
}

void
hyb_model_set_example (HybModel *model, const char *name, HybTensor *tensor)
{
  g_return_if_fail (model && name && tensor);
  g_hash_table_insert (model->examples, g_strdup (name), hyb_tensor_ref (tensor));
}

GBytes *
hyb_model_get_source (HybModel *model)
{
  return model->source;
}

void
hyb_model_set_source (HybModel *model, GBytes *bytes)
{
  g_bytes_ref (bytes);
  g_clear_pointer (&model->source, g_bytes_unref);
  model->source = bytes;
}

void
hyb_model_set_fact (HybModel *model, const char *section, const char *name, const char *value)
{
  g_return_if_fail (model && section && value);
  if (!model->facts)
    model->facts = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (model->facts, g_strdup (section));
  g_ptr_array_add (model->facts, g_strdup (name));
  g_ptr_array_add (model->facts, g_strdup (value));
}

gboolean
hyb_model_get_fact (HybModel    *model,
                    guint        index,
                    const char **section,
                    const char **name,
                    const char **value)
{
  g_return_val_if_fail (model, FALSE);
  if (!model->facts || index >= model->facts->len / 3)
    return FALSE;
  *section = model->facts->pdata[3 * index];
  *name = model->facts->pdata[3 * index + 1];
  *value = model->facts->pdata[3 * index + 2];
  return TRUE;
}
