/* loop-backward-compute.c — the backward pass of a loop whose types are known only while running.
 *
 * States of different shapes cannot be recorded, so this runs the loop again, operator by operator,
 * and keeps the states of every step; then it runs the steps of the gradient in reverse, each with
 * the types of its own operands.  Start at hyb_loop_gradient_compute().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop.h"

#include "engine/base/error.h"
#include "engine/control/loop-tensors.h"
#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"
#include "engine/imperative/imperative.h"
#include "engine/op/dimensions.h"
#include "engine/op/run-memory.h"

#include <string.h>

typedef struct
{
  const HybLoop               *loop;
  const HybLoopGradientParams *params;
  const HybComputeArgs        *args;
  HybTensor *const            *inputs; /* of the forward node */
  gint64                       n_steps;
  guint                        n_heads; /* of the forward body */
  GPtrArray *captured; /* by variable: its input, or a copy if the body writes it */
  GPtrArray *steps;    /* of GPtrArray: the forward heads of each step */
  GPtrArray *dstates;  /* by state: its gradient after the step; NULL: zero */
  HybGraph  *forward;  /* the forward body */
  HybGraph  *gradient; /* the body with gradients of floats as its heads */
  int       *head;     /* by gradient: head of `gradient`; −1: zero */
  gsize      bytes;    /* of the heads of all steps, which are counted */
} BackwardLoop;

/* State k before a step. */
static HybTensor *
state_before (const BackwardLoop *backward, guint k, gint64 step)
{
  GPtrArray *heads;

  if (step == 0)
    return backward->inputs[backward->loop->variable[backward->loop->state[k]].input];
  heads = backward->steps->pdata[step - 1];
  return heads->pdata[backward->loop->n_out_data + k];
}

/* The variables of the body in a step; the gradients of heads behind them are still NULL.
 * (transfer full) */
static GPtrArray *
bind_forward (const BackwardLoop *backward, gint64 step)
{
  const HybLoop *loop = backward->loop;
  GPtrArray     *variables = hyb_loop_tensors_new (loop->n_variables + backward->n_heads);

  for (guint v = 0; v < loop->n_variables; v++)
    {
      const HybLoopVariable *variable = &loop->variable[v];

      if (variable->is_slice)
        variables->pdata[v] = hyb_loop_tensor_row (backward->inputs[variable->input],
                                                   backward->args->call->legacy_shapes, step);
      else if (variable->state != HYB_LOOP_NONE)
        variables->pdata[v] = hyb_tensor_ref (state_before (backward, variable->state, step));
      else
        variables->pdata[v] = hyb_tensor_ref (backward->captured->pdata[v]);
    }
  return variables;
}

/* Runs a graph as a step; returns its heads.  (transfer full); NULL and an error. */
static GPtrArray *
run_graph (const BackwardLoop *backward,
           HybGraph           *graph,
           gint64              step,
           GPtrArray          *variables,
           GError            **error)
{
  HybRun  context = hyb_subgraph_context (backward->args->run, step);
  guint32 id = hyb_graph_get_id (backward->args->call->body[0]);
  g_autoptr (GPtrArray) heads = hyb_loop_tensors_new (hyb_subgraph_n_heads (graph));
  gboolean is_done;

  if (g_cancellable_set_error_if_cancelled (backward->args->run->cancellable, error))
    return NULL;
  hyb_subgraph_notify_probe (&context, id, 0, TRUE);
  is_done = hyb_imperative_run (graph, (HybTensor *const *) variables->pdata,
                                (HybTensor **) heads->pdata, &context, error);
  hyb_subgraph_notify_probe (&context, id, 0, FALSE);
  return is_done ? g_steal_pointer (&heads) : NULL;
}

/* Counts the heads of a step, which stay until the end. */
static gboolean
count_heads (BackwardLoop *backward, const GPtrArray *heads, GError **error)
{
  gsize bytes = 0;

  for (guint h = 0; h < heads->len; h++)
    bytes += hyb_tensor_get_bytes (heads->pdata[h]);
  if (!hyb_run_take_memory (backward->args->run, "record of the steps", bytes, error))
    return FALSE;
  backward->bytes += bytes;
  return TRUE;
}

