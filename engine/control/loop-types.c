/* loop-types.c — describing a loop (HybLoop) and inferring the types of its inputs and outputs.
 *
 * Types inside the body are inferred by analysis/subgraph-types.h, alternating with the rule that a
 * state has the same type before and after a step.  Start at hyb_loop_infer().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop.h"

#include "engine/base/error.h"

#include <string.h>

/* Rounds in which states and body are inferred from each other.  Every round must find something
 * new, so real models stay far below. */
#define MAX_ROUNDS 64

void
hyb_loop_init (HybLoop *loop, guint n_variables, guint n_states, guint n_condition_variables)
{
  *loop = (HybLoop){
    .n_variables = n_variables,
    .variable = g_new0 (HybLoopVariable, MAX (n_variables, 1)),
    .n_states = n_states,
    .state = g_new0 (guint, MAX (n_states, 1)),
    .limit = HYB_UNKNOWN,
    .condition = HYB_LOOP_NONE,
    .n_condition_variables = n_condition_variables,
    .condition_input = g_new0 (guint, MAX (n_condition_variables, 1)),
  };
  for (guint v = 0; v < n_variables; v++)
    loop->variable[v].state = HYB_LOOP_NONE;
}

void
hyb_loop_clear (HybLoop *loop)
{
  g_clear_pointer (&loop->variable, g_free);
  g_clear_pointer (&loop->state, g_free);
  g_clear_pointer (&loop->condition_input, g_free);
}

guint
hyb_loop_state_of_input (const HybLoop *loop, guint input)
{
  for (guint k = 0; k < loop->n_states; k++)
    if (loop->variable[loop->state[k]].input == input)
      return k;
  return HYB_LOOP_NONE;
}

/* --- Types --- */

HybShape
hyb_loop_stacked_shape (gint64 rows, const HybShape *row)
{
  HybShape shape = { .rank = row->rank + 1 };

  if (row->rank == HYB_UNKNOWN || row->rank + 1 > HYB_MAX_RANK)
    return HYB_SHAPE_UNKNOWN;
  shape.dim[0] = rows;
  memcpy (shape.dim + 1, row->dim, sizeof (gint64) * (gsize) row->rank);
  return shape;
}

void
hyb_loop_variable_types (const HybLoop *loop,
                         const HybType *inputs,
                         gboolean       legacy_shapes,
                         HybType       *variables)
{
  for (guint v = 0; v < loop->n_variables; v++)
    {
      variables[v] = inputs[loop->variable[v].input];
      if (loop->variable[v].is_slice)
        variables[v].shape = hyb_loop_row_shape (&variables[v].shape, legacy_shapes);
    }
}

gint64
hyb_loop_length (const HybLoop *loop, const HybType *inputs)
{
  if (loop->limit != HYB_UNKNOWN)
    return loop->limit;
  for (guint v = 0; v < loop->n_variables; v++)
    {
      const HybShape *shape = &inputs[loop->variable[v].input].shape;

      if (loop->variable[v].is_slice && shape->rank > 0 && shape->dim[0] != HYB_UNKNOWN)
        return shape->dim[0];
    }
  return HYB_UNKNOWN;
}

/* Finds the number of steps from inputs or outputs and assigns it to the rows of all slices. */
static gboolean
infer_length (const HybLoop *loop, HybCall *call, gint64 *length, GError **error)
{
  *length = hyb_loop_length (loop, call->input);
  for (guint h = 0; h < loop->n_out_data && *length == HYB_UNKNOWN; h++)
    if (call->output[h].shape.rank > 0)
      *length = call->output[h].shape.dim[0];

  for (guint v = 0; v < loop->n_variables; v++)
    {
      HybShape *shape = &call->input[loop->variable[v].input].shape;

      if (!loop->variable[v].is_slice || shape->rank == HYB_UNKNOWN)
        continue;
      if (shape->rank == 0)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL,
                             "A loop reads one row of its data in every step",
                             "data %u is a scalar and has no rows", loop->variable[v].input);
      if (*length == HYB_UNKNOWN)
        continue;
      if (shape->dim[0] != HYB_UNKNOWN && shape->dim[0] != *length)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL,
                             "All data that a loop runs over must have the same number of rows",
                             "data %u has %" G_GINT64_FORMAT
                             " rows where another has %" G_GINT64_FORMAT,
                             loop->variable[v].input, shape->dim[0], *length);
      shape->dim[0] = *length;
    }
  return TRUE;
}

/* Unifies the types of every state before and after a step.  FALSE if they differ, so that types
 * are known only while running. */
