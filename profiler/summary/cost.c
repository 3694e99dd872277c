/* cost.c — computes the work of a node from the types of its inputs and outputs.
 *
 * Operators without an estimate of their own count one FLOP per output element, and all inputs and
 * outputs as bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/cost.h"

#include "engine/analysis/infer-types.h"
#include "engine/op/rules.h"

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

  hyb_rule_cost (&call, cost);
  return TRUE;
}

gboolean
prof_node_is_divided (const ProfNode *node)
{
  return node->category == HYB_CATEGORY_CONTROL || (node->flags & PROF_NODE_DIVIDED) != 0;
}
