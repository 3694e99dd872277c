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
  return inner;
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
      if (scope->map[values[i]] == HYB_NO_ID)
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
    return TRUE;
  lowering->error = inner.error;
  return FALSE;
}

HybLoweredBody *
hyb_lowering_lower_body (HybLowering      *lowering,
                         guint             body,
                         const HybType    *variables,
                         HybTensor *const *contents)
{
  HybGraph *graph = hyb_lowering_get_body (lowering, body);
  g_autoptr (LoweringScope) scope = hyb_lowering_scope_new (graph);
  g_autoptr (LoweringTarget) target = hyb_lowering_target_new ();
  HybLowering            inner = enter (lowering, scope, target);
  HybLoweredBody        *lowered;
  guint                  n, n_heads;
  const HybNodeId       *ids = hyb_graph_get_variables (graph, &n);
  g_autofree HybValueId *heads = NULL;

  if (lowering->error || !check_depth (lowering))
    return NULL;
  for (guint i = 0; i < n; i++)
    hyb_lowering_add_variable (&inner,
                               ids[i],
                               &variables[i],
                               contents && contents[i] ? contents[i]
                                                       : hyb_graph_get_contents (graph, ids[i]));
  hyb_graph_get_heads (graph, &n_heads);
  heads = g_new (HybValueId, MAX (n_heads, 1));
  if (!hyb_lowering_walk (&inner) || !find_heads (&inner, heads))
    {
      lowering->error = inner.error;
      return NULL;
    }

  lowered = g_new0 (HybLoweredBody, 1);
  lowered->n_heads = n_heads;
  lowered->head_types = g_new (HybType, MAX (n_heads, 1));
  for (guint i = 0; i < n_heads; i++)
    {
      hyb_builder_add_head (target->builder, heads[i]);
      lowered->head_types[i] = *hyb_lowering_get_type (&inner, heads[i]);
    }
  lowered->graph = hyb_builder_freeze (g_steal_pointer (&target->builder));
  return lowered;
}

void
hyb_lowered_body_free (HybLoweredBody *body)
{
  if (!body)
    return;
  hyb_graph_unref (body->graph);
  g_free (body->head_types);
  g_free (body);
}
