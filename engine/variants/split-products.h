/* split-products.h — products that are computed for all time steps at once and split afterwards.
 *
 * The product of all inputs with one weight needs no recurrence.  Many models therefore compute it before
 * the first step: over (time, batch, features), over (batch, time, features), or over rows, one
 * step below the other.  Where the steps of such a product are added to a product of the state, it
 * can be computed step by step as well, and then cells are found.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

/* The nodes from such products to the nodes that split them, by node of graph; NULL if there are
 * none. types: by value.  Free with g_free(). */
HybSplitProduct *hyb_split_products_find (HybGraph *graph, const HybType *types);
/* Gives the outputs of a node in rebuild->split_products their places in a sequence.  FALSE if that
 * is not possible; the node is copied then. */
gboolean hyb_split_products_follow (HybRebuild *rebuild, HybNodeId id);
