/* rnn-rules.c — the rules that RNN, _rnn_recording and their gradients share: attributes, operand
 * positions, shape and type inference.  The layout of the parameter vector is described in
 * kernels/recurrent/recurrent.h.  Start at hyb_rnn_infer_shape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/recurrent/rnn-rules.h"

#include "engine/base/error.h"
#include "engine/op/rules.h"

#include <math.h>

/* In the order of HybRnnMode. */
static const char *const modes[] = { "rnn_relu", "rnn_tanh", "lstm", "gru", NULL };

const HybParam hyb_rnn_params[] = {
  { HYB_FIELD (RnnParams, state_size), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "hidden units per layer and direction" },
  { HYB_FIELD (RnnParams, num_layers), HYB_PARAM_INT, NULL, .low = 1, .high = 65536,
    .doc = "number of stacked layers" },
  { HYB_FIELD (RnnParams, bidirectional), HYB_PARAM_BOOL, "False",
    .doc = "run every layer in both directions" },
  { HYB_FIELD (RnnParams, mode), HYB_PARAM_ENUM, NULL, .choices = modes, .doc = "kind of cell" },
  { HYB_FIELD (RnnParams, p), HYB_PARAM_FLOAT, "0", .low = 0, .high = 1,
    .doc = "dropout probability between layers while training" },
  { HYB_FIELD (RnnParams, state_outputs), HYB_PARAM_BOOL, "False",
    .doc = "return the final states as well" },
  { HYB_FIELD (RnnParams, projection_size), HYB_PARAM_OPTIONAL_INT, "None", .low = 1,
    .high = G_MAXINT32, .doc = "size to which the LSTM's h is projected" },
  { HYB_FIELD (RnnParams, lstm_state_clip_min), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "lower bound of the LSTM's cell" },
  { HYB_FIELD (RnnParams, lstm_state_clip_max), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "upper bound of the LSTM's cell" },
  { HYB_FIELD (RnnParams, lstm_state_clip_nan), HYB_PARAM_BOOL, "False",
    .doc = "clipping turns NaN into the lower bound" },
  { HYB_FIELD (RnnParams, use_sequence_length), HYB_PARAM_BOOL, "False",
    .doc = "an input gives the length of each sequence" },
  { 0 },
};

RnnOperands
hyb_rnn_operands (gconstpointer values)
{
  const RnnParams *params = values;
  RnnOperands      operands = { G_MAXUINT, G_MAXUINT, 3, G_MAXUINT, G_MAXUINT, 1 };
  gboolean         is_lstm = params->mode == HYB_RNN_LSTM;

  if (is_lstm)
    operands.cell = operands.n_inputs++;
  if (params->use_sequence_length)
    operands.lengths = operands.n_inputs++;
  if (params->state_outputs)
    operands.state_out = operands.n_visible++;
  if (params->state_outputs && is_lstm)
    operands.cell_out = operands.n_visible++;
  return operands;
}

static gboolean
refuse (GError **error, const char *what)
{
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL, "%s", what);
}

gboolean
hyb_rnn_check (gconstpointer values, GError **error)
{
  const RnnParams *params = values;
  gboolean         has_min = !isnan (params->lstm_state_clip_min);
  gboolean         has_max = !isnan (params->lstm_state_clip_max);

  if (params->projection_size != HYB_NONE && params->mode != HYB_RNN_LSTM)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL,
                         "Remove projection_size, or use mode lstm",
                         "projection_size needs mode lstm, not %s", modes[params->mode]);
  if (has_min != has_max)
    return refuse (error, "lstm_state_clip_min and lstm_state_clip_max need each other");
  if (has_min && params->lstm_state_clip_min > params->lstm_state_clip_max)
    return refuse (error, "lstm_state_clip_min is above lstm_state_clip_max");
  return TRUE;
}

