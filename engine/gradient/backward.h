/* backward.h — a graph and its gradients as one graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The graph followed by what computes gradients.  Its heads are the old heads,
 * then one gradient per variable of wrt (zeros where none flows).  It has one
 * more variable per head, "<head name>_head_gradient" (#1 … when names repeat),
 * in the order of the heads.  origin of a gradient node is that of the node it
 * differentiates.  NULL and an error naming the node that has no gradient. */
HybGraph *
hyb_graph_with_gradients (HybGraph *graph, guint n_wrt, const HybNodeId *wrt, GError **error);
