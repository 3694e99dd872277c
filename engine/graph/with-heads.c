/* with-heads.c — the same graph with other outputs.
 *
 * Marks the nodes that the new heads need, last to first, and copies them and every
 * variable into a new graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/with-heads.h"

#include "engine/graph/builder.h"

HybGraph *
hyb_graph_with_heads (const HybGraph *graph, guint n_heads, const HybValueId *heads)
{
  HybBuilder            *builder = hyb_builder_new ();
  guint                  n_nodes = hyb_graph_n_nodes (graph);
  g_autofree guint8     *needed = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree HybValueId *moved = g_new0 (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  for (guint i = 0; i < n_heads; i++)
    needed[hyb_graph_get_producer (graph, heads[i])] = TRUE;
  for (HybNodeId id = n_nodes; id-- > 0;)
    for (guint i = 0; needed[id] && i < hyb_graph_get_node (graph, id)->n_inputs; i++)
      needed[hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, id)[i])] = TRUE;

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  hyb_builder_set_dialect (builder, hyb_graph_get_dialect (graph));
  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *old = hyb_graph_get_inputs (graph, id);
      HybValueId        first;

      if (!needed[id] && !hyb_node_is_variable (node))
        continue;
      g_array_set_size (inputs, 0);
      for (guint i = 0; i < node->n_inputs; i++)
        g_array_append_val (inputs, moved[old[i]]);
      first = hyb_builder_copy (builder, graph, id, (gconstpointer) inputs->data);
      for (guint i = 0; i < node->n_outputs; i++)
        moved[node->first_output + i] = first + i;
    }
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, moved[heads[i]]);
  return hyb_builder_freeze (builder);
}
