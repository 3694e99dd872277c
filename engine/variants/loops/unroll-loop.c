/* unroll-loop.c — writes out a loop: its body once per step.
 *
 * A while_loop is written out if its steps can be counted beforehand: its condition compares a
 * counter that begins with a constant.  An element taken at the counter is then a step of a
 * sequence.  Start reading at write_foreach() and write_while().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/unroll.h"

#include "engine/base/error.h"
#include "engine/variants/loops/counted-loop.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"

#include <math.h>
#include <string.h>

/* Nodes and outputs of all steps together; small enough for a product in 32 bits. */
#define MAX_UNROLLED_NODES 10000000

/* The value of the current step for a value of the body. */
typedef struct
{
  HybValueId value;     /* the new value; HYB_NO_ID: not made yet */
  HybValueId row;       /* the new value without its first axis, of size 1; HYB_NO_ID: not known */
  HybValueId captured;  /* the value of the old outer graph; HYB_NO_ID: none */
  double     number;    /* the value of all its elements; NaN: unknown */
  gboolean   is_scalar; /* it is a step of a vector, which has no axes */
} BodyValue;

typedef struct
{
  HybConversion    *conversion;
  HybRebuild       *rebuild;
  HybNodeId         id;
  const HybNode    *node;
  const HybValueId *inputs;
  HybGraph         *body;
  BodyValue        *values; /* by value of body */
  guint             n_steps, n_out, n_states;
  BodyValue        *states;  /* as the next step begins */
  HybValueId       *outputs; /* new values, n_out × n_steps */
} UnrolledLoop;

static void
init_loop (UnrolledLoop *loop, HybConversion *conversion, HybNodeId id, guint body)
{
  *loop = (UnrolledLoop){ .conversion = conversion, .rebuild = &conversion->rebuild, .id = id };
  loop->node = hyb_graph_get_node (conversion->graph, id);
  loop->inputs = hyb_graph_get_inputs (conversion->graph, id);
  loop->body = hyb_graph_get_bodies (conversion->graph, id)[body];
  loop->n_out = (guint) hyb_node_int (loop->node, "num_out_data", 0);
  loop->n_states = (guint) hyb_node_int (loop->node, "num_outputs", 0) - loop->n_out;
  loop->values = g_new0 (BodyValue, MAX (hyb_graph_n_values (loop->body), 1));
  loop->states = g_new0 (BodyValue, MAX (loop->n_states, 1));
}

static void
clear_loop (UnrolledLoop *loop)
{
  g_free (loop->values);
  g_free (loop->states);
  g_free (loop->outputs);
}

/* The number that a constant is filled with, or that a parameter of one integer is; NaN: neither. */
static double
number_of (const UnrolledLoop *loop, HybValueId old)
{
  HybGraph      *graph = loop->conversion->graph;
  const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, old));
  HybTensor     *tensor = hyb_node_is_variable (node)
                              ? hyb_model_get_parameter (loop->conversion->from, node->name)
                              : NULL;

  if (tensor && hyb_tensor_get_size (tensor) == 1 &&
      !hyb_dtype_is_float (hyb_tensor_get_dtype (tensor)))
    return hyb_tensor_get_value (tensor, 0);
  return hyb_constant_number (graph, old);
}

static BodyValue
outer_value (const UnrolledLoop *loop, HybValueId old)
{
  return (BodyValue){ .value = HYB_NO_ID,
                      .row = HYB_NO_ID,
                      .captured = old,
                      .number = number_of (loop, old),
                      .is_scalar = loop->conversion->types[old].shape.rank == 0 };
}

static BodyValue
new_value (HybValueId value)
{
  return (BodyValue){ .value = value, .row = HYB_NO_ID, .captured = HYB_NO_ID, .number = NAN };
}

/* The new value; adds the nodes for it if it is not made yet. */
static HybValueId
make_value (UnrolledLoop *loop, BodyValue *value)
{
  if (value->value == HYB_NO_ID && value->captured != HYB_NO_ID)
    value->value = hyb_rebuild_value (loop->rebuild, value->captured);
  if (value->value == HYB_NO_ID && value->row != HYB_NO_ID)
    value->value = hyb_rebuild_unary (loop->rebuild, "expand_dims", "expand_dims", value->row,
                                      "axis", "0", NULL);
  return value->value;
}

