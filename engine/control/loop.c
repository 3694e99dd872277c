/* loop.c — planning and running a loop whose types are all known.
 *
 * The body is planned once; before each step its frame is bound to that step's slices, states and
 * outputs.  A state alternates between two buffers in the workspace, or, in a recording node, lies
 * directly in the output that keeps the states of all steps.
 * Start at hyb_loop_prepare() and hyb_loop_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop.h"

#include "engine/base/error.h"

/* --- Planning --- */

typedef struct
{
  HybLoop     loop;
  HybSubgraph body, condition;
  gint64      length;     /* maximum number of steps */
  gsize      *row_bytes;  /* by variable: bytes of a row if it is a slice, else of the whole */
  gsize      *head_bytes; /* by head of the body */
  gsize      *buffer;     /* by state: offset of two buffers in the workspace, unless recording */
  guint       first_recorded; /* first output with recorded states; HYB_LOOP_NONE */
  gsize       workspace;
  HybDType    condition_dtype;
} LoopPlan;

static void
loop_plan_free (LoopPlan *plan)
{
  hyb_subgraph_clear (&plan->body);
  hyb_subgraph_clear (&plan->condition);
  hyb_loop_clear (&plan->loop);
  g_free (plan->row_bytes);
  g_free (plan->head_bytes);
  g_free (plan->buffer);
  g_free (plan);
}

static gboolean
plan_condition (LoopPlan *plan, const HybCall *call, GError **error)
{
  const HybLoop      *loop = &plan->loop;
  g_autofree HybType *variables = g_new (HybType, MAX (loop->n_condition_variables, 1));

  if (loop->condition == HYB_LOOP_NONE)
    return TRUE;
  for (guint v = 0; v < loop->n_condition_variables; v++)
    variables[v] = call->input[loop->condition_input[v]];
  plan->condition = (HybSubgraph){ .index = loop->condition, .allocates_heads = TRUE };
  if (!hyb_subgraph_plan (&plan->condition, call, variables, &plan->workspace, error))
    return FALSE;
  plan->condition_dtype = hyb_plan_get_head_type (plan->condition.plan, 0)->dtype;
  return TRUE;
}

/* Computes the sizes of a step's operands and reserves workspace for states: two buffers each, as a
 * step reads one value and writes the next. */
static void
allocate_workspace (LoopPlan *plan, const HybType *variables)
{
  const HybLoop *loop = &plan->loop;
  guint          n_heads = loop->n_out_data + loop->n_states;

  plan->row_bytes = g_new0 (gsize, MAX (loop->n_variables, 1));
  plan->head_bytes = g_new0 (gsize, MAX (n_heads, 1));
  plan->buffer = g_new0 (gsize, MAX (loop->n_states, 1));
  for (guint v = 0; v < loop->n_variables; v++)
    plan->row_bytes[v] = hyb_type_bytes (&variables[v]);
  for (guint h = 0; h < n_heads; h++)
    plan->head_bytes[h] = hyb_type_bytes (hyb_plan_get_head_type (plan->body.plan, h));
  for (guint k = 0; k < loop->n_states && plan->first_recorded == HYB_LOOP_NONE; k++)
    {
      gsize bytes = hyb_control_align (plan->head_bytes[loop->n_out_data + k]);

      plan->buffer[k] = hyb_workspace_take (&plan->workspace, 2 * bytes);
    }
}

