/* loop-compute.c — running a loop whose types are known only while running, for instance because a
 * state grows: its steps run operator by operator, each with the types of its own operands.
 * Start at hyb_loop_compute().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop.h"

#include "engine/base/error.h"
#include "engine/control/loop-tensors.h"
#include "engine/imperative/imperative.h"
#include "engine/op/run-memory.h"

#include <string.h>

typedef struct
{
  const HybLoop        *loop;
  const HybComputeArgs *args;
  HybGraph             *body;   /* the graph of a step: the node's body or its recording form */
  gint64                length; /* maximum number of steps */
  GPtrArray            *states; /* of HybTensor: the current values */
  GPtrArray            *rows;   /* of HybTensor: stacked outputs, NULL before the first row */
  gsize *state_bytes; /* of the states that steps made, and of the rows: both are counted */
  gsize *row_bytes;
} DynamicLoop;

/* The variables of the body in a step.  (transfer full) */
static GPtrArray *
bind_step (const DynamicLoop *dynamic, gint64 step)
{
  const HybLoop *loop = dynamic->loop;
  GPtrArray     *variables = hyb_loop_tensors_new (loop->n_variables);

  for (guint v = 0; v < loop->n_variables; v++)
    {
      const HybLoopVariable *variable = &loop->variable[v];

      if (variable->is_slice)
        variables->pdata[v] = hyb_loop_tensor_row (dynamic->args->inputs[variable->input],
                                                   dynamic->args->call->legacy_shapes, step);
      else if (variable->state != HYB_LOOP_NONE)
        variables->pdata[v] = hyb_tensor_ref (dynamic->states->pdata[variable->state]);
      else
        variables->pdata[v] = hyb_tensor_ref (dynamic->args->inputs[variable->input]);
    }
  return variables;
}

/* Runs body number `index` of the node; returns its heads.  (transfer full); NULL and an error. */
static GPtrArray *
run_body (const DynamicLoop *dynamic,
          guint              index,
          gint64             step,
          GPtrArray         *variables,
          GError           **error)
{
  HybGraph *node_body = dynamic->args->call->body[index];
  HybGraph *body = index == dynamic->loop->body ? dynamic->body : node_body;
  HybRun    context = hyb_subgraph_context (dynamic->args->run, step);
  g_autoptr (GPtrArray) heads = hyb_loop_tensors_new (hyb_subgraph_n_heads (body));
  gboolean is_done;

  hyb_subgraph_notify_probe (&context, hyb_graph_get_id (node_body), index, TRUE);
  is_done = hyb_imperative_run (body, (HybTensor *const *) variables->pdata,
                                (HybTensor **) heads->pdata, &context, error);
  hyb_subgraph_notify_probe (&context, hyb_graph_get_id (node_body), index, FALSE);
  if (is_done)
    return g_steal_pointer (&heads);
  g_prefix_error (error, "step %" G_GINT64_FORMAT ": ", step);
  return NULL;
}

/* Sets *needs_step to whether to make one more step.  FALSE and an error if the condition fails. */
static gboolean
check_condition (const DynamicLoop *dynamic, gint64 step, gboolean *needs_step, GError **error)
{
  const HybLoop *loop = dynamic->loop;
  g_autoptr (GPtrArray) variables = hyb_loop_tensors_new (loop->n_condition_variables);
  g_autoptr (GPtrArray) heads = NULL;

  *needs_step = step < dynamic->length;
  if (!*needs_step || loop->condition == HYB_LOOP_NONE)
    return TRUE;

  for (guint v = 0; v < loop->n_condition_variables; v++)
    {
      guint state = hyb_loop_state_of_input (loop, loop->condition_input[v]);

      variables->pdata[v] =
          hyb_tensor_ref (state == HYB_LOOP_NONE ? dynamic->args->inputs[loop->condition_input[v]]
                                                 : dynamic->states->pdata[state]);
    }
  heads = run_body (dynamic, loop->condition, step, variables, error);
  if (!heads)
    return FALSE;
  if (hyb_tensor_get_size (heads->pdata[0]) != 1)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                         "its condition must have one element, not %" G_GINT64_FORMAT,
                         hyb_tensor_get_size (heads->pdata[0]));
  *needs_step = hyb_tensor_get_value (heads->pdata[0], 0) != 0;
  return TRUE;
}

