/* rewrite.c — see rewrite.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/rewrite.h"

void
hyb_rewrite_init (HybRewrite *rewrite, HybGraph *from, GArray *map)
{
  guint      n_values = hyb_graph_n_values (from);
  guint      most_inputs = 1;
  HybValueId none = HYB_NO_ID;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (from); id++)
    most_inputs = MAX (most_inputs, hyb_graph_get_node (from, id)->n_inputs);

  *rewrite = (HybRewrite){ .from = from,
                           .builder = hyb_builder_new (),
                           .map = map,
                           .inputs = g_new (HybValueId, most_inputs) };
  hyb_builder_set_legacy_shapes (rewrite->builder, hyb_graph_has_legacy_shapes (from));
  g_array_set_size (map, 0);
  for (guint i = 0; i < n_values; i++)
    g_array_append_val (map, none);
}

HybValueId
hyb_rewrite_value (const HybRewrite *rewrite, HybValueId old)
{
  return g_array_index (rewrite->map, HybValueId, old);
}

void
hyb_rewrite_set_value (HybRewrite *rewrite, HybValueId old, HybValueId value)
{
  g_array_index (rewrite->map, HybValueId, old) = value;
}

const HybValueId *
hyb_rewrite_inputs (HybRewrite *rewrite, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (rewrite->from, id);
  guint             n = hyb_graph_get_node (rewrite->from, id)->n_inputs;

  for (guint i = 0; i < n; i++)
    rewrite->inputs[i] = hyb_rewrite_value (rewrite, inputs[i]);
  return rewrite->inputs;
}

/* Outputs of old are replaced by as many values from first on. */
static void
set_outputs (HybRewrite *rewrite, const HybNode *old, guint n, HybValueId first)
{
  for (guint i = 0; i < n; i++)
    hyb_rewrite_set_value (rewrite, old->first_output + i, first + i);
}

HybValueId
hyb_rewrite_copy (HybRewrite *rewrite, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (rewrite->from, id);
  HybValueId     first;

  if (rewrite->error)
    return HYB_NO_ID;
  first = hyb_builder_copy (rewrite->builder, rewrite->from, id, hyb_rewrite_inputs (rewrite, id));
  set_outputs (rewrite, node, node->n_outputs, first);
  rewrite->n_copied++;
  return first;
}

HybValueId
hyb_rewrite_add (HybRewrite *rewrite, HybNodeId id, const HybNodeSpec *spec)
{
  const HybNode *old = hyb_graph_get_node (rewrite->from, id);
  HybNodeSpec    full = *spec;
  HybNodeId      made;

  if (rewrite->error)
    {
      hyb_params_unref (spec->params);
      return HYB_NO_ID;
    }
  full.name = spec->name ? spec->name : old->name;
  full.origin_plus_one = old->origin + 1;
  full.line = old->line;
  made = hyb_builder_add (rewrite->builder, &full, &rewrite->error);
  return made == HYB_NO_ID ? HYB_NO_ID : hyb_builder_output (rewrite->builder, made, 0);
}

void
hyb_rewrite_replace (HybRewrite *rewrite, HybNodeId id, const HybNodeSpec *spec)
{
  const HybNode *old = hyb_graph_get_node (rewrite->from, id), *made;
  HybNodeSpec    full = *spec;
  HybValueId     first;

  full.key = old->key;
  first = hyb_rewrite_add (rewrite, id, &full);
  if (first == HYB_NO_ID)
    return;
  made =
      hyb_builder_get_node (rewrite->builder, hyb_builder_get_producer (rewrite->builder, first));
  set_outputs (rewrite, old, MIN (old->n_outputs, made->n_outputs), first);
}

HybGraph *
hyb_rewrite_finish (HybRewrite *rewrite, GError **error)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (rewrite->from, &n_heads);

  g_clear_pointer (&rewrite->inputs, g_free);
  if (rewrite->error)
    {
      g_clear_pointer (&rewrite->builder, hyb_builder_free);
      g_propagate_error (error, g_steal_pointer (&rewrite->error));
      return NULL;
    }
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (rewrite->builder, hyb_rewrite_value (rewrite, heads[i]));
  return hyb_builder_freeze (g_steal_pointer (&rewrite->builder));
}

HybGraph *
hyb_rewrite_graph (HybGraph *from, HybRewriteFunc visit, gpointer data, GArray *map, GError **error)
{
  HybRewrite rewrite;
  g_autoptr (HybGraph) result = NULL;

  hyb_rewrite_init (&rewrite, from, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (from) && !rewrite.error; id++)
    visit (&rewrite, id, data);
  result = hyb_rewrite_finish (&rewrite, error);
  return result && rewrite.n_copied == hyb_graph_n_nodes (from) ? hyb_graph_ref (from)
                                                                : g_steal_pointer (&result);
}