HybRecurrent
hyb_rnn_describe (const HybCall *call)
{
  const RnnParams *params = call->params;
  const HybShape  *data = &call->input[0].shape;
  gboolean         is_known = data->rank == 3;

  return (HybRecurrent){
    .cell = (HybRnnMode) params->mode,
    .n_layers = params->num_layers,
    .n_directions = params->bidirectional ? 2 : 1,
    .n_steps = is_known ? data->dim[0] : HYB_UNKNOWN,
    .batch = is_known ? data->dim[1] : HYB_UNKNOWN,
    .input = is_known ? data->dim[2] : HYB_UNKNOWN,
    .hidden = params->state_size,
    .projection = params->projection_size == HYB_NONE ? 0 : params->projection_size,
    .has_lengths = params->use_sequence_length,
    .clips = params->mode == HYB_RNN_LSTM && !isnan (params->lstm_state_clip_min),
    .clip_min = params->lstm_state_clip_min,
    .clip_max = params->lstm_state_clip_max,
    .clip_nan = params->lstm_state_clip_nan,
    .dropout = call->training && params->num_layers > 1 ? params->p : 0,
  };
}

static gboolean
unify_named (HybShape *shape, HybShape known, const char *name, GError **error)
{
  if (hyb_shape_unify (shape, &known, error))
    return TRUE;
  g_prefix_error (error, "%s: ", name);
  return FALSE;
}

/* Sets an error that shows how the expected number of parameters comes about; always FALSE. */
static gboolean
refuse_parameters (const HybRecurrent *net, gint64 given, gint64 expected, GError **error)
{
  gint64      R = hyb_recurrent_state_size (net);
  gint64      D = net->n_directions;
  const char *mode = modes[net->cell];
  GString    *formula = g_string_new (NULL);

  g_string_append_printf (formula,
                          "%d directions × %d gates × %" G_GINT64_FORMAT
                          " units × (%" G_GINT64_FORMAT " inputs + %" G_GINT64_FORMAT
                          " states + 2 biases)",
                          (int) D, (int) hyb_recurrent_n_gates (net->cell), net->hidden, net->input,
                          R);
  if (net->n_layers > 1)
    g_string_append_printf (formula,
                            ", plus the same with %" G_GINT64_FORMAT
                            " inputs for each of %" G_GINT64_FORMAT " further layers",
                            D * R, net->n_layers - 1);
  if (net->projection > 0)
    g_string_append_printf (formula,
                            ", plus %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                            " of projection for each layer and direction",
                            net->projection, net->hidden);
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL,
                "Check state_size, num_layers and the last dimension of data, or load the matching "
                "parameters",
                "parameters has %" G_GINT64_FORMAT " numbers, but %s with %" G_GINT64_FORMAT
                " layers needs %" G_GINT64_FORMAT ": %s",
                given, mode, net->n_layers, expected, formula->str);
  g_string_free (formula, TRUE);
  return FALSE;
}

/* Infers the length of the parameter vector from the input size, or the reverse. */
static gboolean
infer_parameters (HybCall *call, HybRecurrent *net, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *parameters = &call->input[1].shape;
  gint64    expected, per_input;

  if (!unify_named (parameters, hyb_shape_make (1, NULL), "parameters", error))
    return FALSE;

  if (net->input == HYB_UNKNOWN && parameters->dim[0] != HYB_UNKNOWN)
    {
      net->input = 0;
      expected = hyb_recurrent_n_parameters (net);
      per_input = net->n_directions * hyb_recurrent_n_gates (net->cell) * net->hidden;
      net->input = expected >= 0 && parameters->dim[0] > expected
                       ? (parameters->dim[0] - expected) / per_input
                       : 1;
      data->dim[2] = net->input;
    }
  if (net->input == HYB_UNKNOWN)
    return TRUE;

  expected = hyb_recurrent_n_parameters (net);
  if (expected < 0)
    return refuse (error, "num_layers and state_size give more parameters than fit into memory");
  if (parameters->dim[0] != HYB_UNKNOWN && parameters->dim[0] != expected)
    return refuse_parameters (net, parameters->dim[0], expected, error);
  parameters->dim[0] = expected;
  return TRUE;
}

