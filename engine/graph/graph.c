/* graph.c — reads a frozen graph.
 *
 * Accessors, names of outputs, and the index of users, which is built when it is first needed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/graph.h"

#include "engine/graph/graph-private.h"

#include <string.h>

HybGraph *
hyb_graph_ref (HybGraph *graph)
{
  g_return_val_if_fail (graph, NULL);
  g_atomic_ref_count_inc (&graph->references);
  return graph;
}

void
hyb_graph_unref (HybGraph *graph)
{
  if (!graph || !g_atomic_ref_count_dec (&graph->references))
    return;

  if (graph->memo)
    g_atomic_rc_box_release_full (graph->memo, graph->clear_memo);
  for (guint i = 0; i < graph->n_nodes; i++)
    hyb_params_unref ((gpointer) graph->nodes[i].params);
  for (guint i = 0; i < graph->n_bodies; i++)
    hyb_graph_unref (graph->bodies[i]);
  g_free (graph->nodes);
  g_free (graph->inputs);
  g_free (graph->producers);
  g_free (graph->bodies);
  g_free (graph->heads);
  g_free (graph->variables);
  g_free (graph->arguments);
  g_free (graph->auxiliary);
  g_free (graph->is_auxiliary);
  g_free (graph->user_start);
  g_free (graph->users);
  g_hash_table_unref (graph->by_name);
  g_clear_pointer (&graph->contents, g_hash_table_unref);
  g_ptr_array_unref (graph->arenas);
  g_free (graph);
}

guint32
hyb_graph_get_id (const HybGraph *graph)
{
  g_return_val_if_fail (graph, 0);
  return graph->id;
}

guint
hyb_graph_n_nodes (const HybGraph *graph)
{
  g_return_val_if_fail (graph, 0);
  return graph->n_nodes;
}

guint
hyb_graph_n_values (const HybGraph *graph)
{
  g_return_val_if_fail (graph, 0);
  return graph->n_values;
}

const HybNode *
hyb_graph_get_node (const HybGraph *graph, HybNodeId id)
{
  g_return_val_if_fail (graph && id < graph->n_nodes, NULL);
  return &graph->nodes[id];
}

const HybValueId *
hyb_graph_get_inputs (const HybGraph *graph, HybNodeId id)
{
  g_return_val_if_fail (graph && id < graph->n_nodes, NULL);
  return graph->inputs + graph->nodes[id].first_input;
}

HybNodeId
hyb_graph_get_producer (const HybGraph *graph, HybValueId value)
{
  g_return_val_if_fail (graph && value < graph->n_values, HYB_NO_ID);
  return graph->producers[value];
}

guint
hyb_graph_get_output_index (const HybGraph *graph, HybValueId value)
{
  g_return_val_if_fail (graph && value < graph->n_values, 0);
  return value - graph->nodes[graph->producers[value]].first_output;
}

const HybValueId *
hyb_graph_get_heads (const HybGraph *graph, guint *n_heads)
{
  g_return_val_if_fail (n_heads, NULL);
  *n_heads = 0;
  g_return_val_if_fail (graph, NULL);
  *n_heads = graph->n_heads;
  return graph->heads;
}

const HybNodeId *
hyb_graph_get_variables (const HybGraph *graph, guint *n)
{
  g_return_val_if_fail (n, NULL);
  *n = 0;
  g_return_val_if_fail (graph, NULL);
  *n = graph->n_variables;
  return graph->variables;
}

const HybNodeId *
hyb_graph_get_arguments (const HybGraph *graph, guint *n)
{
  g_return_val_if_fail (n, NULL);
  *n = 0;
  g_return_val_if_fail (graph, NULL);
  *n = graph->n_arguments;
  return graph->arguments;
}

const HybNodeId *
hyb_graph_get_auxiliary (const HybGraph *graph, guint *n)
{
  g_return_val_if_fail (n, NULL);
  *n = 0;
  g_return_val_if_fail (graph, NULL);
  *n = graph->n_auxiliary;
  return graph->auxiliary;
}

gboolean
hyb_graph_is_auxiliary (const HybGraph *graph, HybNodeId id)
{
  g_return_val_if_fail (graph && id < graph->n_nodes, FALSE);
  return graph->is_auxiliary[id];
}

HybNodeId
hyb_graph_find_variable (const HybGraph *graph, const char *name)
{
  g_return_val_if_fail (graph && name, HYB_NO_ID);

  guint id_plus_one = GPOINTER_TO_UINT (g_hash_table_lookup (graph->by_name, name));

  return id_plus_one == 0 ? HYB_NO_ID : id_plus_one - 1;
}

gboolean
hyb_node_is_variable (const HybNode *node)
{
  g_return_val_if_fail (node, FALSE);
  return node->op->inputs && !node->op->inputs[0] && !node->op->forward &&
         !(node->op->flags & (HYB_OP_OPAQUE | HYB_OP_FOREIGN));
}

char *
hyb_node_dup_input_name (const HybNode *node, guint index)
{
  const char *name;

  g_return_val_if_fail (node && index < node->n_inputs, NULL);
  name = node->op->input_name ? node->op->input_name (node->params, index) : NULL;
  return name ? g_strdup (name) : hyb_op_dup_input_name (node->op, index, node->n_inputs);
}

HybGraph *const *
hyb_graph_get_bodies (const HybGraph *graph, HybNodeId id)
{
  g_return_val_if_fail (graph && id < graph->n_nodes, NULL);
  return graph->bodies + graph->nodes[id].first_body;
}

const char *
hyb_node_get_attribute (const HybNode *node, const char *key)
{
  g_return_val_if_fail (node, NULL);
  return hyb_attributes_get (node->attributes, key);
}

gboolean
hyb_graph_has_legacy_shapes (const HybGraph *graph)
{
  g_return_val_if_fail (graph, FALSE);
  return graph->legacy_shapes;
}

gboolean
hyb_graph_has_opaque (const HybGraph *graph)
{
  g_return_val_if_fail (graph, FALSE);
  return graph->has_opaque;
}

/* Sorts users by value: counts them, turns counts into start positions, fills. */
static void
find_users (HybGraph *graph)
{
  guint *next;

  graph->user_start = g_new0 (guint, graph->n_values + 1);
  for (guint n = 0; n < graph->n_nodes; n++)
    for (guint i = 0; i < graph->nodes[n].n_inputs; i++)
      graph->user_start[graph->inputs[graph->nodes[n].first_input + i] + 1]++;
  for (guint v = 0; v < graph->n_values; v++)
    graph->user_start[v + 1] += graph->user_start[v];

  graph->users = g_new (HybNodeId, MAX (graph->user_start[graph->n_values], 1));
  next = g_memdup2 (graph->user_start, sizeof (guint) * (graph->n_values + 1));
  for (guint n = 0; n < graph->n_nodes; n++)
    for (guint i = 0; i < graph->nodes[n].n_inputs; i++)
      graph->users[next[graph->inputs[graph->nodes[n].first_input + i]]++] = n;
  g_free (next);
}

