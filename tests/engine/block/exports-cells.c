/* exports-cells.c — export tests: Gluon's cells, unrolled.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/rnn/cell.h"
#include "tests/engine/block/export-check.h"

typedef struct
{
  HybBlock    parent;
  HybBlock   *cell;
  guint       length;
  const char *layout;
  HybMerge    merge;
  gboolean    valid;
  gboolean    begin; /* begin states are inputs */
} Unroll;

static HybValue *
unroll_forward (HybF *F, HybBlock *block, HybValue *input)
{
  Unroll   *self = (Unroll *) block;
  HybValue *states, *outputs;

  outputs =
      hyb_unroll (F, self->cell, &states, .length = self->length, .inputs = hyb_item (F, input, 0),
                  .begin_state = self->begin ? hyb_item (F, input, 1) : NULL,
                  .layout = self->layout, .merge = self->merge,
                  .valid_length = self->valid ? hyb_item (F, input, 1) : NULL);
  return hyb_list_of (F, outputs, states, NULL);
}

static const HybBlockClass unroll_class = {
  .name = "Unroll",
  .size = sizeof (Unroll),
  .forward = unroll_forward,
};

typedef struct
{
  const char *folder;
  HybBlock *(*cell) (void);
  guint       length;
  const char *layout;
  HybMerge    merge;
  gboolean    valid;
  const char *begin; /* how inputs nest with begin states; NULL: none are given */
} Row;

static HybBlock *
lstm (void)
{
  return hyb_lstm_cell (.hidden = 4);
}

static HybBlock *
gru (void)
{
  return hyb_gru_cell (.hidden = 4);
}

static HybBlock *
plain (void)
{
  return hyb_rnn_cell (.hidden = 4);
}

static HybBlock *
plain_relu (void)
{
  return hyb_rnn_cell (.hidden = 4, .activation = "relu");
}

static HybBlock *
both_ways (void)
{
  HybBlock *left = hyb_lstm_cell (.hidden = 4);

  return hyb_bidirectional_cell_new (left, hyb_gru_cell (.hidden = 5), NULL, HYB_STYLE_GLUON);
}

static HybBlock *
hard (void)
{
  return hyb_lstm_cell (.hidden = 4, .activation = "softsign");
}

/* Cells on top of each other, made inside the stack's name scope. */
static HybBlock *
stack_of (HybBlock *(*const *cells) (void), guint n)
{
  HybBlock *stack = hyb_sequential_cell_new (HYB_STYLE_GLUON, NULL);

  hyb_block_enter_scope (stack);
  for (guint i = 0; i < n; i++)
    hyb_append (stack, cells[i]());
  hyb_block_leave_scope (stack);
  return stack;
}

static HybBlock *
plain_five (void)
{
  return hyb_rnn_cell (.hidden = 5);
}

static HybBlock *
residual (void)
{
  return hyb_residual_cell_new (hyb_gru_cell (.hidden = 4, .input_size = 4));
}

static HybBlock *
open_residual (void)
{
  return hyb_residual_cell_new (gru ());
}

static HybBlock *
three_kinds (void)
{
  return stack_of ((HybBlock *(*const[]) (void) ){ lstm, open_residual, plain_five }, 3);
}

static HybBlock *
drop_half (void)
{
  return hyb_dropout_cell_new (0.5, HYB_STYLE_GLUON, NULL);
}

static HybBlock *
dropped (void)
{
  return stack_of ((HybBlock *(*const[]) (void) ){ gru, drop_half, gru }, 3);
}

static HybBlock *
zoneout_lstm (void)
{
  return hyb_zoneout_cell_new (lstm (), 0.3, 0.2);
}

static HybBlock *
zoned (void)
{
  return stack_of ((HybBlock *(*const[]) (void) ){ zoneout_lstm }, 1);
}

static HybBlock *
lstm_both_ways (void)
{
  HybBlock *left = lstm ();

  return hyb_bidirectional_cell_new (left, lstm (), NULL, HYB_STYLE_GLUON);
}

static HybBlock *
drop_fifth (void)
{
  return hyb_dropout_cell_new (0.2, HYB_STYLE_GLUON, NULL);
}

static HybBlock *
both_ways_stack (void)
{
  return stack_of ((HybBlock *(*const[]) (void) ){ lstm_both_ways, drop_fifth, lstm }, 3);
}

static HybBlock *
gru_both_ways (void)
{
  HybBlock *left = gru ();

  return hyb_bidirectional_cell_new (left, gru (), NULL, HYB_STYLE_GLUON);
}

static HybBlock *
lstm_and_plain (void)
{
  return stack_of ((HybBlock *(*const[]) (void) ){ lstm, plain }, 2);
}

static HybBlock *
gru_and_lstm (void)
{
  return stack_of ((HybBlock *(*const[]) (void) ){ gru, lstm }, 2);
}

static HybBlock *
projected (void)
{
  return hyb_lstmp_cell_new (&(HybCellOptions){ .hidden = 4 }, 3);
}

static HybBlock *
feature_maps (void)
{
  return hyb_conv_cell ("lstm", .input_shape = hyb_shape_3d (4, 5, 4), .channels = 4,
                        .i2h_pad = hyb_shape_2d (1, 1));
}

static HybBlock *
variational (void)
{
  return hyb_variational_dropout_cell_new (lstm (), 0.2, 0.1, 0.1);
}

