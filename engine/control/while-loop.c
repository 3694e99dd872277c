/* while-loop.c — the operator _while_loop, which runs its body as long as a condition holds, at
 * most max_iterations times.
 *
 * Outputs: stacked rows (max_iterations of them; those past the last step are zero), final loop
 * variables, and the number of steps (hidden).  This file has the attributes and maps them to a
 * HybLoop (while_describe); loop.h has everything else.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/control/loop.h"
#include "engine/op/rules.h"

typedef struct
{
  gint64  num_args;
  gint64  num_outputs;
  gint64  num_out_data;
  gint64  max_iterations;
  HybInts cond_input_locs;
  HybInts func_input_locs;
  HybInts func_var_locs;
} WhileParams;

typedef struct
{
  WhileParams           forward;
  HybLoopGradientParams backward;
} LoopGradientParams;

/* The attributes of the loop, with which both structs start. */
#define WHILE_FIELDS                                                                                \
  { HYB_FIELD (WhileParams, num_args),                                                              \
    HYB_PARAM_INT,                                                                                  \
    NULL,                                                                                           \
    .low = 2,                                                                                       \
    .high = 65536,                                                                                  \
    .doc = "number of inputs and the two subgraphs" },                                              \
      { HYB_FIELD (WhileParams, num_outputs),                                                       \
        HYB_PARAM_INT,                                                                              \
        NULL,                                                                                       \
        .low = 1,                                                                                   \
        .high = 65536,                                                                              \
        .doc = "number of stacked outputs and loop variables" },                                    \
      { HYB_FIELD (WhileParams, num_out_data), HYB_PARAM_INT, NULL, .low = 0, .high = 65536,        \
        .doc = "number of stacked outputs" },                                                       \
      { HYB_FIELD (WhileParams, max_iterations), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32, \
        .doc = "maximum number of steps" },                                                         \
      { HYB_FIELD (WhileParams, cond_input_locs), HYB_PARAM_INTS, NULL,                             \
        .doc = "inputs that feed the condition's variables" },                                      \
      { HYB_FIELD (WhileParams, func_input_locs), HYB_PARAM_INTS, NULL,                             \
        .doc = "inputs that feed the body's variables" },                                           \
  {                                                                                                 \
    HYB_FIELD (WhileParams, func_var_locs), HYB_PARAM_INTS, NULL,                                   \
        .doc = "variables of the body that are loop variables"                                      \
  }

static const HybParam while_params[] = {
  WHILE_FIELDS,
  { 0 },
};

static const HybParam gradient_params[] = {
  WHILE_FIELDS,
  HYB_LOOP_GRADIENT_FIELDS (LoopGradientParams),
  { 0 },
};

enum
{
  BODY_CONDITION,
  BODY_STEP,
};

/* FALSE and an error unless all locations are in [0, end). */
static gboolean
check_range (const char *name, const HybInts *locations, gint64 end, GError **error)
{
  gboolean is_valid = locations->n >= 0;

  for (int i = 0; i < locations->n; i++)
    is_valid &= locations->value[i] >= 0 && locations->value[i] < end;
  return is_valid || hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                                   "%s must lie between 0 and %d", name, (int) end - 1);
}

static gboolean
while_check (gconstpointer values, GError **error)
{
  const WhileParams *params = values;
  gint64             n = params->num_args - 2;

  if (!check_range ("cond_input_locs", &params->cond_input_locs, n, error) ||
      !check_range ("func_input_locs", &params->func_input_locs, n, error) ||
      !check_range ("func_var_locs", &params->func_var_locs, params->func_input_locs.n, error))
    return FALSE;

  if (params->num_outputs - params->num_out_data != params->func_var_locs.n)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                         "func_var_locs names %d loop variables, but num_outputs − num_out_data "
                         "is %d",
                         params->func_var_locs.n,
                         (int) (params->num_outputs - params->num_out_data));
  for (int i = 0; i < params->func_var_locs.n; i++)
    for (int j = 0; j < i; j++)
      if (params->func_var_locs.value[i] == params->func_var_locs.value[j])
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                             "func_var_locs names variable %d twice",
                             (int) params->func_var_locs.value[i]);
  return TRUE;
}

