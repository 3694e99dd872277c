/* rnn.c — RNN: layers of recurrent cells over a sequence, and its gradient.
 *
 * kernels/recurrent/recurrent.h has the arithmetic, rnn-rules.h the shapes, rnn-plan.h the plan.  RNN computes its
 * outputs only; _rnn_recording, which replaces it where a gradient is needed, also writes gates
 * and states to a hidden output, the reserve, which _backward_RNN reads.
 * Start at rnn_forward() and backward_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/gradient.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/recurrent/rnn-plan.h"

static void
rnn_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  RnnOperands operands = hyb_rnn_operands (params);

  *n_inputs = operands.n_inputs;
  *n_outputs = operands.n_visible;
}

static void
recording_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  rnn_arity (params, n_inputs, n_outputs);
  ++*n_outputs;
}

static guint
rnn_n_visible (gconstpointer params)
{
  return hyb_rnn_operands (params).n_visible;
}

static gboolean
refuse (GError **error, const char *what)
{
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL, "%s", what);
}

static gboolean
recording_infer_shape (HybCall *call, GError **error)
{
  HybRecurrent net;
  gint64       reserve;
  HybShape     reserved;

  if (!hyb_rnn_infer_shape (call, error))
    return FALSE;
  if (!hyb_shape_is_known (&call->input[0].shape))
    return TRUE;

  net = hyb_rnn_planned (call);
  reserve = hyb_recurrent_reserve (&net);
  if (reserve < 0)
    return refuse (error, "the values to keep for the gradient exceed the memory");
  reserved = hyb_shape_1d (reserve);
  return hyb_shape_assign (&call->output[call->n_outputs - 1].shape, &reserved, error);
}

/* The reserve has the type that the kernel computes in: float32 for half floats, float64 for
 * integers. */
static HybDType
reserve_dtype (HybDType data)
{
  if (data == HYB_DTYPE_UNKNOWN)
    return data;
  return data == HYB_F32 || data == HYB_F16 || data == HYB_BF16 ? HYB_F32 : HYB_F64;
}

static gboolean
recording_infer_dtype (HybCall *call, GError **error)
{
  HybCall visible = *call;

  visible.n_outputs--;
  return hyb_rnn_infer_dtype (&visible, error) &&
         hyb_dtype_assign (&call->output[visible.n_outputs].dtype,
                           reserve_dtype (call->input[0].dtype), error);
}

/* --- Running --- */

static gboolean
rnn_prepare (HybCall *call, GError **error)
{
  return hyb_rnn_prepare (call, NULL, TRUE, error);
}

static gboolean
backward_prepare (HybCall *call, GError **error)
{
  return hyb_rnn_prepare (call, NULL, FALSE, error);
}

static gsize
recording_workspace (const HybCall *call)
{
  HybRecurrent net = hyb_rnn_planned (call);

  return hyb_rnn_lengths_bytes (&net) +
         (gsize) hyb_recurrent_forward_workspace (&net, TRUE) * hyb_rnn_element_size (call);
}

static void
rnn_forward (const HybCall *call, const HybRun *run)
{
  hyb_rnn_run (call, run, NULL, NULL);
}

static void
recording_forward (const HybCall *call, const HybRun *run)
{
  hyb_rnn_run (call, run, run->output[call->n_outputs - 1], NULL);
}

/* --- Gradient --- */

/* Inputs of _backward_RNN: the inputs of RNN, its output, the reserve, a gradient for each
 * visible output.  Outputs: a gradient for each input but the lengths.  _backward_RNN_weights
 * omits the gradient of the data, which in a single layer saves a quarter of the work. */
