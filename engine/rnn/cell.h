/* cell.h — recurrent cells: basic cells, stacks, wrappers, and how to step and unroll them.
 *
 * Every cell can be built in two styles: Gluon's (a block with its own name scope) and that of the older package
 * mx.rnn (full names, Activation operators).  Traced graphs match the exports of either package node for node.
 * The state of a cell is a list of arrays; the states of stacked cells are concatenated, the first cell's first.
 * Start at hyb_lstm_cell() and hyb_unroll().
 * Threads: as for blocks (block.h).  A cell counts its steps to name traced nodes, so only one thread at a time
 * traces it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/block/block.h"

G_BEGIN_DECLS
/* Whose names and graphs a cell makes. */
typedef enum
{
  HYB_STYLE_GLUON,
  HYB_STYLE_SYMBOLIC, /* mx.rnn */
} HybCellStyle;
/* A block that computes one step of a sequence. */
typedef struct _HybCell HybCell;

/* Shape of one array of a cell's state, such as (batch, size). */
typedef struct
{
  HybShape    shape;  /* the batch dimension is unknown */
  const char *layout; /* "NC", "LNC" (layers first), "NCHW" … */
} HybStateInfo;

/* The form of an unrolled cell's outputs: merge_outputs in MXNet. */
typedef enum
{
  HYB_MERGE_NATURAL, /* None: the form that the cell produces without conversion */
  HYB_MERGE_NO,      /* False: a list with one array per step */
  HYB_MERGE_YES,     /* True: one array with a time axis */
} HybMerge;
/* How hyb_cell_unroll() writes out steps. */
typedef struct
{
  guint       length;      /* number of steps; 0: as many as inputs, which must be a list */
  HybValue   *inputs;      /* one array with a time axis, or a list with one array per step */
  HybValue   *begin_state; /* NULL: zeros */
  const char *layout;      /* of the merged array: "NTC" (default), "TNC" or "NCT" */
  HybMerge    merge;
  HybValue   *valid_length; /* (batch): later steps do not count; NULL: all steps count */
} HybUnroll;

/* Members that are left NULL have the default that their comment gives. */
typedef struct
{
  HybBlockClass block; /* forward takes the list (input, states), returns (output, states) */
  guint (*n_states) (HybCell *cell); /* number of arrays in the state */
  void (*state_info) (HybCell *cell, guint index, HybStateInfo *info);
  /* One step.  Returns the output; *states is the old state before, the new one after. */
  HybValue *(*step) (HybF *F, HybCell *cell, HybValue *x, HybValue **states);
  /* All steps.  Default: one step after the other. */
  HybValue *(*unroll) (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states);
  /* The initial state.  Default: one array for each state_info, created by op. */
  HybValue *(*begin_state) (HybF *F, HybCell *cell, const char *op, const char *batch);
  /* Resets more than the counters.  Default: nothing. */
  void (*reset) (HybCell *cell);
  /* For cells without step: the error message, with the reason and the way out. */
  const char *no_step;
} HybCellClass;
/* The first member of the struct of every cell. */
struct _HybCell
{
  HybBlock                 parent;
  HybCellStyle             style;
  gboolean                 is_contrib;    /* gluon.contrib: sums and products get automatic names */
  char                    *node_prefix;   /* symbolic style: full names are this and a suffix */
  int                      counter;       /* steps since the last reset, minus one; atomic */
  int                      state_counter; /* initial states created since then, minus one; atomic */
  gint64                   hidden;        /* units */
  gint64                   projection;    /* size of the projected state; 0: no projection */
  const char              *activation, *recurrent_activation;
  HybParameter            *i2h_weight, *h2h_weight, *h2r_weight, *i2h_bias, *h2h_bias;
  struct _CellConvolution *convolution;      /* of cells with feature maps as states, else NULL */
  HybCell                 *base;             /* the cell that a modifier wraps */
  double                   rate, state_rate; /* of dropout and zoneout */
  int                      n_resets;         /* calls of hyb_cell_reset() */
  char                    *output_prefix;    /* of a bidirectional cell */
};

/* The block as a cell; NULL if it is not a cell. */
HYB_API HybCell *hyb_cell_from_block (HybBlock *block);
/* Options of single cells. */
typedef struct
{
  gint64       hidden;               /* units */
  const char  *activation;           /* RNN: "tanh" (default) or "relu"; LSTM: "tanh" */
  const char  *recurrent_activation; /* LSTM: "sigmoid" */
  const char  *i2h_weight_init, *h2h_weight_init, *i2h_bias_init, *h2h_bias_init;
  double       forget_bias; /* LSTM in symbolic style; 0: 1 */
  gint64       input_size;  /* 0: taken from the first input */
  const char  *prefix;      /* NULL: automatic, or mx.rnn's default */
  HybBlock    *shared; /* cell whose parameters are used: Gluon's params=, mx.rnn's RNNParams */
  HybCellStyle style;
} HybCellOptions;

/* --- Basic cells.  All constructors return a new block (transfer full). --- */

