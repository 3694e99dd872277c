/* plan.c — turns a graph and the types of its variables into steps that are ready to run.
 *
 * Infers types, runs the passes, makes the steps (plan-places.c finds the places of operands), lays
 * memory out (plan-memory.c) and fills the slots.  Start with hyb_plan_new() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/plan.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "engine/exec/plan-memory.h"
#include "engine/exec/plan-private.h"
#include "engine/graph/reach.h"
#include "engine/imperative/computable.h"
#include "engine/imperative/imperative.h"
#include "engine/passes/pipeline.h"

#include <string.h>

/* At most this many names are listed in a message. */
#define MAX_LISTED 8

static gsize
memory_limit (const HybPlanOptions *options)
{
  return options->memory_limit > 0 ? options->memory_limit : (gsize) hyb_limits_get_run_memory ();
}

static void
prefix_node (GError **error, const HybNode *node)
{
  g_prefix_error (error, "node “%s” (%s): ", node->name, node->type);
  if (node->line > 0)
    g_prefix_error (error, "line %u: ", node->line);
  if (error)
    hyb_error_add_remedy (error, hyb_error_get_remedy (*error), node->name);
}

/* --- Initial facts --- */

static HybFacts *
first_facts (HybGraph *graph, const HybType *variable_types, const HybPlanOptions *options)
{
  HybFacts          *facts = hyb_facts_new (options->training);
  g_autofree guint8 *written = hyb_graph_find_written (graph, options->training);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  facts->for_device = options->gpu != NULL;
  facts->same_bytes = options->same_bytes;
  hyb_facts_resize (facts, graph);
  facts->sources = hyb_sources_new (graph);
  for (guint i = 0; i < n; i++)
    {
      HybValueId value = hyb_graph_get_node (graph, variables[i])->first_output;

      if (variable_types)
        facts->types[value] = variable_types[i];
      if (!options->constants || !options->constants[i] || written[variables[i]])
        continue;
      facts->types[value] = *hyb_tensor_get_type (options->constants[i]);
      facts->constants[value] = hyb_tensor_ref (options->constants[i]);
    }
  return facts;
}

/* --- Are all needed types known? --- */

/* Reports all variables without a type in one message, with the reason for the first. */
static gboolean
refuse_unknown (HybPlan *plan, const guint8 *needed, HybValueId value, GError **error)
{
  g_autofree char *reason = hyb_infer_reason (plan->graph, plan->types, value);
  g_autoptr (GString) others = g_string_new (NULL);
  guint            n, n_others = 0;
  const HybNodeId *variables = hyb_graph_get_variables (plan->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (plan->graph, variables[i]);

      if (!needed[variables[i]] || hyb_type_is_known (&plan->types[node->first_output]))
        continue;
      if (n_others++ < MAX_LISTED)
        g_string_append_printf (others, "%s“%s”", others->len > 0 ? ", " : "", node->name);
    }
  if (n_others > MAX_LISTED)
    g_string_append_printf (others, " and %u more", n_others - MAX_LISTED);
  if (n_others > 1)
    g_string_prepend (others, ". Variables without a shape: ");
  else
    g_string_truncate (others, 0);

  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL, NULL, "%s%s", reason,
                       others->str);
}

static gboolean
check_size (HybPlan *plan, const HybNode *node, gsize limit, GError **error)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const HybType *type = &plan->types[node->first_output + i];
      gsize          bytes;

      if (!hyb_shape_bytes (&type->shape, type->dtype, &bytes, error))
        {
          prefix_node (error, node);
          return FALSE;
        }
      if (bytes > limit)
        {
          g_autofree char *text = hyb_type_to_string (type);

          hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                        "its output %s needs %.4g MiB of %.4g MiB available", text,
                        (double) bytes / (1 << 20), (double) limit / (1 << 20));
          hyb_error_add_remedy (error, HYB_REMEDY_SMALLER, NULL);
          prefix_node (error, node);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
is_dynamic_input (HybPlan *plan, HybNodeId id, const guint8 *dynamic)
{
  const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (plan->graph, id)->n_inputs; i++)
    if (dynamic[hyb_graph_get_producer (plan->graph, inputs[i])])
      return TRUE;
  return FALSE;
}

/* Only a node that has compute() may leave the types of its outputs open; then all nodes that
 * depend on it may, too. */
