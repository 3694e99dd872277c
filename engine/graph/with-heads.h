/* with-heads.h — the same graph with other outputs.
 *
 * For passes that compute a part of a loop body elsewhere.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A graph that computes these values of graph and has only the nodes that they need.
 * All variables stay, in their order.  (transfer full) */
HybGraph *hyb_graph_with_heads (const HybGraph *graph, guint n_heads, const HybValueId *heads);
