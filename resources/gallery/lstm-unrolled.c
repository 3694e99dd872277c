/* lstm-unrolled.c — the language model with one LSTM cell unrolled over all steps.
 *
 * Each step has thirteen nodes, so length=2000 gives a graph of 26,000 nodes.
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
  guint     length;
  HybBlock *embedding, *cell, *decoder;
} LstmUnrolled;

static HybValue *
lstm_unrolled_forward (HybF *F, HybBlock *block, HybValue *input)
{
  LstmUnrolled *self = (LstmUnrolled *) block;
  HybValue     *x = hyb_call (F, self->embedding, hyb_item (F, input, 0));
  HybValue     *states = hyb_item (F, input, 1);
  HybValue     *y;

  hyb_cell_reset (self->cell);
  y = hyb_unroll (F,
                  self->cell,
                  &states,
                  .length = self->length,
                  .inputs = x,
                  .begin_state = states,
                  .layout = "TNC",
                  .merge = HYB_MERGE_YES);
  return hyb_list_of (F, hyb_call (F, self->decoder, y), states, NULL);
}

static const HybBlockClass lstm_unrolled_class = {
  .name = "LstmUnrolled",
  .size = sizeof (LstmUnrolled),
  .forward = lstm_unrolled_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&lstm_unrolled_class, NULL);
  LstmUnrolled  *self = (LstmUnrolled *) block;

  self->length = (guint) given->length;
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

HYB_MODEL (.name = "lstm-unrolled",
           .doc = "Language model by one LSTM cell, unrolled over length steps",
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
