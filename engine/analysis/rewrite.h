/* rewrite.h — what passes share that make a graph from another, node by node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

typedef struct
{
  HybGraph   *from;
  HybBuilder *builder;
  GArray     *map;    /* of HybValueId, by value of from; HYB_NO_ID: not made (yet) */
  HybValueId *inputs; /* room for those of one node */
} HybRewrite;

/* map: an empty array; borrowed. */
void hyb_rewrite_init (HybRewrite *rewrite, HybGraph *from, GArray *map);
/* What the inputs of a node became, until the next call. */
const HybValueId *hyb_rewrite_inputs (HybRewrite *rewrite, HybNodeId id);
/* The node as it is, reading what its inputs became. */
HybValueId hyb_rewrite_copy (HybRewrite *rewrite, HybNodeId id);
/* Adds the heads and freezes; the rewrite is over. */
HybGraph *hyb_rewrite_finish (HybRewrite *rewrite);
/* Gives up instead. */
void hyb_rewrite_clear (HybRewrite *rewrite);
