/* rules-recurrent.c — RNN, and operators on sequences of different lengths.
 *
 * The engine's RNN has all layers and one vector of weights; ONNX has a node a layer with weights [directions, gates × hidden,
 * input], whose gates are in another order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include "engine/formats/rnn-weights.h"

#include <math.h>
#include <string.h>

/* --- RNN --- */

/* Operators of ONNX by mode, and for each of their gates the engine's. */
static const struct
{
  const char *op;
  guint       gates[4];
} kinds[] = {
  [HYB_RNN_RELU] = { "RNN", { 0 } },
  [HYB_RNN_TANH] = { "RNN", { 0 } },
  [HYB_RNN_LSTM] = { "LSTM", { 0, 3, 1, 2 } }, /* i f c o → i o f c */
  [HYB_RNN_GRU] = { "GRU", { 1, 0, 2 } },      /* r z h → z r h */
};

/* One RNN that is being written. */
typedef struct
{
  OnnxExport *export;
  HybRnnWeights weights;
  GArray       *parts;  /* of HybRnnPart */
  HybTensor    *packed; /* all weights */
  guint         n_directions, n_gates;
  OnnxValue     lengths; /* ONNX_NONE: all sequences have all steps */
} Network;

/* Weights of one layer: a part of each direction with the gates in ONNX' order.  Biases: both, one behind the other. */
static OnnxValue
layer_weights (const Network *network, guint layer, gboolean is_bias, gboolean is_hidden)
{
  gint64     hidden = network->weights.hidden, columns = 1, at = 0, rows;
  HybDType   dtype = hyb_tensor_get_dtype (network->packed);
  gsize      item = hyb_dtype_size (dtype);
  HybType    type = { .dtype = dtype };
  HybTensor *tensor;

  rows = (gint64) network->n_gates * hidden * (is_bias ? 2 : 1);
  for (guint i = 0; i < network->parts->len; i++)
    {
      const HybRnnPart *part = &g_array_index (network->parts, HybRnnPart, i);

      if (part->layer == layer && !part->is_bias && part->is_hidden == is_hidden && !is_bias)
        columns = part->columns;
    }
  type.shape = is_bias ? hyb_shape_2d (network->n_directions, rows)
                       : hyb_shape_3d (network->n_directions, rows, columns);
  tensor = hyb_tensor_new (&type, NULL);
  for (guint i = 0; tensor && i < network->parts->len; i++)
    {
      const HybRnnPart *part = &g_array_index (network->parts, HybRnnPart, i);
      gsize             block = (gsize) (hidden * columns) * item;

      if (part->layer != layer || part->is_bias != is_bias ||
          (!is_bias && part->is_hidden != is_hidden))
        continue;
      for (guint g = 0; g < network->n_gates; g++, at++)
        memcpy ((char *) hyb_tensor_get_data (tensor) + (gsize) at * block,
                (const char *) hyb_tensor_get_data (network->packed) + (gsize) part->offset * item +
                    kinds[network->weights.mode].gates[g] * block,
                block);
    }
  return onnx_tensor (network->export,
                      is_bias     ? "bias"
                      : is_hidden ? "recurrence"
                                  : "weight",
                      tensor);
}

/* The initial state of a layer; left out if all of it is zero. */
static OnnxValue
initial_state (const Network *network, guint input, guint layer)
{
  OnnxExport *export = network->export;

  if (onnx_is_zero (export, input))
    return ONNX_NONE;
  if (network->weights.n_layers == 1)
    return onnx_input (export, input);
  return onnx_slice (export, onnx_input (export, input), 0, layer * network->n_directions,
                     (layer + 1) * network->n_directions);
}

/* [time, directions, batch, hidden] as [time, batch, directions × hidden]. */
static OnnxValue
join_directions (const Network *network, OnnxValue y)
{
  if (network->n_directions == 1)
    return onnx_squeeze (network->export, y, 1);
  y = onnx_transpose (network->export, y, 4, (gint64[]){ 0, 2, 1, 3 });
  return onnx_reshape (network->export, y, 3, (gint64[]){ 0, 0, -1 });
}

/* Writes a layer and returns Y; Y_h and Y_c follow. */
static OnnxValue
write_layer (const Network *network, guint layer, OnnxValue x)
{
  static const char *const relu[] = { "Relu", "Relu" };
  HybRnnMode               mode = network->weights.mode;
  gboolean                 is_lstm = mode == HYB_RNN_LSTM;
  OnnxAttribute            attributes[4] = { ONNX_INT ("hidden_size", network->weights.hidden) };
  guint                    n = 1;
  OnnxValue                inputs[] = { x,
                                        layer_weights (network, layer, FALSE, FALSE),
                                        layer_weights (network, layer, FALSE, TRUE),
                                        layer_weights (network, layer, TRUE, FALSE),
                                        network->lengths,
                                        initial_state (network, 2, layer),
                         is_lstm ? initial_state (network, 3, layer) : ONNX_NONE };

  if (network->n_directions == 2)
    attributes[n++] = (OnnxAttribute) ONNX_STRING ("direction", "bidirectional");
  if (mode == HYB_RNN_GRU)
    attributes[n++] = (OnnxAttribute) ONNX_INT ("linear_before_reset", 1);
  if (mode == HYB_RNN_RELU)
    attributes[n++] = (OnnxAttribute) ONNX_STRINGS ("activations", network->n_directions, relu);
  return onnx_emit_many (network->export, &(OnnxEmission){ kinds[mode].op, G_N_ELEMENTS (inputs),
                                                           inputs, is_lstm ? 3 : 2, attributes });
}

