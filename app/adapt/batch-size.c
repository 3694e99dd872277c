/* batch-size.c — finds the batch in the shapes that a capture has.
 *
 * The first rows of a capture are the nodes of the main graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/batch-size.h"

#include "engine/graph/roles.h"

#include <string.h>

/* A dimension of a node's output, from a text such as “float32 (32, 10)”; 0 if it has no such axis. */
static gint64
find_dimension (const ProfCapture *capture, HybNodeId id, const char *name, guint axis)
{
  const ProfNode *row =
      id < prof_capture_n_nodes (capture) ? prof_capture_get_node (capture, id) : NULL;
  const char *at;

  if (!row || row->graph != 0 || strcmp (prof_capture_get_string (capture, row->name), name) != 0)
    return 0;
  at = strchr (prof_capture_get_string (capture, row->shape), '(');
  for (guint i = 0; at && i < axis; i++)
    at = strchr (at + 1, ',');
  return at ? g_ascii_strtoll (at + 1, NULL, 10) : 0;
}

gint64
scope_batch_size (const ProfCapture *capture, HybModel *model, HybGraph *graph)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      const char *layout = node->n_inputs == 0 ? hyb_node_get_attribute (node, "__layout__") : NULL;
      const char *at = layout ? strchr (layout, 'N') : NULL;
      gint64      size = at ? find_dimension (capture, id, node->name, (guint) (at - layout)) : 0;

      if (size > 0)
        return size;
    }
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);

      if (!hyb_model_get_parameter (model, node->name) &&
          hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_DATA)
        return MAX (find_dimension (capture, variables[i], node->name, 0), 0);
    }
  return 0;
}
