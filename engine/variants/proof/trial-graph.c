/* trial-graph.c — copies a graph node by node, with other types and random streams.
 *
 * Types are in attributes: of the kind HYB_PARAM_DTYPE, and __dtype__ of variables.  Start at
 * hyb_trial_graph().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/trial-graph.h"

#include "engine/graph/builder.h"

#include <string.h>

typedef struct
{
  const HybTrialGraph *wanted;
  guint                n_draws; /* nodes so far that draw random numbers */
} Copier;

static HybGraph *copy_graph (Copier *copier, HybGraph *graph);

/* --- Attributes --- */

static gboolean
is_type_attribute (const HybNode *node, const char *key)
{
  const HybParam *param = hyb_params_find (node->op->params, key);

  return param && param->kind == HYB_PARAM_DTYPE;
}

/* The attributes with float64 in place of float32.  (transfer container) */
static GPtrArray *
double_attributes (const HybNode *node)
{
  GPtrArray *pairs = g_ptr_array_new ();

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    {
      const char *key = node->attributes[i], *value = node->attributes[i + 1];

      if (strcmp (key, "__dtype__") == 0 && strcmp (value, "0") == 0)
        value = "1";
      else if (is_type_attribute (node, key) && strcmp (value, "float32") == 0)
        value = "float64";
      g_ptr_array_add (pairs, (gpointer) key);
      g_ptr_array_add (pairs, (gpointer) value);
    }
  for (const HybParam *param = node->op->params; param && param->name; param++)
    if (param->kind == HYB_PARAM_DTYPE && !hyb_node_get_attribute (node, param->name) &&
        g_strcmp0 (param->fallback, "float32") == 0)
      {
        g_ptr_array_add (pairs, (gpointer) param->name);
        g_ptr_array_add (pairs, (gpointer) "float64");
      }
  g_ptr_array_add (pairs, NULL);
  return pairs;
}

static gboolean
has_type_attribute (const HybNode *node)
{
  if (hyb_node_get_attribute (node, "__dtype__"))
    return TRUE;
  for (const HybParam *param = node->op->params; param && param->name; param++)
    if (param->kind == HYB_PARAM_DTYPE)
      return TRUE;
  return FALSE;
}

/* --- Nodes --- */

/* The key of the node's random stream, which nodes that correspond share. */
static guint32
choose_key (Copier *copier, const HybNode *node)
{
  if (!hyb_node_draws (node))
    return node->key;
  copier->n_draws++;
  if (copier->wanted->draws == HYB_DRAWS_BY_NAME)
    return g_str_hash (node->name) | 1;
  return copier->wanted->draws == HYB_DRAWS_BY_ORDER ? copier->n_draws : node->key;
}

static gboolean
copy_bodies (Copier *copier, HybGraph *graph, HybNodeId id, GPtrArray *bodies)
{
  for (guint b = 0; b < hyb_graph_get_node (graph, id)->n_bodies; b++)
    {
      HybGraph *body = copy_graph (copier, hyb_graph_get_bodies (graph, id)[b]);

      if (!body)
        return FALSE;
      g_ptr_array_add (bodies, body);
    }
  return TRUE;
}

/* Adds the copy of a node; HYB_NO_ID if its operator does not accept the attributes. */
static HybNodeId
copy_node (Copier           *copier,
           HybBuilder       *builder,
           HybGraph         *graph,
           HybNodeId         id,
           const HybValueId *inputs)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  gboolean       is_changed = copier->wanted->is_double && has_type_attribute (node);
  g_autoptr (GPtrArray) pairs = is_changed ? double_attributes (node) : NULL;
  g_autoptr (GPtrArray) bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);

  if (!copy_bodies (copier, graph, id, bodies))
    return HYB_NO_ID;
  return hyb_builder_add (builder,
                          &(HybNodeSpec){
                              .op = node->op,
                              .type = node->type,
                              .name = node->name,
                              .attributes = is_changed ? (const char *const *) pairs->pdata
                                                       : node->attributes,
                              .params = is_changed ? NULL : hyb_params_ref (node->params),
                              .n_inputs = node->n_inputs,
                              .inputs = inputs,
                              .n_bodies = node->n_bodies,
                              .bodies = (HybGraph *const *) bodies->pdata,
                              .n_outputs = node->n_outputs,
                              .key = choose_key (copier, node),
                              .line = node->line },
                          NULL);
}

static HybGraph *
copy_graph (Copier *copier, HybGraph *graph)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  guint                  n;
  const HybValueId      *heads = hyb_graph_get_heads (graph, &n);

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode         *node = hyb_graph_get_node (graph, id);
      g_autofree HybValueId *inputs = g_new (HybValueId, MAX (node->n_inputs, 1));
      HybNodeId              copy;

      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = map[hyb_graph_get_inputs (graph, id)[i]];
      copy = copy_node (copier, builder, graph, id, inputs);
      if (copy == HYB_NO_ID || hyb_builder_get_node (builder, copy)->n_outputs != node->n_outputs)
        return NULL;
      for (guint i = 0; i < node->n_outputs; i++)
        map[node->first_output + i] = hyb_builder_output (builder, copy, i);
    }
  for (guint i = 0; i < n; i++)
    hyb_builder_add_head (builder, map[heads[i]]);
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

HybGraph *
hyb_trial_graph (HybGraph *graph, const HybTrialGraph *wanted)
{
  Copier copier = { wanted, 0 };

  return copy_graph (&copier, graph);
}

/* --- The type of a graph's arithmetic --- */

static gboolean
has_double_kernels (HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (node->op->forward && !(node->op->dtypes & HYB_DTYPE_BIT (HYB_F64)) &&
          node->n_bodies == 0 && !hyb_node_is_variable (node))
        return FALSE;
      for (guint b = 0; b < node->n_bodies; b++)
        if (!has_double_kernels (hyb_graph_get_bodies (graph, id)[b]))
          return FALSE;
    }
  return TRUE;
}

gboolean
hyb_graph_is_double (HybGraph *graph, const HybType *types)
{
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    if (hyb_dtype_is_float (types[i].dtype) && types[i].dtype != HYB_F64)
      return FALSE;
  return has_double_kernels (graph);
}
