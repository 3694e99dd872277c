/* share-views.c — lets what a slice or a reshape gives be a part of what it is taken from,
 * where memory is laid out (exec/plan-places.c): the graph stays as it is, so that the pass
 * is a name by which copying can be asked for instead.
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
         .doc = "Takes slices and reshapes as parts of what they are made from, without copying.",
         .optimising = TRUE,
         .saves = HYB_SAVES_MOVEMENT,
         .run = share_views,
};