/* Memory for the rows of all steps, zero at first.  (transfer full) */
static HybTensor *
stack_new (const DynamicLoop *dynamic, const HybType *row, GError **error)
{
  HybType type = { hyb_loop_stacked_shape (dynamic->length, &row->shape), row->dtype };
  gsize   bytes;

  if (type.shape.rank == HYB_UNKNOWN)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                    "an output of its body has %d dimensions, too many to be stacked",
                    row->shape.rank);
      return NULL;
    }
  if (!hyb_shape_bytes (&type.shape, type.dtype, &bytes, error) ||
      !hyb_run_take_memory (dynamic->args->run, "stacked output", bytes, error))
    return NULL;
  *dynamic->row_bytes += bytes;
  return hyb_tensor_new_zeros (&type, error);
}

/* Copies a row to stacked output h, which the first row allocates. */
static gboolean
write_row (const DynamicLoop *dynamic, guint h, gint64 step, HybTensor *row, GError **error)
{
  const HybType *type = hyb_tensor_get_type (row);
  HybTensor     *stack = dynamic->rows->pdata[h];
  gsize          bytes = hyb_type_bytes (type);
  HybShape       expected;

  if (!stack)
    dynamic->rows->pdata[h] = stack = stack_new (dynamic, type, error);
  if (!stack)
    return FALSE;

  expected = hyb_loop_row_shape (hyb_tensor_get_shape (stack), FALSE);
  if (hyb_tensor_get_dtype (stack) != type->dtype || !hyb_shape_equal (&expected, &type->shape))
    {
      g_autofree char *got = hyb_type_to_string (type);
      g_autofree char *want = hyb_shape_to_string (&expected);

      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL,
                           "Only states may change their shape from step to step",
                           "output %u is %s in step %" G_GINT64_FORMAT " but was %s before", h, got,
                           step, want);
    }
  if (bytes > 0)
    memcpy ((char *) hyb_tensor_get_data (stack) + (gsize) step * bytes, hyb_tensor_get_data (row),
            bytes);
  return TRUE;
}

/* Counts the states that a step made in place of those of the step before. */
static gboolean
count_states (const DynamicLoop *dynamic, const GPtrArray *heads, GError **error)
{
  const HybRun *run = dynamic->args->run;
  gsize         bytes = 0;

  for (guint k = 0; k < dynamic->loop->n_states; k++)
    bytes += hyb_tensor_get_bytes (heads->pdata[dynamic->loop->n_out_data + k]);
  if (!hyb_run_take_memory (run, "states", bytes, error))
    return FALSE;
  hyb_run_give_memory (run, *dynamic->state_bytes);
  *dynamic->state_bytes = bytes;
  return TRUE;
}

static gboolean
run_step (const DynamicLoop *dynamic, gint64 step, GError **error)
{
  const HybLoop *loop = dynamic->loop;
  g_autoptr (GPtrArray) variables = bind_step (dynamic, step);
  g_autoptr (GPtrArray) heads = run_body (dynamic, loop->body, step, variables, error);

  if (!heads || !count_states (dynamic, heads, error))
    return FALSE;
  for (guint h = 0; h < loop->n_out_data; h++)
    if (!write_row (dynamic, h, step, heads->pdata[h], error))
      return FALSE;
  for (guint k = 0; k < loop->n_states; k++)
    hyb_loop_tensors_set (dynamic->states, k, hyb_tensor_ref (heads->pdata[loop->n_out_data + k]));
  return TRUE;
}

/* Allocates the stacked outputs of a loop that made no step, with inferred types. */
static gboolean
make_empty_rows (const DynamicLoop *dynamic, GError **error)
{
  const HybLoop      *loop = dynamic->loop;
  guint               n_heads = loop->n_out_data + loop->n_states;
  g_autofree HybType *inputs = g_new (HybType, MAX (loop->n_inputs, 1));
  g_autofree HybType *variables = g_new (HybType, MAX (loop->n_variables, 1));
  g_autofree HybType *heads = g_new (HybType, MAX (n_heads, 1));

  for (guint i = 0; i < loop->n_inputs; i++)
    inputs[i] = *hyb_tensor_get_type (dynamic->args->inputs[i]);
  for (guint h = 0; h < n_heads; h++)
    heads[h] = HYB_TYPE_UNKNOWN;
  hyb_loop_variable_types (loop, inputs, dynamic->args->call->legacy_shapes, variables);
  if (!hyb_subgraph_infer (dynamic->args->call->body[loop->body],
                           &(HybSubgraphTypes){ .variables = variables,
                                                .heads = heads,
                                                .training = dynamic->args->run->training },
                           error))
    return FALSE;

  for (guint h = 0; h < loop->n_out_data; h++)
    {
      if (!hyb_type_is_known (&heads[h]))
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL, NULL,
                             "no step runs, so nothing determines the shape of output %u", h);
      dynamic->rows->pdata[h] = stack_new (dynamic, &heads[h], error);
      if (!dynamic->rows->pdata[h])
        return FALSE;
    }
  return TRUE;
}

