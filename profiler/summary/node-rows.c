/* node-rows.c — describes a node of a graph as a row of a capture.
 *
 * Shape and cost follow from the types of its values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/node-rows.h"

#include "profiler/summary/cost.h"

#include <math.h>

ProfNode
prof_describe_node (ProfBuilder *builder, HybGraph *graph, HybNodeId id, const HybType *types)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  HybCost        cost = { NAN, NAN, NAN };
  ProfNode       row = {
          .name = prof_builder_text (builder, node->name),
          .type = prof_builder_text (builder, node->type),
          .id = id,
          .origin = PROF_NONE,
          .category = (guint16) node->op->category,
          .flags = hyb_node_is_variable (node) ? PROF_NODE_VARIABLE : 0,
  };

  if (types && node->n_outputs > 0 && types[node->first_output].shape.rank != HYB_UNKNOWN)
    {
      g_autofree char *shape = hyb_type_to_string (&types[node->first_output]);

      row.shape = prof_builder_text (builder, shape);
    }
  if (types && !hyb_node_is_variable (node))
    prof_cost_of_node (graph, id, types, &cost);
  row.flops = cost.flops;
  row.bytes_read = cost.bytes_read;
  row.bytes_written = cost.bytes_written;
  return row;
}

#define MAX_INPUTS 8 /* that are listed */

char *
prof_list_inputs (HybGraph *graph, HybNodeId id, const HybType *types)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  GString          *list = g_string_new (NULL);

  for (guint i = 0; i < MIN (node->n_inputs, MAX_INPUTS); i++)
    {
      g_autofree char *type = hyb_type_to_string (&types[inputs[i]]);

      g_string_append_printf (list, "%s%s", i > 0 ? " " : "", type);
    }
  if (node->n_inputs > MAX_INPUTS)
    g_string_append_printf (list, " … %u more", node->n_inputs - MAX_INPUTS);
  return g_string_free (list, FALSE);
}
