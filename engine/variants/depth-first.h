/* depth-first.h — a graph in the order in which MXNet's files have it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The nodes that a head needs, each after its inputs, as a walk from the heads leaves
 * them.  new_node: by old node its new id, HYB_NO_ID: gone; may be NULL.  (transfer full) */
HybGraph *hyb_graph_depth_first (HybGraph *graph, HybNodeId **new_node);
