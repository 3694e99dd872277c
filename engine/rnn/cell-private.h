/* cell-private.h — what the cell files share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/rnn-weights.h"
#include "engine/rnn/cell.h"

typedef struct _CellConvolution
{
  HybShape    input_shape; /* channels, then the spatial extents */
  HybShape    i2h_kernel, i2h_stride, i2h_pad, i2h_dilate;
  HybShape    h2h_kernel, h2h_pad, h2h_dilate;
  HybShape    state_shape; /* batch unknown */
  const char *layout;
} CellConvolution;

/* One step of the three kinds of cells, whatever their products are. */
HybValue *hyb_cell_plain_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states);
HybValue *hyb_cell_lstm_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states);
HybValue *hyb_cell_gru_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states);

/* A modifier: takes over base, and is called like it and something more. */
HybCell    *hyb_modifier_cell_new (const HybCellClass *klass, HybBlock *base, const char *alias);
guint       hyb_cell_states_of_children (HybCell *cell);
HybValue   *hyb_cell_begin_children (HybF *F, HybCell *cell, const char *op, const char *batch);
const char *hyb_cell_rate_text (HybF *F, double rate);

/* Makes a cell with hidden units; prefix NULL: symbolic cells take default_prefix. */
HybCell *
hyb_cell_new (const HybCellClass *klass, const HybCellOptions *options, const char *default_prefix);
void      hyb_cell_finish (HybBlock *block);
HybValue *hyb_cell_forward (HybF *F, HybBlock *block, HybValue *input);

/* "t3_i2h" of this step; symbolic: with the cell's prefix. */
const char *hyb_cell_name (HybF *F, HybCell *cell, const char *suffix);
/* name of something that only Gluon names; symbolic: NULL, which means automatic. */
const char *hyb_cell_gluon_name (HybF *F, HybCell *cell, const char *suffix);

/* weight (rows × inputs) and bias of "i2h" or "h2h". */
void hyb_cell_add_parameters (HybCell *cell, const HybCellOptions *options, guint n_gates);
/* FullyConnected of this step with the parameters of "i2h" or "h2h". */
HybValue *hyb_cell_linear (HybF         *F,
                           HybCell      *cell,
                           HybValue     *x,
                           HybParameter *weight,
                           HybParameter *bias,
                           const char   *name);

/* The begin state given, or zeros for the batch that inputs have (traced: unknown). */
HybValue *hyb_unroll_get_begin_state (HybF *F, HybCell *cell, const HybUnroll *unroll);
/* The states as one list of arrays; a mistake (NULL) if there are not as many as the cell has. */
HybValue *hyb_cell_flat_states (HybF *F, HybCell *cell, HybValue *states);
/* One array with a time axis into a list of steps, or back, or as it is. */
HybValue *hyb_format_sequence (HybF       *F,
                               HybCell    *cell,
                               guint       length,
                               HybValue   *inputs,
                               const char *layout,
                               HybMerge    merge);
/* One step after the other: what unrolls a cell that has no way of its own. */
HybValue     *
hyb_cell_unroll_steps (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states);
int hyb_layout_axis (const char *layout, char axis);
/* Rows past the valid length become zero. */
HybValue *hyb_mask_sequence (HybF     *F,
                             HybValue *data,
                             guint     length,
                             HybValue *valid_length,
                             int       axis,
                             gboolean  merge);
HybValue *hyb_states_slice (HybF *F, HybValue *states, guint from, guint n);
HybValue *hyb_states_join (HybF *F, HybValue *a, HybValue *b);

/* What the flat parameter of a fused cell holds; FALSE: it is another kind of cell.  The prefix is lent. */
gboolean hyb_fused_cell_get_weights (HybBlock *cell, HybRnnWeights *weights);