static gboolean
check_node (HybPlan *plan, HybNodeId id, const guint8 *needed, guint8 *dynamic, GError **error)
{
  const HybNode *node = hyb_graph_get_node (plan->graph, id);

  if (!hyb_node_is_variable (node) && !hyb_node_check_computable (node, error))
    {
      prefix_node (error, node);
      return FALSE;
    }

  if (!hyb_node_is_variable (node) && hyb_op_needs_compute (node->op))
    dynamic[id] = TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (hyb_type_is_known (&plan->types[node->first_output + i]))
        continue;
      if (is_dynamic_input (plan, id, dynamic) || node->op->compute)
        dynamic[id] = TRUE;
      else
        return refuse_unknown (plan, needed, node->first_output + i, error);
    }
  plan->is_dynamic |= dynamic[id];
  return TRUE;
}

static gboolean
check_nodes (HybPlan *plan, const guint8 *needed, gsize limit, GError **error)
{
  guint              n_nodes = hyb_graph_n_nodes (plan->graph);
  g_autofree guint8 *dynamic = g_new0 (guint8, MAX (n_nodes, 1));

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      if (!needed[id])
        continue;
      if (!check_node (plan, id, needed, dynamic, error))
        return FALSE;
      if (!dynamic[id] && !check_size (plan, hyb_graph_get_node (plan->graph, id), limit, error))
        return FALSE;
    }
  return TRUE;
}

/* --- Steps --- */

static gboolean
make_steps (HybPlan *plan, const GArray *nodes, const HybFacts *facts, GError **error)
{
  g_autofree HybType *room = NULL;
  guint               most = 1; /* operands of a step */

  for (guint i = 0; i < nodes->len; i++)
    {
      const HybNode *node = hyb_graph_get_node (plan->graph, g_array_index (nodes, HybNodeId, i));

      most = MAX (most, node->n_inputs + node->n_outputs);
    }
  room = g_new (HybType, most);
  if (plan->options->gpu)
    plan->device = hyb_device_plan_new (plan->options, nodes->len);
  plan->operands = hyb_operands_new ();
  plan->steps = g_new0 (HybStep, MAX (nodes->len, 1));

  for (guint i = 0; i < nodes->len; i++)
    {
      HybStep *step = &plan->steps[i];

      hyb_plan_init_step (plan, step, g_array_index (nodes, HybNodeId, i), room);
      step->first_slot = plan->n_slots;
      plan->n_slots += step->call.n_inputs + step->call.n_outputs;
      plan->n_steps++;
      if (!hyb_plan_prepare_step (plan, step, facts, error))
        {
          prefix_node (error, hyb_graph_get_node (plan->graph, step->node));
          return FALSE;
        }
    }
  return TRUE;
}

/* --- Memory --- */

/* Workspaces are intervals of one step; they follow the intervals of the values. */
static gboolean
plan_memory (HybPlan *plan, GArray *intervals, gsize limit, GError **error)
{
  guint        first_workspace = intervals->len;
  guint        at = first_workspace;
  guint        failed;
  HybInterval *interval;

  for (guint i = 0; i < plan->n_steps; i++)
    {
      HybInterval workspace = { .begin = plan->steps[i].node,
                                .end = plan->steps[i].node,
                                .bytes = plan->steps[i].workspace_bytes };

      if (workspace.bytes > 0)
        g_array_append_val (intervals, workspace);
    }

  /* The steps are numbered by node, so lifetimes are in nodes, too. */
  interval = (HybInterval *) (gpointer) intervals->data;
  failed = hyb_memory_plan (interval, intervals->len, hyb_graph_n_nodes (plan->graph), limit,
                            &plan->memory);
  if (failed < intervals->len)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                    "its %s of %.4g MiB makes the run exceed the %.4g MiB available",
                    failed >= first_workspace ? "workspace" : "output",
                    (double) interval[failed].bytes / (1 << 20), (double) limit / (1 << 20));
      hyb_error_add_remedy (error, HYB_REMEDY_SMALLER, NULL);
      prefix_node (error, hyb_graph_get_node (plan->graph, interval[failed].begin));
      return FALSE;
    }

  for (guint v = 0; v < hyb_graph_n_values (plan->graph); v++)
    if (plan->places[v].kind == HYB_PLACE_BLOCK)
      plan->places[v].offset += interval[plan->places[v].index].offset;
  for (guint i = 0; i < plan->n_steps; i++)
    if (plan->steps[i].workspace_bytes > 0)
      plan->steps[i].workspace = interval[at++].offset;
  return TRUE;
}

/* --- Slots --- */