static void
while_describe (gconstpointer values, HybLoop *loop)
{
  const WhileParams *params = values;

  hyb_loop_init (loop, (guint) params->func_input_locs.n, (guint) params->func_var_locs.n,
                 (guint) params->cond_input_locs.n);
  loop->n_inputs = (guint) params->num_args - 2;
  loop->n_out_data = (guint) params->num_out_data;
  loop->limit = params->max_iterations;
  loop->condition = BODY_CONDITION;
  loop->body = BODY_STEP;
  for (guint v = 0; v < loop->n_variables; v++)
    loop->variable[v].input = (guint) params->func_input_locs.value[v];
  for (guint k = 0; k < loop->n_states; k++)
    {
      loop->state[k] = (guint) params->func_var_locs.value[k];
      loop->variable[loop->state[k]].state = k;
    }
  for (guint v = 0; v < loop->n_condition_variables; v++)
    loop->condition_input[v] = (guint) params->cond_input_locs.value[v];
}

static void
while_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const WhileParams *params = values;

  *n_inputs = (guint) params->num_args - 2;
  *n_outputs = (guint) params->num_outputs + 1;
}

static void
recording_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const WhileParams *params = values;

  while_arity (values, n_inputs, n_outputs);
  *n_outputs += (guint) params->func_var_locs.n;
}

static guint
while_n_visible (gconstpointer values)
{
  const WhileParams *params = values;

  return (guint) params->num_outputs;
}

static guint
while_body_variable (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  const WhileParams *params = values;
  const HybInts     *locations =
      body == BODY_CONDITION ? &params->cond_input_locs : &params->func_input_locs;

  return variable < (guint) MAX (locations->n, 0) ? (guint) locations->value[variable] : G_MAXUINT;
}

/* Whether an input of the node is the initial value of a loop variable. */
static gboolean
is_loop_variable (const WhileParams *params, guint input)
{
  for (int i = 0; i < params->func_var_locs.n; i++)
    if (params->func_input_locs.value[params->func_var_locs.value[i]] == input)
      return TRUE;
  return FALSE;
}

static HybPortKind
while_body_port (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  return is_loop_variable (values, while_body_variable (values, n_inputs, body, variable))
             ? HYB_PORT_STATE
             : HYB_PORT_CAPTURED;
}

static guint
while_body_next (gconstpointer values, guint body, guint head)
{
  const WhileParams *params = values;
  gint64             state = (gint64) head - params->num_out_data;

  return body == BODY_STEP && state >= 0 && state < params->func_var_locs.n
             ? (guint) params->func_var_locs.value[state]
             : G_MAXUINT;
}

static guint
while_body_result (gconstpointer values, guint body, guint head)
{
  return body == BODY_STEP ? head : G_MAXUINT;
}

static const char *const while_bodies[] = { "condition", "body" };

#define LOOP_DESCRIBE while_describe
#include "engine/control/loop-operator.h"

static void
while_gradient (HybGrad *grad)
{
  g_auto (HybLoop) loop = { 0 };

  while_describe (hyb_grad_params (grad), &loop);
  hyb_loop_differentiate (&loop, grad, "_backward_while_loop", while_params);
}

/* Members of both the loop and its recording form. */
#define WHILE_COMMON                                                                         \
  .params = while_params, .params_size = sizeof (WhileParams), .n_visible = while_n_visible, \
  .check = while_check, .n_bodies = 2, .body_variable = while_body_variable,                 \
  .body_names = while_bodies, .body_port = while_body_port, .body_next = while_body_next,    \
  .body_result = while_body_result, .gradient = while_gradient

const HybOp hyb_ops_while_loop[] = {
  LOOP_OP (.name = "_while_loop",
           .doc = "Runs its body as long as its condition holds and carries loop variables along.",
           .arity = while_arity,
           .recording = "_while_loop_recording",
           WHILE_COMMON),
  RECORDING_LOOP_OP (
          .name = "_while_loop_recording",
          .doc =
              "_while_loop that also outputs the loop variables of every step, for its gradient.",
          .arity = recording_arity,
          WHILE_COMMON),
  BACKWARD_LOOP_OP (.name = "_backward_while_loop",
                    .doc = "Gradients of _while_loop, from the last step to the first.",
                    .params = gradient_params,
                    .check = while_check),
  { 0 },
};

#undef WHILE_COMMON
