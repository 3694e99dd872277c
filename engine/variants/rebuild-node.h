/* rebuild-node.h — makes a whole graph anew, node by node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

/* Products over all steps at once are made step by step.  types: borrowed.
 * FALSE: there are none. */
gboolean hyb_rebuild_find_split_products (HybRebuild *rebuild, const HybType *types);
/* The old node, with sequences followed through it. */
void hyb_rebuild_node (HybRebuild *rebuild, HybNodeId id);
/* Adds the heads; without nodes that no head needs.  NULL: rebuild->error. */
HybGraph *hyb_rebuild_finish (HybRebuild *rebuild, GError **error);