static gboolean
unify_states (const HybLoop *loop, HybType *variables, HybType *heads, gboolean *changed)
{
  for (guint k = 0; k < loop->n_states; k++)
    {
      HybType *before = &variables[loop->state[k]];
      HybType *after = &heads[loop->n_out_data + k];
      HybType  old[2] = { *before, *after };

      if (!hyb_shape_unify (&before->shape, &after->shape, NULL) ||
          !hyb_dtype_unify (&before->dtype, &after->dtype, NULL))
        return FALSE;
      *changed |= !hyb_shape_equal (&old[0].shape, &before->shape) || old[0].dtype != before->dtype;
      *changed |= !hyb_shape_equal (&old[1].shape, &after->shape) || old[1].dtype != after->dtype;
    }
  return TRUE;
}

/* Assigns the known types of the node's outputs to the body's heads.  TRUE if that is new. */
static gboolean
use_known_outputs (const HybLoop *loop, const HybCall *call, HybType *heads)
{
  gboolean changed = FALSE;

  for (guint h = 0; h < loop->n_out_data + loop->n_states; h++)
    {
      HybType known = call->output[h];
      HybType old = heads[h];

      if (h < loop->n_out_data)
        known.shape = hyb_loop_row_shape (&known.shape, FALSE);
      if (hyb_shape_assign (&heads[h].shape, &known.shape, NULL))
        hyb_dtype_assign (&heads[h].dtype, known.dtype, NULL);
      changed |= !hyb_shape_equal (&old.shape, &heads[h].shape) || old.dtype != heads[h].dtype;
    }
  return changed;
}

typedef struct
{
  HybType *variables, *heads;
  gboolean is_dynamic;  /* a state changes its type from step to step */
  gboolean is_complete; /* all types inside the body are known */
} BodyTypes;

/* Infers types->variables and types->heads from each other until nothing changes. */
static gboolean
infer_body (const HybLoop *loop, const HybCall *call, BodyTypes *types, GError **error)
{
  guint    n_heads = loop->n_out_data + loop->n_states;
  gboolean changed = TRUE;
  gboolean used_outputs = FALSE;

  for (guint round = 0; changed && round < MAX_ROUNDS; round++)
    {
      if (!hyb_subgraph_infer (call->body[loop->body],
                               &(HybSubgraphTypes){ .variables = types->variables,
                                                    .heads = types->heads,
                                                    .training = call->training,
                                                    .complete = &types->is_complete },
                               error))
        {
          g_prefix_error (error, "in its body: ");
          return FALSE;
        }
      changed = FALSE;
      if (!unify_states (loop, types->variables, types->heads, &changed))
        {
          types->is_dynamic = TRUE;
          return TRUE;
        }
      if (changed || used_outputs || hyb_types_are_known (types->heads, n_heads))
        continue;
      changed = use_known_outputs (loop, call, types->heads);
      used_outputs = TRUE;
    }
  return TRUE;
}

/* Assigns the known parts to *type; errors name the operand as "what index". */
static gboolean
assign_type (HybType *type, HybType known, const char *what, guint index, GError **error)
{
  if (hyb_shape_assign (&type->shape, &known.shape, error) &&
      hyb_dtype_assign (&type->dtype, known.dtype, error))
    return TRUE;
  g_prefix_error (error, "%s %u: ", what, index);
  return FALSE;
}

/* Assigns the types of the body's variables to the inputs that feed them. */
static gboolean
assign_input_types (const HybLoop *loop,
                    HybCall       *call,
                    const HybType *variables,
                    gint64         length,
                    GError       **error)
{
  for (guint v = 0; v < loop->n_variables; v++)
    {
      guint    input = loop->variable[v].input;
      HybType *type = &call->input[input];
      HybShape shape = variables[v].shape;

      if (loop->variable[v].is_slice)
        {
          /* A row of one element may belong to a vector or to a matrix. */
          gboolean is_ambiguous = call->legacy_shapes && shape.rank == 1 && type->shape.rank != 2 &&
                                  (shape.dim[0] == 1 || shape.dim[0] == HYB_UNKNOWN);

          shape = is_ambiguous ? HYB_SHAPE_UNKNOWN : hyb_loop_stacked_shape (length, &shape);
        }
      if (!assign_type (type, (HybType){ shape, variables[v].dtype }, "input", input, error))
        return FALSE;
    }
  return TRUE;
}

