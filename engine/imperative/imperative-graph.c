/* imperative-graph.c — runs a graph operator by operator, without a plan.
 *
 * Memory is allocated for every output and freed after its last reader, as in a program that calls
 * operators one by one.  Start with hyb_imperative_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/imperative.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/graph/reach.h"
#include "engine/op/run-memory.h"

typedef struct
{
  HybGraph     *graph;
  const HybRun *context;
  HybType      *types;  /* by value */
  HybTensor   **values; /* by value; NULL: not computed yet, or freed */
  guint        *n_left; /* by value: readers and heads that have not read it yet */
  guint8       *needed; /* by node */
  HybTensor   **inputs; /* space for the inputs of one node */
} Walk;

static gboolean
walk_is_variable (const Walk *walk, HybValueId value)
{
  HybNodeId producer = hyb_graph_get_producer (walk->graph, value);

  return hyb_node_is_variable (hyb_graph_get_node (walk->graph, producer));
}

static void
walk_drop (Walk *walk, HybValueId value)
{
  if (!walk->values[value])
    return;
  if (!walk_is_variable (walk, value))
    {
      hyb_run_report_memory (walk->context, -(gint64) hyb_tensor_get_bytes (walk->values[value]));
      hyb_run_give_memory (walk->context, hyb_tensor_get_bytes (walk->values[value]));
    }
  g_clear_pointer (&walk->values[value], hyb_tensor_unref);
}

static void
walk_init (Walk *walk, HybGraph *graph, const HybRun *context)
{
  guint             n_values = hyb_graph_n_values (graph);
  guint             most = 1;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  *walk = (Walk){ .graph = graph, .context = context };
  walk->types = g_new (HybType, MAX (n_values, 1));
  walk->values = g_new0 (HybTensor *, MAX (n_values, 1));
  walk->n_left = g_new0 (guint, MAX (n_values, 1));
  walk->needed = hyb_graph_find_needed (graph, NULL);

  for (guint i = 0; i < n_values; i++)
    walk->types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n_heads; i++)
    walk->n_left[heads[i]]++;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      most = MAX (most, node->n_inputs);
      for (guint i = 0; walk->needed[id] && i < node->n_inputs; i++)
        walk->n_left[inputs[i]]++;
    }
  walk->inputs = g_new (HybTensor *, most);
}

static void
walk_clear (Walk *walk)
{
  for (guint i = 0; i < hyb_graph_n_values (walk->graph); i++)
    walk_drop (walk, i);
  g_free (walk->types);
  g_free (walk->values);
  g_free (walk->n_left);
  g_free (walk->needed);
  g_free (walk->inputs);
}

static gboolean
walk_bind (Walk *walk, HybTensor *const *variables, GError **error)
{
  guint            n;
  const HybNodeId *ids = hyb_graph_get_variables (walk->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (walk->graph, ids[i]);

      if (variables[i])
        {
          walk->types[node->first_output] = *hyb_tensor_get_type (variables[i]);
          walk->values[node->first_output] = hyb_tensor_ref (variables[i]);
        }
      else if (walk->needed[ids[i]])
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                             "variable “%s” has no value", node->name);
    }
  /* Operators of other formats find the types of their outputs themselves. */
  return hyb_graph_get_dialect (walk->graph) ||
         hyb_infer_types (walk->graph, walk->types, NULL, walk->context->training, error);
}

static void
report_span (const HybRun *context, gboolean begin, const HybSpan *span)
{
  const HybProbe *probe = context->probe;

  if (!probe)
    return;
  if (begin && probe->begin)
    probe->begin (probe->data, span);
  else if (!begin && probe->end)
    probe->end (probe->data, span);
}

static void
report_values (const HybRun     *context,
               const HybSpan    *span,
               const HybNode    *node,
               HybTensor *const *outputs)
{
  const HybProbe *probe = context->probe;

  if (!probe || !probe->value)
    return;
  for (guint i = 0; i < hyb_op_n_visible (node->op, node->params, node->n_outputs); i++)
    probe->value (probe->data, span, i, outputs[i]);
}

static gboolean
walk_node (Walk *walk, HybNodeId id, GError **error)
{
  const HybNode    *node = hyb_graph_get_node (walk->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (walk->graph, id);
  HybTensor       **outputs = walk->values + node->first_output;
  HybRun            context = *walk->context;
  HybSpan           span = { .kind = HYB_SPAN_NODE,
                             .id = id,
                             .graph = hyb_graph_get_id (walk->graph),
                             .depth = context.depth,
                             .run = context.number,
                             .step = (guint32) context.step,
                             .in = walk->graph };
  gboolean          is_done;

  context.key = node->key;
  context.span = context.probe ? &span : NULL;
  for (guint i = 0; i < node->n_inputs; i++)
    walk->inputs[i] = walk->values[inputs[i]];

  report_span (walk->context, TRUE, &span);
  is_done = hyb_imperative_node (&(HybImperativeNode){ .graph = walk->graph,
                                                       .id = id,
                                                       .types = walk->types,
                                                       .inputs = walk->inputs,
                                                       .outputs = outputs },
                                 &context, error);
  report_span (walk->context, FALSE, &span);
  if (!is_done)
    return FALSE;

  report_values (walk->context, &span, node, outputs);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      walk->types[node->first_output + i] = *hyb_tensor_get_type (outputs[i]);
      hyb_run_report_memory (walk->context, (gint64) hyb_tensor_get_bytes (outputs[i]));
      if (walk->n_left[node->first_output + i] == 0)
        walk_drop (walk, node->first_output + i);
    }
  for (guint i = 0; i < node->n_inputs; i++)
    if (--walk->n_left[inputs[i]] == 0)
      walk_drop (walk, inputs[i]);
  return TRUE;
}

static gboolean
walk_run (Walk *walk, GError **error)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (walk->graph); id++)
    {
      if (!walk->needed[id] || hyb_node_is_variable (hyb_graph_get_node (walk->graph, id)))
        continue;
      if (g_cancellable_set_error_if_cancelled (walk->context->cancellable, error) ||
          !walk_node (walk, id, error))
        return FALSE;
    }
  /* A loop that was cancelled ends early and leaves its last states. */
  return !g_cancellable_set_error_if_cancelled (walk->context->cancellable, error);
}

gboolean
hyb_imperative_run (HybGraph         *graph,
                    HybTensor *const *variables,
                    HybTensor       **heads,
                    const HybRun     *context,
                    GError          **error)
{
  guint             n_heads;
  const HybValueId *head_values = hyb_graph_get_heads (graph, &n_heads);
  HybRunMemory      memory = { 0 };
  HybRun            counted = { 0 };
  Walk              walk;
  gboolean          is_done;

  if (context)
    counted = *context;
  if (!counted.memory)
    {
      memory.limit = (gsize) hyb_limits_get_run_memory ();
      counted.memory = &memory;
    }
  walk_init (&walk, graph, &counted);
  is_done = walk_bind (&walk, variables, error) && walk_run (&walk, error);
  for (guint i = 0; i < n_heads; i++)
    heads[i] = is_done ? hyb_tensor_ref (walk.values[head_values[i]]) : NULL;

  walk_clear (&walk);
  return is_done;
}
