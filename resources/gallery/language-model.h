/* language-model.h — the frame of the language models: embedding, a recurrent part, decoder, and
 * the task of predicting the next token of a text.
 *
 * A model includes this file, begins its struct Options with LANGUAGE_MODEL_SIZES, and defines how
 * its recurrent part is made and how the forward function calls it.  Start at
 * language_model_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#define LANGUAGE_MODEL_SIZES gint64 vocabulary, embedding, hidden, length, batch

/* The members with which the options of every language model begin. */
typedef struct
{
  LANGUAGE_MODEL_SIZES;
} LanguageModelSizes;

/* The first rows of the table of options. */
#define LANGUAGE_MODEL_OPTIONS                                                                   \
  { HYB_FIELD (Options, vocabulary), HYB_PARAM_INT, "64", 2, 1 << 22,                            \
    .doc = "size of the vocabulary" },                                                           \
  {                                                                                              \
    HYB_FIELD (Options, embedding), HYB_PARAM_INT, "64", 1, 65536, .doc = "size of an embedding" \
  }

typedef struct
{
  HybBlock  parent;
  guint     length;                          /* tokens of a sequence */
  HybBlock *embedding, *recurrent, *decoder; /* recurrent: a layer or a cell */
} LanguageModel;

/* The forward function of a model whose recurrent part is a layer, called once for all steps.
 * input: list of tokens (length, batch) and states; returns scores (length, batch, vocabulary)
 * and the new states. */
static inline HybValue *
language_model_forward_layer (HybF *F, HybBlock *block, HybValue *input)
{
  LanguageModel *self = (LanguageModel *) block;
  HybValue      *x = hyb_call (F, self->embedding, hyb_item (F, input, 0));
  HybValue      *y = hyb_call_list (F, self->recurrent, x, hyb_item (F, input, 1), NULL);

  return hyb_list_of (F, hyb_call (F, self->decoder, hyb_item (F, y, 0)), hyb_item (F, y, 1), NULL);
}

/* Makes a block of class, whose size is that of LanguageModel.  options begin with
 * LANGUAGE_MODEL_SIZES. */
static HybBlock *
language_model_new (const HybBlockClass *class,
                    gconstpointer options,
                    HybBlock *(*make_recurrent) (gconstpointer options))
{
  const LanguageModelSizes *sizes = options;
  HybBlock                 *block = hyb_block_new (class, NULL);
  LanguageModel            *self = (LanguageModel *) block;

  self->length = (guint) sizes->length;
  hyb_block_enter_scope (block);
  self->embedding =
      hyb_append (block, hyb_embedding_new (sizes->vocabulary, sizes->embedding, NULL));
  self->recurrent = hyb_append (block, make_recurrent (options));
  self->decoder = hyb_append (block, hyb_dense (.units = sizes->vocabulary, .no_flatten = TRUE,
                                                .in_units = sizes->hidden));
  hyb_block_leave_scope (block);
  return block;
}

/* The inputs of a model whose recurrent part is one LSTM cell. */
#define LANGUAGE_MODEL_CELL_INPUTS \
  "[float32(length, batch), [float32(batch, hidden), float32(batch, hidden)]]"

/* Members of a task; .epochs is the model's own. */
#define LANGUAGE_MODEL_TASK                                                                  \
  .label = "float32(length, batch)", .optimizer = "adam", .settings = "learning_rate=0.003", \
  .clip_global_norm = 1, .carry = "all", .is_text = TRUE
