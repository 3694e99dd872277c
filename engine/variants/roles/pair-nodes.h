/* pair-nodes.h — pairs nodes of two graphs that have the same place, whatever they and their weights are called.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Nodes of two graphs, one to one. */
typedef struct
{
  HybNodeId *other[2]; /* by node of the first and of the second graph; HYB_NO_ID: no pair */
} HybPairs;

/* Pairs recurrent layers and loops in their order, inputs by name, outputs by order, and then their neighbours. */
void hyb_pairs_find (HybPairs *pairs, HybModel *a, HybModel *b);
/* Frees the arrays. */
void hyb_pairs_clear (HybPairs *pairs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybPairs, hyb_pairs_clear)
