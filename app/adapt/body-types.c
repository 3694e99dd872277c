/* body-types.c — types of the values inside loops and branches.
 *
 * Types of a body's variables follow from the inputs of its node; the rest is inferred.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/body-types.h"

#include "engine/analysis/infer-types.h"
#include "engine/lower/infer-lowered.h"

#include <string.h>

/* A loop over data passes its body one slice along the first axis. */
static void
drop_first_axis (HybShape *shape)
{
  if (shape->rank < 1)
    return;
  shape->rank--;
  memmove (shape->dim, shape->dim + 1, (gsize) shape->rank * sizeof (gint64));
}

static HybType *
infer_body (HybGraph *graph, HybNodeId id, guint body_index, const HybType *outer)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  HybGraph         *body = hyb_graph_get_bodies (graph, id)[body_index];
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  HybType          *types;
  const HybNodeId  *variables;
  guint             n;

  if (!outer || !node->op->body_variable)
    return NULL;
  types = g_new (HybType, MAX (hyb_graph_n_values (body), 1));
  for (guint i = 0; i < hyb_graph_n_values (body); i++)
    types[i] = HYB_TYPE_UNKNOWN;

  variables = hyb_graph_get_variables (body, &n);
  for (guint v = 0; v < n; v++)
    {
      guint    input = node->op->body_variable (node->params, node->n_inputs, body_index, v);
      HybType *type = &types[hyb_graph_get_node (body, variables[v])->first_output];

      if (input >= node->n_inputs)
        continue;
      *type = outer[inputs[input]];
      /* The body of a quantised layer keeps its float types. */
      if (hyb_params_get_bool (node->op->params, node->params, "quantized"))
        type->dtype = HYB_F32;
      if (node->op->body_port &&
          node->op->body_port (node->params, node->n_inputs, body_index, v) == HYB_PORT_DATA)
        drop_first_axis (&type->shape);
    }
  if (!hyb_infer_types (body, types, NULL, FALSE, NULL))
    g_clear_pointer (&types, g_free);
  return types;
}

/* The state of a collection. */
typedef struct
{
  GHashTable       *table;   /* HybGraph → HybType * */
  const HybLowered *lowered; /* NULL: the graph is one of MXNet */
} Bodies;

static void
add_bodies (const Bodies *bodies, HybGraph *graph, const HybType *types)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      for (guint b = 0; b < node->n_bodies; b++)
        {
          HybGraph *body = hyb_graph_get_bodies (graph, id)[b];
          HybType  *inner;

          if (g_hash_table_contains (bodies->table, body))
            continue;
          if (bodies->lowered && g_hash_table_lookup (bodies->lowered->entered, body))
            inner = g_memdup2 (g_hash_table_lookup (bodies->lowered->entered, body),
                               sizeof (HybType) * MAX (hyb_graph_n_values (body), 1));
          else
            inner = infer_body (graph, id, b, types);
          g_hash_table_insert (bodies->table, body, inner);
          add_bodies (bodies, body, inner);
        }
    }
}

GHashTable *
scope_body_types_from (HybGraph *graph, const HybType *types, const HybLowered *lowered)
{
  Bodies bodies = { g_hash_table_new_full (NULL, NULL, NULL, g_free), lowered };

  add_bodies (&bodies, graph, types);
  return bodies.table;
}

GHashTable *
scope_body_types_of_graph (HybGraph *graph, const HybType *types)
{
  g_autoptr (HybLowered) lowered =
      hyb_graph_get_dialect (graph) && types ? hyb_lowered_new (graph, types) : NULL;

  return scope_body_types_from (graph, types, lowered);
}