static void
rnn_gradient (HybGrad *grad)
{
  RnnOperands operands = hyb_rnn_operands (hyb_grad_params (grad));
  guint       first = hyb_grad_needs_input (grad, 0) ? 0 : 1;
  HybValueId  inputs[5 + 2 + 3];
  HybValueId  gradients;
  guint       n = 0;

  for (guint i = 0; i < operands.n_inputs; i++)
    inputs[n++] = hyb_grad_input (grad, i);
  inputs[n++] = hyb_grad_output (grad, 0);
  inputs[n++] = hyb_grad_output (grad, operands.n_visible);
  for (guint i = 0; i < operands.n_visible; i++)
    inputs[n++] = hyb_grad_incoming (grad, i);

  gradients =
      hyb_grad_emit_same (grad, first == 0 ? "_backward_RNN" : "_backward_RNN_weights", n, inputs);
  for (guint i = first; i < (operands.cell == G_MAXUINT ? 3u : 4u); i++)
    hyb_grad_set_input (grad, i, gradients == HYB_NO_ID ? HYB_NO_ID : gradients + i - first);
}

static void
backward_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  RnnOperands operands = hyb_rnn_operands (params);

  *n_inputs = operands.n_inputs + 2 + operands.n_visible;
  *n_outputs = operands.cell == G_MAXUINT ? 3 : 4;
}

static void
weights_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  backward_arity (params, n_inputs, n_outputs);
  --*n_outputs;
}

/* The RNN input whose gradient is output 0: 0, or 1 for _backward_RNN_weights. */
static guint
first_gradient (const HybCall *call)
{
  return (hyb_rnn_operands (call->params).cell == G_MAXUINT ? 3 : 4) - call->n_outputs;
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  RnnOperands operands = hyb_rnn_operands (call->params);
  guint32     free = 1u << (operands.n_inputs + 1); /* the reserve */

  if (operands.lengths != G_MAXUINT)
    free |= 1u << operands.lengths;
  return hyb_rule_dtype_except (call, free, error) &&
         hyb_dtype_assign (&call->input[operands.n_inputs + 1].dtype,
                           reserve_dtype (call->input[0].dtype), error);
}

static gsize
backward_workspace (const HybCall *call)
{
  HybRecurrent net = hyb_rnn_planned (call);

  return hyb_rnn_lengths_bytes (&net) +
         (gsize) hyb_recurrent_backward_workspace (&net) * hyb_rnn_element_size (call);
}

static void
backward_forward (const HybCall *call, const HybRun *run)
{
  RnnOperands   operands = hyb_rnn_operands (call->params);
  HybRecurrent  net = hyb_rnn_planned (call);
  guint         first = operands.n_inputs + 2;
  gpointer     *gradient = run->output - first_gradient (call); /* by input */
  gconstpointer dstate =
      operands.state_out == G_MAXUINT ? NULL : run->input[first + operands.state_out];
  gconstpointer dcell =
      operands.cell_out == G_MAXUINT ? NULL : run->input[first + operands.cell_out];

  hyb_recurrent_backward (&net, call->input[0].dtype,
                          &(HybRecurrentBackward){
                              .x = run->input[0],
                              .parameters = run->input[1],
                              .state = run->input[2],
                              .cell = operands.cell == G_MAXUINT ? NULL : run->input[operands.cell],
                              .lengths = hyb_rnn_read_lengths (call, run, &net, operands.lengths),
                              .y = run->input[operands.n_inputs],
                              .reserve = run->input[operands.n_inputs + 1],
                              .dy = run->input[first],
                              .dstate_out = dstate,
                              .dcell_out = dcell,
                              .dx = first_gradient (call) > 0 ? NULL : gradient[0],
                              .dparameters = gradient[1],
                              .dstate = gradient[2],
                              .dcell = operands.cell == G_MAXUINT ? NULL : gradient[3],
                              .workspace = (char *) run->workspace + hyb_rnn_lengths_bytes (&net),
                              .run = run,
                          });
}

static void
gradient_cost (const HybCall *call, gboolean of_data, HybCost *cost)
{
  HybRecurrent net = hyb_rnn_planned (call);

  hyb_rule_cost_bytes (call, cost);
  cost->flops = hyb_recurrent_gradient_flops (&net, of_data);
}