/* Assigns the types of the heads to outputs and recorded states, stacked where needed. */
static gboolean
assign_output_types (const HybLoop *loop,
                     HybCall       *call,
                     const HybType *heads,
                     gint64         length,
                     GError       **error)
{
  guint n_heads = loop->n_out_data + loop->n_states;
  guint first_recorded = n_heads + 1;

  for (guint h = 0; h < n_heads; h++)
    {
      HybShape shape =
          h < loop->n_out_data ? hyb_loop_stacked_shape (length, &heads[h].shape) : heads[h].shape;

      if (!assign_type (&call->output[h], (HybType){ shape, heads[h].dtype }, "output", h, error))
        return FALSE;
    }
  for (guint o = first_recorded; o < call->n_outputs; o++)
    {
      const HybType *state = &heads[loop->n_out_data + o - first_recorded];

      HybType stacked = { hyb_loop_stacked_shape (length, &state->shape), state->dtype };

      if (!assign_type (&call->output[o], stacked, "output", o, error))
        return FALSE;
    }
  return TRUE;
}

/* Dtypes are known even if shapes are known only while running. */
static void
assign_output_dtypes (const HybLoop *loop, HybCall *call, const HybType *heads)
{
  guint n_heads = loop->n_out_data + loop->n_states;

  hyb_dtype_assign (&call->output[n_heads].dtype, HYB_I64, NULL);
  for (guint h = 0; h < n_heads; h++)
    hyb_dtype_assign (&call->output[h].dtype, heads[h].dtype, NULL);
}

/* Infers the types of the condition, which must have one element as far as its shape is known. */
static gboolean
infer_condition (const HybLoop *loop, HybCall *call, GError **error)
{
  g_autofree HybType *variables = g_new (HybType, MAX (loop->n_condition_variables, 1));
  HybType             head = HYB_TYPE_UNKNOWN;

  if (loop->condition == HYB_LOOP_NONE)
    return TRUE;
  if (!hyb_subgraph_check (call->body[loop->condition], loop->n_condition_variables, 1, "condition",
                           error))
    return FALSE;

  for (guint v = 0; v < loop->n_condition_variables; v++)
    variables[v] = call->input[loop->condition_input[v]];
  if (!hyb_subgraph_infer (call->body[loop->condition],
                           &(HybSubgraphTypes){
                               .variables = variables, .heads = &head, .training = call->training },
                           error))
    {
      g_prefix_error (error, "in its condition: ");
      return FALSE;
    }
  if (hyb_shape_is_known (&head.shape) && hyb_shape_size (&head.shape) != 1)
    {
      g_autofree char *shape = hyb_shape_to_string (&head.shape);

      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                           "its condition must have one element, but its shape is %s", shape);
    }
  for (guint v = 0; v < loop->n_condition_variables; v++)
    {
      guint input = loop->condition_input[v];

      if (!assign_type (&call->input[input], variables[v], "input", input, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_loop_infer (const HybLoop *loop, HybCall *call, GError **error)
{
  guint               n_heads = loop->n_out_data + loop->n_states;
  g_autofree HybType *variables = g_new (HybType, MAX (loop->n_variables, 1));
  g_autofree HybType *heads = g_new (HybType, MAX (n_heads, 1));
  BodyTypes           types = { .variables = variables, .heads = heads };
  HybType             count = { hyb_shape_1d (1), HYB_I64 };
  gint64              length;

  /* Nothing to infer; hyb_loop_prepare() finds contradictions.  Without this, the bodies of nested
   * loops would be inferred again in every round of the outer one. */
  if (hyb_types_are_known (call->input, call->n_inputs) &&
      hyb_types_are_known (call->output, call->n_outputs))
    return TRUE;

  if (!hyb_subgraph_check (call->body[loop->body], loop->n_variables, n_heads, "body", error) ||
      !infer_condition (loop, call, error) || !infer_length (loop, call, &length, error))
    return FALSE;

  hyb_loop_variable_types (loop, call->input, call->legacy_shapes, variables);
  for (guint h = 0; h < n_heads; h++)
    heads[h] = HYB_TYPE_UNKNOWN;
  if (!infer_body (loop, call, &types, error))
    return FALSE;
  assign_output_dtypes (loop, call, heads);
  if (types.is_dynamic)
    return TRUE;
  if (!assign_input_types (loop, call, variables, length, error))
    return FALSE;

  /* If all inputs are known but shapes inside are not, those are known only while running, and the
   * outputs' shapes stay unknown. */
  if (!types.is_complete && hyb_types_are_known (call->input, call->n_inputs))
    return TRUE;
  return assign_output_types (loop, call, heads, length, error) &&
         assign_type (&call->output[n_heads], count, "output", n_heads, error);
}
