/* cell.h — recurrent cells: one step, unrolled over many, stacked, wrapped.
 *
 * Every cell exists in two spellings: Gluon's (a block with its own name scope)
 * and that of the older mx.rnn package (full names, Activation operators), so
 * that traced graphs match either kind of export node for node.
 *
 * A state is a list of arrays; states of stacked cells are joined left to right.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

G_BEGIN_DECLS

typedef enum
{
  HYB_STYLE_GLUON,
  HYB_STYLE_SYMBOLIC, /* mx.rnn */
} HybCellStyle;

typedef struct _HybCell HybCell;

/* A state of a cell: (batch, size) and so on; the batch is dimension batch_axis. */
typedef struct
{
  HybShape    shape;  /* batch unknown */
  const char *layout; /* "NC", "LNC", "NCHW" */
} HybStateInfo;

typedef enum
{
  HYB_MERGE_NATURAL, /* None: whatever comes naturally */
  HYB_MERGE_NO,      /* a list of one array a step */
  HYB_MERGE_YES,     /* one array */
} HybMerge;

typedef struct
{
  guint       length;
  HybValue   *inputs;      /* one array with a time axis, or a list of one a step */
  HybValue   *begin_state; /* NULL: zeros */
  const char *layout;      /* "NTC" (default), "TNC", "NCT" */
  HybMerge    merge;
  HybValue   *valid_length; /* (batch); NULL: all steps are valid */
} HybUnroll;

typedef struct
{
  HybBlockClass block; /* forward takes the list (input, states), gives (output, states) */
  guint (*n_states) (HybCell *cell);
  void (*state_info) (HybCell *cell, guint index, HybStateInfo *info);
  /* One step: the output; *states is the old state before, the new one after. */
  HybValue *(*step) (HybF *F, HybCell *cell, HybValue *x, HybValue **states);
  /* NULL: steps one after the other. */
  HybValue *(*unroll) (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states);
  /* NULL: an array of zeros a state. */
  HybValue *(*begin_state) (HybF *F, HybCell *cell, const char *op, const char *batch);
  void (*reset) (HybCell *cell); /* more than the counters; NULL: nothing */
  const char *no_step;           /* why it cannot be stepped, with the way out; NULL: it can */
} HybCellClass;

struct _HybCell
{
  HybBlock                 parent;
  HybCellStyle             style;
  gboolean                 is_contrib;  /* gluon.contrib: sums and products take automatic names */
  char                    *node_prefix; /* symbolic: full names are this and a suffix */
  int                      counter;     /* steps since reset, minus one */
  int                      state_counter; /* states begun since reset, minus one */
  gint64                   hidden;
  gint64                   projection; /* 0: none */
  const char              *activation, *recurrent_activation;
  HybParameter            *i2h_weight, *h2h_weight, *h2r_weight, *i2h_bias, *h2h_bias;
  struct _CellConvolution *convolution; /* NULL: states are vectors, steps are products */
  HybCell                 *base;        /* of a modifier */
  double                   rate, state_rate;
  HybValue                *previous; /* zoneout: the last output */
  HybF                    *previous_of;
  char                    *output_prefix;
};

HybCell *HYB_CELL (HybBlock *block); /* NULL if it is none */

typedef struct
{
  gint64       hidden;
  const char  *activation;           /* RNN: "tanh" or "relu"; LSTM: "tanh" */
  const char  *recurrent_activation; /* LSTM: "sigmoid" */
  const char  *i2h_weight_init, *h2h_weight_init, *i2h_bias_init, *h2h_bias_init;
  double       forget_bias; /* mx.rnn's LSTM; 0: 1 */
  gint64       input_size;  /* 0: from the first input */
  const char  *prefix;      /* NULL: automatic, or mx.rnn's default */
  HybBlock    *shared;      /* parameters of another cell: Gluon's params=, mx.rnn's RNNParams */
  HybCellStyle style;
} HybCellOptions;

