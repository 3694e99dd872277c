/* loop-compute.c — a loop whose types show only while running: its steps run
 * operator by operator, and every step's types are those of its own operands.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop.h"

#include "engine/base/error.h"
#include "engine/imperative/imperative.h"

#include <string.h>

typedef struct
{
  const HybLoop    *loop;
  HybCall          *call;
  const HybRun     *run;
  HybTensor *const *inputs;
  HybGraph         *body; /* what makes a step: the node's, or its recording form */
  gint64            length;
  GPtrArray        *states; /* of HybTensor: as they are now */
  GPtrArray        *rows;   /* of HybTensor: stacked outputs, NULL before the first row */
} Computing;

static GPtrArray *
tensors_new (guint n)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_set_size (tensors, (int) n);
  return tensors;
}

static void
tensors_set (GPtrArray *tensors, guint index, HybTensor *tensor)
{
  HybTensor *old = tensors->pdata[index];

  tensors->pdata[index] = tensor;
  if (old)
    hyb_tensor_unref (old);
}

static HybTensor *
slice (const Computing *computing, guint input, gint64 step)
{
  HybTensor     *whole = computing->inputs[input];
  const HybType *type = hyb_tensor_get_type (whole);
  HybType row = { hyb_loop_row_shape (&type->shape, computing->call->legacy_shapes), type->dtype };

  return hyb_tensor_new_view (whole, &row, (gsize) step * hyb_type_bytes (&row));
}

static GPtrArray *
bind_step (const Computing *computing, gint64 step)
{
  const HybLoop *loop = computing->loop;
  GPtrArray     *variables = tensors_new (loop->n_variables);

  for (guint v = 0; v < loop->n_variables; v++)
    {
      const HybLoopVariable *variable = &loop->variable[v];

      if (variable->is_slice)
        variables->pdata[v] = slice (computing, variable->input, step);
      else if (variable->state != HYB_LOOP_NOTHING)
        variables->pdata[v] = hyb_tensor_ref (computing->states->pdata[variable->state]);
      else
        variables->pdata[v] = hyb_tensor_ref (computing->inputs[variable->input]);
    }
  return variables;
}

static gboolean
run_body (const Computing *computing,
          guint            index,
          gint64           step,
          GPtrArray       *variables,
          GPtrArray       *heads,
          GError         **error)
{
  HybGraph *own = computing->call->body[index];
  HybGraph *body = index == computing->loop->body ? computing->body : own;
  HybRun    context = hyb_subgraph_context (computing->run, step);
  gboolean  is_done;

  hyb_subgraph_tell (&context, hyb_graph_get_id (own), index, TRUE);
  is_done = hyb_imperative_run (body,
                                (HybTensor *const *) variables->pdata,
                                (HybTensor **) heads->pdata,
                                &context,
                                error);
  hyb_subgraph_tell (&context, hyb_graph_get_id (own), index, FALSE);
  if (!is_done)
    g_prefix_error (error, "step %" G_GINT64_FORMAT ": ", step);
  return is_done;
}

static gboolean
goes_on (const Computing *computing, gint64 step, gboolean *answer, GError **error)
{
  const HybLoop *loop = computing->loop;
  g_autoptr (GPtrArray) variables = tensors_new (loop->n_condition_variables);
  g_autoptr (GPtrArray) heads = tensors_new (1);

  *answer = step < computing->length;
  if (!*answer || loop->condition == HYB_LOOP_NOTHING)
    return TRUE;

  for (guint v = 0; v < loop->n_condition_variables; v++)
    {
      guint state = hyb_loop_state_of_input (loop, loop->condition_input[v]);

      variables->pdata[v] =
          hyb_tensor_ref (state == HYB_LOOP_NOTHING ? computing->inputs[loop->condition_input[v]]
                                                    : computing->states->pdata[state]);
    }
  if (!run_body (computing, loop->condition, step, variables, heads, error))
    return FALSE;
  if (hyb_tensor_get_size (heads->pdata[0]) != 1)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_TYPES,
                         NULL,
                         NULL,
                         "its condition must have one element, not %" G_GINT64_FORMAT,
                         hyb_tensor_get_size (heads->pdata[0]));
  *answer = hyb_tensor_get_value (heads->pdata[0], 0) != 0;
  return TRUE;
}

/* Rows that no step writes stay zero. */
static HybTensor *
stack_new (const Computing *computing, const HybType *row, GError **error)
{
  HybType type = { hyb_loop_stacked_shape (computing->length, &row->shape), row->dtype };

  if (type.shape.rank == HYB_UNKNOWN)
    {
      hyb_error_at (error,
                    HYB_GRAPH_ERROR,
                    HYB_GRAPH_ERROR_TYPES,
                    NULL,
                    NULL,
                    "an output of its body has too many dimensions to be stacked");
      return NULL;
    }
  return hyb_tensor_new_zeros (&type, error);
}

