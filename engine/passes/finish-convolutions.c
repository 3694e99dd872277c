/* finish-convolutions.c — the pass that merges a convolution with a following sum or rectifier.
 *
 * The fused kernel adds and rectifies while its results are still in the L1 cache.  Intermediate
 * results must have no other reader, so nothing is merged while training: the backward pass reads
 * them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/direct-convolution.h"
#include "engine/passes/convolutions.h"

/* A fused result, stored by the node that computes it. */
typedef struct
{
  HybNodeId   convolution; /* HYB_NO_ID: nothing is merged into this node */
  HybValueId  other;       /* HYB_NO_ID: nothing is added */
  gboolean    rectifies;
  const char *slope; /* of its rectifier; NULL: 0 */
} Ending;

/* LeakyReLU with one slope for all.  With a slope of 0 it differs from a rectifier: it gives NaN for −∞. */
static gboolean
is_leaky (const HybNode *node)
{
  const char *type = hyb_node_get_attribute (node, "act_type");
  const char *slope = hyb_node_get_attribute (node, "slope");

  return node->op == hyb_op_find ("LeakyReLU") && (!type || g_str_equal (type, "leaky")) &&
         (!slope || (float) g_ascii_strtod (slope, NULL) != 0);
}

/* The slope of a rectifier as text; NULL: 0. */
static const char *
get_slope (const HybNode *node)
{
  const char *slope = is_leaky (node) ? hyb_node_get_attribute (node, "slope") : NULL;

  return slope || !is_leaky (node) ? slope : "0.25";
}

static gboolean
is_rectifier (const HybNode *node)
{
  return node->op == hyb_op_find ("relu") || is_leaky (node) ||
         (node->op == hyb_op_find ("Activation") &&
          g_strcmp0 (hyb_node_get_attribute (node, "act_type"), "relu") == 0);
}

/* TRUE if the node adds two values of the same shape. */
static gboolean
is_sum (const HybConvolutions *convolutions, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (convolutions->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (convolutions->graph, id);
  const HybType    *types = convolutions->facts->types;

  return (node->op == hyb_op_find ("elemwise_add") || node->op == hyb_op_find ("broadcast_add")) &&
         hyb_shape_equal (&types[inputs[0]].shape, &types[inputs[1]].shape) &&
         types[inputs[0]].dtype == types[inputs[1]].dtype;
}

/* TRUE if the node is a convolution that can be extended and has a single reader. */
static gboolean
can_end (const HybConvolutions *convolutions, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (convolutions->graph, id);
  HybConvolve    convolve;

  return (node->op == convolutions->fused || (hyb_convolutions_view (convolutions, id, &convolve) &&
                                              hyb_direct_convolve_fits (&convolve))) &&
         hyb_convolutions_only_user (convolutions, node->first_output) != HYB_NO_ID;
}

/* The convolution whose result a node adds to or rectifies. */
static Ending
find_ending (const HybConvolutions *convolutions, HybNodeId id)
{
  Ending            ending = { .convolution = HYB_NO_ID, .other = HYB_NO_ID };
  const HybNode    *node = hyb_graph_get_node (convolutions->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (convolutions->graph, id);
  HybNodeId         before;

  if (is_rectifier (node))
    {
      before = hyb_graph_get_producer (convolutions->graph, inputs[0]);
      if (can_end (convolutions, before))
        return (Ending){ before, HYB_NO_ID, TRUE, get_slope (node) };
      /* One rectifier is merged, so a chain of them, which may be long, is not followed. */
      if (is_rectifier (hyb_graph_get_node (convolutions->graph, before)) ||
          hyb_convolutions_only_user (convolutions, inputs[0]) == HYB_NO_ID)
        return ending;
      ending = find_ending (convolutions, before);
      ending.rectifies = TRUE;
      ending.slope = get_slope (node);
      return ending;
    }

  for (guint i = 0; i < 2 && is_sum (convolutions, id); i++)
    {
      before = hyb_graph_get_producer (convolutions->graph, inputs[i]);
      if (can_end (convolutions, before))
        return (Ending){ before, inputs[1 - i], FALSE, NULL };
    }
  return ending;
}

/* Walks from the last node to the first, so that the longest chain is found; its inner nodes are
 * removed. */
static guint
find_endings (const HybConvolutions *convolutions, Ending *endings, guint8 *is_removed)
{
  guint n = 0;

  for (HybNodeId id = hyb_graph_n_nodes (convolutions->graph); id-- > 0;)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (convolutions->graph, id);

      endings[id] = (Ending){ .convolution = HYB_NO_ID, .other = HYB_NO_ID };
      if (is_removed[id])
        continue;
      endings[id] = find_ending (convolutions, id);
      if (endings[id].convolution == HYB_NO_ID || is_removed[endings[id].convolution])
        {
          endings[id].convolution = HYB_NO_ID;
          continue;
        }
      is_removed[endings[id].convolution] = TRUE;
      if (endings[id].rectifies && endings[id].other != HYB_NO_ID)
        is_removed[hyb_graph_get_producer (convolutions->graph, inputs[0])] = TRUE;
      n++;
    }
  return n;
}

/* A search and its result. */
typedef struct
{
  HybConvolutions convolutions;
  Ending         *endings;    /* by node */
  guint8         *is_removed; /* by node */
} Finishing;

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Finishing *self = data;
  const Ending    *ending = &self->endings[id];
  HybFusion        fusion = {
           .weight = HYB_NO_ID, .other = HYB_NO_ID, .rectifies = ending->rectifies, .slope = ending->slope
  };

  if (ending->other != HYB_NO_ID)
    fusion.other = hyb_rewrite_value (rewrite, ending->other);
  if (ending->convolution != HYB_NO_ID)
    hyb_convolutions_emit (&self->convolutions, rewrite, ending->convolution, id, &fusion);
  else if (!self->is_removed[id])
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
finish_convolutions_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_nodes = MAX (hyb_graph_n_nodes (graph), 1);
  g_autofree guint8 *is_removed = g_new0 (guint8, n_nodes);
  g_autofree Ending *endings = g_new (Ending, n_nodes);
  Finishing          self = { .endings = endings, .is_removed = is_removed };
  HybGraph          *result;

  hyb_convolutions_init (&self.convolutions, graph, facts);
  result = find_endings (&self.convolutions, endings, is_removed) > 0
               ? hyb_rewrite_graph (graph, visit, &self, map, error)
               : hyb_graph_ref (graph);
  hyb_convolutions_clear (&self.convolutions);
  return result;
}

extern const HybPass hyb_pass_finish_convolutions;

const HybPass hyb_pass_finish_convolutions = {
  .name = "finish-convolutions",
  .doc = "Merges a convolution with the sum and the rectifier that follow it.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = finish_convolutions_run,
};
