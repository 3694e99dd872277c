/* bodies.c — lowers the bodies of loops and conditions, in place or as graphs of their own.
 *
 * A body is a scope of its own.  In place it is written into the same target, otherwise into a new one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/lowering-private.h"

/* Bodies nested deeper than this are refused: a file may nest them without limit. */
#define MAX_DEPTH 32

HybGraph *
hyb_lowering_get_body (const HybLowering *lowering, guint body)
{
  return hyb_graph_get_bodies (lowering->scope->graph, lowering->node)[body];
}

static gboolean
check_depth (HybLowering *lowering)
{
  if (lowering->depth < MAX_DEPTH)
    return TRUE;
  hyb_lowering_fail (lowering, NULL, "bodies are nested more than %u deep", MAX_DEPTH);
  return FALSE;
}

/* A lowering of a body with the same budget.  A failure in it is one of the node that owns it. */
static HybLowering
enter (const HybLowering *lowering, LoweringScope *scope, LoweringTarget *target)
{
  HybLowering inner = *lowering;

  inner.scope = scope;
  inner.target = target;
  inner.depth++;
  if (!g_hash_table_contains (lowering->work->entered, scope->graph))
    g_hash_table_insert (lowering->work->entered, hyb_graph_ref (scope->graph), NULL);
  return inner;
}

/* Keeps the types inside a body that was lowered; of one that is lowered for each step, the types that all steps have
 * in common. */
static void
keep_types (HybLowering *inner)
{
  HybGraph *graph = inner->scope->graph;
  guint     n = hyb_graph_n_values (graph);
  HybType  *kept = g_hash_table_lookup (inner->work->entered, graph);

  if (!kept)
    g_hash_table_insert (inner->work->entered, hyb_graph_ref (graph),
                         g_memdup2 (inner->scope->types, sizeof (HybType) * MAX (n, 1)));
  for (guint i = 0; kept && i < n; i++)
    hyb_type_keep_common (&kept[i], &inner->scope->types[i]);
}

/* The values of the heads, each with a node.  FALSE after a failure. */
static gboolean
find_heads (HybLowering *inner, HybValueId *heads)
{
  LoweringScope    *scope = inner->scope;
  guint             n;
  const HybValueId *values = hyb_graph_get_heads (scope->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      inner->node = hyb_graph_get_producer (scope->graph, values[i]);
      if (scope->map[values[i]] == HYB_NO_ID && (!scope->by_head || scope->by_head[i]))
        scope->map[values[i]] =
            hyb_lowering_add_placeholder (inner, inner->node, &scope->types[values[i]]);
      heads[i] = scope->map[values[i]];
    }
  return !inner->error;
}

gboolean
hyb_lowering_inline (HybLowering      *lowering,
                     guint             body,
                     const HybValueId *variables,
                     HybValueId       *heads)
{
  HybGraph *graph = hyb_lowering_get_body (lowering, body);
  g_autoptr (LoweringScope) scope = hyb_lowering_scope_new (graph);
  HybLowering      inner = enter (lowering, scope, lowering->target);
  guint            n;
  const HybNodeId *ids = hyb_graph_get_variables (graph, &n);

  if (lowering->error || !check_depth (lowering))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      HybValueId value = hyb_graph_get_node (graph, ids[i])->first_output;

      scope->map[value] = variables[i];
      scope->types[value] = *hyb_lowering_get_type (lowering, variables[i]);
    }
  if (hyb_lowering_walk (&inner) && find_heads (&inner, heads))
    {
      keep_types (&inner);
      return TRUE;
    }
  lowering->error = inner.error;
  return FALSE;
}

/* Variables first, in their order. */
static void
add_variables (HybLowering *inner, const HybBodyUse *use)
{
  HybGraph        *graph = inner->scope->graph;
  guint            n;
  const HybNodeId *ids = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    hyb_lowering_add_variable (inner, ids[i], &use->types[i],
                               use->contents && use->contents[i]
                                   ? use->contents[i]
                                   : hyb_graph_get_contents (graph, ids[i]));
}

/* The heads of the new graph.  FALSE after a failure. */
static gboolean
arrange_heads (HybLowering *inner, const HybBodyUse *use, GArray *arranged)
{
  guint                  n;
  g_autofree HybValueId *heads = NULL;

  hyb_graph_get_heads (inner->scope->graph, &n);
  heads = g_new (HybValueId, MAX (n, 1));
  if (!hyb_lowering_walk (inner) || !find_heads (inner, heads))
    return FALSE;
  if (use->arrange)
    use->arrange (inner, heads, use->data, arranged);
  else
    g_array_append_vals (arranged, heads, n);
  return !inner->error;
}

static HybLoweredBody *
finish_body (HybLowering *inner, const GArray *heads)
{
  HybLoweredBody *lowered = g_new0 (HybLoweredBody, 1);
  guint           n = heads->len;

  lowered->n_heads = n;
  lowered->head_types = g_new (HybType, MAX (n, 1));
  lowered->head_contents = g_new0 (HybTensor *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      HybValueId head = g_array_index (heads, HybValueId, i);
      HybTensor *contents = hyb_lowering_get_contents (inner, head);

      if (head != HYB_NO_ID)
        hyb_builder_add_head (inner->target->builder, head);
      lowered->head_types[i] = *hyb_lowering_get_type (inner, head);
      lowered->head_contents[i] = contents ? hyb_tensor_ref (contents) : NULL;
    }
  lowered->graph = hyb_builder_freeze (g_steal_pointer (&inner->target->builder));
  return lowered;
}

/* Lowers a graph into one of its own. */
static HybLoweredBody *
lower_graph (HybLowering *lowering, HybGraph *graph, const HybBodyUse *use)
{
  g_autoptr (LoweringScope) scope = hyb_lowering_scope_new (graph);
  g_autoptr (LoweringTarget) target = hyb_lowering_target_new ();
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybLowering inner = enter (lowering, scope, target);

  scope->by_head = use->by_head;
  inner.is_tolerant &= !use->may_fail;
  add_variables (&inner, use);
  if (arrange_heads (&inner, use, heads))
    {
      if (!use->by_head)
        keep_types (&inner);
      return finish_body (&inner, heads);
    }
  if (use->may_fail)
    g_error_free (inner.error);
  else
    lowering->error = inner.error;
  return NULL;
}

HybLoweredBody *
hyb_lowering_lower_body (HybLowering *lowering, guint body, const HybBodyUse *use)
{
  if (lowering->error || !check_depth (lowering))
    return NULL;
  return lower_graph (lowering, hyb_lowering_get_body (lowering, body), use);
}

HybLoweredBody *
hyb_lowering_write_body (HybLowering *lowering, guint n_variables, const HybBodyUse *use)
{
  HybBuilder *builder;
  g_autoptr (HybGraph) graph = NULL;

  if (lowering->error || !check_depth (lowering))
    return NULL;
  builder = hyb_builder_new ();
  for (guint i = 0; i < n_variables; i++)
    {
      g_autofree char *name = g_strdup_printf ("variable%u", i);

      hyb_builder_add_variable (builder, name, NULL);
    }
  graph = hyb_builder_freeze (builder);
  return lower_graph (lowering, graph, use);
}

void
hyb_lowered_body_free (HybLoweredBody *body)
{
  if (!body)
    return;
  for (guint i = 0; i < body->n_heads; i++)
    hyb_tensor_unref (body->head_contents[i]);
  hyb_graph_unref (body->graph);
  g_free (body->head_contents);
  g_free (body->head_types);
  g_free (body);
}
