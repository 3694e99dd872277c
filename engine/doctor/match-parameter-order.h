/* match-parameter-order.h — parameters matched to variables by kind, order and shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Names of save_parameters() (“0.weight”) and of blocks that were counted differently
 * (dense0, dense3) say nothing but the kind of each array.  Where kinds, their counts
 * and all shapes agree, the order decides.  missing and unused are names, in the order
 * of the graph and of the file; to gets one of missing for each of unused.  FALSE:
 * they do not agree. */
gboolean
hyb_match_in_order (HybModel *model, GPtrArray *missing, GPtrArray *unused, const char **to);
