/* lower.c — the pass that replaces operators of another format by the engine's.
 *
 * Which operators those are depends on types and on contents that are known; engine/lower does it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/lower/lowering.h"

static HybGraph *
lower_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  g_autoptr (HybLowered) lowered = NULL;

  if (!hyb_graph_get_dialect (graph))
    return hyb_graph_ref (graph);
  lowered = hyb_lower (graph,
                       &(HybLowerOptions){ .types = facts->types,
                                           .contents = facts->constants,
                                           .training = facts->training,
                                           .for_run = !facts->for_device },
                       error);
  if (!lowered)
    return NULL;
  g_array_append_vals (map, lowered->map->data, lowered->map->len);
  return hyb_graph_ref (lowered->graph);
}

extern const HybPass hyb_pass_lower;

const HybPass hyb_pass_lower = {
  .name = "lower",
  .doc = "Replaces operators of other formats (ONNX) by the engine’s.",
  .run = lower_run,
};
