/* trace-graph.c — ends a trace (hyb_f_finish()), and runs or copies a whole graph inside a HybF
 * (hyb_f_graph()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/trace-private.h"
#include "engine/imperative/imperative.h"

/* --- Ending a trace --- */

/* Ids of the nodes that the heads depend on, in depth-first postorder: the order of MXNet's
 * files. */
static GArray *
depth_first (const HybGraph *graph, const HybValueId *heads, guint n_heads)
{
  GArray             *order = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autofree guint8  *seen = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));
  g_autofree guint32 *next = g_new0 (guint32, MAX (hyb_graph_n_nodes (graph), 1));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  for (guint h = 0; h < n_heads; h++)
    {
      HybNodeId id = hyb_graph_get_producer (graph, heads[h]);

      if (seen[id])
        continue;
      seen[id] = TRUE;
      g_array_append_val (stack, id);
      while (stack->len > 0)
        {
          HybNodeId      top = g_array_index (stack, HybNodeId, stack->len - 1);
          const HybNode *node = hyb_graph_get_node (graph, top);

          if (next[top] < node->n_inputs)
            {
              id = hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, top)[next[top]++]);
              if (!seen[id])
                {
                  seen[id] = TRUE;
                  g_array_append_val (stack, id);
                }
              continue;
            }
          g_array_append_val (order, top);
          g_array_set_size (stack, stack->len - 1);
        }
    }
  return order;
}

/* A copy of graph with its nodes in that order and without nodes that no head needs. */
static HybGraph *
reordered (HybGraph *graph, const HybValueId *heads, guint n_heads)
{
  g_autoptr (GArray) order = depth_first (graph, heads, n_heads);
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybBuilder *builder = hyb_builder_new ();

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  for (guint i = 0; i < order->len; i++)
    {
      HybNodeId      old = g_array_index (order, HybNodeId, i);
      const HybNode *node = hyb_graph_get_node (graph, old);
      HybValueId     first;

      g_array_set_size (inputs, node->n_inputs);
      for (guint k = 0; k < node->n_inputs; k++)
        g_array_index (inputs, HybValueId, k) = map[hyb_graph_get_inputs (graph, old)[k]];
      first = hyb_builder_copy (builder, graph, old, (gconstpointer) inputs->data);
      for (guint k = 0; k < node->n_outputs; k++)
        map[node->first_output + k] = first + k;
    }
  for (guint h = 0; h < n_heads; h++)
    hyb_builder_add_head (builder, map[heads[h]]);
  return hyb_builder_freeze (builder);
}

HybGraph *
hyb_f_finish (HybF *F, HybValue *value, GError **error)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  g_autofree HybValueId *heads = NULL;
  g_autoptr (HybGraph) raw = NULL;

  g_return_val_if_fail (F, NULL);
  g_return_val_if_fail (F->tracing && F->builder, NULL);

  if (!value)
    value = hyb_value_import (F, NULL);
  hyb_flatten_into (value, arrays);
  heads = g_new (HybValueId, MAX (arrays->len, 1));
  for (guint i = 0; i < arrays->len && !F->error; i++)
    heads[i] = hyb_value_import (F, g_ptr_array_index (arrays, i))->id;
  if (!hyb_f_check (F, error))
    return NULL;

  raw = hyb_builder_freeze (g_steal_pointer (&F->builder));
  return reordered (raw, heads, arrays->len);
}

/* --- A graph inside a HybF --- */

/* Copies all nodes that are not variables into the trace. */
static HybValue *
graph_traced (HybF *F, HybGraph *graph, HybValue *const *variables)
{
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  const HybValueId *heads;
  HybValue        **values;
  HybValue         *result;
  guint             n_heads, variable = 0;

  hyb_builder_set_legacy_shapes (F->builder, hyb_graph_has_legacy_shapes (graph));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      HybValueId     first;

      if (hyb_node_is_variable (node))
        first = hyb_value_import (F, variables[variable++])->id;
      else
        {
          g_array_set_size (inputs, node->n_inputs);
          for (guint k = 0; k < node->n_inputs; k++)
            g_array_index (inputs, HybValueId, k) = map[hyb_graph_get_inputs (graph, id)[k]];
          first = hyb_builder_copy (F->builder, graph, id, (gconstpointer) inputs->data);
        }
      for (guint k = 0; k < node->n_outputs; k++)
        map[node->first_output + k] = first + k;
    }

  heads = hyb_graph_get_heads (graph, &n_heads);
  values = g_new (HybValue *, MAX (n_heads, 1));
  for (guint h = 0; h < n_heads; h++)
    values[h] = hyb_value_new_traced (F, map[heads[h]]);
  result = n_heads == 1 ? values[0] : hyb_list (F, n_heads, values);
  g_free (values);
  return result;
}