/* h = act (W x + b + R h' + c) */
HYB_API HybBlock *hyb_rnn_cell_new (const HybCellOptions *options);
/* Long short-term memory. */
HYB_API HybBlock *hyb_lstm_cell_new (const HybCellOptions *options);
/* Gated recurrent unit, in the variant that the operator RNN computes. */
HYB_API HybBlock *hyb_gru_cell_new (const HybCellOptions *options);
/* LSTM whose output is projected to `projection` units (gluon.contrib.rnn.LSTMPCell). */
HYB_API HybBlock *hyb_lstmp_cell_new (const HybCellOptions *options, gint64 projection);
#define hyb_rnn_cell(...)  hyb_rnn_cell_new (HYB_OPTIONS (HybCellOptions, __VA_ARGS__))
#define hyb_lstm_cell(...) hyb_lstm_cell_new (HYB_OPTIONS (HybCellOptions, __VA_ARGS__))
#define hyb_gru_cell(...)  hyb_gru_cell_new (HYB_OPTIONS (HybCellOptions, __VA_ARGS__))

/* Cells whose states are feature maps (gluon.contrib.rnn.Conv2DLSTMCell, mx.rnn.ConvLSTMCell …)
 * with 1 to 3 spatial dimensions.  Shapes of rank 0 have the default that their comment gives. */
typedef struct
{
  HybShape     input_shape;                                 /* channels, then spatial extents */
  gint64       channels;                                    /* of the state */
  HybShape     i2h_kernel, h2h_kernel;                      /* 3; h2h_kernel must be odd */
  HybShape     i2h_stride, i2h_pad, i2h_dilate, h2h_dilate; /* 1, 0 (mx.rnn: 1), 1, 1 */
  const char  *activation; /* NULL: "tanh", in symbolic style "leaky" (slope 0.2) */
  const char  *prefix;
  HybBlock    *shared;
  HybCellStyle style;
} HybConvCellOptions;
/* mode: "rnn", "lstm" or "gru".  An unknown mode is a programming error. */
HYB_API HybBlock *hyb_conv_cell_new (const char *mode, const HybConvCellOptions *options);
#define hyb_conv_cell(mode, ...) \
  hyb_conv_cell_new ((mode), HYB_OPTIONS (HybConvCellOptions, __VA_ARGS__))

/* --- Cells that contain cells.  They take over the caller's references to those. --- */

/* A stack; add the cells with hyb_append(). */
HYB_API HybBlock *hyb_sequential_cell_new (HybCellStyle style, const char *prefix);
/* Dropout as a cell without states, for use in a stack. */
HYB_API HybBlock *hyb_dropout_cell_new (double rate, HybCellStyle style, const char *prefix);
/* Zoneout: with these probabilities an output or a state keeps its previous value. */
HYB_API HybBlock *hyb_zoneout_cell_new (HybBlock *base, double outputs, double states);
/* Adds the input to the output of base. */
HYB_API HybBlock *hyb_residual_cell_new (HybBlock *base);
/* Dropout with the same mask at every step of a sequence (gluon.contrib); a rate of 0 means no
 * dropout there. */
HYB_API HybBlock *
hyb_variational_dropout_cell_new (HybBlock *base, double inputs, double states, double outputs);
/* Runs left forwards and right backwards over a sequence and concatenates their outputs.  It can
 * only be unrolled.  output_prefix NULL: "bi_". */
HYB_API HybBlock *hyb_bidirectional_cell_new (HybBlock    *left,
                                              HybBlock    *right,
                                              const char  *output_prefix,
                                              HybCellStyle style);

/* --- Using cells inside a forward function --- */

/* The number of arrays in the state. */
HYB_API guint hyb_cell_n_states (HybBlock *cell);
/* An initial state.  op: "_zeros", "_ones", or NULL for variables named "…begin_state_N" (only
 * while tracing).  batch: 0 if unknown. */
HYB_API HybValue *hyb_cell_begin_state (HybF *F, HybBlock *cell, const char *op, gint64 batch);
/* One step.  Returns the output and replaces *states. */
HYB_API HybValue *hyb_cell_step (HybF *F, HybBlock *cell, HybValue *x, HybValue **states);
/* hyb_foreach() with a cell as the body: returns the list (outputs stacked over the steps, last
 * states).  The steps are the slices of data along axis 0. */
HYB_API HybValue *hyb_foreach_cell (HybF *F, HybBlock *cell, HybValue *data, HybValue *states);
/* Resets the cell and writes out all steps.  Returns the outputs, in the form that unroll->merge requests; *states is set
 * to the last state (states may be NULL). */
HYB_API HybValue *
hyb_cell_unroll (HybF *F, HybBlock *cell, const HybUnroll *unroll, HybValue **states);
#define hyb_unroll(F, cell, states, ...) \
  hyb_cell_unroll ((F), (cell), HYB_OPTIONS (HybUnroll, __VA_ARGS__), (states))
/* Runs as many steps as inputs have, in a loop (gluon.contrib.rnn.dynamic_unroll).  inputs must be
 * one array and begin_state must be given; length and merge are ignored.  Returns the outputs;
 * *states is set to the last state. */
HYB_API HybValue *
hyb_cell_dynamic_unroll (HybF *F, HybBlock *cell, const HybUnroll *unroll, HybValue **states);
/* Resets the step counters and remembered outputs of the cell and of all cells below it. */
HYB_API void hyb_cell_reset (HybBlock *cell);

G_END_DECLS