/* The batch size as known from any operand but the data; HYB_UNKNOWN if none has it. */
static gint64
find_batch (const HybCall *call, const RnnOperands *operands)
{
  const HybType *lengths =
      operands->lengths < call->n_inputs ? &call->input[operands->lengths] : NULL;

  for (guint i = 0; i < call->n_inputs; i++)
    if (i != 1 && i != operands->lengths && call->input[i].shape.rank == 3 &&
        call->input[i].shape.dim[1] != HYB_UNKNOWN)
      return call->input[i].shape.dim[1];
  if (lengths && lengths->shape.rank == 1 && lengths->shape.dim[0] != HYB_UNKNOWN)
    return lengths->shape.dim[0];
  return call->output[0].shape.rank == 3 ? call->output[0].shape.dim[1] : HYB_UNKNOWN;
}

static gboolean
infer_states (HybCall *call, const HybRecurrent *net, const RnnOperands *operands, GError **error)
{
  gint64   slots = net->n_layers * net->n_directions;
  HybShape state = hyb_shape_3d (slots, net->batch, hyb_recurrent_state_size (net));
  HybShape cell = hyb_shape_3d (slots, net->batch, net->hidden);

  return unify_named (&call->input[2].shape, state, "state", error) &&
         (operands->cell == G_MAXUINT ||
          unify_named (&call->input[operands->cell].shape, cell, "state_cell", error)) &&
         (operands->lengths == G_MAXUINT ||
          unify_named (&call->input[operands->lengths].shape, hyb_shape_1d (net->batch),
                       "sequence_length", error)) &&
         (operands->state_out == G_MAXUINT ||
          unify_named (&call->output[operands->state_out].shape, state, "state output", error)) &&
         (operands->cell_out == G_MAXUINT ||
          unify_named (&call->output[operands->cell_out].shape, cell, "state_cell output", error));
}

gboolean
hyb_rnn_infer_shape (HybCall *call, GError **error)
{
  RnnOperands  operands = hyb_rnn_operands (call->params);
  HybShape    *data = &call->input[0].shape;
  HybShape    *output = &call->output[0].shape;
  HybRecurrent net;

  if (data->rank != HYB_UNKNOWN && data->rank != 3)
    {
      g_autofree char *shape = hyb_shape_to_string (data);

      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                           "data must have 3 dimensions (steps, batch, size), not %s", shape);
    }
  if (data->rank == HYB_UNKNOWN)
    *data = hyb_shape_make (3, NULL);
  if (data->dim[1] == HYB_UNKNOWN)
    data->dim[1] = find_batch (call, &operands);
  if (data->dim[0] == HYB_UNKNOWN && output->rank == 3)
    data->dim[0] = output->dim[0];

  net = hyb_rnn_describe (call);
  if (!infer_parameters (call, &net, error) || !infer_states (call, &net, &operands, error))
    return FALSE;
  return unify_named (output,
                      hyb_shape_3d (net.n_steps, net.batch,
                                    net.n_directions * hyb_recurrent_state_size (&net)),
                      "output", error);
}

gboolean
hyb_rnn_infer_dtype (HybCall *call, GError **error)
{
  RnnOperands operands = hyb_rnn_operands (call->params);

  return hyb_rule_dtype_except (call, operands.lengths == G_MAXUINT ? 0 : 1u << operands.lengths,
                                error);
}

/* --- Running --- */

gsize
hyb_rnn_lengths_bytes (const HybRecurrent *net)
{
  gsize bytes = net->has_lengths ? (gsize) net->batch * sizeof (gint64) : 0;

  return (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
}

const gint64 *
hyb_rnn_read_lengths (const HybCall *call, const HybRun *run, const HybRecurrent *net, guint input)
{
  gint64 *lengths = run->workspace;

  if (!net->has_lengths)
    return NULL;
  for (gint64 n = 0; n < net->batch; n++)
    {
      double length = hyb_dtype_get_double (run->input[input], call->input[input].dtype, (gsize) n);

      /* Written so that NaN counts as 0. */
      lengths[n] = length > 0 ? (gint64) MIN (length, (double) net->n_steps) : 0;
    }
  return lengths;
}

gpointer
hyb_rnn_output (const HybRun *run, guint index)
{
  return index == G_MAXUINT ? NULL : run->output[index];
}
