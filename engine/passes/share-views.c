/* share-views.c — the switch for views: slices and reshapes that are not copied.
 *
 * The pass does not change the graph; exec/plan-places.c places views inside their source unless
 * this pass is excluded by name, and copies them otherwise.
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
