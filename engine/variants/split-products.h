/* split-products.h — products made for all steps at once and cut into steps afterwards.
 *
 * The product of all inputs with one weight needs no recurrence, so many models make it
 * before the first step: over (time, batch, features), over (batch, time, features) or
 * over rows, one step below the other.  Where the steps of such a product are added to
 * what a state gives, the product can be made step by step as well.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

/* By node; NULL: there is no such product.  To be freed with g_free(). */
HybSplitProduct *hyb_split_products_find (HybGraph *graph, const HybType *types);
/* Makes a node of rebuild->cuts part of a sequence.  FALSE: it is copied. */
gboolean hyb_split_products_follow (HybRebuild *rebuild, HybNodeId id);