HybBlock *hyb_rnn_cell_new (const HybCellOptions *options);
HybBlock *hyb_lstm_cell_new (const HybCellOptions *options);
HybBlock *hyb_gru_cell_new (const HybCellOptions *options);
HybBlock *hyb_lstmp_cell_new (const HybCellOptions *options, gint64 projection);
#define hyb_rnn_cell(...)  hyb_rnn_cell_new (&(const HybCellOptions){ __VA_ARGS__ })
#define hyb_lstm_cell(...) hyb_lstm_cell_new (&(const HybCellOptions){ __VA_ARGS__ })
#define hyb_gru_cell(...)  hyb_gru_cell_new (&(const HybCellOptions){ __VA_ARGS__ })

/* Cells whose states are feature maps (gluon.contrib.rnn.Conv2DLSTMCell, mx.rnn.ConvLSTMCell …):
 * 1 to 3 spatial dimensions, as input_shape has. */
typedef struct
{
  HybShape     input_shape;                                 /* channels, then the spatial extents */
  gint64       channels;                                    /* of the state */
  HybShape     i2h_kernel, h2h_kernel;                      /* rank 0: 3; h2h must be odd */
  HybShape     i2h_stride, i2h_pad, i2h_dilate, h2h_dilate; /* rank 0: 1, 0 (mx.rnn: 1), 1, 1 */
  const char  *activation; /* NULL: "tanh", mx.rnn: "leaky" (slope 0.2) */
  const char  *prefix;
  HybBlock    *shared;
  HybCellStyle style;
} HybConvCellOptions;
/* mode: "rnn", "lstm", "gru" */
HybBlock *hyb_conv_cell_new (const char *mode, const HybConvCellOptions *options);
#define hyb_conv_cell(mode, ...) \
  hyb_conv_cell_new ((mode), &(const HybConvCellOptions){ __VA_ARGS__ })

/* Wrappers take over the cells they get. */
HybBlock *hyb_sequential_cell_new (HybCellStyle style, const char *prefix); /* hyb_append() cells */
HybBlock *hyb_dropout_cell_new (double rate, HybCellStyle style, const char *prefix);
HybBlock *hyb_zoneout_cell_new (HybBlock *base, double outputs, double states);
HybBlock *hyb_residual_cell_new (HybBlock *base);
/* The same mask at every step of a sequence (gluon.contrib); rate 0: none. */
HybBlock *
hyb_variational_dropout_cell_new (HybBlock *base, double inputs, double states, double outputs);
HybBlock *hyb_bidirectional_cell_new (HybBlock    *left,
                                      HybBlock    *right,
                                      const char  *output_prefix,
                                      HybCellStyle style);

/* --- Using cells inside a forward --- */

guint hyb_cell_n_states (HybBlock *cell);
/* op: "_zeros", "_ones", or NULL for variables named …begin_state_N.  batch: 0: unknown. */
HybValue *hyb_cell_begin_state (HybF *F, HybBlock *cell, const char *op, gint64 batch);
/* One step. */
HybValue *hyb_cell_step (HybF *F, HybBlock *cell, HybValue *x, HybValue **states);
/* hyb_foreach() with a cell as the body: the list (outputs stacked over steps, last states).
 * Steps go over axis 0 of data. */
HybValue *hyb_foreach_cell (HybF *F, HybBlock *cell, HybValue *data, HybValue *states);
/* Many steps: outputs (array or list), *states the last state; states may be NULL. */
HybValue *hyb_cell_unroll (HybF *F, HybBlock *cell, const HybUnroll *unroll, HybValue **states);
#define hyb_unroll(F, cell, states, ...) \
  hyb_cell_unroll ((F), (cell), &(const HybUnroll){ __VA_ARGS__ }, (states))
/* gluon.contrib.rnn.dynamic_unroll: as many steps as inputs have, in a loop.  *states: the
 * first ones, then the last ones.  length of unroll is ignored. */
HybValue      *
hyb_cell_dynamic_unroll (HybF *F, HybBlock *cell, const HybUnroll *unroll, HybValue **states);
void hyb_cell_reset (HybBlock *cell); /* counters of steps, zoneout's memory; children too */

G_END_DECLS
