/* plan-steps.c — makes the call of one step ready: by the device, or by the processor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/exec/plan-private.h"
#include "engine/imperative/convert.h"

void
hyb_plan_init_step (HybPlan *plan, HybStep *step, HybNodeId id, HybType *room)
{
  const HybNode *node = hyb_graph_get_node (plan->graph, id);
  guint          n = node->n_inputs + node->n_outputs;

  step->node = id;
  step->key = node->key;
  hyb_call_init (&step->call, plan->graph, id, plan->types, room);
  step->call.training = plan->training;
  step->converts = hyb_convert_is_needed (&step->call);
  step->call.input = step->converts ? hyb_operands_keep (plan->operands, n, room)
                                    : hyb_operands_share (plan->operands, n, room);
  step->call.output = step->call.input + node->n_inputs;
}

/* Passes the known contents of inputs to the operator. */
static gboolean
prepare_operator (const HybPlan *plan, HybStep *step, const HybFacts *facts, GError **error)
{
  HybCall               *call = &step->call;
  const HybValueId      *inputs = hyb_graph_get_inputs (plan->graph, step->node);
  g_autofree HybTensor **constants = NULL;
  gboolean               is_ready;

  if (!call->op->prepare)
    return TRUE;
  constants = g_new0 (HybTensor *, MAX (call->n_inputs, 1));
  for (guint i = 0; i < call->n_inputs && !step->converts; i++)
    constants[i] = facts->constants[inputs[i]];
  call->plan_options = plan->options;
  call->constants = constants;
  is_ready = call->op->prepare (call, error);
  call->constants = NULL;
  call->plan_options = NULL;
  return is_ready;
}

/* TRUE if the device computes the step, or its bodies. */
static gboolean
prepare_on_device (HybPlan *plan, HybStep *step, const HybFacts *facts)
{
  guint    index = plan->n_prepared;
  HybCall *call = &step->call;
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  if (hyb_device_plan_add_step (plan, index, &step->workspace_bytes))
    {
      step->converts = FALSE;
      return TRUE;
    }
  if (!(call->op->flags & HYB_OP_DEVICE_BODIES) || step->converts)
    return FALSE;
  hyb_device_plan_begin_bodies (plan, index);
  is_done = prepare_operator (plan, step, facts, &error);
  if (hyb_device_plan_end_bodies (plan, index, is_done, error))
    {
      step->workspace_bytes = call->op->workspace (call);
      return TRUE;
    }
  if (is_done)
    call->op->release (call);
  return FALSE;
}

gboolean
hyb_plan_prepare_step (HybPlan *plan, HybStep *step, const HybFacts *facts, GError **error)
{
  gsize for_conversion = 0;
  gsize asked;

  /* 1. The device computes the step if it can; then the host prepares nothing for it. */
  if (plan->device && prepare_on_device (plan, step, facts))
    {
      plan->n_prepared++;
      return TRUE;
    }
  if (plan->device && !hyb_device_plan_check_host (plan, plan->n_prepared, error))
    return FALSE;
  /* 2. A step that converts its operands has two calls: the outer one with the types of the graph,
   * and the one that the operator computes, with types that it supports. */
  if (step->converts)
    {
      HybCall outer = step->call;

      step->outer = g_memdup2 (&outer, sizeof outer);
      if (!hyb_convert_init (&step->call, step->outer,
                             outer.input + outer.n_inputs + outer.n_outputs, &for_conversion))
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                             "its operands converted would not fit any memory");
    }

  if (!prepare_operator (plan, step, facts, error))
    return FALSE;
  plan->n_prepared++;

  /* 3. The operator's workspace follows the converted operands. */
  asked = step->call.op->workspace ? step->call.op->workspace (&step->call) : 0;
  if (!g_size_checked_add (&step->workspace_bytes, for_conversion, asked))
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                         "a workspace of %" G_GSIZE_FORMAT " bytes would not fit any memory",
                         asked);
  return TRUE;
}