/* Runs all steps and counts them. */
static gboolean
run_steps (const DynamicLoop *dynamic, gint64 *n_steps, GError **error)
{
  gboolean more;

  for (*n_steps = 0;; ++*n_steps)
    {
      if (g_cancellable_set_error_if_cancelled (dynamic->args->run->cancellable, error) ||
          !check_condition (dynamic, *n_steps, &more, error))
        return FALSE;
      if (!more)
        return *n_steps > 0 || make_empty_rows (dynamic, error);
      if (!run_step (dynamic, *n_steps, error))
        return FALSE;
    }
}

/* A placeholder for recorded states, which have no common shape: the backward pass runs the loop
 * again instead (loop-backward-compute.c).  Its rank is the maximum and its size 0, unlike any
 * stack of states. */
static HybTensor *
not_recorded_new (HybTensor *state, GError **error)
{
  HybType type = { { .rank = HYB_MAX_RANK }, hyb_tensor_get_dtype (state) };

  return hyb_tensor_new (&type, error);
}

gboolean
hyb_loop_compute (const HybLoop *loop, const HybComputeArgs *args, GError **error)
{
  HybCall          *call = args->call;
  HybTensor *const *inputs = args->inputs;
  HybTensor       **outputs = args->outputs;
  guint             n_heads = loop->n_out_data + loop->n_states;
  g_autoptr (GPtrArray) states = hyb_loop_tensors_new (loop->n_states);
  g_autoptr (GPtrArray) rows = hyb_loop_tensors_new (loop->n_out_data);
  g_autoptr (HybGraph) recording =
      loop->records ? hyb_subgraph_recording (call->body[loop->body]) : NULL;
  HybGraph   *body = recording ? recording : call->body[loop->body];
  gsize       state_bytes = 0, row_bytes = 0;
  DynamicLoop dynamic = { loop, args, body, 0, states, rows, &state_bytes, &row_bytes };
  HybType     count = { hyb_shape_1d (1), HYB_I64 };
  gint64      n_steps;
  gboolean    is_done;

  for (guint k = 0; k < loop->n_states; k++)
    states->pdata[k] = hyb_tensor_ref (inputs[loop->variable[loop->state[k]].input]);
  dynamic.length = loop->limit;
  for (guint v = 0; v < loop->n_variables && dynamic.length == HYB_UNKNOWN; v++)
    if (loop->variable[v].is_slice)
      dynamic.length = hyb_tensor_get_shape (inputs[loop->variable[v].input])->dim[0];

  is_done = run_steps (&dynamic, &n_steps, error);
  /* The caller counts the outputs. */
  hyb_run_give_memory (args->run, state_bytes + row_bytes);
  if (!is_done)
    return FALSE;

  outputs[n_heads] = hyb_tensor_new (&count, error);
  if (!outputs[n_heads])
    return FALSE;
  *(gint64 *) hyb_tensor_get_data (outputs[n_heads]) = n_steps;
  for (guint h = 0; h < loop->n_out_data; h++)
    outputs[h] = hyb_tensor_ref (rows->pdata[h]);
  for (guint k = 0; k < loop->n_states; k++)
    {
      guint o = loop->n_out_data + k;

      outputs[o] = hyb_subgraph_unshare (states->pdata[k], inputs, call->n_inputs, error);
      if (!outputs[o])
        return FALSE;
    }
  for (guint o = n_heads + 1; o < call->n_outputs; o++)
    {
      outputs[o] = not_recorded_new (states->pdata[o - n_heads - 1], error);
      if (!outputs[o])
        return FALSE;
    }
  return TRUE;
}
