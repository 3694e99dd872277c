/* lstm-hybrid.c — the language model with a stack of LSTM cells that are stepped by hand: the
 * sequence is split into steps, each step goes through all layers, and the outputs are stacked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 vocabulary, embedding, hidden, layers, length, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, vocabulary), HYB_PARAM_INT, "64", 2, 1 << 22,
    .doc = "size of the vocabulary" },
  { HYB_FIELD (Options, embedding), HYB_PARAM_INT, "64", 1, 65536, .doc = "size of an embedding" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "128", 1, 65536, .doc = "units of each layer" },
  { HYB_FIELD (Options, layers), HYB_PARAM_INT, "2", 1, 64, .doc = "LSTM cells in the stack" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "35", 1, 65536, .doc = "tokens of a sequence" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  guint     length;
  HybBlock *embedding, *cells, *decoder;
} LstmHybrid;

static HybValue *
lstm_hybrid_forward (HybF *F, HybBlock *block, HybValue *input)
{
  LstmHybrid           *self = (LstmHybrid *) block;
  HybValue             *x = hyb_call (F, self->embedding, hyb_item (F, input, 0));
  HybValue             *steps = hyb_split (F, x, self->length, 0, FALSE);
  HybValue             *states = hyb_item (F, input, 1);
  g_autofree HybValue **outputs = g_new (HybValue *, self->length);

  hyb_cell_reset (self->cells);
  for (guint t = 0; t < self->length; t++)
    {
      HybValue *step = hyb_squeeze (F, hyb_item (F, steps, t), 0);

      outputs[t] = hyb_cell_step (F, self->cells, step, &states);
    }
  x = hyb_stack (F, hyb_list (F, self->length, outputs), 0);
  return hyb_list_of (F, hyb_call (F, self->decoder, x), states, NULL);
}

static const HybBlockClass lstm_hybrid_class = {
  .name = "LstmHybrid",
  .size = sizeof (LstmHybrid),
  .forward = lstm_hybrid_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&lstm_hybrid_class, NULL);
  LstmHybrid    *self = (LstmHybrid *) block;

  self->length = (guint) given->length;
  hyb_block_enter_scope (block);
  self->embedding =
      hyb_append (block, hyb_embedding_new (given->vocabulary, given->embedding, NULL));
  self->cells = hyb_append (block, hyb_sequential_cell_new (HYB_STYLE_GLUON, NULL));
  hyb_block_enter_scope (self->cells);
  for (gint64 i = 0; i < given->layers; i++)
    hyb_append (self->cells,
                hyb_lstm_cell (.hidden = given->hidden,
                               .input_size = i == 0 ? given->embedding : given->hidden));
  hyb_block_leave_scope (self->cells);
  self->decoder = hyb_append (block, hyb_dense (.units = given->vocabulary, .no_flatten = TRUE,
                                                .in_units = given->hidden));
  hyb_block_leave_scope (block);
  return block;
}

/* Two states a layer. */
static char *
describe_inputs (gconstpointer data)
{
  const Options *given = data;
  GString       *text = g_string_new ("[float32(length, batch), [");

  for (gint64 i = 0; i < 2 * given->layers; i++)
    g_string_append (text, i > 0 ? ", float32(batch, hidden)" : "float32(batch, hidden)");
  return g_string_free (g_string_append (text, "]]"), FALSE);
}

HYB_MODEL (.name = "lstm-hybrid",
           .doc = "Language model by chained LSTM cells: split, squeeze, step, stack",
           .options = options,
           .options_size = sizeof (Options),
           .describe_inputs = describe_inputs,
           .build = build,
           .task = { .label = "float32(length, batch)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.003",
                     .clip_global_norm = 1,
                     .carry = "all",
                     .is_text = TRUE,
                     .epochs = 4 });
