/* rnn-weights.h — the weights of a recurrent network in three forms, and conversion between them.
 *
 * packed:   one flat vector with all weights, then all biases: the operator RNN takes it
 * per gate: lstm_l0_i2h_i_weight …: checkpoints of mx.rnn have them
 * stacked:  lstm_l0_i2h_weight …, the gates stacked along the rows: single cells have them
 *
 * Start at hyb_rnn_unpack() and hyb_rnn_pack().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/kernels/recurrent/rnn-mode.h"

typedef struct
{
  HybRnnMode  mode;
  guint       n_layers;
  gboolean    is_bidirectional;
  gint64      hidden;
  gint64      input;      /* input size; 0: computed from the length of the vector */
  gint64      projection; /* 0: no projection */
  const char *prefix;     /* of the arrays: "lstm_" in lstm_l0_i2h_weight */
} HybRnnWeights;

/* "lstm", "gru", "rnn_tanh" or "rnn_relu". */
const char *hyb_rnn_mode_name (HybRnnMode mode);
/* The mode of such a name, or of "rnn" and "relu"; FALSE if there is none. */
gboolean hyb_rnn_mode_from_name (const char *name, HybRnnMode *mode);
/* 4 for LSTM, 3 for GRU, 1 for plain cells. */
guint hyb_rnn_n_gates (HybRnnMode mode);
/* Suffixes of the gates in the order of the rows, NULL-terminated: "_i", "_f", "_c", "_o"; "" for plain
 * cells. */
const char *const *hyb_rnn_gate_suffixes (HybRnnMode mode);

/* The number of elements of the flat vector; -1 if a size is out of range. */
gint64 hyb_rnn_packed_size (const HybRnnWeights *weights);
/* The input size for which the flat vector has this length; -1 if there is none. */
gint64 hyb_rnn_input_size (const HybRnnWeights *weights, gint64 length);

/* A matrix or bias in the flat vector, with its gates stacked along the rows. */
typedef struct
{
  guint    layer, direction;
  gboolean is_bias, is_hidden, is_projection;
  gint64   offset, rows, columns; /* in elements; columns are 0 for a bias */
} HybRnnPart;
/* All parts in their order in the vector; of HybRnnPart.  (transfer full) */
GArray *hyb_rnn_parts (const HybRnnWeights *weights);
/* The name of a part: "lstm_l0_i2h_weight" with gate "", "lstm_l0_i2h_i_weight" with gate "_i".
 * (transfer full) */
char *hyb_rnn_part_name (const HybRnnWeights *weights, const HybRnnPart *part, const char *gate);

/* Adds the parts of the flat vector to a list, per gate or stacked, as views of its memory.  Fails if
 * the length of the vector does not match. */
gboolean hyb_rnn_unpack (const HybRnnWeights *weights,
                         HybTensor           *packed,
                         gboolean             per_gate,
                         HybTensorList       *to,
                         GError             **error);
/* The flat vector from the arrays of a list, which may be per gate or stacked.  (transfer full) */
HybTensor *hyb_rnn_pack (const HybRnnWeights *weights, HybTensorList *from, GError **error);

/* The name of the first array that makes hyb_rnn_pack() fail, and the type that it should have, as far
 * as it is known.  NULL if all arrays fit.  (transfer full) */
char *hyb_rnn_find_misfit (const HybRnnWeights *weights, HybTensorList *from, HybType *expected);

/* A copy of a list in which the arrays of a single cell, lstm_i2h_weight …, get the names of a first
 * layer, lstm_l0_i2h_weight ….  NULL if there are none.  (transfer full) */
HybTensorList *hyb_rnn_number_layer (HybTensorList *list, const char *prefix);

/* Finds mode, layers, directions and hidden size from the names and shapes of the arrays that start
 * with prefix.  FALSE if they are not weights of a recurrent network. */
gboolean hyb_rnn_recognise (HybTensorList *from, const char *prefix, HybRnnWeights *weights);