static void
fill_slots (HybPlan *plan)
{
  plan->slots = g_new (HybPlace, MAX (plan->n_slots, 1));
  for (guint i = 0; i < plan->n_steps; i++)
    {
      const HybStep    *step = &plan->steps[i];
      const HybNode    *node = hyb_graph_get_node (plan->graph, step->node);
      const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, step->node);
      HybPlace         *slot = plan->slots + step->first_slot;

      for (guint k = 0; k < node->n_inputs; k++)
        *slot++ = plan->places[inputs[k]];
      for (guint k = 0; k < node->n_outputs; k++)
        *slot++ = plan->places[node->first_output + k];
    }
}

/* Sorts the slots of one kind by the number of the variable or head that fills them. */
static HybPatch *
collect_patches (const HybPlan *plan, HybPlaceKind kind, guint n, guint **first_out)
{
  guint            *first = g_new0 (guint, (gsize) n + 2);
  HybPatch         *patches;
  g_autofree guint *next = NULL;

  for (guint i = 0; i < plan->n_slots; i++)
    if (plan->slots[i].kind == kind)
      first[plan->slots[i].index + 1]++;
  for (guint i = 0; i < n; i++)
    first[i + 1] += first[i];

  patches = g_new (HybPatch, MAX (first[n], 1));
  next = g_memdup2 (first, sizeof (guint) * ((gsize) n + 1));
  for (guint i = 0; i < plan->n_slots; i++)
    if (plan->slots[i].kind == kind)
      patches[next[plan->slots[i].index]++] = (HybPatch){ i, plan->slots[i].offset };

  *first_out = first;
  return patches;
}

static void
find_copies (HybPlan *plan)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  plan->copies = g_new (HybCopy, MAX (n_heads, 1));
  for (guint i = 0; plan->binds_outputs && i < n_heads; i++)
    {
      const HybPlace *place = &plan->places[heads[i]];

      if (place->kind != HYB_PLACE_HEAD || place->index != i)
        plan->copies[plan->n_copies++] = (HybCopy){
          .from = *place, .head = i, .bytes = hyb_type_bytes (hyb_plan_type (plan, heads[i]))
        };
    }
}

/* Most values of a large graph have the type of another: a pointer takes a sixteenth of a type. */
static void
share_types (HybPlan *plan)
{
  guint           n_values = hyb_graph_n_values (plan->graph);
  const HybType **type = g_new (const HybType *, MAX (n_values, 1));

  if (!plan->operands)
    plan->operands = hyb_operands_new ();
  for (HybValueId value = 0; value < n_values; value++)
    type[value] = hyb_operands_share (plan->operands, 1, &plan->types[value]);
  plan->type = type;
  g_clear_pointer (&plan->types, g_free);
}

static gboolean
lay_out (HybPlan *plan, HybFacts *facts, const guint8 *needed, gsize limit, GError **error)
{
  g_autoptr (GArray) step_nodes = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GArray) intervals = NULL;

  plan->places = g_new0 (HybPlace, MAX (hyb_graph_n_values (plan->graph), 1));
  intervals = hyb_plan_find_places (plan, facts, needed, step_nodes);
  if (!make_steps (plan, step_nodes, facts, error))
    return FALSE;
  if (plan->device)
    hyb_device_plan_size_hidden (plan, intervals);
  if (!plan_memory (plan, intervals, limit, error))
    return FALSE;

  fill_slots (plan);
  plan->variable_patches =
      collect_patches (plan, HYB_PLACE_VARIABLE, plan->n_variables, &plan->variable_first);
  plan->head_patches = collect_patches (plan, HYB_PLACE_HEAD, plan->n_heads, &plan->head_first);
  find_copies (plan);
  if (plan->device)
    hyb_device_plan_finish (plan);
  return TRUE;
}

HybPlan *
hyb_plan_new (HybGraph             *graph,
              const HybType        *variable_types,
              const HybPlanOptions *given,
              GError              **error)
{
  g_return_val_if_fail (graph, NULL);

  const HybPlanOptions *options = given ? given : &(const HybPlanOptions){ 0 };
  g_autoptr (HybFacts) facts = first_facts (graph, variable_types, options);
  HybPipelineOptions passes = { options->optimise, options->without,     options->dump_after,
                                options->probe,    options->gpu != NULL, options->values_on_gpu };
  g_autoptr (HybPlan) plan = g_new0 (HybPlan, 1);
  g_autofree guint8 *needed = NULL;
  gsize              limit = memory_limit (options);

  /* 1. Passes rewrite the graph; afterwards facts describe the rewritten one. */
  g_atomic_ref_count_init (&plan->references);
  plan->training = options->training;
  plan->options = options;
  plan->binds_outputs = options->bind_outputs;
  plan->constants = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  plan->reports = g_array_new (FALSE, FALSE, sizeof (HybPassReport));
  plan->graph = hyb_pipeline_run (graph, facts, &passes, plan->reports, error);
  if (!plan->graph)
    return NULL;

  plan->given = hyb_graph_ref (graph);
  plan->sources = g_steal_pointer (&facts->sources);
  plan->types = g_steal_pointer (&facts->types);
  hyb_graph_get_variables (plan->graph, &plan->n_variables);
  hyb_graph_get_heads (plan->graph, &plan->n_heads);

  /* 2. Steps and memory.  A plan with sizes that only a run shows is not laid out here. */
  needed = hyb_graph_find_needed (plan->graph, facts->constants);
  if (!check_nodes (plan, needed, limit, error) ||
      (!plan->is_dynamic && !lay_out (plan, facts, needed, limit, error)))
    return NULL;
  share_types (plan);
  plan->options = NULL;
  return g_steal_pointer (&plan);
}

