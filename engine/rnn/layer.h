/* layer.h — gluon.rnn.RNN, LSTM and GRU: several layers, one or both directions,
 * as one fused operator; and mx.rnn's FusedRNNCell.
 *
 * A layer takes an array, or the list (array, states), and gives an array, or the
 * list (array, states): states out if and only if states came in.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/rnn/cell.h"

G_BEGIN_DECLS

typedef struct
{
  const char *mode; /* "lstm", "gru", "rnn_relu", "rnn_tanh" */
  gint64      hidden;
  guint       layers;  /* 0: 1 */
  const char *layout;  /* "TNC" (default), "NTC"; FusedRNNCell takes it when unrolling */
  double      dropout; /* between layers */
  gboolean    bidirectional;
  gint64      input_size;  /* 0: from the first input */
  gint64      projection;  /* 0: none; LSTM only */
  gboolean    skip_states; /* states come in, but do not go out: what Gluon exports of a layer
                            * that was called without states */
  const char *i2h_weight_init, *h2h_weight_init;
  gboolean    get_next_state; /* FusedRNNCell */
  double      forget_bias;    /* FusedRNNCell; 0: 1 */
  const char *prefix;
  HybBlock   *shared;
} HybRnnLayerOptions;

HybBlock *hyb_rnn_layer_new (const HybRnnLayerOptions *options);
#define hyb_rnn_layer(...) hyb_rnn_layer_new (&(const HybRnnLayerOptions){ __VA_ARGS__ })
/* Zeros; batch 0: unknown. */
HybValue *hyb_rnn_layer_begin_state (HybF *F, HybBlock *layer, const char *op, gint64 batch);

/* mx.rnn.FusedRNNCell: a cell that can only be unrolled. */
HybBlock *hyb_fused_cell_new (const HybRnnLayerOptions *options);
#define hyb_fused_cell(...) hyb_fused_cell_new (&(const HybRnnLayerOptions){ __VA_ARGS__ })
/* The same as a stack of unfused cells, named as FusedRNNCell.unfuse() names them. */
HybBlock *hyb_fused_cell_unfuse (HybBlock *cell);

G_END_DECLS
