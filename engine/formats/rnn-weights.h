/* rnn-weights.h — the weights of a fused RNN in their three forms.
 *
 * packed:   one flat vector, all weights, then all biases
 * per gate: lstm_l0_i2h_i_weight …, as mx.rnn saves checkpoints
 * stacked:  lstm_l0_i2h_weight …, gates above each other, as unfused cells have them
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
  gint64      input;      /* 0: to be found from the length of the vector */
  gint64      projection; /* 0: none */
  const char *prefix;     /* "lstm_": names are prefix, l or r, layer, … */
} HybRnnWeights;

const char *hyb_rnn_mode_name (HybRnnMode mode);                         /* "lstm" */
gboolean    hyb_rnn_mode_from_name (const char *name, HybRnnMode *mode); /* also "rnn_relu" … */
guint       hyb_rnn_n_gates (HybRnnMode mode);
/* Suffixes in the order of the rows: "_i", "_f", "_c", "_o"; "" for plain cells. */
const char *const *hyb_rnn_gate_suffixes (HybRnnMode mode);

/* Elements of the flat vector; -1 if sizes make no sense. */
gint64 hyb_rnn_packed_size (const HybRnnWeights *weights);
/* The input size that gives a vector of this length; -1: none does. */
gint64 hyb_rnn_input_size (const HybRnnWeights *weights, gint64 length);

/* One part of the flat vector, in order: its names, offset and shape. */
typedef struct
{
  guint    layer, direction;
  gboolean is_bias, is_hidden, is_projection;
  gint64   offset, rows, columns; /* columns 0: a bias */
} HybRnnPart;
GArray *hyb_rnn_parts (const HybRnnWeights *weights); /* of HybRnnPart, stacked over gates */
/* "lstm_l0_i2h_weight", with gate "_i": "lstm_l0_i2h_i_weight". (transfer full) */
char *hyb_rnn_part_name (const HybRnnWeights *weights, const HybRnnPart *part, const char *gate);

/* The flat vector as arrays in to: per gate or stacked. */
gboolean hyb_rnn_unpack (const HybRnnWeights *weights,
                         HybTensor           *packed,
                         gboolean             per_gate,
                         HybTensorList       *to,
                         GError             **error);
/* From arrays of from, per gate or stacked, whichever are there. (transfer full) */
HybTensor *hyb_rnn_pack (const HybRnnWeights *weights, HybTensorList *from, GError **error);

/* The first array that hyb_rnn_pack() would stumble over: its name, and the type it
 * should have (shape unknown where nothing says).  NULL: all fit. (transfer full) */
char *hyb_rnn_find_misfit (const HybRnnWeights *weights, HybTensorList *from, HybType *expected);

/* What names and shapes of a list say about the weights under prefix.  FALSE: nothing. */
gboolean hyb_rnn_recognise (HybTensorList *from, const char *prefix, HybRnnWeights *weights);