static gboolean
write_row (const Computing *computing, guint h, gint64 step, HybTensor *row, GError **error)
{
  const HybType *type = hyb_tensor_get_type (row);
  HybTensor     *stack = computing->rows->pdata[h];
  gsize          bytes = hyb_type_bytes (type);
  HybShape       expected;

  if (!stack)
    computing->rows->pdata[h] = stack = stack_new (computing, type, error);
  if (!stack)
    return FALSE;

  expected = hyb_loop_row_shape (hyb_tensor_get_shape (stack), FALSE);
  if (hyb_tensor_get_dtype (stack) != type->dtype || !hyb_shape_equal (&expected, &type->shape))
    {
      g_autofree char *got = hyb_type_to_string (type);
      g_autofree char *want = hyb_shape_to_string (&expected);

      return hyb_error_at (error,
                           HYB_GRAPH_ERROR,
                           HYB_GRAPH_ERROR_TYPES,
                           NULL,
                           "Rows that are stacked must have one shape; only states may change "
                           "theirs",
                           "output %u is %s in step %" G_GINT64_FORMAT ", where it was %s before",
                           h,
                           got,
                           step,
                           want);
    }
  if (bytes > 0)
    memcpy ((char *) hyb_tensor_get_data (stack) + (gsize) step * bytes,
            hyb_tensor_get_data (row),
            bytes);
  return TRUE;
}

static gboolean
run_step (const Computing *computing, gint64 step, GError **error)
{
  const HybLoop *loop = computing->loop;
  g_autoptr (GPtrArray) variables = bind_step (computing, step);
  g_autoptr (GPtrArray) heads = tensors_new (loop->n_out_data + loop->n_states);

  if (!run_body (computing, loop->body, step, variables, heads, error))
    return FALSE;
  for (guint h = 0; h < loop->n_out_data; h++)
    if (!write_row (computing, h, step, heads->pdata[h], error))
      return FALSE;
  for (guint k = 0; k < loop->n_states; k++)
    tensors_set (computing->states, k, hyb_tensor_ref (heads->pdata[loop->n_out_data + k]));
  return TRUE;
}

/* No step ran: what rows would have been has to be inferred. */
static gboolean
make_empty_rows (const Computing *computing, GError **error)
{
  const HybLoop      *loop = computing->loop;
  guint               n_heads = loop->n_out_data + loop->n_states;
  g_autofree HybType *inputs = g_new (HybType, MAX (loop->n_inputs, 1));
  g_autofree HybType *variables = g_new (HybType, MAX (loop->n_variables, 1));
  g_autofree HybType *heads = g_new (HybType, MAX (n_heads, 1));

  for (guint i = 0; i < loop->n_inputs; i++)
    inputs[i] = *hyb_tensor_get_type (computing->inputs[i]);
  for (guint h = 0; h < n_heads; h++)
    heads[h] = HYB_TYPE_UNKNOWN;
  hyb_loop_variable_types (loop, inputs, computing->call->legacy_shapes, variables);
  if (!hyb_subgraph_infer (computing->call->body[loop->body],
                           variables,
                           heads,
                           computing->run->training,
                           NULL,
                           error))
    return FALSE;

  for (guint h = 0; h < loop->n_out_data; h++)
    {
      if (!hyb_type_is_known (&heads[h]))
        return hyb_error_at (error,
                             HYB_GRAPH_ERROR,
                             HYB_GRAPH_ERROR_UNKNOWN,
                             NULL,
                             NULL,
                             "no step runs, so nothing determines the shape of output %u",
                             h);
      computing->rows->pdata[h] = stack_new (computing, &heads[h], error);
      if (!computing->rows->pdata[h])
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_steps (const Computing *computing, gint64 *n_steps, GError **error)
{
  gboolean more;

  for (*n_steps = 0;; ++*n_steps)
    {
      if (g_cancellable_set_error_if_cancelled (computing->run->cancellable, error) ||
          !goes_on (computing, *n_steps, &more, error))
        return FALSE;
      if (!more)
        return *n_steps > 0 || make_empty_rows (computing, error);
      if (!run_step (computing, *n_steps, error))
        return FALSE;
    }
}

/* Stands for recorded states that have no common shape: the way back runs the loop
 * again, see loop-backward-compute.c.  It is of a shape that no stack of states has. */
static HybTensor *
not_recorded_new (HybTensor *state, GError **error)
{
  HybType type = { { .rank = HYB_MAX_RANK }, hyb_tensor_get_dtype (state) };

  return hyb_tensor_new (&type, error);
}

gboolean
hyb_loop_compute (const HybLoop    *loop,
                  HybCall          *call,
                  const HybRun     *run,
                  HybTensor *const *inputs,
                  HybTensor       **outputs,
                  GError          **error)
{
  guint n_heads = loop->n_out_data + loop->n_states;
  g_autoptr (GPtrArray) states = tensors_new (loop->n_states);
  g_autoptr (GPtrArray) rows = tensors_new (loop->n_out_data);
  g_autoptr (HybGraph) recording =
      loop->records ? hyb_subgraph_recording (call->body[loop->body]) : NULL;
  HybGraph *body = recording ? recording : call->body[loop->body];
  Computing computing = { loop, call, run, inputs, body, 0, states, rows };
  HybType   count = { hyb_shape_1d (1), HYB_I64 };
  gint64    n_steps;

  for (guint k = 0; k < loop->n_states; k++)
    states->pdata[k] = hyb_tensor_ref (inputs[loop->variable[loop->state[k]].input]);
  computing.length = loop->limit;
  for (guint v = 0; v < loop->n_variables && computing.length == HYB_UNKNOWN; v++)
    if (loop->variable[v].is_slice)
      computing.length = hyb_tensor_get_shape (inputs[loop->variable[v].input])->dim[0];

  if (!run_steps (&computing, &n_steps, error))
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

      outputs[o] = hyb_subgraph_result (states->pdata[k], inputs, call->n_inputs, error);
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
