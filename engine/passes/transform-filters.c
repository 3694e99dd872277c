/* transform-filters.c — the pass that prepares constant 3 × 3 filters for Winograd's algorithm.
 *
 * The convolutions then need half the multiplications (kernels/convolution/winograd.h).
 * fold-constants transforms the filters while planning.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/winograd.h"
#include "engine/passes/convolutions.h"

static gboolean
is_transformable (const HybConvolutions *convolutions, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (convolutions->graph, id);
  HybConvolve       convolve;

  return hyb_convolutions_view (convolutions, id, &convolve) && hyb_winograd_fits (&convolve) &&
         hyb_convolutions_is_constant (convolutions, inputs[1]);
}

static gboolean
transform (const HybConvolutions *convolutions, HybRewrite *rewrite, HybNodeId id, GError **error)
{
  const HybNode *node = hyb_graph_get_node (convolutions->graph, id);
  HybFusion      fusion = { .other = HYB_NO_ID, .is_winograd = TRUE };
  HybValueId     value;

  fusion.weight =
      hyb_convolutions_add (rewrite, id,
                            &(HybNodeSpec){ .op = hyb_op_find ("_winograd_filters"),
                                            .name = "_filters",
                                            .n_inputs = 1,
                                            .inputs = hyb_rewrite_inputs (rewrite, id) + 1 },
                            error);
  if (fusion.weight == HYB_NO_ID)
    return FALSE;

  value = hyb_convolutions_emit (convolutions, rewrite, id, &fusion, error);
  g_array_index (rewrite->map, HybValueId, node->first_output) = value;
  return value != HYB_NO_ID;
}

static HybGraph *
transform_filters_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  g_auto (HybConvolutions) convolutions = { 0 };
  g_autofree guint8 *is_candidate = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));
  guint              n_candidates = 0;
  HybRewrite         rewrite;

  hyb_convolutions_init (&convolutions, graph, facts);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n_candidates += is_candidate[id] = is_transformable (&convolutions, id);
  if (n_candidates == 0)
    return hyb_graph_ref (graph);

  hyb_rewrite_init (&rewrite, graph, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (!is_candidate[id])
      hyb_rewrite_copy (&rewrite, id);
    else if (!transform (&convolutions, &rewrite, id, error))
      {
        hyb_rewrite_clear (&rewrite);
        return NULL;
      }
  return hyb_rewrite_finish (&rewrite);
}

extern const HybPass hyb_pass_transform_filters;

const HybPass hyb_pass_transform_filters = {
  .name = "transform-filters",
  .doc =
      "Transforms constant 3 × 3 filters for Winograd's algorithm, which halves multiplications.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_PRODUCTS,
  .run = transform_filters_run,
};
