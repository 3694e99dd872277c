/* reach.h — which nodes a result needs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* One flag per node: whether a head needs it, variables included.  constants: by
 * value, contents that are known already and need no node; NULL: none.
 * (transfer full), to be freed with g_free(). */
guint8 *hyb_graph_find_needed (const HybGraph *graph, HybTensor *const *constants);

/* One flag per node, set for those whose outputs another node writes: variables
 * mostly.  What only a training run writes (running statistics) counts where
 * training is TRUE.  (transfer full) */
guint8 *hyb_graph_find_written (const HybGraph *graph, gboolean training);