HybPlan *
hyb_plan_ref (HybPlan *plan)
{
  g_return_val_if_fail (plan, NULL);
  g_atomic_ref_count_inc (&plan->references);
  return plan;
}

void
hyb_plan_unref (HybPlan *plan)
{
  if (!plan || !g_atomic_ref_count_dec (&plan->references))
    return;

  /* The device releases the data that it prepared for its steps. */
  for (guint i = 0; i < plan->n_prepared; i++)
    if (plan->steps[i].call.op->release && !(plan->device && plan->device->steps[i].twin))
      plan->steps[i].call.op->release (&plan->steps[i].call);
  g_clear_pointer (&plan->device, hyb_device_plan_free);
  g_clear_pointer (&plan->graph, hyb_graph_unref);
  g_clear_pointer (&plan->given, hyb_graph_unref);
  g_clear_pointer (&plan->sources, hyb_sources_free);
  g_free (plan->types);
  g_free (plan->type);
  g_free (plan->places);
  for (guint i = 0; i < plan->n_steps; i++)
    g_free (plan->steps[i].outer);
  g_free (plan->steps);
  hyb_operands_free (plan->operands);
  g_free (plan->slots);
  g_free (plan->variable_first);
  g_free (plan->variable_patches);
  g_free (plan->head_first);
  g_free (plan->head_patches);
  g_free (plan->copies);
  g_ptr_array_unref (plan->constants);
  g_array_unref (plan->reports);
  g_free (plan);
}

HybGraph *
hyb_plan_get_graph (const HybPlan *plan)
{
  g_return_val_if_fail (plan, NULL);
  return plan->graph;
}

const HybType *
hyb_plan_get_types (const HybPlan *plan)
{
  g_return_val_if_fail (plan, NULL);
  /* Another thread may call this at the same time: the first list is kept. */
  HybPlan *shared = (HybPlan *) plan;
  HybType *types = g_atomic_pointer_get (&shared->types);
  guint    n_values = hyb_graph_n_values (plan->graph);

  if (types)
    return types;
  types = g_new (HybType, MAX (n_values, 1));
  for (HybValueId value = 0; value < n_values; value++)
    types[value] = *plan->type[value];
  if (g_atomic_pointer_compare_and_exchange (&shared->types, NULL, types))
    return types;
  g_free (types);
  return g_atomic_pointer_get (&shared->types);
}

gsize
hyb_plan_get_memory (const HybPlan *plan)
{
  g_return_val_if_fail (plan, 0);
  return plan->memory;
}

guint
hyb_plan_n_steps (const HybPlan *plan)
{
  g_return_val_if_fail (plan, 0);
  return plan->n_steps;
}

const HybType *
hyb_plan_get_head_type (const HybPlan *plan, guint head)
{
  g_return_val_if_fail (plan, NULL);

  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  g_return_val_if_fail (head < n_heads, NULL);
  return hyb_plan_type (plan, heads[head]);
}

guint
hyb_plan_n_heads (const HybPlan *plan)
{
  g_return_val_if_fail (plan, 0);
  return plan->n_heads;
}

guint
hyb_plan_n_variables (const HybPlan *plan)
{
  g_return_val_if_fail (plan, 0);
  return plan->n_variables;
}

const HybType *
hyb_plan_get_variable_type (const HybPlan *plan, guint variable)
{
  g_return_val_if_fail (plan, NULL);

  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (plan->graph, &n);

  g_return_val_if_fail (variable < n, NULL);
  return hyb_plan_type (plan, hyb_graph_get_node (plan->graph, variables[variable])->first_output);
}

gboolean
hyb_plan_is_dynamic (const HybPlan *plan)
{
  g_return_val_if_fail (plan, FALSE);
  return plan->is_dynamic;
}
