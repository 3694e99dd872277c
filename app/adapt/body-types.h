/* body-types.h — types of the values inside loops and branches.
 *
 * They are those of the first step: later steps may have other shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Types of a node's body, by value id.  outer (nullable): types of the node's graph, by value id.
 * NULL if they are unknown or contradict each other.  (transfer full) */
HybType *scope_body_types (HybGraph *graph, HybNodeId node, guint body, const HybType *outer);

/* Types of all bodies in graph, at any depth.  HybGraph → HybType * (nullable), owned by the table;
 * (transfer full). */
GHashTable *scope_body_types_of_graph (HybGraph *graph, const HybType *types);
