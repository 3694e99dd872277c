/* lower.c — begins and ends the lowering of a graph; parts are shared with the lowering of bodies.
 *
 * Start with hyb_lower().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/lowering-private.h"

void
hyb_type_keep_common (HybType *type, const HybType *other)
{
  if (type->dtype != other->dtype)
    type->dtype = HYB_DTYPE_UNKNOWN;
  if (type->shape.rank != other->shape.rank)
    type->shape.rank = HYB_UNKNOWN;
  for (int i = 0; i < type->shape.rank; i++)
    if (type->shape.dim[i] != other->shape.dim[i])
      type->shape.dim[i] = HYB_UNKNOWN;
}

static void
drop_graph (gpointer graph)
{
  hyb_graph_unref (graph);
}

GHashTable *
hyb_lowering_bodies_new (void)
{
  return g_hash_table_new_full (NULL, NULL, drop_graph, g_free);
}

LoweringScope *
hyb_lowering_scope_new (HybGraph *graph)
{
  LoweringScope *scope = g_new0 (LoweringScope, 1);
  guint          n = hyb_graph_n_values (graph);

  scope->graph = graph;
  scope->types = g_new (HybType, MAX (n, 1));
  scope->map = g_new (HybValueId, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      scope->types[i] = HYB_TYPE_UNKNOWN;
      scope->map[i] = HYB_NO_ID;
    }
  return scope;
}

void
hyb_lowering_scope_free (LoweringScope *scope)
{
  g_free (scope->types);
  g_free (scope->map);
  g_free (scope);
}

static void
drop_tensor (gpointer tensor)
{
  hyb_tensor_unref (tensor);
}

LoweringTarget *
hyb_lowering_target_new (void)
{
  LoweringTarget *target = g_new0 (LoweringTarget, 1);

  target->builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (target->builder, FALSE);
  target->types = g_array_new (FALSE, FALSE, sizeof (HybType));
  target->texts = hyb_arena_new ();
  target->contents = g_ptr_array_new_with_free_func (drop_tensor);
  return target;
}

void
hyb_lowering_target_free (LoweringTarget *target)
{
  g_clear_pointer (&target->builder, hyb_builder_free);
  g_clear_pointer (&target->types, g_array_unref);
  g_clear_pointer (&target->contents, g_ptr_array_unref);
  hyb_arena_unref (target->texts);
  g_free (target);
}

void
hyb_lowering_add_variable (HybLowering   *lowering,
                           HybNodeId      variable,
                           const HybType *type,
                           HybTensor     *contents)
{
  LoweringScope  *scope = lowering->scope;
  LoweringTarget *target = lowering->target;
  const HybNode  *node = hyb_graph_get_node (scope->graph, variable);
  HybValueId      value = hyb_builder_copy (target->builder, scope->graph, variable, NULL);

  g_array_append_val (target->types, *type);
  g_ptr_array_add (target->contents, contents ? hyb_tensor_ref (contents) : NULL);
  scope->types[node->first_output] = *type;
  scope->map[node->first_output] = value;
}

/* Variables first, in their order: executors bind them by position. */
static void
add_variables (HybLowering *lowering, const HybType *types, HybTensor *const *contents)
{
  HybGraph        *graph = lowering->scope->graph;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      HybValueId value = hyb_graph_get_node (graph, variables[i])->first_output;

      hyb_lowering_add_variable (lowering, variables[i], &types[value],
                                 contents ? contents[value]
                                          : hyb_graph_get_contents (graph, variables[i]));
    }
}

static void
clear_fault (gpointer fault)
{
  g_clear_error (&((HybLoweringFault *) fault)->error);
}

