/* gaps.c — see gaps.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/gaps.h"

#include "engine/variants/diff.h"

/* By node: whether the other model has the same node, and the same nodes above it.  changed: of nodes that are only called
 * alike.  (transfer full) */
static guint8 *
list_matched (HybModel *model, const HybNodeId *others, const GArray *changed, gboolean is_second)
{
  HybGraph *graph = hyb_model_get_graph (model);
  guint     n = hyb_graph_n_nodes (graph);
  guint8   *matched = g_new0 (guint8, MAX (n, 1));

  for (HybNodeId id = 0; id < n; id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      matched[id] = others[id] != HYB_NO_ID;
      for (guint i = 0; i < changed->len; i++)
        if (g_array_index (changed, HybNodeId, i) == (is_second ? others[id] : id))
          matched[id] = FALSE;
      for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        matched[id] &= matched[hyb_graph_get_producer (graph, inputs[i])];
    }
  return matched;
}

void
hyb_proof_list_gaps (HybProof *proof, const HybProofSide *a, const HybProofSide *b)
{
  g_autoptr (HybDiff) diff = NULL;
  g_autofree guint8 *in_b = NULL, *in_a = NULL;
  g_autoptr (GPtrArray) gaps = g_ptr_array_new_with_free_func (g_free);

  if (!hyb_coverage_has_gaps (a->coverage) && !hyb_coverage_has_gaps (b->coverage))
    return;
  diff = hyb_diff_new (a->model, b->model);
  in_b = list_matched (a->model, diff->b_of_a, diff->changed, FALSE);
  in_a = list_matched (b->model, diff->a_of_b, diff->changed, TRUE);
  hyb_coverage_list_gaps (a->coverage, in_b, b->model, gaps);
  hyb_coverage_list_gaps (b->coverage, in_a, a->model, gaps);
  for (guint i = 0; i < gaps->len; i++)
    hyb_proof_add_gap (proof, "%s", (const char *) gaps->pdata[i]);
}
