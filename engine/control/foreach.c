/* foreach.c — the operator _foreach, which runs its body for every row of its data and carries
 * states from row to row.
 *
 * Inputs: data, initial states, captured values.  Outputs: stacked rows, final states, and the
 * number of steps (hidden).  This file has the attributes and maps them to a HybLoop
 * (foreach_describe); loop.h has everything else.
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
  HybInts in_data_locs;
  HybInts in_state_locs;
  HybInts remain_locs;
} ForeachParams;

typedef struct
{
  ForeachParams         forward;
  HybLoopGradientParams backward;
} LoopGradientParams;

/* The attributes of the loop, with which both structs start. */
#define FOREACH_FIELDS                                                                              \
  { HYB_FIELD (ForeachParams, num_args),       HYB_PARAM_INT, NULL, .low = 1, .high = 65536,        \
    .doc = "number of inputs and the subgraph" },                                                   \
      { HYB_FIELD (ForeachParams, num_outputs),       HYB_PARAM_INT, NULL, .low = 1, .high = 65536, \
        .doc = "number of stacked outputs and states" },                                            \
      { HYB_FIELD (ForeachParams, num_out_data), HYB_PARAM_INT, NULL, .low = 0, .high = 65536,      \
        .doc = "number of stacked outputs" },                                                       \
      { HYB_FIELD (ForeachParams, in_data_locs), HYB_PARAM_INTS, NULL,                              \
        .doc = "variables of the body that read rows" },                                            \
      { HYB_FIELD (ForeachParams, in_state_locs), HYB_PARAM_INTS, NULL,                             \
        .doc = "variables of the body that are states" },                                           \
  {                                                                                                 \
    HYB_FIELD (ForeachParams, remain_locs), HYB_PARAM_INTS, NULL,                                   \
        .doc = "variables of the body that are captured"                                            \
  }

static const HybParam foreach_params[] = {
  FOREACH_FIELDS,
  { 0 },
};

static const HybParam gradient_params[] = {
  FOREACH_FIELDS,
  HYB_LOOP_GRADIENT_FIELDS (LoopGradientParams),
  { 0 },
};

/* The variable of the body that an input of the node feeds; −1 if there is none. */
static gint64
body_location (const ForeachParams *params, gint64 input)
{
  const HybInts *groups[] = { &params->in_data_locs, &params->in_state_locs, &params->remain_locs };

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    {
      if (input < groups[g]->n)
        return groups[g]->value[input];
      input -= groups[g]->n;
    }
  return -1;
}

static gboolean
foreach_check (gconstpointer values, GError **error)
{
  const ForeachParams *params = values;
  gint64               n = params->num_args - 1;
  g_autofree guint8   *seen = g_new0 (guint8, (gsize) MAX (n, 1));
  gboolean             is_valid = params->in_data_locs.n >= 0 && params->in_state_locs.n >= 0 &&
                      params->remain_locs.n >= 0 &&
                      params->in_data_locs.n + params->in_state_locs.n + params->remain_locs.n == n;

  for (gint64 i = 0; is_valid && i < n; i++)
    {
      gint64 variable = body_location (params, i);

      is_valid = variable >= 0 && variable < n && !seen[variable];
      if (is_valid)
        seen[variable] = TRUE;
    }
  if (!is_valid)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                         "in_data_locs, in_state_locs and remain_locs must name each of the %d "
                         "variables of the body exactly once",
                         (int) n);
  if (params->num_outputs - params->num_out_data != params->in_state_locs.n)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                         "in_state_locs names %d states, but num_outputs − num_out_data is %d",
                         params->in_state_locs.n,
                         (int) (params->num_outputs - params->num_out_data));
  return TRUE;
}

static void
foreach_describe (gconstpointer values, HybLoop *loop)
{
  const ForeachParams *params = values;
  guint                n_data = (guint) params->in_data_locs.n;
  guint                n_states = (guint) params->in_state_locs.n;

  hyb_loop_init (loop, (guint) params->num_args - 1, n_states, 0);
  loop->n_inputs = loop->n_variables;
  loop->n_out_data = (guint) params->num_out_data;
  for (guint i = 0; i < loop->n_inputs; i++)
    {
      guint v = (guint) body_location (params, i);

      loop->variable[v].input = i;
      loop->variable[v].is_slice = i < n_data;
      if (i >= n_data && i < n_data + n_states)
        {
          loop->variable[v].state = i - n_data;
          loop->state[i - n_data] = v;
        }
    }
}

static void
foreach_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const ForeachParams *params = values;

  *n_inputs = (guint) params->num_args - 1;
  *n_outputs = (guint) params->num_outputs + 1;
}

static void
recording_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const ForeachParams *params = values;

  foreach_arity (values, n_inputs, n_outputs);
  *n_outputs += (guint) params->in_state_locs.n;
}

static guint
foreach_n_visible (gconstpointer values)
{
  const ForeachParams *params = values;

  return (guint) params->num_outputs;
}

static guint
foreach_body_variable (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  for (guint i = 0; i < n_inputs; i++)
    if (body_location (values, i) == variable)
      return i;
  return G_MAXUINT;
}

static HybPortKind
foreach_body_port (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  const ForeachParams *params = values;
  guint                input = foreach_body_variable (values, n_inputs, body, variable);

  if (input < (guint) params->in_data_locs.n)
    return HYB_PORT_DATA;
  return input < (guint) (params->in_data_locs.n + params->in_state_locs.n) ? HYB_PORT_STATE
                                                                            : HYB_PORT_CAPTURED;
}

static guint
foreach_body_next (gconstpointer values, guint body, guint head)
{
  const ForeachParams *params = values;
  gint64               state = (gint64) head - params->num_out_data;

  return state >= 0 && state < params->in_state_locs.n ? (guint) params->in_state_locs.value[state]
                                                       : G_MAXUINT;
}

static guint
foreach_body_result (gconstpointer values, guint body, guint head)
{
  return head;
}

static const char *const foreach_bodies[] = { "body" };

#define LOOP_DESCRIBE foreach_describe
#include "engine/control/loop-operator.h"

static void
foreach_gradient (HybGrad *grad)
{
  g_auto (HybLoop) loop = { 0 };

  foreach_describe (hyb_grad_params (grad), &loop);
  hyb_loop_differentiate (&loop, grad, "_backward_foreach", foreach_params);
}

/* Members of both the loop and its recording form. */
#define FOREACH_COMMON                                                                             \
  .params = foreach_params, .params_size = sizeof (ForeachParams), .n_visible = foreach_n_visible, \
  .check = foreach_check, .n_bodies = 1, .body_variable = foreach_body_variable,                   \
  .body_names = foreach_bodies, .body_port = foreach_body_port, .body_next = foreach_body_next,    \
  .body_result = foreach_body_result, .gradient = foreach_gradient

const HybOp hyb_ops_foreach[] = {
  LOOP_OP (.name = "_foreach",
           .doc = "Runs its body for every row of its data and carries states from row to row.",
           .arity = foreach_arity,
           .recording = "_foreach_recording",
           FOREACH_COMMON),
  RECORDING_LOOP_OP (.name = "_foreach_recording",
                     .doc =
                         "_foreach that also outputs the states of every step, for its gradient.",
                     .arity = recording_arity,
                     FOREACH_COMMON),
  BACKWARD_LOOP_OP (.name = "_backward_foreach",
                    .doc = "Gradients of _foreach, from the last row to the first.",
                    .params = gradient_params,
                    .check = foreach_check),
  { 0 },
};

#undef FOREACH_COMMON