/* "lstm0_t0_i2h" in step 3: "lstm0_t3_i2h"; "plus0" of the loop "foreach0": "foreach0_t3_plus0", so that the names
 * show the step of each node. */
static const char *
step_name (UnrolledLoop *loop, const char *name, guint step)
{
  const char *mark = strstr (name, "t0_");

  if (mark && (mark == name || mark[-1] == '_'))
    return hyb_rebuild_name (loop->rebuild, "%.*st%u_%s", (int) (mark - name), name, step,
                             mark + 3);
  return hyb_rebuild_name (loop->rebuild, "%s_t%u_%s", loop->node->name, step, name);
}

/* --- Nodes that need not be copied --- */

/* take (sequence, counter) with a known counter is a step of the sequence. */
static gboolean
follow_take (UnrolledLoop *loop, const HybNode *node, const HybValueId *inputs, BodyValue *out)
{
  BodyValue      *data = &loop->values[inputs[0]];
  double          index = loop->values[inputs[1]].number;
  const HybShape *shape;
  HybSequence    *sequence;

  if (data->captured == HYB_NO_ID || isnan (index) || hyb_node_int (node, "axis", 0) != 0)
    return FALSE;
  shape = &loop->conversion->types[data->captured].shape;
  if (shape->rank < 2 || shape->dim[0] < 1 || index < 0 || index >= (double) shape->dim[0])
    return FALSE;
  sequence = hyb_rebuild_sequence (loop->rebuild, data->captured, 0, (guint) shape->dim[0]);
  *out = new_value (HYB_NO_ID);
  out->row = hyb_sequence_step (loop->rebuild, sequence, (guint) index);
  /* A counter without axes takes the step itself. */
  if (!hyb_graph_has_legacy_shapes (loop->conversion->graph) && loop->values[inputs[1]].is_scalar)
    *out = new_value (out->row);
  return TRUE;
}

/* squeeze (take ()) is the step without its first axis. */
static gboolean
follow_squeeze (UnrolledLoop *loop, const HybNode *node, const HybValueId *inputs, BodyValue *out)
{
  const HybInts *axis = hyb_node_ints (node, "axis");

  if (loop->values[inputs[0]].row == HYB_NO_ID || !axis || axis->n != 1 || axis->value[0] != 0)
    return FALSE;
  *out = new_value (loop->values[inputs[0]].row);
  return TRUE;
}

/* The output of a node in terms of its inputs.  FALSE if the node must be copied. */
static gboolean
follow (UnrolledLoop *loop, const HybNode *node, const HybValueId *inputs, BodyValue *out)
{
  switch ((int) hyb_node_kind (node))
    {
    case HYB_KIND_COPY:
      *out = loop->values[inputs[0]];
      return TRUE;
    case HYB_KIND_TAKE:
      return follow_take (loop, node, inputs, out);
    case HYB_KIND_SQUEEZE:
      return follow_squeeze (loop, node, inputs, out);
    default:
      return FALSE;
    }
}

/* --- Steps --- */

/* Sets the known value of a sum of numbers, as in counters. */
static void
count (const UnrolledLoop *loop, const HybNode *node, const HybValueId *inputs, BodyValue *out)
{
  const BodyValue *first = &loop->values[inputs[0]];

  if (hyb_node_kind (node) == HYB_KIND_PLUS_SCALAR)
    {
      out->number = first->number + hyb_node_double (node, "scalar", NAN);
      out->is_scalar = first->is_scalar;
    }
  else if (hyb_node_kind (node) == HYB_KIND_ADD)
    {
      out->number = first->number + loop->values[inputs[1]].number;
      out->is_scalar = first->is_scalar && loop->values[inputs[1]].is_scalar;
    }
}

