/* fold-batch-norm.c — the pass that folds BatchNorm into the convolution before it.
 *
 * Applies in inference, where the moving statistics are constant: the convolution gets a scaled
 * weight and a new bias, which fold-constants computes while planning.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/passes/convolutions.h"

/* The convolution whose only reader is this BatchNorm.  HYB_NO_ID if there is none or its
 * parameters are not constant. */
static HybNodeId
find_convolution (const HybConvolutions *convolutions, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (convolutions->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (convolutions->graph, id);
  HybTensor *const *constants = convolutions->facts->constants;
  const char       *axis = hyb_node_get_attribute (node, "axis");
  HybNodeId         before;
  HybConvolve       convolve;

  if (node->op != hyb_op_find ("BatchNorm") || convolutions->facts->training ||
      convolutions->facts->same_bytes || (axis && g_strcmp0 (axis, "1") != 0))
    return HYB_NO_ID;

  before = hyb_graph_get_producer (convolutions->graph, inputs[0]);
  if (hyb_convolutions_only_user (convolutions, inputs[0]) == HYB_NO_ID ||
      !hyb_convolutions_view (convolutions, before, &convolve))
    return HYB_NO_ID;
  /* gamma, beta, mean and variance are folded into weight and bias, so all six must be known while
   * planning. */
  for (guint i = 1; i < node->n_inputs; i++)
    if (!constants[inputs[i]] || convolutions->facts->types[inputs[i]].dtype != HYB_F32)
      return HYB_NO_ID;
  for (guint i = 1; i < hyb_graph_get_node (convolutions->graph, before)->n_inputs; i++)
    if (!constants[hyb_graph_get_inputs (convolutions->graph, before)[i]])
      return HYB_NO_ID;
  /* The outputs mean and variance are not computed any more, so nothing may read them. */
  for (guint i = 1; i < node->n_outputs; i++)
    {
      guint n;

      hyb_graph_get_users (convolutions->graph, node->first_output + i, &n);
      if (n > 0 || convolutions->is_head[node->first_output + i])
        return HYB_NO_ID;
    }
  return before;
}

/* The result of the search. */
typedef struct
{
  HybNodeId *folded; /* by node: the convolution that a BatchNorm is folded into, or HYB_NO_ID */
  guint8    *is_removed; /* by node */
} Folding;

/* Adds nodes that compute the new weight and bias; the bias is the value after the weight. */
static HybValueId
fold (HybRewrite *rewrite, HybNodeId norm, HybNodeId convolution)
{
  const HybNode    *node = hyb_graph_get_node (rewrite->from, norm);
  const HybNode    *from = hyb_graph_get_node (rewrite->from, convolution);
  const HybValueId *parameters = hyb_graph_get_inputs (rewrite->from, norm);
  const HybValueId *operands = hyb_graph_get_inputs (rewrite->from, convolution);
  const char       *eps = hyb_node_get_attribute (node, "eps");
  const char       *fix_gamma = hyb_node_get_attribute (node, "fix_gamma");
  gboolean          has_bias = from->n_inputs > 2;
  const char       *attributes[] = { "eps",       eps ? eps : "0.001",
                                     "fix_gamma", fix_gamma ? fix_gamma : "True",
                                     "has_bias",  has_bias ? "True" : "False",
                                     NULL };
  HybValueId        inputs[6];

  inputs[0] = hyb_rewrite_value (rewrite, operands[1]);
  for (guint i = 1; i < 5; i++)
    inputs[i] = hyb_rewrite_value (rewrite, parameters[i]);
  if (has_bias)
    inputs[5] = hyb_rewrite_value (rewrite, operands[2]);
  return hyb_convolutions_add (rewrite, norm,
                               &(HybNodeSpec){ .op = hyb_op_find ("_fold_batch_norm"),
                                               .name = "_fold",
                                               .n_inputs = 5 + (guint) has_bias,
                                               .inputs = inputs,
                                               .attributes = attributes });
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Folding *self = data;
  HybNodeId      folded = self->folded[id];

  if (folded != HYB_NO_ID)
    hyb_convolutions_replace (rewrite, folded, id, fold (rewrite, id, folded));
  else if (!self->is_removed[id])
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
fold_batch_norm_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  g_auto (HybConvolutions) convolutions = { 0 };
  guint                 n_nodes = MAX (hyb_graph_n_nodes (graph), 1);
  g_autofree guint8    *is_removed = g_new0 (guint8, n_nodes);
  g_autofree HybNodeId *folded = g_new (HybNodeId, n_nodes);
  guint                 n_folded = 0;

  hyb_convolutions_init (&convolutions, graph, facts);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      folded[id] = find_convolution (&convolutions, id);
      if (folded[id] != HYB_NO_ID)
        n_folded += is_removed[folded[id]] = TRUE;
    }
  return n_folded > 0
             ? hyb_rewrite_graph (graph, visit, &(Folding){ folded, is_removed }, map, error)
             : hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_fold_batch_norm;

const HybPass hyb_pass_fold_batch_norm = {
  .name = "fold-batch-norm",
  .doc = "Folds BatchNorm into the constant weight and bias of the convolution before it.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = fold_batch_norm_run,
};