/* Runs all steps of the forward body and keeps their heads. */
static gboolean
repeat_forward (BackwardLoop *backward, GError **error)
{
  for (gint64 step = 0; step < backward->n_steps; step++)
    {
      g_autoptr (GPtrArray) variables = bind_forward (backward, step);
      GPtrArray *heads = run_graph (backward, backward->forward, step, variables, error);

      if (!heads)
        return FALSE;
      g_ptr_array_add (backward->steps, heads);
      if (!count_heads (backward, heads, error))
        return FALSE;
    }
  return TRUE;
}

/* The gradient of a head of the forward body in a step, if there is one.  (transfer full) */
static HybTensor *
given_gradient (const BackwardLoop *backward, guint h, gint64 step)
{
  HybTensor *state;

  if (h < backward->loop->n_out_data)
    {
      for (int i = 0; i < backward->params->heads.n; i++)
        if (backward->params->heads.value[i] == h)
          return hyb_loop_tensor_row (backward->args->inputs[i], FALSE, step);
      return NULL;
    }
  state = backward->dstates->pdata[h - backward->loop->n_out_data];
  return state ? hyb_tensor_ref (state) : NULL;
}

/* FALSE if a gradient differs in size or element type from its value. */
static gboolean
check_gradient (HybTensor *gradient, gint64 size, HybDType dtype, GError **error)
{
  if (hyb_tensor_get_size (gradient) == size && hyb_tensor_get_dtype (gradient) == dtype)
    return TRUE;
  return hyb_refuse_types (error, NULL,
                           "a gradient has %" G_GINT64_FORMAT
                           " elements of %s instead of %" G_GINT64_FORMAT " of %s",
                           hyb_tensor_get_size (gradient),
                           hyb_dtype_name (hyb_tensor_get_dtype (gradient)), size,
                           hyb_dtype_name (dtype));
}

/* The gradient of a head of the forward body in a step, zeros if there is none.  (transfer full) */
static HybTensor *
head_gradient (const BackwardLoop *backward, guint h, gint64 step, GError **error)
{
  GPtrArray *heads = backward->steps->pdata[step];
  HybTensor *head = heads->pdata[h];
  g_autoptr (HybTensor) given = given_gradient (backward, h, step);

  if (!given)
    return hyb_tensor_new_zeros (hyb_tensor_get_type (head), error);
  return check_gradient (given, hyb_tensor_get_size (head), hyb_tensor_get_dtype (head), error)
             ? g_steal_pointer (&given)
             : NULL;
}

static void
accumulate (HybTensor *sum, HybTensor *part)
{
  hyb_subgraph_accumulate (hyb_tensor_get_dtype (sum), hyb_tensor_get_size (sum),
                           hyb_tensor_get_data (part), hyb_tensor_get_data (sum));
}

/* Stores the gradients of a step: writes rows, replaces gradients of states, adds up the others.  FALSE if a gradient
 * does not have the size of its value. */
static gboolean
store_gradients (const BackwardLoop *backward,
                 gint64              step,
                 GPtrArray          *heads,
                 HybTensor         **outputs,
                 GError            **error)
{
  const HybLoop *loop = backward->loop;

  for (guint k = 0; k < loop->n_states; k++)
    hyb_loop_tensors_set (backward->dstates, k, NULL);
  for (int g = 0; g < backward->params->gradients.n; g++)
    {
      const HybLoopVariable *variable = &loop->variable[backward->params->gradients.value[g]];
      HybTensor             *got = backward->head[g] >= 0 ? heads->pdata[backward->head[g]] : NULL;
      const HybShape        *whole = hyb_tensor_get_shape (outputs[g]);
      gint64 size = hyb_shape_count (whole, variable->is_slice ? 1 : 0, whole->rank);

      if (!got)
        continue;
      if (variable->state == HYB_LOOP_NONE &&
          !check_gradient (got, size, hyb_tensor_get_dtype (outputs[g]), error))
        return FALSE;
      if (variable->is_slice)
        memcpy ((char *) hyb_tensor_get_data (outputs[g]) +
                    (gsize) step * hyb_tensor_get_bytes (got),
                hyb_tensor_get_data (got), hyb_tensor_get_bytes (got));
      else if (variable->state != HYB_LOOP_NONE)
        hyb_loop_tensors_set (backward->dstates, variable->state, hyb_tensor_ref (got));
      else
        accumulate (outputs[g], got);
    }
  return TRUE;
}

