/* lstm-lm.c — a language model: embedding, LSTM layers as one fused operator, decoder.
 *
 * States are inputs and outputs, so that training can carry them from batch to batch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 vocabulary, embedding, hidden, layers, length, batch;
  double dropout;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, vocabulary),
    HYB_PARAM_INT,
    "64",
    2,
    1 << 22,
    .doc = "size of the vocabulary" },
  { HYB_FIELD (Options, embedding), HYB_PARAM_INT, "64", 1, 65536, .doc = "size of an embedding" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "256", 1, 65536, .doc = "units of each layer" },
  { HYB_FIELD (Options, layers), HYB_PARAM_INT, "1", 1, 64, .doc = "LSTM layers" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "35", 1, 65536, .doc = "tokens of a sequence" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
  { HYB_FIELD (Options, dropout),
    HYB_PARAM_FLOAT,
    "0.0",
    0,
    0.99,
    .doc = "dropout rate between layers" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *embedding, *lstm, *decoder;
} LanguageModel;

static HybValue *
language_model_forward (HybF *F, HybBlock *block, HybValue *input)
{
  LanguageModel *self = (LanguageModel *) block;
  HybValue      *x = hyb_call (F, self->embedding, hyb_item (F, input, 0));
  HybValue      *y = hyb_call_list (F, self->lstm, x, hyb_item (F, input, 1), NULL);

  return hyb_list_of (F, hyb_call (F, self->decoder, hyb_item (F, y, 0)), hyb_item (F, y, 1), NULL);
}

static const HybBlockClass language_model_class = {
  .name = "LanguageModel",
  .size = sizeof (LanguageModel),
  .forward = language_model_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&language_model_class, NULL);
  LanguageModel *self = (LanguageModel *) block;

  hyb_block_enter_scope (block);
  self->embedding =
      hyb_append (block, hyb_embedding_new (given->vocabulary, given->embedding, NULL));
  self->lstm = hyb_append (block,
                           hyb_rnn_layer (.mode = "lstm",
                                          .hidden = given->hidden,
                                          .layers = (guint) given->layers,
                                          .dropout = given->dropout,
                                          .input_size = given->embedding));
  self->decoder = hyb_append (block,
                              hyb_dense (.units = given->vocabulary,
                                         .no_flatten = TRUE,
                                         .in_units = given->hidden));
  hyb_block_leave_scope (block);
  return block;
}

HYB_MODEL (.name = "lstm-lm",
           .doc = "Language model over characters with fused LSTM layers",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "[float32(length, batch),"
                     " [float32(layers, batch, hidden), float32(layers, batch, hidden)]]",
           .build = build,
           .task = { .label = "float32(length, batch)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.003",
                     .clip_global_norm = 1,
                     .carry = "all",
                     .is_text = TRUE,
                     .epochs = 6 });
