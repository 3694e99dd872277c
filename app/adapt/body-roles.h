/* body-roles.h — the purpose of the bodies of a node, as pictures need it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* TRUE if the body is a condition: none of its heads is an output or a state, they only decide
 * which body runs next. */
gboolean scope_body_is_condition (const HybNode *node, HybGraph *body, guint index);
/* TRUE if only bodies read the value: then its box is drawn inside them. */
gboolean scope_is_read_in_bodies_only (HybGraph *graph, HybValueId value);
/* TRUE for an array that the file of the graph holds and nothing reads, as PyTorch's exporter stores the number of batches
 * that a layer has seen. */
gboolean scope_is_unread_array (HybGraph *graph, HybNodeId variable);
