/* narrow-rnn.c — _narrow_rnn is RNN of float data with weights of 16 or 8 bits
 * (kernels/matrix/narrow.h).
 *
 * passes/read-narrow.c puts it in place of RNN whose parameters are converted first.  Its inputs are
 * those of RNN, with the narrow weights in place of the parameters, and the biases as floats after
 * them.  Start with forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/kernels/matrix/narrow.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/recurrent/rnn-rules.h"

static void
narrow_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  RnnOperands operands = hyb_rnn_operands (params);

  *n_inputs = operands.n_inputs + 1;
  *n_outputs = operands.n_visible;
}

/* The elements of all weights as this type. */
static gint64
weight_elements (const HybRecurrent *net, HybDType dtype)
{
  gint64 head = dtype == HYB_I8 ? HYB_NARROW_HEAD : 0;

  return hyb_recurrent_n_weights (net) + head * hyb_recurrent_n_weight_rows (net);
}

/* Shapes are RNN's, for parameters of the length that it expects.  The weights may be followed by
 * more: the flat vector of RNN ends in biases. */
static gboolean
narrow_infer_shape (HybCall *call, GError **error)
{
  g_autofree HybType *inputs = g_memdup2 (call->input, sizeof (HybType) * call->n_inputs);
  HybShape           *weights = &call->input[1].shape;
  HybCall             plain = *call;
  HybRecurrent        net;
  gint64              needed;

  plain.input = inputs;
  plain.n_inputs--;
  inputs[1].shape = HYB_SHAPE_UNKNOWN;
  if (!hyb_rnn_infer_shape (&plain, error))
    return FALSE;
  for (guint i = 0; i < plain.n_inputs; i++)
    if (i != 1)
      call->input[i].shape = inputs[i].shape;
  net = hyb_rnn_describe (&plain);
  if (net.input == HYB_UNKNOWN || weights->rank != 1 || weights->dim[0] == HYB_UNKNOWN)
    return TRUE;
  needed = weight_elements (&net, call->input[1].dtype);
  if (weights->dim[0] < needed)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                         "weights has %" G_GINT64_FORMAT " elements, but needs %" G_GINT64_FORMAT,
                         weights->dim[0], needed);
  return hyb_layer_expect_vector (&call->input[call->n_inputs - 1].shape, "biases",
                                  hyb_recurrent_n_parameters (&net) -
                                      hyb_recurrent_n_weights (&net),
                                  error);
}

static gboolean
narrow_infer_dtype (HybCall *call, GError **error)
{
  RnnOperands operands = hyb_rnn_operands (call->params);
  guint32     lengths = operands.lengths == G_MAXUINT ? 0 : 1u << operands.lengths;

  return hyb_rule_dtype_except (call, lengths | 1u << 1, error);
}

/* Refuses sizes whose workspace exceeds the address space. */
static gboolean
narrow_prepare (HybCall *call, GError **error)
{
  HybRecurrent net = hyb_rnn_describe (call);

  if (hyb_recurrent_forward_workspace (&net, FALSE) < 0)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                         "the gates of all steps exceed the memory");
  return TRUE;
}

static gsize
narrow_workspace (const HybCall *call)
{
  HybRecurrent net = hyb_rnn_describe (call);

  return hyb_rnn_lengths_bytes (&net) +
         (gsize) hyb_recurrent_forward_workspace (&net, FALSE) * sizeof (float);
}

static void
narrow_forward (const HybCall *call, const HybRun *run)
{
  RnnOperands  operands = hyb_rnn_operands (call->params);
  HybRecurrent net = hyb_rnn_describe (call);

  hyb_recurrent_forward (&net, HYB_F32,
                         &(HybRecurrentForward){
                             .x = run->input[0],
                             .parameters = run->input[1],
                             .narrow = call->input[1].dtype,
                             .biases = run->input[call->n_inputs - 1],
                             .state = run->input[2],
                             .cell = operands.cell == G_MAXUINT ? NULL : run->input[operands.cell],
                             .lengths = hyb_rnn_read_lengths (call, run, &net, operands.lengths),
                             .y = run->output[0],
                             .state_out = hyb_rnn_output (run, operands.state_out),
                             .cell_out = hyb_rnn_output (run, operands.cell_out),
                             .workspace = (char *) run->workspace + hyb_rnn_lengths_bytes (&net),
                             .run = run,
                         });
}

static void
narrow_cost (const HybCall *call, HybCost *cost)
{
  HybRecurrent net = hyb_rnn_describe (call);

  hyb_rule_cost_bytes (call, cost);
  cost->flops = hyb_recurrent_flops (&net);
}

const HybOp hyb_ops_narrow_rnn[] = {
  {
      .name = "_narrow_rnn",
      .doc = "RNN with weights of 16 or 8 bits, in float arithmetic.",
      .category = HYB_CATEGORY_RECURRENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = (const char *[]){ "data", "weights", "state", "operand", NULL },
      .outputs = (const char *[]){ "output", "state_output", "statecell_output", NULL },
      HYB_PARAMS (hyb_rnn_params, RnnParams),
      .arity = narrow_arity,
      .check = hyb_rnn_check,
      .infer_shape = narrow_infer_shape,
      .infer_dtype = narrow_infer_dtype,
      .dtypes = HYB_DTYPES_F32 | HYB_DTYPE_BIT (HYB_F16) | HYB_DTYPE_BIT (HYB_BF16) |
                HYB_DTYPE_BIT (HYB_I8),
      .forward = narrow_forward,
      .workspace = narrow_workspace,
      .prepare = narrow_prepare,
      .cost = narrow_cost,
  },
  { 0 },
};
