/* fold-constants.h — which nodes a plan computes once, while it is made.
 *
 * For profilers, which report nodes that every run computes again from unchanged inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* One flag for each node, TRUE if the pass fold-constants would compute it while planning.  types and known: by value;
 * known has a flag for each whose contents do not change between runs, and gets one for each that would be computed.
 * (transfer full), free with g_free(). */
guint8 *
hyb_fold_find (const HybGraph *graph, const HybType *types, guint8 *known, gboolean training);
