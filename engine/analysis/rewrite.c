/* rewrite.c — builds a graph from another, node by node.
 *
 * Passes call it in one loop over the nodes: copy a node, or add others and record what replaces
 * its values in map.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/rewrite.h"

void
hyb_rewrite_init (HybRewrite *rewrite, HybGraph *from, GArray *map)
{
  guint      n_values = hyb_graph_n_values (from);
  guint      most_inputs = 1;
  HybValueId none = HYB_NO_ID;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (from); id++)
    most_inputs = MAX (most_inputs, hyb_graph_get_node (from, id)->n_inputs);

  rewrite->from = from;
  rewrite->builder = hyb_builder_new ();
  rewrite->map = map;
  rewrite->inputs = g_new (HybValueId, most_inputs);
  hyb_builder_set_legacy_shapes (rewrite->builder, hyb_graph_has_legacy_shapes (from));
  g_array_set_size (map, 0);
  for (guint i = 0; i < n_values; i++)
    g_array_append_val (map, none);
}

const HybValueId *
hyb_rewrite_inputs (HybRewrite *rewrite, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (rewrite->from, id);
  guint             n = hyb_graph_get_node (rewrite->from, id)->n_inputs;

  for (guint i = 0; i < n; i++)
    rewrite->inputs[i] = g_array_index (rewrite->map, HybValueId, inputs[i]);
  return rewrite->inputs;
}

HybValueId
hyb_rewrite_copy (HybRewrite *rewrite, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (rewrite->from, id);
  HybValueId     first =
      hyb_builder_copy (rewrite->builder, rewrite->from, id, hyb_rewrite_inputs (rewrite, id));

  for (guint i = 0; i < node->n_outputs; i++)
    g_array_index (rewrite->map, HybValueId, node->first_output + i) = first + i;
  return first;
}

HybGraph *
hyb_rewrite_finish (HybRewrite *rewrite)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (rewrite->from, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (rewrite->builder, g_array_index (rewrite->map, HybValueId, heads[i]));

  g_clear_pointer (&rewrite->inputs, g_free);
  return hyb_builder_freeze (g_steal_pointer (&rewrite->builder));
}

void
hyb_rewrite_clear (HybRewrite *rewrite)
{
  g_clear_pointer (&rewrite->builder, hyb_builder_free);
  g_clear_pointer (&rewrite->inputs, g_free);
}
