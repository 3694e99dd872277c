/* guess-clues.c — clues about the inputs of a graph from its operators and parameters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-clues.h"

guint32 *
hyb_guess_find_readers (const HybGraph *graph)
{
  guint    n_nodes = hyb_graph_n_nodes (graph);
  guint32 *readers = g_new0 (guint32, MAX (n_nodes, 1));

  for (HybNodeId id = n_nodes; id-- > 0;)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      readers[id] |= 1u << node->op->category;
      for (guint i = 0; i < node->n_inputs; i++)
        readers[hyb_graph_get_producer (graph, inputs[i])] |= readers[id];
    }
  return readers;
}

GArray *
hyb_guess_find_operands (HybGraph *graph, const HybType *types, guint most)
{
  GArray          *sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybShape *shape = &types[hyb_graph_get_node (graph, variables[i])->first_output].shape;

      for (int axis = shape->rank; axis-- > 0 && sizes->len < most;)
        {
          guint k = 0;

          while (k < sizes->len && g_array_index (sizes, gint64, k) != shape->dim[axis])
            k++;
          if (k == sizes->len && shape->dim[axis] != HYB_UNKNOWN)
            g_array_append_val (sizes, shape->dim[axis]);
        }
    }
  return sizes;
}