/* Dropout between layers; in inference the node does nothing. */
static OnnxValue
drop (OnnxExport *export, OnnxValue x)
{
  double ratio = onnx_param_double (export, "p", 0);

  if (ratio == 0)
    return x;
  if (onnx_opset (export) >= 12)
    return onnx_binary (export, "Dropout", x, onnx_number (export, ratio, HYB_F32));
  return onnx_emit (export, "Dropout", 1, &x, ONNX_ATTRIBUTES (ONNX_FLOAT ("ratio", ratio)));
}

/* The engine keeps the initial state of a sequence of no steps; ONNX returns zeros. */
static OnnxValue
final_state (const Network *network, guint input, guint layer, OnnxValue state)
{
  OnnxExport *export = network->export;
  OnnxValue initial, has_steps;

  if (network->lengths == ONNX_NONE || onnx_is_zero (export, input) ||
      !onnx_param_bool (export, "state_outputs"))
    return state;
  initial = initial_state (network, input, layer);
  has_steps = onnx_binary (export, "Greater", network->lengths, onnx_number (export, 0, HYB_I32));
  has_steps = onnx_reshape (export, has_steps, 3, (gint64[]){ 1, -1, 1 });
  return onnx_emit (export, "Where", 3, (OnnxValue[]){ has_steps, state, initial }, NULL);
}

static void
write_layers (const Network *network)
{
  OnnxExport *export = network->export;
  guint                 n_layers = network->weights.n_layers;
  gboolean              is_lstm = network->weights.mode == HYB_RNN_LSTM;
  OnnxValue             x = onnx_input (export, 0), y = x;
  g_autofree OnnxValue *h = g_new (OnnxValue, n_layers);
  g_autofree OnnxValue *c = g_new (OnnxValue, n_layers);
  guint                 state = 2;

  for (guint layer = 0; layer < n_layers; layer++)
    {
      OnnxValue outputs = write_layer (network, layer, layer == 0 ? x : drop (export, y));

      h[layer] = final_state (network, state, layer, outputs + 1);
      c[layer] = is_lstm ? final_state (network, state + 1, layer, outputs + 2) : ONNX_NONE;
      y = join_directions (network, outputs);
    }
  onnx_set_output (export, 0, y);
  if (!onnx_param_bool (export, "state_outputs"))
    return;
  onnx_set_output (export, 1, n_layers == 1 ? h[0] : onnx_concat (export, n_layers, h, 0));
  if (is_lstm)
    onnx_set_output (export, 2, n_layers == 1 ? c[0] : onnx_concat (export, n_layers, c, 0));
}

static void
write_rnn (OnnxExport *export)
{
  HybRnnMode mode = (HybRnnMode) onnx_param_int (export, "mode", 0);
  gboolean   has_lengths = onnx_param_bool (export, "use_sequence_length");
  guint      lengths = mode == HYB_RNN_LSTM ? 4 : 3;
  Network    network = { .export = export, .packed = onnx_dup_contents (export, 1) };

  network.n_directions = onnx_param_bool (export, "bidirectional") ? 2 : 1;
  network.n_gates = hyb_rnn_n_gates (mode);
  network.weights = (HybRnnWeights){ .mode = mode,
                                     .n_layers = (guint) onnx_param_int (export, "num_layers", 1),
                                     .is_bidirectional = network.n_directions == 2,
                                     .hidden = onnx_param_int (export, "state_size", 0),
                                     .prefix = "" };
  if (onnx_param_int (export, "projection_size", HYB_NONE) != HYB_NONE)
    onnx_fail (export, "ONNX has no LSTM with projections; convert it to foreach or unrolled");
  if (!isnan (onnx_param_double (export, "lstm_state_clip_min", NAN)))
    onnx_fail (export, "ONNX' LSTM does not limit its cell; convert it to foreach or unrolled");
  if (!network.packed)
    onnx_fail (export, "its weights follow from inputs, and ONNX stores them");
  else
    network.weights.input =
        hyb_rnn_input_size (&network.weights, hyb_tensor_get_size (network.packed));
  if (network.weights.input < 1)
    {
      onnx_fail (export, "its weights have no length that fits its layers");
      hyb_tensor_unref (network.packed);
      return;
    }
  if (has_lengths)
    network.lengths = onnx_cast (export, onnx_input (export, lengths),
                                 onnx_input_type (export, lengths).dtype, HYB_I32);
  network.parts = hyb_rnn_parts (&network.weights);
  write_layers (&network);
  g_array_unref (network.parts);
  hyb_tensor_unref (network.packed);
}

