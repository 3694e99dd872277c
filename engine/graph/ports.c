/* ports.c — how the bodies of a node get their values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/ports.h"

gboolean
hyb_node_reads_rows (const HybGraph *graph, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  for (guint b = 0; b < node->n_bodies && node->op->body_port; b++)
    {
      guint n;

      hyb_graph_get_variables (hyb_graph_get_bodies (graph, id)[b], &n);
      for (guint v = 0; v < n; v++)
        if (node->op->body_port (node->params, node->n_inputs, b, v) == HYB_PORT_DATA)
          return TRUE;
    }
  return FALSE;
}
