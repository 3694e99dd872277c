/* loop.c — planning and running a loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop.h"

#include "engine/base/error.h"

#include <string.h>

/* --- Planning --- */

typedef struct
{
  HybLoop     loop;
  HybSubgraph body, condition;
  gint64      length;     /* most steps */
  gsize      *row_bytes;  /* by variable: of a slice; else of the whole */
  gsize      *head_bytes; /* by head */
  gsize      *buffer;     /* by state: two of them in the workspace, where none is recorded */
  guint       kept;       /* the first output with recorded states; HYB_LOOP_NOTHING */
  guint       n_outputs;
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

  if (loop->condition == HYB_LOOP_NOTHING)
    return TRUE;
  for (guint v = 0; v < loop->n_condition_variables; v++)
    variables[v] = call->input[loop->condition_input[v]];
  plan->condition = (HybSubgraph){ .index = loop->condition, .holds_heads = TRUE };
  if (!hyb_subgraph_plan (&plan->condition, call, variables, &plan->workspace, error))
    return FALSE;
  plan->condition_dtype = hyb_plan_get_head_type (plan->condition.plan, 0)->dtype;
  return TRUE;
}

/* Where the steps' values lie; a state needs two places, to be read and written. */
static void
place_operands (LoopPlan *plan, const HybType *variables)
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
  for (guint k = 0; k < loop->n_states && plan->kept == HYB_LOOP_NOTHING; k++)
    {
      gsize bytes = (plan->head_bytes[loop->n_out_data + k] + HYB_ALIGNMENT - 1) &
                    ~(gsize) (HYB_ALIGNMENT - 1);

      plan->buffer[k] = hyb_workspace_take (&plan->workspace, 2 * bytes);
    }
}

static gboolean
check_head (const HybType *got, const HybType *want, guint h, GError **error)
{
  g_autofree char *got_text = NULL;
  g_autofree char *want_text = NULL;

  if (got->dtype == want->dtype && hyb_shape_equal (&got->shape, &want->shape))
    return TRUE;
  got_text = hyb_type_to_string (got);
  want_text = hyb_type_to_string (want);
  return hyb_error_at (error,
                       HYB_GRAPH_ERROR,
                       HYB_GRAPH_ERROR_TYPES,
                       NULL,
                       NULL,
                       "its body makes output %u %s where %s is needed",
                       h,
                       got_text,
                       want_text);
}

