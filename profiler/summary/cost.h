/* cost.h — the work that a node does: floating-point operations and bytes.
 *
 * The operator's own estimate is used where it has one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "profiler/capture/entries.h"

/* Computes the cost of one execution.  types: by value of graph.  FALSE if types of the node are
 * unknown. */
gboolean prof_cost_of_node (HybGraph *graph, HybNodeId id, const HybType *types, HybCost *cost);

/* TRUE if the work of a node is counted in rows of other nodes: bodies of a loop, parts of a
 * fused layer. */
gboolean prof_node_is_divided (const ProfNode *node);
