/* bucket-lm.c — a language model that is trained on batches of two sequence lengths in turn
 * (buckets).
 *
 * Its graph fits any length; each length has its own plan, and both plans share the weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 vocabulary, embedding, hidden, length, shorter, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, vocabulary),
    HYB_PARAM_INT,
    "64",
    2,
    1 << 22,
    .doc = "size of the vocabulary" },
  { HYB_FIELD (Options, embedding), HYB_PARAM_INT, "64", 1, 65536, .doc = "size of an embedding" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "128", 1, 65536, .doc = "units of the layer" },
  { HYB_FIELD (Options, length),
    HYB_PARAM_INT,
    "40",
    1,
    65536,
    .doc = "tokens of a sequence in every other batch" },
  { HYB_FIELD (Options, shorter),
    HYB_PARAM_INT,
    "20",
    1,
    65536,
    .doc = "tokens of a sequence in the other batches" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *embedding, *layer, *decoder;
} LanguageModel;

static HybValue *
language_model_forward (HybF *F, HybBlock *block, HybValue *input)
{
  LanguageModel *self = (LanguageModel *) block;
  HybValue      *x = hyb_call (F, self->embedding, hyb_item (F, input, 0));
  HybValue      *y = hyb_call_list (F, self->layer, x, hyb_item (F, input, 1), NULL);

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
  self->layer = hyb_append (block,
                            hyb_rnn_layer (.mode = "gru",
                                           .hidden = given->hidden,
                                           .input_size = given->embedding));
  self->decoder = hyb_append (block,
                              hyb_dense (.units = given->vocabulary,
                                         .no_flatten = TRUE,
                                         .in_units = given->hidden));
  hyb_block_leave_scope (block);
  return block;
}

static void
vary (gconstpointer data, guint64 step, HybType *types)
{
  const Options *given = data;
  gint64         length = step % 2 == 0 ? given->length : given->shorter;

  types[0].shape.dim[0] = length;
  types[2].shape.dim[0] = length; /* the label, after both inputs */
}

HYB_MODEL (.name = "bucket-lm",
           .doc = "Language model trained on batches of two lengths",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "[float32(length, batch), [float32(1, batch, hidden)]]",
           .build = build,
           .task = { .label = "float32(length, batch)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.003",
                     .clip_global_norm = 1,
                     .carry = "all",
                     .is_text = TRUE,
                     .epochs = 4,
                     .vary = vary });
