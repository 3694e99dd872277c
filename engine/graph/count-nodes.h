/* count-nodes.h — how large a graph is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The number of nodes of the graph and its bodies, without variables. */
guint hyb_graph_count_nodes (const HybGraph *graph);
