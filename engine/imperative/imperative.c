/* imperative.c — runs one operator without a plan.
 *
 * Types are inferred and memory is allocated for each call.  Start with hyb_imperative_call().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/imperative.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/imperative/computable.h"
#include "engine/imperative/convert.h"
#include "engine/op/plan-options.h"
#include "engine/op/run-memory.h"
#include "engine/tensor/shape-private.h"

/* Calls with at most this many operands allocate nothing for types and pointers. */
#define SMALL_N_OPERANDS 12

/* The workspace of operators that need none: offsets are added to it. */
static guint64 no_bytes[1];

/* --- Types --- */

static gboolean
types_equal (const HybType *a, const HybType *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (a[i].dtype != b[i].dtype || !hyb_shape_is_same (&a[i].shape, &b[i].shape))
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

/* Applies the rules until nothing changes; outputs whose dtype is still unknown become float32. */
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

        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                             "%s is %s, but %s is needed", name, given, expected);
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
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, fault->hint, "%s",
                fault->message);
  if (fault->graph)
    prefix_node (hyb_graph_get_node (fault->graph, fault->node), error);
  return FALSE;
}

/* Reports to the probe that the node of run begins to compute. */
static void
report_ready (const HybRun *run)
{
  if (run->span && run->probe && run->probe->ready)
    run->probe->ready (run->probe->data, run->span);
}

/* Allocates the workspace of the prepared inner call and runs it. */
static gboolean
run_forward (const HybCall *outer, const HybCall *inner, gsize bytes, HybRun *run, GError **error)
{
  g_autoptr (HybTensor) workspace = NULL;
  gsize asked = inner->op->workspace ? inner->op->workspace (inner) : 0;

  if (asked > (gsize) G_MAXINT64 - bytes)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                         "a workspace of %" G_GSIZE_FORMAT " bytes would not fit any memory",
                         asked);

  if (bytes + asked > 0)
    {
      HybType type = { hyb_shape_1d ((gint64) (bytes + asked)), HYB_U8 };

      if (!hyb_run_take_memory (run, "workspace", bytes + asked, error))
        return FALSE;
      workspace = hyb_tensor_new (&type, error);
      if (!workspace)
        {
          hyb_run_give_memory (run, bytes + asked);
          return FALSE;
        }
      run->workspace = hyb_tensor_get_data (workspace);
      hyb_run_report_memory (run, (gint64) (bytes + asked));
    }

  report_ready (run);
  if (bytes > 0)
    hyb_convert_forward (outer, inner, run);
  else
    inner->op->forward (inner, run);

  if (workspace)
    {
      hyb_run_report_memory (run, -(gint64) (bytes + asked));
      hyb_run_give_memory (run, bytes + asked);
    }
  return !run->fault->is_set || hyb_imperative_refuse (run->fault, error);
}

/* Calls the operator's prepare().  Bodies that it plans may use the rest of the run's memory. */
static gboolean
prepare (HybCall *call, const HybRun *run, GError **error)
{
  HybPlanOptions options = { 0 };
  gboolean       is_ready;

  if (!call->op->prepare)
    return TRUE;
  if (run->memory)
    {
      options.memory_limit = MAX (run->memory->limit - run->memory->used, 1);
      call->plan_options = &options;
    }
  is_ready = call->op->prepare (call, error);
  call->plan_options = NULL;
  return is_ready;
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
    hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                  "its operands converted would not fit any memory");
  else if (prepare (&inner, run, error))
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
    {
      report_ready (run);
      return call->op->compute (call, run, inputs, outputs, error);
    }

  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_type_is_known (&call->output[i]))
      {
        g_autofree char *name = hyb_op_dup_output_name (call->op, i, call->n_outputs);
        g_autofree char *known = hyb_shape_to_string (&call->output[i].shape);

        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL, NULL,
                             "the inputs do not determine the shape of its %s: only %s is "
                             "known",
                             name, known);
      }
  g_assert_not_reached ();
}

/* Allocates and counts an output.  (transfer full) */
static HybTensor *
new_output (const HybType *type, const HybRun *run, GError **error)
{
  HybTensor *output;
  gsize      bytes;

  if (!hyb_shape_bytes (&type->shape, type->dtype, &bytes, error) ||
      !hyb_run_take_memory (run, "output", bytes, error))
    return NULL;
  output = hyb_tensor_new (type, error);
  if (!output)
    hyb_run_give_memory (run, bytes);
  return output;
}

/* Frees outputs that were counted. */
static void
drop_outputs (HybTensor **outputs, guint n, const HybRun *run)
{
  for (guint i = 0; i < n; i++)
    if (outputs[i])
      {
        hyb_run_give_memory (run, hyb_tensor_get_bytes (outputs[i]));
        g_clear_pointer (&outputs[i], hyb_tensor_unref);
      }
}

/* Runs compute(), and counts its outputs. */
static gboolean
compute_outputs (HybCall          *call,
                 HybRun           *run,
                 HybTensor *const *inputs,
                 HybTensor       **outputs,
                 GError          **error)
{
  gboolean is_done = run_compute (call, run, inputs, outputs, error);

  for (guint i = 0; i < call->n_outputs; i++)
    {
      is_done =
          is_done && hyb_run_take_memory (run, "output", hyb_tensor_get_bytes (outputs[i]), error);
      if (is_done)
        continue;
      drop_outputs (outputs, i, run);
      for (; i < call->n_outputs; i++)
        g_clear_pointer (&outputs[i], hyb_tensor_unref);
    }
  return is_done;
}

/* Completes the types of call: inputs are known, outputs as far as the caller has set them.  Outputs are counted. */
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
  run.workspace = no_bytes;
  run.fault = &fault;

  /* Such operators allocate their outputs themselves, since shapes depend on values. */
  if (!outputs_known (call) || hyb_op_needs_compute (call->op) ||
      runs_bodies_one_by_one (call, &run))
    return compute_outputs (call, &run, inputs, outputs, error);
  else
    {
      is_done = TRUE;
      for (guint i = 0; is_done && i < call->n_outputs; i++)
        {
          outputs[i] = new_output (&call->output[i], &run, error);
          is_done = outputs[i] != NULL;
          if (is_done)
            run.output[i] = hyb_tensor_get_data (outputs[i]);
        }
      is_done = is_done && run_kernel (call, &run, error);
    }

  if (!is_done)
    drop_outputs (outputs, call->n_outputs, &run);
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
                               .legacy_shapes = !use->has_scalars };
  HybType             few[SMALL_N_OPERANDS];
  g_autofree HybType *many = NULL;
  HybType            *types;
  guint               n_expected = n_inputs;

  call.n_outputs = 1;
  if (!(op->flags & HYB_OP_OPAQUE))
    hyb_op_body_arity (op, use->params, use->bodies, &n_expected, &call.n_outputs);
  if (n_expected != n_inputs)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, op->name, NULL,
                         "%u inputs were given, but it takes %u", n_inputs, n_expected);

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

  if (hyb_op_check_computable (op, error) &&
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

  if (hyb_node_check_computable (node, error) &&
      execute (&call, use->inputs, use->outputs, context, error))
    return TRUE;
  prefix_node (node, error);
  return FALSE;
}