/* The body gives what the outputs, and the states of the next step, have room for. */
static gboolean
check_heads (const LoopPlan *plan, const HybCall *call, const HybType *variables, GError **error)
{
  const HybLoop *loop = &plan->loop;

  for (guint h = 0; h < loop->n_out_data + loop->n_states; h++)
    {
      HybType head = *hyb_plan_get_head_type (plan->body.plan, h);

      if (h >= loop->n_out_data &&
          !check_head (&head, &variables[loop->state[h - loop->n_out_data]], h, error))
        return FALSE;
      if (h < loop->n_out_data)
        head.shape = hyb_loop_stacked_shape (plan->length, &head.shape);
      if (!check_head (&head, &call->output[h], h, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_loop_prepare (HybLoop *given, HybCall *call, GError **error)
{
  LoopPlan           *plan = g_new0 (LoopPlan, 1);
  const HybLoop      *loop = &plan->loop;
  guint               n_plain = given->n_out_data + given->n_states + 1;
  g_autofree HybType *variables = g_new (HybType, MAX (given->n_variables, 1));

  plan->loop = *given;
  *given = (HybLoop){ 0 };
  call->prepared = plan;
  plan->kept = call->n_outputs > n_plain ? n_plain : HYB_LOOP_NOTHING;
  plan->length = hyb_loop_length (loop, call->input);
  if (plan->length == HYB_UNKNOWN)
    {
      hyb_error_at (error,
                    HYB_OP_ERROR,
                    HYB_OP_ERROR_ATTRIBUTE,
                    NULL,
                    NULL,
                    "it has no data to run over");
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
  place_operands (plan, variables);
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

/* --- Running --- */

typedef struct
{
  const LoopPlan *plan;
  const HybRun   *run;
  HybFrame       *body, *condition;
} Running;

static gpointer
state_buffer (const Running *running, guint k, gint64 which)
{
  const LoopPlan *plan = running->plan;
  gsize           bytes = plan->head_bytes[plan->loop.n_out_data + k];

  bytes = (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
  return (char *) running->run->workspace + plan->buffer[k] + (which & 1 ? bytes : 0);
}

/* State k as it is before a step: recorded there, or as the step before left it. */
static gconstpointer
state_before (const Running *running, guint k, gint64 step)
{
  const LoopPlan *plan = running->plan;

  if (plan->kept != HYB_LOOP_NOTHING && step < plan->length)
    return (char *) running->run->output[plan->kept + k] +
           (gsize) step * plan->head_bytes[plan->loop.n_out_data + k];
  if (step == plan->length && step > 0)
    return running->run->output[plan->loop.n_out_data + k];
  if (step == 0)
    return running->run->input[plan->loop.variable[plan->loop.state[k]].input];
  return state_buffer (running, k, step);
}

static void
bind_step (const Running *running, gint64 step)
{
  const LoopPlan *plan = running->plan;
  const HybLoop  *loop = &plan->loop;

  for (guint v = 0; v < loop->n_variables; v++)
    if (loop->variable[v].is_slice)
      hyb_frame_bind_variable (running->body,
                               v,
                               (const char *) running->run->input[loop->variable[v].input] +
                                   (gsize) step * plan->row_bytes[v]);
    else if (loop->variable[v].state != HYB_LOOP_NOTHING)
      hyb_frame_bind_variable (running->body,
                               v,
                               state_before (running, loop->variable[v].state, step));

  for (guint h = 0; h < loop->n_out_data; h++)
    hyb_frame_bind_head (running->body,
                         h,
                         (char *) running->run->output[h] + (gsize) step * plan->head_bytes[h]);
  for (guint k = 0; k < loop->n_states; k++)
    hyb_frame_bind_head (running->body,
                         loop->n_out_data + k,
                         (gpointer) state_before (running, k, step + 1));
}

/* Whether to make one more step; cancelled counts as no. */
static gboolean
goes_on (const Running *running, gint64 step)
{
  const LoopPlan *plan = running->plan;
  const HybLoop  *loop = &plan->loop;

  if (step == plan->length)
    return FALSE;
  if (loop->condition == HYB_LOOP_NOTHING)
    return TRUE;

  for (guint v = 0; v < loop->n_condition_variables; v++)
    {
      guint state = hyb_loop_state_of_input (loop, loop->condition_input[v]);

      hyb_frame_bind_variable (running->condition,
                               v,
                               state == HYB_LOOP_NOTHING
                                   ? running->run->input[loop->condition_input[v]]
                                   : state_before (running, state, step));
    }
  return hyb_subgraph_run (&plan->condition, running->condition, running->run, step) &&
         hyb_dtype_get_double (hyb_frame_get_head (running->condition, 0),
                               plan->condition_dtype,
                               0) != 0;
}

/* The final states to their outputs; rows that no step has written are zero. */
static void
finish (const Running *running, gint64 n_steps)
{
  const LoopPlan *plan = running->plan;
  const HybLoop  *loop = &plan->loop;
  gpointer       *output = running->run->output;
  gsize           n_missing = (gsize) (plan->length - n_steps);

  for (guint k = 0; k < loop->n_states; k++)
    {
      gsize         bytes = plan->head_bytes[loop->n_out_data + k];
      gconstpointer final = state_before (running, k, n_steps);

      if (final != output[loop->n_out_data + k] && bytes > 0)
        memcpy (output[loop->n_out_data + k], final, bytes);
      if (plan->kept != HYB_LOOP_NOTHING && n_missing > 1)
        memset ((char *) output[plan->kept + k] + (gsize) (n_steps + 1) * bytes,
                0,
                (n_missing - 1) * bytes);
    }
  for (guint h = 0; h < loop->n_out_data && n_missing > 0; h++)
    memset ((char *) output[h] + (gsize) n_steps * plan->head_bytes[h],
            0,
            n_missing * plan->head_bytes[h]);
  *(gint64 *) output[loop->n_out_data + loop->n_states] = n_steps;
}

void
hyb_loop_forward (const HybCall *call, const HybRun *run)
{
  const LoopPlan *plan = call->prepared;
  const HybLoop  *loop = &plan->loop;
  Running running = { .plan = plan, .run = run, .body = hyb_subgraph_start (&plan->body, run) };
  gint64  step = 0;

  if (loop->condition != HYB_LOOP_NOTHING)
    running.condition = hyb_subgraph_start (&plan->condition, run);
  for (guint v = 0; v < loop->n_variables; v++)
    if (!loop->variable[v].is_slice && loop->variable[v].state == HYB_LOOP_NOTHING)
      hyb_frame_bind_variable (running.body, v, run->input[loop->variable[v].input]);
  for (guint k = 0; k < loop->n_states && plan->kept != HYB_LOOP_NOTHING && plan->length > 0; k++)
    memcpy (run->output[plan->kept + k],
            run->input[loop->variable[loop->state[k]].input],
            plan->head_bytes[loop->n_out_data + k]);

  while (goes_on (&running, step))
    {
      bind_step (&running, step);
      if (!hyb_subgraph_run (&plan->body, running.body, run, step))
        break;
      step++;
    }
  finish (&running, step);
}

void
hyb_loop_cost (const HybLoop *loop, const HybCall *call, HybCost *cost)
{
  g_autofree HybType *variables = g_new (HybType, MAX (loop->n_variables, 1));
  gint64              length = hyb_loop_length (loop, call->input);

  hyb_loop_variable_types (loop, call->input, call->legacy_shapes, variables);
  *cost = (HybCost){ 0 };
  hyb_subgraph_add_cost (call->body[loop->body],
                         variables,
                         call->training,
                         (double) MAX (length, 0),
                         cost);
}
