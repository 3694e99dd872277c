/* imperative.c — runs one operator, or a graph operator by operator, without a plan.
 *
 * Memory is allocated for every output and freed after its last reader, as in a program that calls
 * operators one by one.  Start with hyb_imperative_call().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/imperative.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/graph/reach.h"
#include "engine/imperative/convert.h"

/* Calls with at most this many operands allocate nothing for types and pointers. */
#define SMALL_N_OPERANDS 12

static void
tell_memory (const HybRun *context, gint64 bytes)
{
  const HybProbe *probe = context->probe;

  if (probe && probe->memory)
    probe->memory (probe->data, 0, bytes);
}

/* --- Types --- */

static gboolean
types_equal (const HybType *a, const HybType *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (a[i].dtype != b[i].dtype || !hyb_shape_equal (&a[i].shape, &b[i].shape))
      return FALSE;
  return TRUE;
}

static gboolean
outputs_known (const HybCall *call)
{
  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_type_is_known (&call->output[i]))
      return FALSE;
  return TRUE;
}

static gboolean
outputs_unknown (const HybCall *call)
{
  for (guint i = 0; i < call->n_outputs; i++)
    if (call->output[i].shape.rank != HYB_UNKNOWN || call->output[i].dtype != HYB_DTYPE_UNKNOWN)
      return FALSE;
  return TRUE;
}

/* Applies the rules until nothing changes, then makes outputs float32 whose dtype nothing
 * determines. */
static gboolean
infer_call (HybCall *call, HybType *before, GError **error)
{
  guint    n = call->n_inputs + call->n_outputs;
  gboolean has_defaults = FALSE;

  /* Outputs followed from inputs alone, so applying the rules again changes nothing. */
  if (outputs_unknown (call))
    {
      if (!hyb_call_infer (call, error))
        return FALSE;
      if (outputs_known (call))
        return TRUE;
    }

  for (;;)
    {
      for (guint i = 0; i < n; i++)
        before[i] = call->input[i];
      if (!hyb_call_infer (call, error))
        return FALSE;
      if (!types_equal (before, call->input, n))
        continue;
      if (has_defaults)
        return TRUE;

      for (guint i = 0; i < call->n_outputs; i++)
        if (call->output[i].dtype == HYB_DTYPE_UNKNOWN)
          {
            call->output[i].dtype = HYB_F32;
            has_defaults = TRUE;
          }
      if (!has_defaults)
        return TRUE;
    }
}

/* A probe that reads values needs those inside bodies as well, and a planned body keeps none. */
static gboolean
runs_bodies_one_by_one (const HybCall *call, const HybRun *run)
{
  return run->probe && run->probe->value && call->op->n_bodies > 0 && call->op->compute;
}

static gboolean
inputs_agree (const HybCall *call, HybTensor *const *inputs, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (!types_equal (&call->input[i], hyb_tensor_get_type (inputs[i]), 1))
      {
        g_autofree char *name = hyb_op_dup_input_name (call->op, i, call->n_inputs);
        g_autofree char *given = hyb_type_to_string (hyb_tensor_get_type (inputs[i]));
        g_autofree char *expected = hyb_type_to_string (&call->input[i]);

        return hyb_error_at (error,
                             HYB_GRAPH_ERROR,
                             HYB_GRAPH_ERROR_TYPES,
                             NULL,
                             NULL,
                             "%s is %s, but %s is needed",
                             name,
                             given,
                             expected);
      }
  return TRUE;
}

/* --- Computing --- */

static void
prefix_node (const HybNode *node, GError **error)
{
  g_prefix_error (error, "node “%s” (%s): ", node->name, node->type);
  if (node->line > 0)
    g_prefix_error (error, "line %u: ", node->line);
}

gboolean
hyb_imperative_refuse (const HybRunFault *fault, GError **error)
{
  hyb_error_at (error,
                HYB_GRAPH_ERROR,
                HYB_GRAPH_ERROR_TYPES,
                NULL,
                fault->hint,
                "%s",
                fault->message);
  if (fault->graph)
    prefix_node (hyb_graph_get_node (fault->graph, fault->node), error);
  return FALSE;
}

/* Allocates the workspace of the prepared inner call and runs it. */
static gboolean
run_forward (const HybCall *outer, const HybCall *inner, gsize bytes, HybRun *run, GError **error)
{
  g_autoptr (HybTensor) workspace = NULL;
  gsize asked = inner->op->workspace ? inner->op->workspace (inner) : 0;

  if (asked > (gsize) G_MAXINT64 - bytes)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_MEMORY,
                         NULL,
                         NULL,
                         "a workspace of %" G_GSIZE_FORMAT " bytes would not fit any memory",
                         asked);

  if (bytes + asked > 0)
    {
      HybType type = { hyb_shape_1d ((gint64) (bytes + asked)), HYB_U8 };

      workspace = hyb_tensor_new (&type, error);
      if (!workspace)
        return FALSE;
      run->workspace = hyb_tensor_get_data (workspace);
      tell_memory (run, (gint64) (bytes + asked));
    }

  if (bytes > 0)
    hyb_convert_forward (outer, inner, run);
  else
    inner->op->forward (inner, run);

  if (workspace)
    tell_memory (run, -(gint64) (bytes + asked));
  return !run->fault->is_set || hyb_imperative_refuse (run->fault, error);
}

