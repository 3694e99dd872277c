/* rnn-rules.h — the rules that RNN, _rnn_recording and their gradients share: attributes, operand
 * positions, shape and type inference.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/recurrent/recurrent.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

typedef struct
{
  gint64   state_size;
  gint64   num_layers;
  gboolean bidirectional;
  int      mode;
  double   p;
  gboolean state_outputs;
  gint64   projection_size;
  double   lstm_state_clip_min;
  double   lstm_state_clip_max;
  gboolean lstm_state_clip_nan;
  gboolean use_sequence_length;
} RnnParams;

extern const HybParam hyb_rnn_params[];

/* HybOp.check: FALSE and an error for attributes that contradict each other. */
gboolean hyb_rnn_check (gconstpointer params, GError **error);

/* Positions of optional operands; G_MAXUINT if the attributes exclude them.  Inputs 0 to 2 are
 * data, parameters and state; output 0 is the output sequence. */
typedef struct
{
  guint cell, lengths, n_inputs;        /* inputs state_cell and sequence_length; all inputs */
  guint state_out, cell_out, n_visible; /* outputs with the final states; all visible outputs */
} RnnOperands;

/* The positions that the attributes (RnnParams) imply. */
RnnOperands hyb_rnn_operands (gconstpointer params);

/* Describes the network of a call for kernels/recurrent; sizes that are not known are HYB_UNKNOWN. */
HybRecurrent hyb_rnn_describe (const HybCall *call);

/* HybOp.infer_shape: data (steps, batch, input), parameters (P), states (layers × directions,
 * batch, …), lengths (batch), output (steps, batch, directions × state). */
gboolean hyb_rnn_infer_shape (HybCall *call, GError **error);
/* HybOp.infer_dtype: one dtype for all operands but the lengths, which may have any. */
gboolean hyb_rnn_infer_dtype (HybCall *call, GError **error);

/* Workspaces start with the lengths as integers, in as many bytes; the kernel's follows. */
gsize hyb_rnn_lengths_bytes (const HybRecurrent *net);
/* Lengths of the sequences, clamped to 0 … n_steps, in the workspace; NULL without sequence_length,
 * which is input number `input`. */
const gint64 *
hyb_rnn_read_lengths (const HybCall *call, const HybRun *run, const HybRecurrent *net, guint input);
/* The memory of an output; NULL for position G_MAXUINT. */
gpointer hyb_rnn_output (const HybRun *run, guint index);