/* --- Sequences --- */

static gboolean
has_lengths (OnnxExport *export)
{
  return onnx_param_bool (export, "use_sequence_length") && onnx_node (export)->n_inputs > 1;
}

static OnnxValue
lengths (OnnxExport *export)
{
  return onnx_cast (export, onnx_input (export, 1), onnx_input_type (export, 1).dtype, HYB_I64);
}

static void
write_sequence_reverse (OnnxExport *export)
{
  OnnxValue x = onnx_input (export, 0);

  if (!has_lengths (export))
    x = onnx_reversed (export, x, 0, onnx_input_type (export, 0).shape.dim[0]);
  else
    x = onnx_emit (export, "ReverseSequence", 2, (OnnxValue[]){ x, lengths (export) },
                   ONNX_ATTRIBUTES (ONNX_INT ("time_axis", 0), ONNX_INT ("batch_axis", 1)));
  onnx_set_output (export, 0, x);
}

/* The numbers of the steps, on their axis. */
static OnnxValue
steps (OnnxExport *export, gint64 axis, int rank)
{
  gint64     n = onnx_input_type (export, 0).shape.dim[axis];
  HybType    type = { hyb_shape_make (rank, NULL), HYB_I64 };
  HybTensor *tensor;
  OnnxValue  numbers;

  for (int i = 0; i < rank; i++)
    type.shape.dim[i] = i == axis ? n : 1;
  if (n < 0)
    {
      numbers = onnx_emit (export, "Range", 3,
                           (OnnxValue[]){
                               onnx_number (export, 0, HYB_I64),
                               onnx_reshape (export, onnx_input_size (export, 0, axis), 0, NULL),
                               onnx_number (export, 1, HYB_I64) },
                           NULL);
      type.shape.dim[axis] = -1;
      return onnx_reshape (export, numbers, (guint) rank, type.shape.dim);
    }
  tensor = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; tensor && i < n; i++)
    ((gint64 *) hyb_tensor_get_data (tensor))[i] = i;
  return onnx_tensor (export, "steps", tensor);
}

static void
write_sequence_mask (OnnxExport *export)
{
  int       rank = onnx_input_type (export, 0).shape.rank;
  gint64    axis = onnx_param_int (export, "axis", 0);
  HybDType  dtype = onnx_output_type (export, 0).dtype;
  gint64    dims[HYB_MAX_RANK];
  OnnxValue inside;

  if (!has_lengths (export))
    {
      onnx_set_output (export, 0, onnx_unary (export, "Identity", onnx_input (export, 0)));
      return;
    }
  for (int i = 0; i < rank; i++)
    dims[i] = i == 1 - axis ? -1 : 1;
  inside = onnx_binary (export, "Less", steps (export, axis, rank),
                        onnx_reshape (export, lengths (export), (guint) rank, dims));
  onnx_set_output (export, 0,
                   onnx_emit (export, "Where", 3,
                              (OnnxValue[]){ inside, onnx_input (export, 0),
                                             onnx_number (export,
                                                          onnx_param_double (export, "value", 0),
                                                          dtype) },
                              NULL));
}

static void
write_sequence_last (OnnxExport *export)
{
  int       rank = onnx_input_type (export, 0).shape.rank;
  gint64    axis = onnx_param_int (export, "axis", 0), swapped[HYB_MAX_RANK];
  OnnxValue x = onnx_input (export, 0);

  if (!has_lengths (export))
    {
      x = onnx_squeeze (export, onnx_slice (export, x, axis, -1, G_MAXINT64), axis);
      onnx_set_output (export, 0, x);
      return;
    }
  for (int i = 0; i < rank; i++)
    swapped[i] = i < 2 ? 1 - i : i;
  if (axis == 1)
    x = onnx_transpose (export, x, (guint) rank, swapped);
  /* The last step of a sequence is the first one in reverse order. */
  x = onnx_emit (export, "ReverseSequence", 2, (OnnxValue[]){ x, lengths (export) },
                 ONNX_ATTRIBUTES (ONNX_INT ("time_axis", 0), ONNX_INT ("batch_axis", 1)));
  onnx_set_output (export, 0, onnx_squeeze (export, onnx_slice (export, x, 0, 0, 1), 0));
}

const HybOnnxRule hyb_onnx_rules_recurrent[] = {
  { .op = "RNN", .write = write_rnn },
  { .op = "SequenceReverse", .write = write_sequence_reverse },
  { .op = "SequenceMask", .write = write_sequence_mask },
  { .op = "SequenceLast", .write = write_sequence_last },
  { .op = NULL },
};
