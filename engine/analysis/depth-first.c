/* depth-first.c — copies a graph in postorder of a depth-first walk from its heads.
 *
 * Start reading at hyb_graph_depth_first().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/depth-first.h"

#include "engine/analysis/rewrite.h"

#include <string.h>

/* A walk that keeps its own stack, because graphs of long chains are deep. */
typedef struct
{
  HybRewrite rewrite;
  HybNodeId *new_node; /* by old node; HYB_NO_ID: not copied yet */
  guint32   *next;     /* by node: index of the input to visit next */
  GArray    *path;     /* of HybNodeId */
} Walk;

/* Copies a node after all nodes that it needs. */
static void
visit (Walk *walk, HybNodeId start)
{
  HybGraph *graph = walk->rewrite.from;

  g_array_append_val (walk->path, start);
  while (walk->path->len > 0)
    {
      HybNodeId         id = g_array_index (walk->path, HybNodeId, walk->path->len - 1);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      if (walk->new_node[id] != HYB_NO_ID)
        g_array_set_size (walk->path, walk->path->len - 1);
      else if (walk->next[id] < hyb_graph_get_node (graph, id)->n_inputs)
        {
          HybNodeId input = hyb_graph_get_producer (graph, inputs[walk->next[id]++]);

          if (walk->new_node[input] == HYB_NO_ID)
            g_array_append_val (walk->path, input);
        }
      else
        {
          HybValueId first = hyb_rewrite_copy (&walk->rewrite, id);

          walk->new_node[id] = hyb_builder_get_producer (walk->rewrite.builder, first);
        }
    }
}

HybGraph *
hyb_graph_depth_first (HybGraph *graph, HybNodeId **new_node)
{
  guint             n_nodes = hyb_graph_n_nodes (graph), n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree HybNodeId *made = g_new (HybNodeId, MAX (n_nodes, 1));
  g_autofree guint32   *next = g_new0 (guint32, MAX (n_nodes, 1));
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  Walk walk = { .new_node = made, .next = next, .path = path };

  memset (made, 0xff, n_nodes * sizeof (HybNodeId));
  hyb_rewrite_init (&walk.rewrite, graph, map);
  for (guint i = 0; i < n_heads; i++)
    visit (&walk, hyb_graph_get_producer (graph, heads[i]));
  if (new_node)
    *new_node = g_steal_pointer (&made);
  return hyb_rewrite_finish (&walk.rewrite, NULL);
}
