/* share-views.c — the pass that stands for views: slices and reshapes that are not copied.
 *
 * It does not change the graph.  exec/plan-places.c places views inside the value they are taken
 * from unless this pass is left out by name, in which case they are copied.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"

static HybGraph *
share_views (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  return hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_share_views;
const HybPass        hyb_pass_share_views = {
         .name = "share-views",
         .doc = "Uses slices and reshapes as views of their input instead of copying them.",
         .optimising = TRUE,
         .saves = HYB_SAVES_MOVEMENT,
         .run = share_views,
};
