/* cell-private.h — shared parts of the files of the cells: creation, names and parameters of cells,
 * states, and sequences in both their forms.
 *
 * Calls go one way: cell-wrappers.c, cell-modifiers.c, cell-fused.c → unroll.c → cell.c, and
 * cell-conv.c → cell-basic.c → cell.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/rnn-weights.h"
#include "engine/rnn/cell.h"

/* Geometry of a cell whose states are feature maps.  Shapes have one dimension for each spatial
 * axis unless their comment says otherwise. */
typedef struct _CellConvolution
{
  HybShape    input_shape; /* channels, then spatial extents */
  HybShape    i2h_kernel, i2h_stride, i2h_pad, i2h_dilate;
  HybShape    h2h_kernel, h2h_pad, h2h_dilate; /* h2h keeps the extent of the state */
  HybShape    state_shape; /* (batch, channels, extents …); batch is unknown */
  const char *layout;      /* "NCHW" … */
} CellConvolution;

/* --- cell.c --- */

/* A new cell of class klass.  Only style, prefix, shared and hidden of the options are used; a
 * symbolic cell without a prefix gets default_prefix.  (transfer full) */
HybCell *
hyb_cell_new (const HybCellClass *klass, const HybCellOptions *options, const char *default_prefix);
/* The block as a cell; NULL and an error of F if it is not a cell.  block: (nullable) */
HybCell *hyb_cell_or_fail (HybF *F, HybBlock *block);
/* The first member of a cell's memory of a sequence. */
typedef struct
{
  int n_resets;
} CellMemory;

/* The cell's memory of the sequence that F computes: size bytes, which are zeros after hyb_cell_reset(). */
gpointer hyb_cell_get_memory (HybF *F, HybCell *cell, gsize size);
/* HybBlockClass.finish of all cells. */
void hyb_cell_finish (HybBlock *block);
/* HybBlockClass.forward of all cells: takes the list (x, states), makes one step. */
HybValue *hyb_cell_forward (HybF *F, HybBlock *block, HybValue *input);
/* Adds the weights (rows × inputs) and biases of "i2h" and "h2h", with n_gates · hidden rows. */
void hyb_cell_add_parameters (HybCell *cell, const HybCellOptions *options, guint n_gates);

/* The name of a node in this step: "t3_i2h"; in symbolic style with the cell's prefix. */
const char *hyb_cell_name (HybF *F, HybCell *cell, const char *suffix);
/* The same for nodes to which only Gluon gives names; NULL, which means an automatic name, for
 * other cells. */
const char *hyb_cell_gluon_name (HybF *F, HybCell *cell, const char *suffix);
/* The text of a dropout rate, as Python writes it. */
const char *hyb_cell_rate_text (HybF *F, double rate);

/* The sides of a step: which parameters hyb_cell_linear() uses. */
typedef enum
{
  CELL_I2H, /* input to hidden */
  CELL_H2H, /* state to hidden */
  CELL_H2R, /* hidden to projection, without bias */
} CellSide;
/* W x + b with the parameters of one side: FullyConnected, or Convolution for cells whose states
 * are feature maps. */
HybValue *hyb_cell_linear (HybF *F, HybCell *cell, HybValue *x, CellSide side, const char *name);

/* The states as one list of arrays; NULL and an error if there are not as many as the cell has. */
HybValue *hyb_cell_flat_states (HybF *F, HybCell *cell, HybValue *states);
/* States from to from + n − 1. */
HybValue *hyb_states_slice (HybF *F, HybValue *states, guint from, guint n);
/* All arrays of a, then all arrays of b. */
HybValue *hyb_states_join (HybF *F, HybValue *a, HybValue *b);
/* HybCellClass.n_states of cells whose states are those of their children. */
guint hyb_cell_states_of_children (HybCell *cell);
/* HybCellClass.begin_state of such cells. */
HybValue *hyb_cell_begin_children (HybF *F, HybCell *cell, const char *op, const char *batch);

/* --- cell-basic.c: HybCellClass.step of the three kinds of cells --- */

/* h = act (W x + b + R h' + c) */
HybValue *hyb_cell_plain_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states);
/* Long short-term memory; the states are h and c. */
HybValue *hyb_cell_lstm_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states);
/* Gated recurrent unit. */
HybValue *hyb_cell_gru_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states);

/* --- unroll.c --- */

/* The begin state that was given, or zeros for the batch of the inputs (0, which means unknown,
 * while tracing). */
HybValue *hyb_unroll_get_begin_state (HybF *F, HybCell *cell, const HybUnroll *unroll);
/* Converts a sequence between one array with a time axis and a list of steps.  inputs is used
 * instead of unroll->inputs, merge instead of unroll->merge; HYB_MERGE_NATURAL changes nothing. */
HybValue *hyb_format_sequence (HybF            *F,
                               HybCell         *cell,
                               const HybUnroll *unroll,
                               HybValue        *inputs,
                               HybMerge         merge);
/* Sets rows past unroll->valid_length to zero.  data may be a list; the result is one array if
 * merge, else a list. */
HybValue *hyb_mask_sequence (HybF *F, const HybUnroll *unroll, HybValue *data, gboolean merge);
/* HybCellClass.unroll for cells without one: one step after the other. */
HybValue *
hyb_cell_unroll_steps (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states);
/* The position of an axis ('T', 'N') in a layout; -1 if it lacks it. */
int hyb_layout_axis (const char *layout, char axis);

/* --- cell-fused.c --- */

/* The contents of a fused cell's flat parameter; the prefix belongs to the cell.  FALSE if the
 * block is not a fused cell. */
gboolean hyb_fused_cell_get_weights (HybBlock *cell, HybRnnWeights *weights);