const HybNodeId *
hyb_graph_get_users (HybGraph *graph, HybValueId value, guint *n)
{
  g_return_val_if_fail (n, NULL);
  *n = 0;
  g_return_val_if_fail (graph && value < graph->n_values, NULL);
  if (g_once_init_enter (&graph->users_ready))
    {
      find_users (graph);
      g_once_init_leave (&graph->users_ready, 1);
    }
  *n = graph->user_start[value + 1] - graph->user_start[value];
  return graph->users + graph->user_start[value];
}

const HybDialect *
hyb_graph_get_dialect (const HybGraph *graph)
{
  g_return_val_if_fail (graph, NULL);
  return graph->dialect;
}

HybTensor *
hyb_graph_get_contents (const HybGraph *graph, HybNodeId variable)
{
  g_return_val_if_fail (graph, NULL);
  return graph->contents ? g_hash_table_lookup (graph->contents, GUINT_TO_POINTER (variable))
                         : NULL;
}

char *
hyb_graph_dup_value_name (const HybGraph *graph, HybValueId value)
{
  g_return_val_if_fail (graph && value < graph->n_values, NULL);

  const HybNode   *node = &graph->nodes[graph->producers[value]];
  g_autofree char *output = NULL;

  if (hyb_node_is_variable (node))
    return g_strdup (node->name);
  if (node->op->value_name)
    return g_strdup (node->op->value_name (node->params, value - node->first_output));

  output = hyb_op_dup_output_name (node->op, value - node->first_output,
                                   hyb_op_n_numbered (node->op, node->params, node->n_outputs));
  return g_strconcat (node->name, "_", output, NULL);
}

char **
hyb_graph_dup_output_names (const HybGraph *graph)
{
  g_return_val_if_fail (graph, NULL);

  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  char **names = g_new0 (char *, graph->n_heads + 1);

  for (guint i = 0; i < graph->n_heads; i++)
    {
      g_autofree char *name = hyb_graph_dup_value_name (graph, graph->heads[i]);
      guint            again = GPOINTER_TO_UINT (g_hash_table_lookup (seen, name));

      names[i] = again > 0 ? g_strdup_printf ("%s#%u", name, again) : g_strdup (name);
      g_hash_table_insert (seen, g_steal_pointer (&name), GUINT_TO_POINTER (again + 1));
    }
  return names;
}