static gboolean
run_kernel (HybCall *call, HybRun *run, GError **error)
{
  HybType  few[SMALL_N_OPERANDS];
  guint    n = call->n_inputs + call->n_outputs;
  HybType *room = n <= SMALL_N_OPERANDS ? few : g_new (HybType, n);
  HybCall  inner = *call;
  gsize    bytes = 0;
  gboolean is_done = FALSE;

  if (hyb_convert_is_needed (call) && !hyb_convert_init (&inner, call, room, &bytes))
    hyb_error_at (error,
                  HYB_GRAPH_ERROR,
                  HYB_GRAPH_ERROR_MEMORY,
                  NULL,
                  NULL,
                  "its operands converted would not fit any memory");
  else if (!inner.op->prepare || inner.op->prepare (&inner, error))
    {
      is_done = run_forward (call, &inner, bytes, run, error);
      if (inner.op->release)
        inner.op->release (&inner);
    }

  if (room != few)
    g_free (room);
  return is_done;
}

static gboolean
run_compute (HybCall          *call,
             HybRun           *run,
             HybTensor *const *inputs,
             HybTensor       **outputs,
             GError          **error)
{
  if (call->op->compute)
    return call->op->compute (call, run, inputs, outputs, error);

  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_type_is_known (&call->output[i]))
      {
        g_autofree char *name = hyb_op_dup_output_name (call->op, i, call->n_outputs);
        g_autofree char *known = hyb_shape_to_string (&call->output[i].shape);

        return hyb_error_at (error,
                             HYB_GRAPH_ERROR,
                             HYB_GRAPH_ERROR_UNKNOWN,
                             NULL,
                             NULL,
                             "the inputs do not determine the shape of its %s: only %s is "
                             "known",
                             name,
                             known);
      }
  g_assert_not_reached ();
}

gboolean
hyb_op_check_computable (const HybOp *op, const char *type, GError **error)
{
  if (op->flags & HYB_OP_OPAQUE)
    {
      hyb_error_at (error,
                    HYB_OP_ERROR,
                    HYB_OP_ERROR_UNKNOWN,
                    NULL,
                    hyb_op_missing_reason (type),
                    "there is no operator %s, so the graph can be displayed, but not run",
                    type);
      return hyb_error_add_remedy (error, HYB_REMEDY_OPERATOR, NULL);
    }
  if (op->forward || op->compute)
    return TRUE;
  g_set_error (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, "%s cannot be computed", type);
  return FALSE;
}

/* Completes the types of call: inputs are known, outputs as far as the caller knows them. */
static gboolean
execute (HybCall          *call,
         HybTensor *const *inputs,
         HybTensor       **outputs,
         const HybRun     *context,
         GError          **error)
{
  guint                n = call->n_inputs + call->n_outputs;
  HybType              few[SMALL_N_OPERANDS];
  gpointer             few_pointers[SMALL_N_OPERANDS];
  g_autofree HybType  *many = n > SMALL_N_OPERANDS ? g_new (HybType, n) : NULL;
  g_autofree gpointer *many_pointers = n > SMALL_N_OPERANDS ? g_new (gpointer, n) : NULL;
  gpointer            *pointers = many_pointers ? many_pointers : few_pointers;
  HybRunFault          fault = { .is_set = FALSE };
  HybRun               run = *context;
  gboolean             is_done;

  for (guint i = 0; i < call->n_outputs; i++)
    outputs[i] = NULL;

  call->training = run.training;
  if (!infer_call (call, many ? many : few, error) || !inputs_agree (call, inputs, error))
    return FALSE;

  for (guint i = 0; i < call->n_inputs; i++)
    pointers[i] = hyb_tensor_get_data (inputs[i]);
  run.input = (gconstpointer *) pointers;
  run.output = pointers + call->n_inputs;
  run.workspace = NULL;
  run.fault = &fault;

  if (!outputs_known (call) || hyb_op_needs_compute (call->op) ||
      runs_bodies_one_by_one (call, &run))
    is_done = run_compute (call, &run, inputs, outputs, error);
  else
    {
      is_done = TRUE;
      for (guint i = 0; is_done && i < call->n_outputs; i++)
        {
          outputs[i] = hyb_tensor_new (&call->output[i], error);
          is_done = outputs[i] != NULL;
          if (is_done)
            run.output[i] = hyb_tensor_get_data (outputs[i]);
        }
      is_done = is_done && run_kernel (call, &run, error);
    }

  for (guint i = 0; !is_done && i < call->n_outputs; i++)
    g_clear_pointer (&outputs[i], hyb_tensor_unref);
  return is_done;
}

