/* gaps.c — see gaps.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/gaps.h"

#include "engine/variants/diff.h"

/* By node: whether the other model has the same node with the same inputs.  (transfer full) */
static guint8 *
list_matched (const HybNodeId *others, HybModel *model)
{
  guint   n = hyb_graph_n_nodes (hyb_model_get_graph (model));
  guint8 *matched = g_new0 (guint8, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    matched[i] = others[i] != HYB_NO_ID;
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
  in_b = list_matched (diff->b_of_a, a->model);
  in_a = list_matched (diff->a_of_b, b->model);
  hyb_coverage_list_gaps (a->coverage, in_b, b->model, gaps);
  hyb_coverage_list_gaps (b->coverage, in_a, a->model, gaps);
  for (guint i = 0; i < gaps->len; i++)
    hyb_proof_add_gap (proof, "%s", (const char *) gaps->pdata[i]);
}
