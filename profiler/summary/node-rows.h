/* node-rows.h — the data of a graph's node in a capture: name, type, shape, cost, inputs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture-builder.h"

#include "engine/graph/graph.h"

/* The row of a node, without graph.  types: by value; NULL: shape and cost are not known. */
ProfNode
prof_describe_node (ProfBuilder *builder, HybGraph *graph, HybNodeId id, const HybType *types);
/* The types of a node's inputs.  (transfer full) */
char *prof_list_inputs (HybGraph *graph, HybNodeId id, const HybType *types);
