/* graph-print.c — a graph as text, for tests and bug reports.
 *
 * One line a node with its values, types and attributes; bodies are indented below the node that
 * owns them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/graph-private.h"

static void
print_inputs (GString *text, const HybGraph *graph, const HybNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId     value = graph->inputs[node->first_input + i];
      HybNodeId      producer = graph->producers[value];
      const HybNode *from = &graph->nodes[producer];

      g_string_append_printf (text, "%s%%%u", i > 0 ? ", " : "", producer);
      if (from->n_outputs > 1)
        g_string_append_printf (text, ".%u", value - from->first_output);
    }
}

static void print_graph (GString *text, const HybGraph *graph, const HybType *types, guint depth);

static void
print_node (GString *text, const HybGraph *graph, HybNodeId id, const HybType *types, guint depth)
{
  const HybNode *node = &graph->nodes[id];

  g_string_append_printf (text, "%*s%%%u = %s “%s” (", (int) depth * 4, "", id, node->type,
                          node->name);
  print_inputs (text, graph, node);
  g_string_append_c (text, ')');
  for (gsize i = 0; node->attributes && node->attributes[i]; i += 2)
    g_string_append_printf (text, " %s=%s", node->attributes[i], node->attributes[i + 1]);
  for (guint i = 0; types && i < node->n_outputs; i++)
    {
      g_autofree char *type = hyb_type_to_string (&types[node->first_output + i]);

      g_string_append_printf (text, "%s %s", i == 0 ? " :" : ",", type);
    }
  g_string_append_c (text, '\n');
  for (guint i = 0; i < node->n_bodies; i++)
    {
      g_string_append_printf (text, "%*sbody %u\n", (int) depth * 4 + 2, "", i);
      print_graph (text, graph->bodies[node->first_body + i], NULL, depth + 1);
    }
}

static void
print_graph (GString *text, const HybGraph *graph, const HybType *types, guint depth)
{
  for (HybNodeId id = 0; id < graph->n_nodes; id++)
    print_node (text, graph, id, types, depth);

  g_string_append_printf (text, "%*sheads", (int) depth * 4, "");
  for (guint i = 0; i < graph->n_heads; i++)
    {
      HybNodeId      producer = graph->producers[graph->heads[i]];
      const HybNode *from = &graph->nodes[producer];

      g_string_append_printf (text, " %%%u", producer);
      if (from->n_outputs > 1)
        g_string_append_printf (text, ".%u", graph->heads[i] - from->first_output);
    }
  g_string_append_c (text, '\n');
}

char *
hyb_graph_print (const HybGraph *graph, const HybType *types)
{
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (graph, NULL);
  print_graph (text, graph, types, 0);
  return g_string_free (text, FALSE);
}
