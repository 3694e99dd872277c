/* rebuild-node.h — goes through an old graph and makes it anew, node by node.
 *
 * Sequences are followed through splits, stacks, transpositions and elementwise operators; see
 * rebuild.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

/* From now on, products that are computed for all steps at once are made step by step.  types, by
 * old value, must outlive rebuild.  FALSE if there are no such products. */
gboolean hyb_rebuild_find_split_products (HybRebuild *rebuild, const HybType *types);
/* Makes an old node anew: outputs become places in sequences where the node splits, stacks or maps
 * them; other nodes are copied.  Inputs must have been visited.  Nothing happens to a node whose
 * value is set. */
void hyb_rebuild_node (HybRebuild *rebuild, HybNodeId id);
/* Ends the new graph with the heads of the old one, without nodes that no head needs, in the order
 * of hyb_graph_depth_first().  NULL: the error of rebuild.  (transfer full) */
HybGraph *hyb_rebuild_finish (HybRebuild *rebuild, GError **error);
