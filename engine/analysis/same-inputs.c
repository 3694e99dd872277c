/* same-inputs.c — renames the inputs of a model like the inputs of another one.
 *
 * The graph is copied with other names of variables.  Start at hyb_model_name_inputs_as().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/same-inputs.h"

#include "engine/analysis/declared-types.h"
#include "engine/analysis/infer-types.h"
#include "engine/graph/builder.h"

#include <string.h>

/* An input whose name the other model lacks. */
typedef struct
{
  const char *name;
  HybType     type;
  const char *new_name; /* NULL: not paired; of the other model, any text once it is taken */
} Input;

/* The types that a model declares or infers without knowing more.  (transfer full) */
static HybType *
find_types (HybModel *model)
{
  HybGraph *graph = hyb_model_get_graph (model);
  HybType  *types = hyb_model_new_types (model);

  hyb_declared_types_read (graph, types);
  hyb_infer_types (graph, types, NULL, FALSE, NULL);
  return types;
}

static gboolean
is_input_of (HybModel *model, const char *name)
{
  return hyb_graph_find_variable (hyb_model_get_graph (model), name) != HYB_NO_ID &&
         !hyb_model_get_parameter (model, name);
}

/* Inputs of a model that another one does not have.  (transfer full), of Input */
static GArray *
list_others (HybModel *model, HybModel *other)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = find_types (model);
  GArray             *inputs = g_array_new (FALSE, FALSE, sizeof (Input));
  guint               n;
  const HybNodeId    *arguments = hyb_graph_get_arguments (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, arguments[i]);
      Input          input = { node->name, types[node->first_output], NULL };

      if (!hyb_model_get_parameter (model, node->name) && !is_input_of (other, node->name))
        g_array_append_val (inputs, input);
    }
  return inputs;
}

static gboolean
may_be_same (const HybType *a, const HybType *b)
{
  if (a->dtype != b->dtype && a->dtype != HYB_DTYPE_UNKNOWN && b->dtype != HYB_DTYPE_UNKNOWN)
    return FALSE;
  if (a->shape.rank < 0 || b->shape.rank < 0)
    return TRUE;
  if (a->shape.rank != b->shape.rank)
    return FALSE;
  for (int i = 0; i < a->shape.rank; i++)
    if (a->shape.dim[i] >= 0 && b->shape.dim[i] >= 0 && a->shape.dim[i] != b->shape.dim[i])
      return FALSE;
  return TRUE;
}

/* FALSE: one has no partner. */
static gboolean
pair (GArray *inputs, GArray *others)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      Input *input = &g_array_index (inputs, Input, i);

      for (guint k = 0; k < others->len && !input->new_name; k++)
        {
          Input *other = &g_array_index (others, Input, k);

          if (other->new_name || !may_be_same (&input->type, &other->type))
            continue;
          input->new_name = other->name;
          other->new_name = input->name;
        }
      if (!input->new_name)
        return FALSE;
    }
  return TRUE;
}

static const char *
find_new_name (const GArray *inputs, const char *name)
{
  for (guint i = 0; i < inputs->len; i++)
    if (strcmp (g_array_index (inputs, Input, i).name, name) == 0)
      return g_array_index (inputs, Input, i).new_name;
  return NULL;
}

static HybGraph *
rename_variables (HybGraph *graph, const GArray *inputs)
{
  HybBuilder            *builder = hyb_builder_new ();
  g_autofree HybValueId *moved = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  hyb_builder_set_dialect (builder, hyb_graph_get_dialect (graph));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      const char    *name = hyb_node_is_variable (node) ? find_new_name (inputs, node->name) : NULL;
      HybTensor *contents = hyb_node_is_variable (node) ? hyb_graph_get_contents (graph, id) : NULL;
      HybValueId first;

      g_array_set_size (read, 0);
      for (guint i = 0; i < node->n_inputs; i++)
        g_array_append_val (read, moved[hyb_graph_get_inputs (graph, id)[i]]);
      first = name ? hyb_builder_add_variable (builder, name, node->attributes)
                   : hyb_builder_copy (builder, graph, id, (gconstpointer) read->data);
      if (contents)
        hyb_builder_set_contents (builder, first, contents);
      for (guint i = 0; i < node->n_outputs; i++)
        moved[node->first_output + i] = first + i;
    }
  for (guint i = 0; i < n; i++)
    hyb_builder_add_head (builder, moved[heads[i]]);
  return hyb_builder_freeze (builder);
}

/* Input types and examples under the new names. */
static void
copy_inputs (HybModel *from, HybModel *to, const GArray *inputs)
{
  HybGraph        *graph = hyb_model_get_graph (from);
  guint            n;
  const HybNodeId *arguments = hyb_graph_get_arguments (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (graph, arguments[i])->name;
      const char    *found = find_new_name (inputs, name);
      const HybType *type = hyb_model_get_input_type (from, name);
      HybTensor     *example = hyb_model_get_example (from, name);

      if (type)
        hyb_model_set_input_type (to, found ? found : name, type);
      if (example)
        hyb_model_set_example (to, found ? found : name, example);
    }
}

static HybModel *
rename_model (HybModel *model, const GArray *inputs)
{
  HybModel *result = hyb_model_new ();
  g_autoptr (HybGraph) graph = rename_variables (hyb_model_get_graph (model), inputs);

  hyb_model_set_graph (result, graph);
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      hyb_model_set_parameter (result, name, hyb_model_get_parameter (model, name));
      hyb_model_set_parameter_prefix (result, name, hyb_model_get_parameter_prefix (model, i));
    }
  hyb_model_set_file (result, hyb_model_get_file (model));
  hyb_model_set_weights_file (result, hyb_model_get_weights_file (model));
  hyb_model_set_format (result, hyb_model_get_format (model));
  hyb_model_set_version (result, hyb_model_get_version (model));
  copy_inputs (model, result, inputs);
  return result;
}

HybModel *
hyb_model_name_inputs_as (HybModel *model, HybModel *other, GPtrArray *renamed)
{
  g_autoptr (GArray) inputs = list_others (model, other);
  g_autoptr (GArray) others = list_others (other, model);

  if (inputs->len == 0 || inputs->len != others->len || !pair (inputs, others))
    return hyb_model_ref (model);
  for (guint i = 0; renamed && i < inputs->len; i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);

      g_ptr_array_add (renamed, g_strdup (input->name));
      g_ptr_array_add (renamed, g_strdup (input->new_name));
    }
  return rename_model (model, inputs);
}