/* The heads of the body must have the types of the outputs and of the states of the next step. */
static gboolean
check_heads (const LoopPlan *plan, const HybCall *call, const HybType *variables, GError **error)
{
  const HybLoop *loop = &plan->loop;

  for (guint h = 0; h < loop->n_out_data + loop->n_states; h++)
    {
      HybType head = *hyb_plan_get_head_type (plan->body.plan, h);

      if (h >= loop->n_out_data &&
          !hyb_control_check_head (&head, &variables[loop->state[h - loop->n_out_data]], "body", h,
                                   error))
        return FALSE;
      if (h < loop->n_out_data)
        head.shape = hyb_loop_stacked_shape (plan->length, &head.shape);
      if (!hyb_control_check_head (&head, &call->output[h], "body", h, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_loop_prepare (HybLoop *given, HybCall *call, GError **error)
{
  LoopPlan           *plan = g_new0 (LoopPlan, 1);
  const HybLoop      *loop = &plan->loop;
  guint               n_unrecorded = given->n_out_data + given->n_states + 1;
  g_autofree HybType *variables = g_new (HybType, MAX (given->n_variables, 1));

  plan->loop = *given;
  *given = (HybLoop){ 0 };
  call->prepared = plan;
  plan->first_recorded = call->n_outputs > n_unrecorded ? n_unrecorded : HYB_LOOP_NONE;
  plan->length = hyb_loop_length (loop, call->input);
  if (plan->length == HYB_UNKNOWN)
    {
      hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                    "nothing determines the number of steps: it has neither data nor a limit");
      hyb_loop_release (call);
      return FALSE;
    }

  hyb_loop_variable_types (loop, call->input, call->legacy_shapes, variables);
  plan->body.index = loop->body;
  if (loop->records)
    plan->body.graph = hyb_subgraph_recording (call->body[loop->body]);
  if (!plan_condition (plan, call, error) ||
      !hyb_subgraph_plan (&plan->body, call, variables, &plan->workspace, error) ||
      !check_heads (plan, call, variables, error))
    {
      hyb_loop_release (call);
      return FALSE;
    }
  allocate_workspace (plan, variables);
  return TRUE;
}

void
hyb_loop_release (HybCall *call)
{
  g_clear_pointer ((LoopPlan **) &call->prepared, loop_plan_free);
}

gsize
hyb_loop_workspace (const HybCall *call)
{
  const LoopPlan *plan = call->prepared;

  return plan->workspace;
}

/* --- ForwardPass --- */

typedef struct
{
  const LoopPlan *plan;
  const HybRun   *run;
  HybFrame       *body, *condition;
} ForwardPass;

/* One of the two buffers of state k. */
static gpointer
state_buffer (const ForwardPass *pass, guint k, gint64 which)
{
  const LoopPlan *plan = pass->plan;
  gsize           bytes = hyb_control_align (plan->head_bytes[plan->loop.n_out_data + k]);

  return (char *) pass->run->workspace + plan->buffer[k] + (which & 1 ? bytes : 0);
}

/* Where state k is before a step, which is also where the step before writes it: in the recorded
 * states, the output (past the last step), the initial state or a buffer. */
static gconstpointer
state_before (const ForwardPass *pass, guint k, gint64 step)
{
  const LoopPlan *plan = pass->plan;

  if (plan->first_recorded != HYB_LOOP_NONE && step < plan->length)
    return (char *) pass->run->output[plan->first_recorded + k] +
           (gsize) step * plan->head_bytes[plan->loop.n_out_data + k];
  if (step == plan->length && step > 0)
    return pass->run->output[plan->loop.n_out_data + k];
  if (step == 0)
    return pass->run->input[plan->loop.variable[plan->loop.state[k]].input];
  return state_buffer (pass, k, step);
}

/* Binds the slices, states and outputs of a step to the body. */
static void
bind_step (const ForwardPass *pass, gint64 step)
{
  const LoopPlan *plan = pass->plan;
  const HybLoop  *loop = &plan->loop;

  for (guint v = 0; v < loop->n_variables; v++)
    if (loop->variable[v].is_slice)
      hyb_frame_bind_variable (pass->body, v,
                               (const char *) pass->run->input[loop->variable[v].input] +
                                   (gsize) step * plan->row_bytes[v]);
    else if (loop->variable[v].state != HYB_LOOP_NONE)
      hyb_frame_bind_variable (pass->body, v, state_before (pass, loop->variable[v].state, step));

  for (guint h = 0; h < loop->n_out_data; h++)
    hyb_frame_bind_head (pass->body, h,
                         (char *) pass->run->output[h] + (gsize) step * plan->head_bytes[h]);
  for (guint k = 0; k < loop->n_states; k++)
    hyb_frame_bind_head (pass->body, loop->n_out_data + k,
                         (gpointer) state_before (pass, k, step + 1));
}

/* Runs the condition, if there is one.  FALSE also if the run was cancelled. */
static gboolean
needs_step (const ForwardPass *pass, gint64 step)
{
  const LoopPlan *plan = pass->plan;
  const HybLoop  *loop = &plan->loop;

  if (step == plan->length)
    return FALSE;
  if (loop->condition == HYB_LOOP_NONE)
    return TRUE;

  for (guint v = 0; v < loop->n_condition_variables; v++)
    {
      guint state = hyb_loop_state_of_input (loop, loop->condition_input[v]);

      hyb_frame_bind_variable (pass->condition, v,
                               state == HYB_LOOP_NONE ? pass->run->input[loop->condition_input[v]]
                                                      : state_before (pass, state, step));
    }
  return hyb_subgraph_run (&plan->condition, pass->condition, pass->run, step) &&
         hyb_run_get_double (pass->run, hyb_frame_get_head (pass->condition, 0),
                             plan->condition_dtype) != 0;
}

/* Copies the final states to their outputs, zeroes the rows of steps that were not made, and writes
 * the number of steps. */
static void
finish_outputs (const ForwardPass *pass, gint64 n_steps)
{
  const LoopPlan *plan = pass->plan;
  const HybLoop  *loop = &plan->loop;
  gpointer       *output = pass->run->output;
  gsize           n_missing = (gsize) (plan->length - n_steps);

  for (guint k = 0; k < loop->n_states; k++)
    {
      gsize         bytes = plan->head_bytes[loop->n_out_data + k];
      gconstpointer final = state_before (pass, k, n_steps);

      if (final != output[loop->n_out_data + k] && bytes > 0)
        hyb_run_copy (pass->run, output[loop->n_out_data + k], final, bytes);
      if (plan->first_recorded != HYB_LOOP_NONE && n_missing > 1)
        hyb_run_clear (pass->run,
                       (char *) output[plan->first_recorded + k] + (gsize) (n_steps + 1) * bytes,
                       (n_missing - 1) * bytes);
    }
  for (guint h = 0; h < loop->n_out_data && n_missing > 0; h++)
    hyb_run_clear (pass->run, (char *) output[h] + (gsize) n_steps * plan->head_bytes[h],
                   n_missing * plan->head_bytes[h]);
  hyb_run_set_int (pass->run, output[loop->n_out_data + loop->n_states], n_steps);
}

void
hyb_loop_forward (const HybCall *call, const HybRun *run)
{
  const LoopPlan *plan = call->prepared;
  const HybLoop  *loop = &plan->loop;
  ForwardPass pass = { .plan = plan, .run = run, .body = hyb_subgraph_start (&plan->body, run) };
  gint64      step = 0;

  if (loop->condition != HYB_LOOP_NONE)
    pass.condition = hyb_subgraph_start (&plan->condition, run);
  for (guint v = 0; v < loop->n_variables; v++)
    if (!loop->variable[v].is_slice && loop->variable[v].state == HYB_LOOP_NONE)
      hyb_frame_bind_variable (pass.body, v, run->input[loop->variable[v].input]);
  for (guint k = 0; k < loop->n_states && plan->first_recorded != HYB_LOOP_NONE && plan->length > 0;
       k++)
    hyb_run_copy (run, run->output[plan->first_recorded + k],
                  run->input[loop->variable[loop->state[k]].input],
                  plan->head_bytes[loop->n_out_data + k]);

  while (needs_step (&pass, step))
    {
      bind_step (&pass, step);
      if (!hyb_subgraph_run (&plan->body, pass.body, run, step))
        break;
      step++;
    }
  finish_outputs (&pass, step);
}

void
hyb_loop_cost (const HybLoop *loop, const HybCall *call, HybCost *cost)
{
  g_autofree HybType *variables = g_new (HybType, MAX (loop->n_variables, 1));
  gint64              length = hyb_loop_length (loop, call->input);

  if (length == HYB_LOOP_NO_LIMIT)
    length = 1;
  hyb_loop_variable_types (loop, call->input, call->legacy_shapes, variables);
  *cost = (HybCost){ 0 };
  hyb_subgraph_add_cost (call->body[loop->body], variables, call->training,
                         (double) MAX (length, 0), cost);
}
