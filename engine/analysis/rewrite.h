/* rewrite.h — builds a graph from another, node by node.
 *
 * Between hyb_rewrite_init() and hyb_rewrite_finish() a pass walks the nodes in order and either
 * copies each or sets map for its values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

typedef struct
{
  HybGraph   *from;
  HybBuilder *builder;
  GArray     *map;    /* of HybValueId, by value of from; HYB_NO_ID: no replacement yet */
  HybValueId *inputs; /* space for the inputs of one node */
} HybRewrite;

/* Starts a rewrite of from.  map: an empty array, borrowed. */
void hyb_rewrite_init (HybRewrite *rewrite, HybGraph *from, GArray *map);
/* The values that replace the inputs of a node.  Valid until the next call. */
const HybValueId *hyb_rewrite_inputs (HybRewrite *rewrite, HybNodeId id);
/* Copies a node, reading the values that replace its inputs.  Returns its first value. */
HybValueId hyb_rewrite_copy (HybRewrite *rewrite, HybNodeId id);
/* Adds the heads, freezes the new graph and ends the rewrite.  (transfer full) */
HybGraph *hyb_rewrite_finish (HybRewrite *rewrite);
/* Ends the rewrite without a graph. */
void hyb_rewrite_clear (HybRewrite *rewrite);