/* Runs the steps of the gradient, the last first. */
static gboolean
run_backward (const BackwardLoop *backward, HybTensor **outputs, GError **error)
{
  for (gint64 step = backward->n_steps - 1; step >= 0; step--)
    {
      g_autoptr (GPtrArray) variables = bind_forward (backward, step);
      g_autoptr (GPtrArray) heads = NULL;

      for (guint h = 0; h < backward->n_heads; h++)
        {
          HybTensor *gradient = head_gradient (backward, h, step, error);

          if (!gradient)
            return FALSE;
          variables->pdata[backward->loop->n_variables + h] = gradient;
        }
      heads = run_graph (backward, backward->gradient, step, variables, error);
      if (!heads || !store_gradients (backward, step, heads, outputs, error))
        return FALSE;
    }
  return TRUE;
}

/* Collects the inputs of all variables, or copies of the ones that the body writes: the forward
 * node has updated them already. */
static gboolean
copy_captured (BackwardLoop *backward, GError **error)
{
  g_autofree guint8 *written =
      hyb_graph_find_written (backward->args->call->body[0], backward->args->run->training);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (backward->args->call->body[0], &n);

  backward->captured = hyb_loop_tensors_new (backward->loop->n_variables);
  for (guint v = 0; v < backward->loop->n_variables; v++)
    {
      HybTensor *input = backward->inputs[backward->loop->variable[v].input];

      backward->captured->pdata[v] =
          written[variables[v]] ? hyb_tensor_copy (input) : hyb_tensor_ref (input);
      if (!backward->captured->pdata[v])
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                             "not enough memory for a copy of input %u",
                             backward->loop->variable[v].input);
    }
  return TRUE;
}

/* Makes the graphs `forward` and `gradient` from the body. */
static void
split_body (BackwardLoop *backward)
{
  guint                  n;
  const HybValueId      *heads = hyb_graph_get_heads (backward->args->call->body[0], &n);
  g_autofree HybValueId *chosen = g_new (HybValueId, MAX (n, 1));
  guint                  n_chosen = 0;

  backward->forward =
      hyb_graph_with_heads (backward->args->call->body[0], backward->n_heads, heads);
  backward->head = g_new (int, (gsize) MAX (backward->params->gradients.n, 1));
  for (int g = 0; g < backward->params->gradients.n; g++)
    {
      guint input = backward->loop->variable[backward->params->gradients.value[g]].input;

      backward->head[g] = -1;
      if (hyb_dtype_is_float (hyb_tensor_get_dtype (backward->inputs[input])))
        {
          backward->head[g] = (int) n_chosen;
          chosen[n_chosen++] = heads[backward->n_heads + (guint) g];
        }
    }
  backward->gradient = hyb_graph_with_heads (backward->args->call->body[0], n_chosen, chosen);
}

/* Allocates the gradients, zero at first. */
static gboolean
allocate_outputs (const BackwardLoop *backward, HybTensor **outputs, GError **error)
{
  for (int g = 0; g < backward->params->gradients.n; g++)
    {
      guint input = backward->loop->variable[backward->params->gradients.value[g]].input;

      outputs[g] = hyb_tensor_new_zeros (hyb_tensor_get_type (backward->inputs[input]), error);
      if (!outputs[g])
        return FALSE;
    }
  return TRUE;
}

