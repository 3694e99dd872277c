/* match-structure.h — which nodes of one graph correspond to which nodes of another.
 *
 * The relation is many to many: a fused operator corresponds to all nodes of its cells, and one
 * step of an unrolled cell to the nodes of a loop's body.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef struct
{
  HybNodeId a, b; /* in the first and in the second graph */
  gint32    step; /* time step; -1: none in particular */
} HybMatch;

/* Matches from a graph A to C, given those from A to B and from B to C; sorted by a, then b,
 * without duplicates.  GArray of HybMatch.  (transfer full) */
GArray *hyb_matches_compose (const GArray *first, const GArray *second);
