/* foreach.c — _foreach: a body for every row of its data, with states that go from
 * row to row.
 *
 * Inputs: data, initial states, captured values; outputs: stacked rows, final
 * states, and hidden the number of steps.  What it does is in loop.h; here are its attributes.
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
  HybLoopGradientParams way_back;
} LoopGradientParams;

/* Attributes of the loop, at the start of either struct. */
#define FOREACH_FIELDS                                                                        \
  { HYB_FIELD (ForeachParams, num_args), HYB_PARAM_INT, NULL, .low = 1, .high = 65536,        \
    .doc = "inputs and the subgraph" },                                                       \
      { HYB_FIELD (ForeachParams, num_outputs), HYB_PARAM_INT, NULL, .low = 1, .high = 65536, \
        .doc = "stacked outputs and states" },                                                \
      { HYB_FIELD (ForeachParams, num_out_data),                                              \
        HYB_PARAM_INT,                                                                        \
        NULL,                                                                                 \
        .low = 0,                                                                             \
        .high = 65536,                                                                        \
        .doc = "stacked outputs" },                                                           \
      { HYB_FIELD (ForeachParams, in_data_locs),                                              \
        HYB_PARAM_INTS,                                                                       \
        NULL,                                                                                 \
        .doc = "variables of the body that get the rows" },                                   \
      { HYB_FIELD (ForeachParams, in_state_locs),                                             \
        HYB_PARAM_INTS,                                                                       \
        NULL,                                                                                 \
        .doc = "variables of the body that are states" },                                     \
  {                                                                                           \
    HYB_FIELD (ForeachParams, remain_locs), HYB_PARAM_INTS, NULL,                             \
        .doc = "variables of the body that are captured"                                      \
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

/* The body variable that input number `input` of the node feeds. */
static gint64
location (const ForeachParams *params, gint64 input)
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
  gboolean             is_good = params->in_data_locs.n >= 0 && params->in_state_locs.n >= 0 &&
                     params->remain_locs.n >= 0 &&
                     params->in_data_locs.n + params->in_state_locs.n + params->remain_locs.n == n;

  for (gint64 i = 0; is_good && i < n; i++)
    {
      gint64 variable = location (params, i);

      is_good = variable >= 0 && variable < n && !seen[variable];
      if (is_good)
        seen[variable] = TRUE;
    }
  if (!is_good)
    return hyb_error_at (error,
                         HYB_OP_ERROR,
                         HYB_OP_ERROR_ATTRIBUTE,
                         NULL,
                         NULL,
                         "in_data_locs, in_state_locs and remain_locs must name each of the %d "
                         "variables of the body once",
                         (int) n);
  if (params->num_outputs - params->num_out_data != params->in_state_locs.n)
    return hyb_error_at (error,
                         HYB_OP_ERROR,
                         HYB_OP_ERROR_ATTRIBUTE,
                         NULL,
                         NULL,
                         "%d states go in, but num_outputs − num_out_data is %d",
                         params->in_state_locs.n,
                         (int) (params->num_outputs - params->num_out_data));
  return TRUE;
}

static void
describe (gconstpointer values, HybLoop *loop)
{
  const ForeachParams *params = values;
  guint                n_data = (guint) params->in_data_locs.n;
  guint                n_states = (guint) params->in_state_locs.n;

  hyb_loop_init (loop, (guint) params->num_args - 1, n_states, 0);
  loop->n_inputs = loop->n_variables;
  loop->n_out_data = (guint) params->num_out_data;
  for (guint i = 0; i < loop->n_inputs; i++)
    {
      guint v = (guint) location (params, i);

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
    if (location (values, i) == variable)
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

#include "engine/control/loop-operator.h"

static void
foreach_gradient (HybGrad *grad)
{
  g_auto (HybLoop) loop = { 0 };

  describe (hyb_grad_params (grad), &loop);
  hyb_loop_differentiate (&loop, grad, "_backward_foreach", foreach_params);
}

const HybOp hyb_ops_foreach[] = {
  {
      .name = "_foreach",
      .doc = "Runs its body for every row of its data and hands states from row to row.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM,
      .params = foreach_params,
      .params_size = sizeof (ForeachParams),
      .arity = foreach_arity,
      .n_visible = foreach_n_visible,
      .check = foreach_check,
      .n_bodies = 1,
      .body_variable = foreach_body_variable,
      .bodies = foreach_bodies,
      .body_port = foreach_body_port,
      .body_next = foreach_body_next,
      .body_result = foreach_body_result,
      .infer_shape = loop_infer,
      .infer_dtype = hyb_rule_dtype_free,
      .dtypes = HYB_DTYPES_ALL,
      .forward = hyb_loop_forward,
      .workspace = hyb_loop_workspace,
      .prepare = loop_prepare,
      .release = hyb_loop_release,
      .compute = loop_compute,
      .gradient = foreach_gradient,
      .recording = "_foreach_recording",
      .cost = loop_cost,
  },
  {
      .name = "_foreach_recording",
      .doc = "_foreach that keeps the states of every step for its gradient.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_INTERNAL,
      .params = foreach_params,
      .params_size = sizeof (ForeachParams),
      .arity = recording_arity,
      .n_visible = foreach_n_visible,
      .check = foreach_check,
      .n_bodies = 1,
      .body_variable = foreach_body_variable,
      .bodies = foreach_bodies,
      .body_port = foreach_body_port,
      .body_next = foreach_body_next,
      .body_result = foreach_body_result,
      .infer_shape = loop_infer,
      .infer_dtype = hyb_rule_dtype_free,
      .dtypes = HYB_DTYPES_ALL,
      .forward = hyb_loop_forward,
      .workspace = hyb_loop_workspace,
      .prepare = recording_prepare,
      .release = hyb_loop_release,
      .compute = recording_compute,
      .gradient = foreach_gradient,
      .cost = loop_cost,
  },
  {
      .name = "_backward_foreach",
      .doc = "Gradients of _foreach, from the last row to the first.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_INTERNAL,
      .params = gradient_params,
      .params_size = sizeof (LoopGradientParams),
      .arity = gradient_arity,
      .check = foreach_check,
      .n_bodies = 1,
      .body_variable = gradient_body_variable,
      .infer_shape = gradient_infer,
      .infer_dtype = hyb_rule_dtype_free,
      .dtypes = HYB_DTYPES_ALL,
      .forward = hyb_loop_gradient_forward,
      .workspace = hyb_loop_gradient_workspace,
      .prepare = gradient_prepare,
      .release = hyb_loop_gradient_release,
      .compute = gradient_compute,
      .cost = gradient_cost,
  },
  { 0 },
};
