/* part.c — a part of a model, between values of its graph.
 *
 * Nodes are copied from the new outputs back to the new inputs, which become variables.  Start at hyb_model_part().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/part.h"

#include "engine/analysis/infer-types.h"
#include "engine/analysis/model-types.h"
#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/op/suggest.h"

#include <string.h>

typedef struct
{
  HybModel   *model;
  HybGraph   *graph;
  GHashTable *values;    /* name → value + 1; owns the names */
  GArray     *from, *to; /* of HybValueId */
  guint8     *is_needed; /* by node */
  guint8     *is_cut;    /* by value: it becomes a variable */
} Cutting;

static GHashTable *
list_values (HybGraph *graph)
{
  GHashTable *values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (HybValueId value = 0; value < hyb_graph_n_values (graph); value++)
    g_hash_table_insert (values, hyb_graph_dup_value_name (graph, value),
                         GUINT_TO_POINTER (value + 1));
  return values;
}

gboolean
hyb_part_refuse_name (HybModel   *model,
                      GPtrArray  *names,
                      const char *graph,
                      const char *name,
                      GError    **error)
{
  const char      *near = hyb_suggest_name ((const char *const *) names->pdata, names->len, name);
  g_autofree char *hint = near ? g_strdup_printf ("Did you mean “%s”?", near)
                               : g_strdup ("Name a value or a node that the graph has");

  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, hyb_model_get_file (model),
                       hint, "%s has no value and no node “%s”", graph, name);
}

static gboolean
refuse_name (const Cutting *cutting, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer       key;

  g_hash_table_iter_init (&iter, cutting->values);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (names, key);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cutting->graph); id++)
    g_ptr_array_add (names, (gpointer) hyb_graph_get_node (cutting->graph, id)->name);
  return hyb_part_refuse_name (cutting->model, names, "the graph", name, error);
}

static gboolean
resolve (const Cutting *cutting, const char *name, GArray *found, GError **error)
{
  guint value = GPOINTER_TO_UINT (g_hash_table_lookup (cutting->values, name));
  guint n_before = found->len;

  if (value > 0)
    {
      value--;
      g_array_append_val (found, value);
      return TRUE;
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cutting->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (cutting->graph, id);

      if (strcmp (node->name, name) == 0)
        for (value = node->first_output; value < node->first_output + node->n_outputs; value++)
          g_array_append_val (found, value);
    }
  return found->len > n_before || refuse_name (cutting, name, error);
}

static gboolean
resolve_all (Cutting *cutting, const char *const *from, const char *const *to, GError **error)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (cutting->graph, &n);

  for (guint i = 0; from && from[i]; i++)
    if (!resolve (cutting, from[i], cutting->from, error))
      return FALSE;
  for (guint i = 0; to && to[i]; i++)
    if (!resolve (cutting, to[i], cutting->to, error))
      return FALSE;
  if (!to)
    g_array_append_vals (cutting->to, heads, n);
  for (guint i = 0; i < cutting->from->len; i++)
    cutting->is_cut[g_array_index (cutting->from, HybValueId, i)] = TRUE;
  return TRUE;
}

/* Marks the nodes that the outputs depend on.  A value at which the graph is cut counts as read if its node or a reader of
 * it is marked. */
