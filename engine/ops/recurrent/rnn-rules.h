/* rnn-rules.h — attributes, operands and shapes of RNN and its gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/recurrent/recurrent.h"
#include "engine/op/op.h"

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

gboolean hyb_rnn_check (gconstpointer params, GError **error);

/* Where the operands stand; G_MAXUINT: there is none. */
typedef struct
{
  guint cell, lengths, n_inputs;
  guint state_out, cell_out, n_visible;
} RnnPlaces;

RnnPlaces hyb_rnn_places (gconstpointer params);

/* The network as far as shapes are known; sizes that are not stay HYB_UNKNOWN. */
HybRecurrent hyb_rnn_describe (const HybCall *call);

gboolean hyb_rnn_infer_shape (HybCall *call, GError **error);
gboolean hyb_rnn_infer_dtype (HybCall *call, GError **error);
