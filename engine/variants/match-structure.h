/* match-structure.h — which nodes of one graph stand for which of another.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Many to many: a fused operator stands for all nodes of its cells, one step of an
 * unrolled cell for the body of a loop. */
typedef struct
{
  HybNodeId a, b;
  gint32    step; /* -1: none in particular */
} HybMatch;

/* Through a graph between the two, sorted by a, then b.  (transfer full) */
GArray *hyb_matches_compose (const GArray *first, const GArray *second);