/* One step of a cell as the outermost block. */
static HybBlock *
step (gconstpointer data)
{
  HybBlock *cell = lstm ();

  /* MXNet's was called once before it was traced. */
  hyb_cell_from_block (cell)->counter = 0;
  return cell;
}

static const Row rows[] = {
  { "cell-begin-lstm", lstm, 5, "NTC", HYB_MERGE_YES, FALSE, "[0, [0, 0]]" },
  { "cell-begin-stack", gru_and_lstm, 5, "TNC", HYB_MERGE_NATURAL, FALSE, "[0, [0, 0, 0]]" },
  { "cell-bi-stack-t1-ntc-false", both_ways_stack, 1, "NTC", HYB_MERGE_NO },
  { "cell-bi-stack-t6-ntc-false", both_ways_stack, 6, "NTC", HYB_MERGE_NO },
  { "cell-contrib-conv", feature_maps, 3, "NTCHW", HYB_MERGE_YES },
  { "cell-contrib-lstmp", projected, 5, "NTC", HYB_MERGE_YES },
  { "cell-contrib-variational", variational, 5, "NTC", HYB_MERGE_YES },
  { "cell-dropout-t1-ntc-true", dropped, 1, "NTC", HYB_MERGE_YES },
  { "cell-dropout-t6-ntc-none", dropped, 6, "NTC", HYB_MERGE_NATURAL },
  { "cell-lstm-hard-t1-tnc-true", hard, 1, "TNC", HYB_MERGE_YES },
  { "cell-lstm-hard-t6-tnc-none", hard, 6, "TNC", HYB_MERGE_NATURAL },
  { "cell-residual-t1-ntc-true", residual, 1, "NTC", HYB_MERGE_YES },
  { "cell-residual-t6-ntc-none", residual, 6, "NTC", HYB_MERGE_NATURAL },
  { "cell-stack-t1-tnc-true", three_kinds, 1, "TNC", HYB_MERGE_YES },
  { "cell-stack-t6-tnc-none", three_kinds, 6, "TNC", HYB_MERGE_NATURAL },
  { "cell-valid-bi-ntc", gru_both_ways, 5, "NTC", HYB_MERGE_YES, TRUE },
  { "cell-valid-bi-tnc", gru_both_ways, 5, "TNC", HYB_MERGE_YES, TRUE },
  { "cell-valid-stack-ntc", lstm_and_plain, 5, "NTC", HYB_MERGE_YES, TRUE },
  { "cell-valid-stack-tnc", lstm_and_plain, 5, "TNC", HYB_MERGE_YES, TRUE },
  { "cell-zoneout-t1-tnc-true", zoned, 1, "TNC", HYB_MERGE_YES },
  { "cell-zoneout-t6-tnc-none", zoned, 6, "TNC", HYB_MERGE_NATURAL },
  { "cell-lstm-t6-ntc-none", lstm, 6, "NTC", HYB_MERGE_NATURAL },
  { "cell-lstm-t1-ntc-true", lstm, 1, "NTC", HYB_MERGE_YES },
  { "cell-gru-t6-ntc-none", gru, 6, "NTC", HYB_MERGE_NATURAL },
  { "cell-gru-t1-ntc-true", gru, 1, "NTC", HYB_MERGE_YES },
  { "cell-rnn-t6-ntc-none", plain, 6, "NTC", HYB_MERGE_NATURAL },
  { "cell-rnn-t1-ntc-true", plain, 1, "NTC", HYB_MERGE_YES },
  { "cell-rnn-relu-t6-tnc-none", plain_relu, 6, "TNC", HYB_MERGE_NATURAL },
  { "cell-rnn-relu-t1-tnc-true", plain_relu, 1, "TNC", HYB_MERGE_YES },
  { "cell-bi-t6-tnc-true", both_ways, 6, "TNC", HYB_MERGE_YES },
  { "cell-bi-t1-tnc-true", both_ways, 1, "TNC", HYB_MERGE_YES },
  { "cell-valid-lstm-ntc", lstm, 5, "NTC", HYB_MERGE_YES, TRUE },
  { "cell-valid-lstm-tnc", lstm, 5, "TNC", HYB_MERGE_YES, TRUE },
  { "cell-valid-gru-ntc", gru, 5, "NTC", HYB_MERGE_YES, TRUE },
  { "cell-valid-gru-tnc", gru, 5, "TNC", HYB_MERGE_YES, TRUE },
};

static HybBlock *
build (gconstpointer data)
{
  const Row *row = data;
  HybBlock  *block = hyb_block_new (&unroll_class, NULL);
  Unroll    *self = (Unroll *) block;

  hyb_block_enter_scope (block);
  self->cell = hyb_block_add_child (block, row->cell (), "cell");
  hyb_block_leave_scope (block);
  self->length = row->length;
  self->layout = row->layout;
  self->merge = row->merge;
  self->valid = row->valid;
  self->begin = row->begin != NULL;
  return block;
}

void
exports_add_cells (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    export_check_add (rows[i].folder, build, &rows[i],
                      rows[i].begin   ? rows[i].begin
                      : rows[i].valid ? "[0, 0]"
                                      : "0");
  export_check_add ("cell-step-lstm", step, NULL, "[0, [0, 0]]");
}
