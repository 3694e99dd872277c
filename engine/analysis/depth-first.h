/* depth-first.h — orders the nodes of a graph as MXNet's files do.
 *
 * Files that MXNet writes list each node after its inputs, in the order of a depth-first walk from
 * the heads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A copy of graph with only the nodes that a head needs, in postorder of a depth-first walk from
 * the heads. *new_node gets the new id by old node, HYB_NO_ID for nodes that were dropped (free
 * with g_free()); new_node may be NULL.  (transfer full) */
HybGraph *hyb_graph_depth_first (HybGraph *graph, HybNodeId **new_node);