static HybLowered *
finish (HybLowering *lowering, gboolean may_lack_heads)
{
  LoweringScope    *scope = lowering->scope;
  LoweringTarget   *target = lowering->target;
  HybLowered       *lowered;
  guint             n_values = hyb_graph_n_values (scope->graph), n_heads;
  const HybValueId *heads = hyb_graph_get_heads (scope->graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    {
      lowering->node = hyb_graph_get_producer (scope->graph, heads[i]);
      if (scope->map[heads[i]] == HYB_NO_ID && may_lack_heads)
        continue;
      if (scope->map[heads[i]] == HYB_NO_ID)
        scope->map[heads[i]] =
            hyb_lowering_add_placeholder (lowering, lowering->node, &scope->types[heads[i]]);
      if (lowering->error)
        return NULL;
      hyb_builder_add_head (target->builder, scope->map[heads[i]]);
    }
  lowered = g_new0 (HybLowered, 1);
  g_atomic_ref_count_init (&lowered->references);
  lowered->graph = hyb_builder_freeze (g_steal_pointer (&target->builder));
  lowered->types = (HybType *) (gpointer) g_array_free (g_steal_pointer (&target->types), FALSE);
  /* The tensors move, so the array is freed without its function. */
  g_ptr_array_set_free_func (target->contents, NULL);
  lowered->contents = (HybTensor **) g_ptr_array_free (g_steal_pointer (&target->contents), FALSE);
  lowered->value_types = g_steal_pointer (&scope->types);
  lowered->map = g_array_sized_new (FALSE, FALSE, sizeof (HybValueId), n_values);
  g_array_append_vals (lowered->map, scope->map, n_values);
  lowered->faults = g_array_ref (lowering->faults);
  lowered->entered = g_hash_table_ref (lowering->work->entered);
  return lowered;
}

HybLowered *
hyb_lower (HybGraph *graph, const HybLowerOptions *options, GError **error)
{
  g_autoptr (LoweringScope) scope = hyb_lowering_scope_new (graph);
  g_autoptr (LoweringTarget) target = hyb_lowering_target_new ();
  g_autoptr (GArray) faults = g_array_new (FALSE, FALSE, sizeof (HybLoweringFault));
  g_autoptr (GHashTable) entered = hyb_lowering_bodies_new ();
  LoweringWork work = { .entered = entered, .is_portable = options->is_portable };
  HybLowered  *lowered;
  HybLowering  lowering = { .scope = scope,
                            .target = target,
                            .training = options->training,
                            .for_run = options->for_run,
                            .is_tolerant = options->is_tolerant,
                            .is_drawn = options->is_tolerant,
                            .work = &work,
                            .faults = faults };

  g_array_set_clear_func (faults, clear_fault);
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    scope->types[i] = options->types[i];
  add_variables (&lowering, options->types, options->contents);
  lowered = hyb_lowering_walk (&lowering) ? finish (&lowering, options->may_lack_heads) : NULL;
  if (!lowered)
    g_propagate_error (error, lowering.error);
  return lowered;
}

HybLowered *
hyb_lowered_ref (HybLowered *lowered)
{
  g_atomic_ref_count_inc (&lowered->references);
  return lowered;
}

void
hyb_lowered_unref (HybLowered *lowered)
{
  if (!lowered || !g_atomic_ref_count_dec (&lowered->references))
    return;
  for (guint i = 0; i < hyb_graph_n_values (lowered->graph); i++)
    hyb_tensor_unref (lowered->contents[i]);
  g_free (lowered->contents);
  g_free (lowered->types);
  g_free (lowered->value_types);
  g_array_unref (lowered->map);
  g_array_unref (lowered->faults);
  g_hash_table_unref (lowered->entered);
  hyb_graph_unref (lowered->graph);
  g_free (lowered);
}

gboolean
hyb_lowered_is_dead (const HybLowered *lowered, HybGraph *graph, HybNodeId node, guint body)
{
  HybGraph *const *bodies = hyb_graph_get_bodies (graph, node);
  guint            n = hyb_graph_get_node (graph, node)->n_bodies;
  gboolean         runs_other = FALSE;

  for (guint i = 0; i < n; i++)
    runs_other |= i != body && g_hash_table_contains (lowered->entered, bodies[i]);
  return runs_other && !g_hash_table_contains (lowered->entered, bodies[body]);
}