/* Computes one node on the tape.  values: by value id of the graph. */
static gboolean
record_node (HybF *F, HybGraph *graph, HybNodeId id, HybValue **values)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  g_autofree HybTensor **outputs = g_new0 (HybTensor *, node->n_outputs);
  OperatorCall           call = { .op = node->op,
                                  .params = node->params,
                                  .bodies = hyb_graph_get_bodies (graph, id),
                                  .arrays = arrays,
                                  .has_scalars = !hyb_graph_has_legacy_shapes (graph) };
  GError                *error = NULL;

  for (guint k = 0; k < node->n_inputs; k++)
    g_ptr_array_add (arrays, values[hyb_graph_get_inputs (graph, id)[k]]);
  if (!hyb_f_compute (F, &call, outputs, &error))
    {
      g_prefix_error (&error, "node “%s”: ", node->name);
      hyb_f_keep_error (F, error);
      return FALSE;
    }
  for (guint k = 0; k < node->n_outputs; k++)
    {
      values[node->first_output + k] = hyb_value_new (F);
      values[node->first_output + k]->tensor = outputs[k];
    }
  return TRUE;
}

/* Computes node by node, so that the tape can record every operator. */
static HybValue *
graph_recorded (HybF *F, HybGraph *graph, HybValue *const *variables)
{
  g_autofree HybValue **values = g_new0 (HybValue *, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GPtrArray) heads = g_ptr_array_new ();
  const HybValueId *ids;
  guint             n_heads, variable = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (hyb_node_is_variable (node))
        values[node->first_output] = variables[variable++];
      else if (!record_node (F, graph, id, values))
        return hyb_value_new_failed (F);
    }
  ids = hyb_graph_get_heads (graph, &n_heads);
  for (guint h = 0; h < n_heads; h++)
    g_ptr_array_add (heads, values[ids[h]]);
  return n_heads == 1 ? g_ptr_array_index (heads, 0)
                      : hyb_list (F, n_heads, (HybValue *const *) heads->pdata);
}

/* Computes the whole graph with the imperative runner. */
static HybValue *
graph_imperative (HybF *F, HybGraph *graph, guint n, HybValue *const *variables)
{
  HybRun context = { .training = F->training, .seed = F->seed, .key = ++F->n_calls };
  g_autofree HybTensor **inputs = g_new (HybTensor *, MAX (n, 1));
  g_autofree HybTensor **outputs = NULL;
  HybValue             **values;
  HybValue              *result;
  GError                *error = NULL;
  guint                  n_heads;

  hyb_graph_get_heads (graph, &n_heads);
  outputs = g_new0 (HybTensor *, MAX (n_heads, 1));
  for (guint i = 0; i < n; i++)
    inputs[i] = variables[i]->tensor;
  if (!hyb_imperative_run (graph, inputs, outputs, &context, &error))
    {
      hyb_f_keep_error (F, error);
      return hyb_value_new_failed (F);
    }

  values = g_new (HybValue *, MAX (n_heads, 1));
  for (guint h = 0; h < n_heads; h++)
    {
      values[h] = hyb_value_new (F);
      values[h]->tensor = outputs[h];
    }
  result = n_heads == 1 ? values[0] : hyb_list (F, n_heads, values);
  g_free (values);
  return result;
}

HybValue *
hyb_f_graph (HybF *F, HybGraph *graph, guint n, HybValue *const *variables)
{
  guint n_variables;

  g_return_val_if_fail (F && graph && (variables || n == 0), NULL);
  hyb_graph_get_variables (graph, &n_variables);
  if (n != n_variables)
    {
      hyb_f_fail (F, "%u arrays were given for the %u variables of a graph", n, n_variables);
      return hyb_value_new_failed (F);
    }
  for (guint i = 0; i < n; i++)
    if (hyb_value_is_failed (variables[i]))
      return hyb_value_new_failed (F);

  if (F->tracing)
    return graph_traced (F, graph, variables);
  return F->tape ? graph_recorded (F, graph, variables) : graph_imperative (F, graph, n, variables);
}
