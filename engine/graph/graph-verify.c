/* graph-verify.c — checks every invariant of a frozen graph.
 *
 * Tests and the pipeline call hyb_graph_verify() after each pass; a violation is a bug in the code
 * that built the graph, never in a file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/graph-private.h"

#include "engine/base/error.h"

static gboolean
broken (const HybNode *node, const char *what, guint index, GError **error)
{
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                       "node “%s” (%s): %s (number %u)", node->name, node->type, what, index);
}

static gboolean
verify_node (const HybGraph *graph, HybNodeId id, GError **error)
{
  const HybNode *node = &graph->nodes[id];
  guint          n_inputs, n_outputs;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId value = graph->inputs[node->first_input + i];

      if (value >= graph->n_values || graph->producers[value] >= id)
        return broken (node, "an input that does not come before it", i, error);
    }
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->first_output + i >= graph->n_values || graph->producers[node->first_output + i] != id)
      return broken (node, "an output that belongs to another node", i, error);

  if (node->op->flags & HYB_OP_OPAQUE)
    return TRUE;
  if (node->op->params && !node->params)
    return broken (node, "no parsed attributes", 0, error);

  hyb_op_body_arity (node->op, node->params, (HybGraph *const *) graph->bodies + node->first_body,
                     &n_inputs, &n_outputs);
  if (n_inputs != node->n_inputs || n_outputs != node->n_outputs)
    return broken (node, "a wrong number of inputs or outputs", node->n_inputs, error);

  for (guint i = 0; i < node->n_bodies; i++)
    if (!hyb_graph_verify (graph->bodies[node->first_body + i], error))
      {
        g_prefix_error (error, "in body %u of “%s”: ", i, node->name);
        return FALSE;
      }
  return TRUE;
}

gboolean
hyb_graph_verify (const HybGraph *graph, GError **error)
{
  g_return_val_if_fail (graph, FALSE);
  for (HybNodeId id = 0; id < graph->n_nodes; id++)
    if (!verify_node (graph, id, error))
      return FALSE;

  for (guint i = 0; i < graph->n_heads; i++)
    if (graph->heads[i] >= graph->n_values)
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                           "head %u refers to a value that does not exist", i);

  for (guint i = 0; i < graph->n_variables; i++)
    {
      const char *name = graph->nodes[graph->variables[i]].name;

      if (hyb_graph_find_variable (graph, name) != graph->variables[i])
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL,
                             "Rename one of them", "two variables have the name “%s”", name);
    }
  return TRUE;
}
