/* test-exports-cells.c — Gluon cells built in C and traced give, byte for byte, the
 * symbol files that MXNet exported.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

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
} Unroll;

static HybValue *
unroll_forward (HybF *F, HybBlock *block, HybValue *input)
{
  Unroll   *self = (Unroll *) block;
  HybValue *states, *outputs;

  outputs = hyb_unroll (F,
                        self->cell,
                        &states,
                        .length = self->length,
                        .inputs = hyb_item (F, input, 0),
                        .layout = self->layout,
                        .merge = self->merge,
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

static const Row rows[] = {
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
  return block;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    export_check_add (rows[i].folder, build, &rows[i], rows[i].valid ? "[0, 0]" : "0");
  return g_test_run ();
}
