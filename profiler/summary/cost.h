/* cost.h — work that a node does, from the types around it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* FALSE: not all types are known.  types: by value. */
gboolean prof_cost_of_node (HybGraph *graph, HybNodeId id, const HybType *types, HybCost *cost);