/* Writes a node of the body for one step. */
static void
write_node (UnrolledLoop *loop, HybNodeId id, guint step)
{
  const HybNode         *node = hyb_graph_get_node (loop->body, id);
  const HybValueId      *inputs = hyb_graph_get_inputs (loop->body, id);
  BodyValue             *out = &loop->values[node->first_output];
  g_autofree HybValueId *values = g_new (HybValueId, MAX (node->n_inputs, 1));
  HybValueId             first;

  if (follow (loop, node, inputs, out))
    return;
  for (guint i = 0; i < node->n_inputs; i++)
    values[i] = make_value (loop, &loop->values[inputs[i]]);
  first =
      hyb_rebuild_copy (loop->rebuild, loop->body, id, step_name (loop, node->name, step), values);
  for (guint i = 0; i < node->n_outputs; i++)
    out[i] = new_value (first + i);
  count (loop, node, inputs, out);
}

/* Writes the body for one step; values of its variables are set. */
static void
write_step (UnrolledLoop *loop, guint step)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (loop->body, &n_heads);

  loop->rebuild->step = (gint32) step;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (loop->body) && !loop->rebuild->error; id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (loop->body, id)))
      write_node (loop, id, step);
  for (guint i = 0; i < loop->n_out; i++)
    loop->outputs[i * loop->n_steps + step] = make_value (loop, &loop->values[heads[i]]);
  for (guint i = 0; i < loop->n_states; i++)
    loop->states[i] = loop->values[heads[loop->n_out + i]];
  loop->rebuild->step = -1;
}

/* Places the outputs of the loop.  n_rows: rows that the operator promises; rows of steps
 * that it does not reach are zeros. */
static void
place_outputs (UnrolledLoop *loop, guint n_rows)
{
  HybValueId             first = loop->node->first_output;
  g_autofree HybValueId *steps = g_new (HybValueId, MAX (n_rows, 1));

  for (guint i = 0; i < loop->n_out; i++)
    {
      for (guint t = 0; t < n_rows; t++)
        steps[t] = t < loop->n_steps ? loop->outputs[i * loop->n_steps + t]
                                     : hyb_rebuild_unary (loop->rebuild, "zeros_like", "unreached",
                                                          steps[0], NULL);
      hyb_rebuild_set_place (loop->rebuild, first + i,
                             (HybSequencePlace){
                                 .kind = HYB_SEQUENCE_WHOLE,
                                 .sequence =
                                     hyb_sequence_of_steps (loop->rebuild, n_rows, steps) });
    }
  for (guint i = 0; i < loop->n_states; i++)
    hyb_rebuild_set_value (loop->rebuild, first + loop->n_out + i,
                           make_value (loop, &loop->states[i]));
}

/* Makes room for the outputs of all steps.  FALSE if there are too many, at per_step outputs a step. */
static gboolean
make_room (UnrolledLoop *loop, guint64 per_step, GError **error)
{
  if (per_step * loop->n_steps > MAX_UNROLLED_NODES)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, loop->node->name, NULL,
                         "its %u steps would be %" G_GUINT64_FORMAT
                         " nodes and outputs, but at most %d can be written out",
                         loop->n_steps, per_step * loop->n_steps, MAX_UNROLLED_NODES);
  loop->outputs = g_new (HybValueId, MAX (loop->n_out * loop->n_steps, 1));
  return TRUE;
}

/* --- foreach --- */

/* The number that a step of an array of numbers is; NaN if they are not known. */
static double
number_at_step (const UnrolledLoop *loop, HybValueId data, guint step)
{
  HybGraph      *graph = loop->conversion->graph;
  const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, data));

  if (hyb_node_kind (node) != HYB_KIND_COUNT || hyb_node_int (node, "repeat", 1) != 1)
    return NAN;
  return hyb_node_double (node, "start", 0) + step * hyb_node_double (node, "step", 1);
}

/* The value of a variable in one step of an array. */
static BodyValue
data_at_step (UnrolledLoop *loop, HybValueId data, guint step)
{
  gboolean     is_vector = loop->conversion->types[data].shape.rank == 1;
  HybSequence *sequence = hyb_rebuild_sequence (loop->rebuild, data, 0, loop->n_steps);
  BodyValue    value = new_value (hyb_sequence_step (loop->rebuild, sequence, step));

  value.number = number_at_step (loop, data, step);
  value.is_scalar = is_vector && !hyb_graph_has_legacy_shapes (loop->conversion->graph);
  /* MXNet has no rank 0: a step of a vector is a vector of one element. */
  if (is_vector && !value.is_scalar)
    value.value =
        hyb_rebuild_unary (loop->rebuild, "Reshape", "row", value.value, "shape", "(1,)", NULL);
  return value;
}

