/* ports.h — how the bodies of a node get their values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* TRUE if a variable of a body of this node is a row of an array, another one in every step. */
gboolean hyb_node_reads_rows (const HybGraph *graph, HybNodeId id);
