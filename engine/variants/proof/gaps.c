/* gaps.c — see gaps.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/gaps.h"

#include "engine/variants/diff.h"
#include "engine/variants/lowered-model.h"
#include "engine/variants/match-structure.h"

/* A model whose nodes are compared: its own, or its lowered form. */
typedef struct
{
  HybModel        *model; /* owned by the side or by lowered */
  HybLoweredModel *lowered;
} Compared;

static void
compared_clear (Compared *compared)
{
  hyb_lowered_model_free (compared->lowered);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Compared, compared_clear)

/* Files of one format are compared unlowered; otherwise a file could not be compared with its source. */
static Compared
compared_new (const HybProofSide *side, const HybProofSide *other, HybTensorList *given)
{
  const HybDialect *dialect = hyb_graph_get_dialect (hyb_model_get_graph (side->model));
  Compared          compared = { .model = side->model };

  if (!dialect || dialect == hyb_graph_get_dialect (hyb_model_get_graph (other->model)))
    return compared;
  compared.lowered = hyb_lowered_model_new (side->model, given, NULL);
  if (compared.lowered)
    compared.model = compared.lowered->model;
  return compared;
}

/* By node of the compared model: whether the other model has the same node, and the same nodes above it.  changed: of nodes
 * that are only called alike.  (transfer full) */
static guint8 *
list_same (HybModel *model, const HybNodeId *others, const GArray *changed, gboolean is_second)
{
  HybGraph *graph = hyb_model_get_graph (model);
  guint     n = hyb_graph_n_nodes (graph);
  guint8   *same = g_new0 (guint8, MAX (n, 1));

  for (HybNodeId id = 0; id < n; id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      same[id] = others[id] != HYB_NO_ID;
      for (guint i = 0; i < changed->len; i++)
        if (g_array_index (changed, HybNodeId, i) == (is_second ? others[id] : id))
          same[id] = FALSE;
      for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        same[id] &= same[hyb_graph_get_producer (graph, inputs[i])];
    }
  return same;
}

/* Cells in two forms do the same with most inputs, not with those that were not reached. */
static void
remove_groups (const HybDiff *diff, guint8 *same, gboolean is_second)
{
  for (guint i = 0; i < diff->groups->len; i++)
    {
      const HybDiffGroup *group = diff->groups->pdata[i];
      const GArray       *nodes = is_second ? group->b : group->a;

      for (guint k = 0; k < nodes->len; k++)
        same[g_array_index (nodes, HybNodeId, k)] = FALSE;
    }
}

/* By node of the side's model: a node of a file is the same if all nodes are that it was lowered to.  (transfer full) */
static guint8 *
list_matched (const HybProofSide *side, const Compared *compared, const guint8 *same)
{
  guint         n = hyb_graph_n_nodes (hyb_model_get_graph (side->model));
  guint8       *matched = g_new0 (guint8, MAX (n, 1));
  const GArray *links = compared->lowered ? compared->lowered->matches : NULL;

  for (HybNodeId id = 0; id < n && !links; id++)
    matched[id] = same[id];
  for (guint i = 0; links && i < links->len; i++)
    matched[g_array_index (links, HybMatch, i).a] = TRUE;
  for (guint i = 0; links && i < links->len; i++)
    matched[g_array_index (links, HybMatch, i).a] &= same[g_array_index (links, HybMatch, i).b];
  return matched;
}

void
hyb_proof_list_gaps (HybProof           *proof,
                     const HybProofSide *a,
                     const HybProofSide *b,
                     HybTensorList      *given)
{
  g_auto (Compared) in_a = { 0 }, in_b = { 0 };
  g_autoptr (HybDiff) diff = NULL;
  g_autofree guint8 *same_a = NULL, *same_b = NULL, *matched_a = NULL, *matched_b = NULL;
  g_autoptr (GPtrArray) gaps = g_ptr_array_new_with_free_func (g_free);

  if (!hyb_coverage_has_gaps (a->coverage) && !hyb_coverage_has_gaps (b->coverage))
    return;
  in_a = compared_new (a, b, given);
  in_b = compared_new (b, a, given);
  diff = hyb_diff_new (in_a.model, in_b.model);
  same_a = list_same (in_a.model, diff->b_of_a, diff->changed, FALSE);
  same_b = list_same (in_b.model, diff->a_of_b, diff->changed, TRUE);
  remove_groups (diff, same_a, FALSE);
  remove_groups (diff, same_b, TRUE);
  matched_a = list_matched (a, &in_a, same_a);
  matched_b = list_matched (b, &in_b, same_b);
  hyb_coverage_list_gaps (a->coverage, matched_a, b->model, gaps);
  hyb_coverage_list_gaps (b->coverage, matched_b, a->model, gaps);
  for (guint i = 0; i < gaps->len; i++)
    hyb_proof_add_gap (proof, "%s", (const char *) gaps->pdata[i]);
}
