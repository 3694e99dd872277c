/* lstm-foreach.c — the language model with one LSTM cell in a foreach loop, which stays a loop in
 * the graph.
 *
 * lstm-unrolled.c has the same model with the loop written out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 vocabulary, embedding, hidden, length, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, vocabulary),
    HYB_PARAM_INT,
    "64",
    2,
    1 << 22,
    .doc = "size of the vocabulary" },
  { HYB_FIELD (Options, embedding), HYB_PARAM_INT, "64", 1, 65536, .doc = "size of an embedding" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "128", 1, 65536, .doc = "units of the cell" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "35", 1, 65536, .doc = "tokens of a sequence" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *embedding, *cell, *decoder;
} LstmForeach;

static HybValue *
lstm_foreach_forward (HybF *F, HybBlock *block, HybValue *input)
{
  LstmForeach *self = (LstmForeach *) block;
  HybValue    *x = hyb_call (F, self->embedding, hyb_item (F, input, 0));
  HybValue    *states = hyb_item (F, input, 1);
  HybValue    *y;

  hyb_cell_reset (self->cell);
  y = hyb_foreach_cell (F, self->cell, x, states);
  return hyb_list_of (F, hyb_call (F, self->decoder, hyb_item (F, y, 0)), hyb_item (F, y, 1), NULL);
}

static const HybBlockClass lstm_foreach_class = {
  .name = "LstmForeach",
  .size = sizeof (LstmForeach),
  .forward = lstm_foreach_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&lstm_foreach_class, NULL);
  LstmForeach   *self = (LstmForeach *) block;

  hyb_block_enter_scope (block);
  self->embedding =
      hyb_append (block, hyb_embedding_new (given->vocabulary, given->embedding, NULL));
  self->cell =
      hyb_append (block, hyb_lstm_cell (.hidden = given->hidden, .input_size = given->embedding));
  self->decoder = hyb_append (block,
                              hyb_dense (.units = given->vocabulary,
                                         .no_flatten = TRUE,
                                         .in_units = given->hidden));
  hyb_block_leave_scope (block);
  return block;
}

HYB_MODEL (.name = "lstm-foreach",
           .doc = "Language model by one LSTM cell in a foreach loop",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "[float32(length, batch), [float32(batch, hidden), float32(batch, hidden)]]",
           .build = build,
           .task = { .label = "float32(length, batch)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.003",
                     .clip_global_norm = 1,
                     .carry = "all",
                     .is_text = TRUE,
                     .epochs = 4 });
