/* reach.c — which nodes the heads depend on, and which nodes a run writes.
 *
 * Both walk the nodes once; bodies of loops and conditions are looked into.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/reach.h"

static void
need_value (const HybGraph *graph, HybTensor *const *constants, HybValueId value, guint8 *needed)
{
  if (!constants || !constants[value])
    needed[hyb_graph_get_producer (graph, value)] = TRUE;
}

/* by_head: NULL: all heads. */
static guint8 *
find_needed (const HybGraph *graph, HybTensor *const *constants, const guint8 *by_head)
{
  guint             n_nodes = hyb_graph_n_nodes (graph);
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  guint8           *needed = g_new0 (guint8, MAX (n_nodes, 1));

  for (guint i = 0; i < n_heads; i++)
    if (!by_head || by_head[i])
      need_value (graph, constants, heads[i], needed);

  /* Nodes come after their inputs, so one walk from the last node suffices. */
  for (HybNodeId id = n_nodes; id-- > 0;)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
      guint             n_inputs = hyb_graph_get_node (graph, id)->n_inputs;

      for (guint i = 0; needed[id] && i < n_inputs; i++)
        need_value (graph, constants, inputs[i], needed);
    }
  return needed;
}

guint8 *
hyb_graph_find_needed (const HybGraph *graph, HybTensor *const *constants)
{
  return find_needed (graph, constants, NULL);
}

guint8 *
hyb_graph_find_needed_by (const HybGraph *graph, const guint8 *by_head)
{
  return find_needed (graph, NULL, by_head);
}

/* --- Over steps --- */

/* waiting: needed nodes whose inputs are to be looked at; a node gets there once. */
typedef struct
{
  const HybGraph *graph;
  guint8         *needed; /* by node */
  HybNodeId      *waiting;
  guint           n_waiting;
} NeededNodes;

static void
add_producer (NeededNodes *nodes, HybValueId value)
{
  HybNodeId id = hyb_graph_get_producer (nodes->graph, value);

  if (nodes->needed[id])
    return;
  nodes->needed[id] = TRUE;
  nodes->waiting[nodes->n_waiting++] = id;
}

/* By node: the head that it gets its value from at the next step, or HYB_NO_ID.  (transfer full) */
static guint *
find_next_heads (const HybGraph *body, const HybSteps *steps)
{
  guint  n_nodes = hyb_graph_n_nodes (body);
  guint *next = g_new (guint, MAX (n_nodes, 1));

  for (HybNodeId id = 0; id < n_nodes; id++)
    next[id] = HYB_NO_ID;
  for (guint s = 0; s < steps->n_states; s++)
    next[steps->variables[s]] = steps->first_head + s;
  return next;
}

guint8 *
hyb_graph_find_needed_later (const HybGraph *body, const HybSteps *steps, guint8 *by_head)
{
  guint                 n_nodes = hyb_graph_n_nodes (body);
  guint                 n_heads;
  const HybValueId     *heads = hyb_graph_get_heads (body, &n_heads);
  g_autofree guint     *next = find_next_heads (body, steps);
  guint8               *needed = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree HybNodeId *waiting = g_new (HybNodeId, MAX (n_nodes, 1));
  NeededNodes           nodes = { body, needed, waiting, 0 };

  for (guint h = 0; h < n_heads; h++)
    if (by_head[h])
      add_producer (&nodes, heads[h]);
  while (nodes.n_waiting > 0)
    {
      HybNodeId         id = waiting[--nodes.n_waiting];
      const HybValueId *inputs = hyb_graph_get_inputs (body, id);
      guint             n_inputs = hyb_graph_get_node (body, id)->n_inputs;

      for (guint i = 0; i < n_inputs; i++)
        add_producer (&nodes, inputs[i]);
      if (next[id] == HYB_NO_ID)
        continue;
      by_head[next[id]] = TRUE;
      add_producer (&nodes, heads[next[id]]);
    }
  return needed;
}

guint8 *
hyb_graph_find_heads (const HybGraph *graph)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  guint8           *is_head = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));

  for (guint i = 0; i < n_heads; i++)
    is_head[heads[i]] = TRUE;
  return is_head;
}

guint8 *
hyb_graph_find_written_inputs (const HybGraph *graph, HybNodeId id, gboolean training)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  guint8        *written = g_new0 (guint8, MAX (node->n_inputs, 1));

  for (guint b = 0; b < node->n_bodies && node->op->body_variable; b++)
    {
      const HybGraph    *body = hyb_graph_get_bodies (graph, id)[b];
      g_autofree guint8 *inside = hyb_graph_find_written (body, training);
      guint              n_variables;
      const HybNodeId   *variables = hyb_graph_get_variables (body, &n_variables);

      for (guint v = 0; v < n_variables; v++)
        if (inside[variables[v]])
          {
            guint input = node->op->body_variable (node->params, node->n_inputs, b, v);

            if (input < node->n_inputs)
              written[input] = TRUE;
          }
    }
  return written;
}

/* Marks the nodes of the inputs of a node that its bodies write. */
static void
mark_written_by_bodies (const HybGraph *graph, HybNodeId id, gboolean training, guint8 *written)
{
  const HybValueId  *inputs = hyb_graph_get_inputs (graph, id);
  guint              n_inputs = hyb_graph_get_node (graph, id)->n_inputs;
  g_autofree guint8 *by_input = hyb_graph_find_written_inputs (graph, id, training);

  for (guint i = 0; i < n_inputs; i++)
    if (by_input[i])
      written[hyb_graph_get_producer (graph, inputs[i])] = TRUE;
}

guint8 *
hyb_graph_find_written (const HybGraph *graph, gboolean training)
{
  guint   n_nodes = hyb_graph_n_nodes (graph);
  guint8 *written = g_new0 (guint8, MAX (n_nodes, 1));

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      if (node->n_bodies > 0)
        mark_written_by_bodies (graph, id, training, written);
      if ((node->op->flags & HYB_OP_TRAINING_DEPENDENT) && !training)
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        if (hyb_op_writes_input (node->op, i))
          written[hyb_graph_get_producer (graph, inputs[i])] = TRUE;
    }
  return written;
}
