/* count-nodes.c — see count-nodes.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/count-nodes.h"

guint
hyb_graph_count_nodes (const HybGraph *graph)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      n += !hyb_node_is_variable (node);
      for (guint b = 0; b < node->n_bodies; b++)
        n += hyb_graph_count_nodes (hyb_graph_get_bodies (graph, id)[b]);
    }
  return n;
}
