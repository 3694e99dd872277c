/* body-types.h — types of the values inside loops and branches.
 *
 * In graphs of MXNet they are the types of the first step: later steps may have other shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/lower/lowering.h"

/* Types of all bodies in graph, at any depth.  HybGraph → HybType * (nullable), owned by the table;
 * (transfer full). */
GHashTable *scope_body_types_of_graph (HybGraph *graph, const HybType *types);
/* The same for a graph whose lowering is at hand; NULL: the graph is one of MXNet. */
GHashTable *
scope_body_types_from (HybGraph *graph, const HybType *types, const HybLowered *lowered);
