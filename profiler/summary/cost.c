/* cost.c — computes the work of a node from the types of its inputs and outputs.
 *
 * Operators without an estimate of their own count one FLOP per output element, and all inputs and
 * outputs as bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/cost.h"

#include "engine/analysis/infer-types.h"

gboolean
prof_cost_of_node (HybGraph *graph, HybNodeId id, const HybType *types, HybCost *cost)
{
  const HybNode      *node = hyb_graph_get_node (graph, id);
  guint               n = node->n_inputs + node->n_outputs;
  g_autofree HybType *room = g_new (HybType, MAX (n, 1));
  HybCall             call;

  hyb_call_init (&call, graph, id, types, room);
  for (guint i = 0; i < n; i++)
    if (!hyb_type_is_known (&room[i]))
      return FALSE;

  *cost = (HybCost){ 0 };
  if (node->op->cost)
    {
      node->op->cost (&call, cost);
      return TRUE;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    cost->bytes_read += (double) hyb_type_bytes (&call.input[i]);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      cost->bytes_written += (double) hyb_type_bytes (&call.output[i]);
      cost->flops += (double) hyb_shape_size (&call.output[i].shape);
    }
  return TRUE;
}