static void
backward_cost (const HybCall *call, HybCost *cost)
{
  gradient_cost (call, TRUE, cost);
}

/* Without the first layer's product for the gradient of the data. */
static void
weights_cost (const HybCall *call, HybCost *cost)
{
  gradient_cost (call, FALSE, cost);
}

const HybOp hyb_ops_rnn[] = {
  {
      .name = "RNN",
      .aliases = (const char *[]){ "_npx_rnn", NULL },
      .doc = "Layers of recurrent cells over a sequence, in one or both directions.",
      .category = HYB_CATEGORY_RECURRENT,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM,
      .inputs =
          (const char *[]){ "data", "parameters", "state", "state_cell", "sequence_length", NULL },
      .outputs = (const char *[]){ "output", "state_output", "statecell_output", NULL },
      HYB_PARAMS (hyb_rnn_params, RnnParams),
      .arity = rnn_arity,
      .check = hyb_rnn_check,
      .infer_shape = hyb_rnn_infer_shape,
      .infer_dtype = hyb_rnn_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = rnn_forward,
      .workspace = hyb_rnn_workspace,
      .prepare = rnn_prepare,
      .release = hyb_rnn_release,
      .note = hyb_rnn_note,
      .gradient = rnn_gradient,
      .recording = "_rnn_recording",
      .cost = hyb_rnn_cost,
  },
  {
      .name = "_rnn_recording",
      .doc = "RNN that also keeps gates and states for its gradient.",
      .category = HYB_CATEGORY_RECURRENT,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_INTERNAL,
      .inputs =
          (const char *[]){ "data", "parameters", "state", "state_cell", "sequence_length", NULL },
      .outputs = (const char *[]){ "output", "state_output", "statecell_output", "_reserve", NULL },
      HYB_PARAMS (hyb_rnn_params, RnnParams),
      .arity = recording_arity,
      .n_visible = rnn_n_visible,
      .check = hyb_rnn_check,
      .infer_shape = recording_infer_shape,
      .infer_dtype = recording_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = recording_forward,
      .workspace = recording_workspace,
      .prepare = rnn_prepare,
      .release = hyb_rnn_release,
      .note = hyb_rnn_note,
      .gradient = rnn_gradient,
      .cost = hyb_rnn_cost,
  },
  {
      .name = "_backward_RNN",
      .doc = "Gradients of RNN by backpropagation through time.",
      .category = HYB_CATEGORY_RECURRENT,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_INTERNAL,
      .gradient_of = "_rnn_recording",
      .operands = "i* o0 last g* > i0 i1 i2 i3",
      .inputs = (const char *[]){ "data", "parameters", "state", "operand", NULL },
      .outputs = (const char *[]){ "data", "parameters", "state", "state_cell", NULL },
      HYB_PARAMS (hyb_rnn_params, RnnParams),
      .arity = backward_arity,
      .infer_dtype = backward_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_forward,
      .workspace = backward_workspace,
      .prepare = backward_prepare,
      .release = hyb_rnn_release,
      .note = hyb_rnn_note,
      .cost = backward_cost,
  },
  {
      .name = "_backward_RNN_weights",
      .doc = "Gradients of RNN by backpropagation through time, except the gradient of its data.",
      .category = HYB_CATEGORY_RECURRENT,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_INTERNAL,
      .gradient_of = "_rnn_recording",
      .operands = "i* o0 last g* > i1 i2 i3",
      .inputs = (const char *[]){ "data", "parameters", "state", "operand", NULL },
      .outputs = (const char *[]){ "parameters", "state", "state_cell", NULL },
      HYB_PARAMS (hyb_rnn_params, RnnParams),
      .arity = weights_arity,
      .infer_dtype = backward_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_forward,
      .workspace = backward_workspace,
      .prepare = backward_prepare,
      .release = hyb_rnn_release,
      .note = hyb_rnn_note,
      .cost = weights_cost,
  },
  { 0 },
};