gboolean
hyb_imperative_call (const HybImperativeCall *use, const HybRun *context, GError **error)
{
  const HybOp        *op = use->op;
  guint               n_inputs = use->n_inputs;
  static const HybRun no_context;
  HybCall             call = { .op = op,
                               .params = use->params,
                               .n_inputs = n_inputs,
                               .body = (HybGraph **) use->bodies,
                               .n_bodies = op->n_bodies,
                               .legacy_shapes = TRUE };
  HybType             few[SMALL_N_OPERANDS];
  g_autofree HybType *many = NULL;
  HybType            *types;
  guint               n_expected = n_inputs;

  call.n_outputs = 1;
  if (!(op->flags & HYB_OP_OPAQUE))
    hyb_op_body_arity (op, use->params, use->bodies, &n_expected, &call.n_outputs);
  if (n_expected != n_inputs)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_STRUCTURE,
                         op->name,
                         NULL,
                         "%u inputs were given, but it takes %u",
                         n_inputs,
                         n_expected);

  if (n_inputs + call.n_outputs > SMALL_N_OPERANDS)
    many = g_new (HybType, n_inputs + call.n_outputs);
  types = many ? many : few;
  call.input = types;
  call.output = types + n_inputs;
  for (guint i = 0; i < n_inputs; i++)
    call.input[i] = *hyb_tensor_get_type (use->inputs[i]);
  for (guint i = 0; i < call.n_outputs; i++)
    {
      /* Not the whole struct: clearing all dimensions takes as long as a small kernel. */
      call.output[i].shape.rank = HYB_UNKNOWN;
      call.output[i].dtype = HYB_DTYPE_UNKNOWN;
    }

  if (hyb_op_check_computable (op, op->name, error) &&
      execute (&call, use->inputs, use->outputs, context ? context : &no_context, error))
    return TRUE;
  g_prefix_error (error, "%s: ", op->name);
  return FALSE;
}

gboolean
hyb_imperative_node (const HybImperativeNode *use, const HybRun *context, GError **error)
{
  const HybNode      *node = hyb_graph_get_node (use->graph, use->id);
  guint               n = node->n_inputs + node->n_outputs;
  HybType             few[SMALL_N_OPERANDS];
  g_autofree HybType *many = n > SMALL_N_OPERANDS ? g_new (HybType, n) : NULL;
  HybCall             call;

  hyb_call_init (&call, use->graph, use->id, use->types, many ? many : few);
  for (guint i = 0; i < node->n_inputs; i++)
    call.input[i] = *hyb_tensor_get_type (use->inputs[i]);

  if (hyb_op_check_computable (node->op, node->type, error) &&
      execute (&call, use->inputs, use->outputs, context, error))
    return TRUE;
  prefix_node (node, error);
  return FALSE;
}

/* --- A whole graph --- */

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
    tell_memory (walk->context, -(gint64) hyb_tensor_get_bytes (walk->values[value]));
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
        return hyb_error_at (error,
                             HYB_GRAPH_ERROR,
                             HYB_GRAPH_ERROR_MISSING,
                             NULL,
                             NULL,
                             "variable “%s” has no value",
                             node->name);
    }
  return hyb_infer_types (walk->graph, walk->types, NULL, walk->context->training, error);
}

static void
tell_span (const HybRun *context, gboolean begin, const HybSpan *span)
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
tell_values (const HybRun     *context,
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

  tell_span (walk->context, TRUE, &span);
  is_done = hyb_imperative_node (&(HybImperativeNode){ .graph = walk->graph,
                                                       .id = id,
                                                       .types = walk->types,
                                                       .inputs = walk->inputs,
                                                       .outputs = outputs },
                                 &context,
                                 error);
  tell_span (walk->context, FALSE, &span);
  if (!is_done)
    return FALSE;

  tell_values (walk->context, &span, node, outputs);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      walk->types[node->first_output + i] = *hyb_tensor_get_type (outputs[i]);
      tell_memory (walk->context, (gint64) hyb_tensor_get_bytes (outputs[i]));
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
  static const HybRun no_context;
  guint               n_heads;
  const HybValueId   *head_values = hyb_graph_get_heads (graph, &n_heads);
  Walk                walk;
  gboolean            is_done;

  walk_init (&walk, graph, context ? context : &no_context);
  is_done = walk_bind (&walk, variables, error) && walk_run (&walk, error);
  for (guint i = 0; i < n_heads; i++)
    heads[i] = is_done ? hyb_tensor_ref (walk.values[head_values[i]]) : NULL;

  walk_clear (&walk);
  return is_done;
}