/* The gradient of an initial state is the gradient of the state before step 0. */
static void
store_initial_state_gradients (const BackwardLoop *backward, HybTensor **outputs)
{
  for (int g = 0; g < backward->params->gradients.n; g++)
    {
      guint      k = backward->loop->variable[backward->params->gradients.value[g]].state;
      HybTensor *final = k != HYB_LOOP_NONE ? backward->dstates->pdata[k] : NULL;

      if (!final || backward->head[g] < 0)
        continue;
      hyb_tensor_unref (outputs[g]);
      outputs[g] = hyb_tensor_ref (final);
    }
}

static void
backward_loop_clear (BackwardLoop *backward)
{
  hyb_run_give_memory (backward->args->run, backward->bytes);
  g_clear_pointer (&backward->captured, g_ptr_array_unref);
  g_clear_pointer (&backward->steps, g_ptr_array_unref);
  g_clear_pointer (&backward->dstates, g_ptr_array_unref);
  g_clear_pointer (&backward->forward, hyb_graph_unref);
  g_clear_pointer (&backward->gradient, hyb_graph_unref);
  g_clear_pointer (&backward->head, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BackwardLoop, backward_loop_clear)

/* Checks that inputs that are read row by row have a row for every step. */
static gboolean
check_inputs (const BackwardLoop *backward, HybLoopSections sections, GError **error)
{
  const HybLoop *loop = backward->loop;
  HybType        one = { hyb_shape_1d (1), HYB_I64 };

  if (!hyb_control_check_input (backward->args->call, sections.n_steps, &one, error))
    return FALSE;
  for (guint i = 0; i < backward->args->call->n_inputs; i++)
    {
      gboolean is_sliced = i < (guint) backward->params->heads.n &&
                           backward->params->heads.value[i] < loop->n_out_data;
      const HybShape *shape = &backward->args->call->input[i].shape;

      for (guint v = 0; v < loop->n_variables; v++)
        is_sliced |= loop->variable[v].is_slice && i == sections.inputs + loop->variable[v].input;
      if (is_sliced && (shape->rank < 1 || shape->dim[0] < backward->n_steps))
        return hyb_refuse_types (error, NULL,
                                 "input %u does not have a row for each of %" G_GINT64_FORMAT
                                 " steps",
                                 i, backward->n_steps);
    }
  return TRUE;
}

gboolean
hyb_loop_gradient_compute (const HybLoop               *loop,
                           const HybLoopGradientParams *params,
                           const HybComputeArgs        *args,
                           GError                     **error)
{
  HybTensor *const *inputs = args->inputs;
  HybTensor       **outputs = args->outputs;
  HybLoopSections   sections = hyb_loop_sections (loop, params);
  HybType           count = { hyb_shape_1d (1), HYB_I64 };
  g_auto (BackwardLoop) backward = {
    .loop = loop,
    .params = params,
    .args = args,
    .inputs = inputs + sections.inputs,
    .n_heads = loop->n_out_data + loop->n_states,
    .steps = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref),
    .dstates = hyb_loop_tensors_new (loop->n_states),
  };

  if (hyb_tensor_get_bytes (inputs[sections.n_steps]) >= sizeof (gint64))
    backward.n_steps = *(const gint64 *) hyb_tensor_get_data (inputs[sections.n_steps]);
  if (!check_inputs (&backward, sections, error) || !copy_captured (&backward, error))
    return FALSE;

  split_body (&backward);
  for (int i = 0; i < params->heads.n; i++)
    if (params->heads.value[i] >= loop->n_out_data)
      backward.dstates->pdata[params->heads.value[i] - loop->n_out_data] =
          hyb_tensor_ref (inputs[i]);

  outputs[params->gradients.n] = hyb_tensor_new_zeros (&count, error);
  if (!outputs[params->gradients.n] || !allocate_outputs (&backward, outputs, error) ||
      !repeat_forward (&backward, error) || !run_backward (&backward, outputs, error))
    return FALSE;
  store_initial_state_gradients (&backward, outputs);
  return TRUE;
}
