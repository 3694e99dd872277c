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

/* A search and its result. */
typedef struct
{
  HybConvolutions convolutions;
  guint8         *is_candidate; /* by node */
} Transforming;

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Transforming *self = data;
  HybFusion           fusion = { .other = HYB_NO_ID, .is_winograd = TRUE };

  if (!self->is_candidate[id])
    {
      hyb_rewrite_copy (rewrite, id);
      return;
    }
  fusion.weight =
      hyb_convolutions_add (rewrite, id,
                            &(HybNodeSpec){ .op = hyb_op_find ("_winograd_filters"),
                                            .name = "_filters",
                                            .n_inputs = 1,
                                            .inputs = hyb_rewrite_inputs (rewrite, id) + 1 });
  hyb_convolutions_emit (&self->convolutions, rewrite, id, id, &fusion);
}

static HybGraph *
transform_filters_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  g_autofree guint8 *is_candidate = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));
  Transforming       self = { .is_candidate = is_candidate };
  guint              n_candidates = 0;
  HybGraph          *result;

  hyb_convolutions_init (&self.convolutions, graph, facts);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n_candidates += is_candidate[id] = is_transformable (&self.convolutions, id);
  result = n_candidates > 0 ? hyb_rewrite_graph (graph, visit, &self, map, error)
                            : hyb_graph_ref (graph);
  hyb_convolutions_clear (&self.convolutions);
  return result;
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
