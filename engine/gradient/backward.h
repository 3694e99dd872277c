/* backward.h — extends a graph with the nodes that compute its gradients.
 *
 * The result is an ordinary graph that can be drawn, planned and timed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The graph, followed by the nodes that compute gradients with respect to the variables wrt.  Its
 * heads are the old heads, then one gradient for each of wrt (zeros if the heads do not depend on
 * it).  It has one more variable for each head, "<head name>_head_gradient" (with #1, … for repeated
 * names), in the order of the heads.  The origin of a gradient node is that of the node that it
 * differentiates.  NULL and an error that names the node without a gradient.  (transfer full) */
HybGraph *
hyb_graph_with_gradients (HybGraph *graph, guint n_wrt, const HybNodeId *wrt, GError **error);