static gboolean
write_foreach (UnrolledLoop *loop, GError **error)
{
  guint            n_data = (guint) hyb_node_ints (loop->node, "in_data_locs")->n;
  guint            n_variables;
  const HybNodeId *variables = hyb_graph_get_variables (loop->body, &n_variables);

  if (n_data == 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, loop->node->name, NULL,
                         "the loop has no input array that determines its number of steps");
  if (!hyb_unroll_length (loop->conversion, loop->id, loop->inputs[0], &loop->n_steps, error))
    return FALSE;
  if (!make_room (loop, (guint64) hyb_graph_n_nodes (loop->body) + loop->n_out, error))
    return FALSE;
  for (guint i = 0; i < loop->n_states; i++)
    loop->states[i] = outer_value (loop, loop->inputs[n_data + i]);

  for (guint step = 0; step < loop->n_steps && !loop->rebuild->error; step++)
    {
      for (guint v = 0; v < n_variables; v++)
        {
          const HybNode *variable = hyb_graph_get_node (loop->body, variables[v]);
          guint          input =
              loop->node->op->body_variable (loop->node->params, loop->node->n_inputs, 0, v);
          BodyValue *value = &loop->values[variable->first_output];

          /* Variables take a state of the previous step, a captured value (the same in all steps),
           * or this step's row of the data. */
          if (input >= n_data && input < n_data + loop->n_states)
            *value = loop->states[input - n_data];
          else if (input >= n_data)
            *value = outer_value (loop, loop->inputs[input]);
          else
            *value = data_at_step (loop, loop->inputs[input], step);
        }
      write_step (loop, step);
    }
  place_outputs (loop, loop->n_steps);
  return TRUE;
}

gboolean
hyb_unroll_foreach (HybConversion *conversion, HybNodeId id, GError **error)
{
  UnrolledLoop loop;
  gboolean     is_done;

  init_loop (&loop, conversion, id, 0);
  is_done = write_foreach (&loop, error);
  clear_loop (&loop);
  return is_done;
}

/* --- while_loop --- */

/* The value of the condition for these inputs of the loop; NaN if it cannot be evaluated. */
static double
evaluate (const UnrolledLoop *loop, HybGraph *condition, const double *number_of_input)
{
  g_autofree double *numbers = g_new (double, MAX (hyb_graph_n_values (condition), 1));
  guint              n_variables, n_heads;
  const HybNodeId   *variables = hyb_graph_get_variables (condition, &n_variables);
  const HybValueId  *heads = hyb_graph_get_heads (condition, &n_heads);

  for (guint i = 0; i < hyb_graph_n_values (condition); i++)
    numbers[i] = NAN;
  for (guint v = 0; v < n_variables; v++)
    numbers[hyb_graph_get_node (condition, variables[v])->first_output] =
        number_of_input[loop->node->op->body_variable (loop->node->params, loop->node->n_inputs, 0,
                                                       v)];
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (condition); id++)
    {
      const HybNode    *node = hyb_graph_get_node (condition, id);
      const HybValueId *inputs = hyb_graph_get_inputs (condition, id);
      HybNodeKind       word = hyb_node_kind (node);
      double            scalar = hyb_node_double (node, "scalar", NAN);

      /* Only the operators of a counting condition.  Any other node leaves NaN, which every
       * later node passes on. */
      if (word == HYB_KIND_COPY)
        numbers[node->first_output] = numbers[inputs[0]];
      else if (word == HYB_KIND_PLUS_SCALAR)
        numbers[node->first_output] = numbers[inputs[0]] + scalar;
      else if (word == HYB_KIND_LESSER_SCALAR && !isnan (numbers[inputs[0]]))
        numbers[node->first_output] = numbers[inputs[0]] < scalar;
    }
  return n_heads == 1 ? numbers[heads[0]] : NAN;
}

