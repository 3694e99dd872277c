/* body-types.h — shapes inside loops and branches, as their first entry would see them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Types by value of a body of node; outer: by value of the node's graph (nullable).  NULL: not
 * known, or a contradiction.  (transfer full) */
HybType *scope_body_types (HybGraph *graph, HybNodeId node, guint body, const HybType *outer);

/* The same for every body below graph: HybGraph → HybType *, owned by the table. */
GHashTable *scope_body_types_of_graph (HybGraph *graph, const HybType *types);
