/* match-bodies.h — which nodes of an unrolled graph correspond to which node inside a loop's body.
 *
 * hyb_variant_convert() matches every node of a chain with the loop as a whole; this finds its role.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/match-structure.h"

typedef struct
{
  HybNodeId a;    /* in the first graph */
  HybNodeId loop; /* in the second graph */
  guint     body; /* index of the loop's body */
  HybNodeId node; /* in the body */
  gint32    step; /* of a */
} HybBodyMatch;

/* Goes from matches of a's nodes with loops of b, and their steps, to the nodes inside the loops.
 * Nodes that have no role of their own in the body are left out.  GArray of HybBodyMatch, by loop and
 * step.  (transfer full) */
GArray *hyb_match_bodies (HybGraph *a, HybGraph *b, const GArray *matches);
