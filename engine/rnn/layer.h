/* layer.h — gluon.rnn.RNN, LSTM and GRU, and mx.rnn's FusedRNNCell: several layers in one or both directions as one
 * operator (RNN).
 *
 * A layer takes an array, or the list (array, states).  It returns states as well if and only if it was given some.
 * Threads: as for blocks (block.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/rnn/cell.h"

G_BEGIN_DECLS
/* Options of layers and of the fused cell. */
typedef struct
{
  const char *mode;    /* "lstm" (default), "gru", "rnn_relu" or "rnn_tanh" */
  gint64      hidden;  /* units in each direction */
  guint       layers;  /* 0: 1 */
  const char *layout;  /* "TNC" (default) or "NTC"; a fused cell is given it when unrolled */
  double      dropout; /* rate between layers */
  gboolean    bidirectional;
  gint64      input_size;  /* 0: taken from the first input */
  gint64      projection;  /* size of the projected state, LSTM only; 0: no projection */
  gboolean    skip_states; /* never return states: Gluon exports a layer that was called without
                            * states like this */
  const char *i2h_weight_init, *h2h_weight_init;
  gboolean    get_next_state; /* fused cell: also output the last states */
  double      forget_bias;    /* fused cell; 0: 1 */
  const char *prefix;
  HybBlock   *shared; /* whose parameters are used */
} HybRnnLayerOptions;

/* A recurrent layer.  (transfer full) */
HYB_API HybBlock *hyb_rnn_layer_new (const HybRnnLayerOptions *options);
#define hyb_rnn_layer(...) hyb_rnn_layer_new (HYB_OPTIONS (HybRnnLayerOptions, __VA_ARGS__))
/* An initial state, created by op ("_zeros" or "_ones"); batch: 0 if unknown. */
HYB_API HybValue *
hyb_rnn_layer_begin_state (HybF *F, HybBlock *layer, const char *op, gint64 batch);

/* mx.rnn.FusedRNNCell: a cell that can only be unrolled.  (transfer full) */
HYB_API HybBlock *hyb_fused_cell_new (const HybRnnLayerOptions *options);
#define hyb_fused_cell(...) hyb_fused_cell_new (HYB_OPTIONS (HybRnnLayerOptions, __VA_ARGS__))
/* A stack of single cells that computes the same, named like FusedRNNCell.unfuse() names them.
 * (transfer full) */
HYB_API HybBlock *hyb_fused_cell_unfuse (HybBlock *cell);

G_END_DECLS