/* Sets the values of the body's variables for the next step.  places: the variables that are
 * states. */
static void
bind_while_variables (UnrolledLoop *loop, const HybInts *places, const BodyValue *input_values)
{
  guint            n_variables;
  const HybNodeId *variables = hyb_graph_get_variables (loop->body, &n_variables);

  for (guint v = 0; v < n_variables; v++)
    {
      guint input = loop->node->op->body_variable (loop->node->params, loop->node->n_inputs, 1, v);

      loop->values[hyb_graph_get_node (loop->body, variables[v])->first_output] =
          input_values[input];
      for (guint s = 0; s < loop->n_states; s++)
        if (places->value[s] == v)
          loop->values[hyb_graph_get_node (loop->body, variables[v])->first_output] =
              loop->states[s];
    }
}

static gboolean
refuse_unknown_count (const UnrolledLoop *loop, GError **error)
{
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, loop->node->name,
                       "Only loops that count up from a constant can be converted",
                       "the number of steps is known only at run time");
}

static gboolean
write_while (UnrolledLoop *loop, GError **error)
{
  HybGraph             *condition = hyb_graph_get_bodies (loop->conversion->graph, loop->id)[0];
  const HybInts        *places = hyb_node_ints (loop->node, "func_var_locs");
  gint64                limit = hyb_node_int (loop->node, "max_iterations", 0);
  guint                 n_inputs = loop->node->n_inputs;
  g_autofree BodyValue *given = g_new0 (BodyValue, MAX (n_inputs, 1));
  g_autofree double    *numbers = g_new (double, MAX (n_inputs, 1));
  guint                 step;

  for (guint i = 0; i < n_inputs; i++)
    {
      given[i] = outer_value (loop, loop->inputs[i]);
      /* A parameter may have other values when the loop runs. */
      given[i].number = hyb_constant_number (loop->conversion->graph, loop->inputs[i]);
      numbers[i] = given[i].number;
    }
  /* Without a limit of its own, a loop has the largest that there is. */
  if (limit > HYB_MAX_UNROLL && isnan (evaluate (loop, condition, numbers)))
    return refuse_unknown_count (loop, error);
  if (limit < 1 || limit > HYB_MAX_UNROLL)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, loop->node->name, NULL,
                         "it makes up to %" G_GINT64_FORMAT
                         " steps, but only loops of 1 to %d steps can be unrolled",
                         limit, HYB_MAX_UNROLL);
  loop->n_steps = (guint) limit;
  /* How many of these steps there are shows later. */
  if (!make_room (loop, loop->n_out, error))
    return FALSE;
  for (guint s = 0; s < loop->n_states; s++)
    loop->states[s] = given[loop->node->op->body_variable (loop->node->params, n_inputs, 1,
                                                           (guint) places->value[s])];

  for (step = 0; step < loop->n_steps && !loop->rebuild->error; step++)
    {
      double continues;

      for (guint s = 0; s < loop->n_states; s++)
        numbers[loop->node->op->body_variable (loop->node->params, n_inputs, 1,
                                               (guint) places->value[s])] = loop->states[s].number;
      continues = evaluate (loop, condition, numbers);
      if (isnan (continues))
        return refuse_unknown_count (loop, error);
      if (continues == 0)
        break;
      bind_while_variables (loop, places, given);
      write_step (loop, step);
    }
  if (step == 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, loop->node->name, NULL,
                         "the loop makes no steps");
  for (guint i = 0; i < loop->n_out && step < loop->n_steps; i++)
    memmove (loop->outputs + i * step, loop->outputs + i * loop->n_steps,
             step * sizeof (HybValueId));
  loop->n_steps = step;
  place_outputs (loop, (guint) limit);
  return TRUE;
}

gboolean
hyb_unroll_while (HybConversion *conversion, HybNodeId id, GError **error)
{
  UnrolledLoop loop;
  gboolean     is_done;

  init_loop (&loop, conversion, id, 1);
  is_done = write_while (&loop, error);
  clear_loop (&loop);
  return is_done;
}
