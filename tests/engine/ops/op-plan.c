/* op-plan.c — what a plan consists of.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-plan.h"

guint
op_count_planned (HybExecutor *executor, const char *op)
{
  HybGraph *graph = hyb_plan_get_graph (hyb_executor_get_plan (executor));
  guint     n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += g_str_equal (hyb_graph_get_node (graph, id)->op->name, op);
  return n;
}
