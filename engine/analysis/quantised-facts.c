/* quantised-facts.c — finds the layers that compute on integers.  Start at hyb_quantised_facts_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/quantised-facts.h"

#include <math.h>

/* Operators that multiply by weights. */
static gboolean
has_weights (const HybOp *op)
{
  return op->category == HYB_CATEGORY_CONVOLUTION || op->category == HYB_CATEGORY_LINEAR;
}

static gboolean
is_quantised (const HybNode *node)
{
  return node->op->float_form ? has_weights (node->op)
                              : hyb_params_get_bool (node->op->params, node->params, "quantized");
}

/* The attributes of the operator that fixes the range of a result: of the layer itself, or of the
 * requantize that alone reads it. */
static const HybNode *
range_node (HybGraph *graph, HybNodeId id)
{
  const HybNode   *node = hyb_graph_get_node (graph, id);
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (graph, node->first_output, &n);

  if (hyb_params_find (node->op->params, "min_calib_range") || n != 1 ||
      !hyb_params_find (hyb_graph_get_node (graph, users[0])->op->params, "min_calib_range"))
    return node;
  return hyb_graph_get_node (graph, users[0]);
}

static void
add_layer (HybQuantisedFacts *facts, HybGraph *graph, HybNodeId id)
{
  const HybNode    *node = range_node (graph, id);
  HybQuantisedLayer layer = {
    .node = id,
    .low = hyb_params_get_double (node->op->params, node->params, "min_calib_range", NAN),
    .high = hyb_params_get_double (node->op->params, node->params, "max_calib_range", NAN),
  };

  layer.is_calibrated = !isnan (layer.low) && !isnan (layer.high);
  g_array_append_val (facts->quantised, layer);
}

/* TRUE if the operator is the float form of a quantised one, or a fused layer on floats. */
static gboolean
could_be_quantised (const HybNode *node)
{
  guint               n;
  const HybOp *const *ops;

  if (node->op->body_arity)
    return TRUE;
  if (!has_weights (node->op))
    return FALSE;
  ops = hyb_op_list (&n);
  for (guint i = 0; i < n; i++)
    if (ops[i]->float_form && hyb_op_find (ops[i]->float_form) == node->op)
      return TRUE;
  return FALSE;
}

HybQuantisedFacts *
hyb_quantised_facts_new (const HybGraph *graph)
{
  HybQuantisedFacts *facts = g_new0 (HybQuantisedFacts, 1);

  facts->quantised = g_array_new (FALSE, FALSE, sizeof (HybQuantisedLayer));
  facts->floats = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (is_quantised (node))
        add_layer (facts, (HybGraph *) graph, id);
      else if (could_be_quantised (node))
        g_array_append_val (facts->floats, id);
    }
  if (facts->quantised->len > 0)
    return facts;
  hyb_quantised_facts_free (facts);
  return NULL;
}

void
hyb_quantised_facts_free (HybQuantisedFacts *facts)
{
  if (!facts)
    return;
  g_array_unref (facts->quantised);
  g_array_unref (facts->floats);
  g_free (facts);
}

char *
hyb_quantised_facts_to_string (const HybQuantisedFacts *facts)
{
  guint n = facts->quantised->len, n_calibrated = 0;

  for (guint i = 0; i < n; i++)
    n_calibrated += g_array_index (facts->quantised, HybQuantisedLayer, i).is_calibrated;
  return g_strdup_printf ("%u of %u layers compute on integers, %u of them in calibrated ranges", n,
                          n + facts->floats->len, n_calibrated);
}