static gboolean
find_needed (Cutting *cutting, GError **error)
{
  HybGraph          *graph = cutting->graph;
  g_autofree guint8 *is_read = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));

  for (guint i = 0; i < cutting->to->len; i++)
    {
      HybValueId value = g_array_index (cutting->to, HybValueId, i);

      if (cutting->is_cut[value])
        {
          g_autofree char *name = hyb_graph_dup_value_name (graph, value);

          return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                               hyb_model_get_file (cutting->model), NULL,
                               "“%s” is both where the part begins and where it ends", name);
        }
      cutting->is_needed[hyb_graph_get_producer (graph, value)] = TRUE;
    }
  for (HybNodeId id = hyb_graph_n_nodes (graph); id-- > 0;)
    for (guint i = 0; cutting->is_needed[id] && i < hyb_graph_get_node (graph, id)->n_inputs; i++)
      {
        HybValueId value = hyb_graph_get_inputs (graph, id)[i];

        is_read[value] = TRUE;
        if (!cutting->is_cut[value])
          cutting->is_needed[hyb_graph_get_producer (graph, value)] = TRUE;
      }
  for (guint i = 0; i < cutting->from->len; i++)
    {
      HybValueId       value = g_array_index (cutting->from, HybValueId, i);
      g_autofree char *name = hyb_graph_dup_value_name (graph, value);

      if (!is_read[value])
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                             hyb_model_get_file (cutting->model),
                             "Leave it out, or name an output behind it",
                             "no output of the part depends on “%s”", name);
    }
  return TRUE;
}

/* Adds the variables that replace the values at which the graph is cut. */
static void
add_inputs (const Cutting *cutting, HybBuilder *builder, HybValueId *moved, HybModel *part)
{
  g_autofree HybType *types = hyb_model_new_given_types (cutting->model);

  hyb_infer_types (cutting->graph, types, NULL, FALSE, NULL);
  for (guint i = 0; i < cutting->from->len; i++)
    {
      HybValueId       value = g_array_index (cutting->from, HybValueId, i);
      g_autofree char *name = hyb_graph_dup_value_name (cutting->graph, value);

      moved[value] = hyb_builder_add_variable (builder, name, NULL);
      if (hyb_type_is_known (&types[value]))
        hyb_model_set_input_type (part, name, &types[value]);
    }
}

static void
copy_variable (const Cutting *cutting, const char *name, HybModel *part)
{
  HybTensor     *tensor = hyb_model_get_parameter (cutting->model, name);
  const HybType *type = hyb_model_get_input_type (cutting->model, name);

  if (tensor)
    hyb_model_set_parameter (part, name, tensor);
  if (type)
    hyb_model_set_input_type (part, name, type);
}

static HybModel *
build (const Cutting *cutting)
{
  HybGraph              *graph = cutting->graph;
  HybBuilder            *builder = hyb_builder_new ();
  HybModel              *part = hyb_model_new ();
  g_autofree HybValueId *moved = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (HybGraph) made = NULL;

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  add_inputs (cutting, builder, moved, part);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      HybValueId     first;

      if (!cutting->is_needed[id])
        continue;
      g_array_set_size (inputs, 0);
      for (guint i = 0; i < node->n_inputs; i++)
        g_array_append_val (inputs, moved[hyb_graph_get_inputs (graph, id)[i]]);
      first = hyb_builder_copy (builder, graph, id, (gconstpointer) inputs->data);
      for (guint i = 0; i < node->n_outputs; i++)
        if (!cutting->is_cut[node->first_output + i])
          moved[node->first_output + i] = first + i;
      if (hyb_node_is_variable (node))
        copy_variable (cutting, node->name, part);
    }
  for (guint i = 0; i < cutting->to->len; i++)
    hyb_builder_add_head (builder, moved[g_array_index (cutting->to, HybValueId, i)]);
  made = hyb_builder_freeze (builder);
  hyb_model_set_graph (part, made);
  hyb_model_set_format (part, hyb_model_get_format (cutting->model));
  return part;
}

HybModel *
hyb_model_part (HybModel *model, const char *const *from, const char *const *to, GError **error)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (GHashTable) values = list_values (graph);
  g_autoptr (GArray) from_values = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (GArray) to_values = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree guint8 *is_needed = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));
  g_autofree guint8 *is_cut = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));
  Cutting            cutting = { model, graph, values, from_values, to_values, is_needed, is_cut };

  if (!resolve_all (&cutting, from, to, error) || !find_needed (&cutting, error))
    return NULL;
  return build (&cutting);
}
