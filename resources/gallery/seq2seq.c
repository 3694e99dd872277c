/* seq2seq.c — an encoder and a decoder with attention: in each step of its loop, the decoder
 * attends to all steps of the encoder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 vocabulary, hidden, source, target, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, vocabulary), HYB_PARAM_INT, "20", 3, 1 << 22,
    .doc = "size of the vocabulary" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "64", 1, 65536,
    .doc = "units of encoder and decoder" },
  { HYB_FIELD (Options, source), HYB_PARAM_INT, "8", 1, 65536, .doc = "tokens to read" },
  { HYB_FIELD (Options, target), HYB_PARAM_INT, "8", 1, 65536, .doc = "tokens to write" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sentences in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *read, *encoder, *write, *cell, *mix, *decoder;
  HybValue *memory; /* outputs of the encoder (batch, source, hidden), for the loop */
} Seq2seq;

/* One token: attention from the cell's state to the memory. */
static HybValue *
one_step (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  Seq2seq  *self = user;
  HybValue *h = hyb_cell_step (F, self->cell, x, states);
  HybValue *scores = HYB_OP (F, "batch_dot", .in = { self->memory, hyb_expand_dims (F, h, 2) });
  HybValue *answer = HYB_OP (F, "batch_dot", .in = { hyb_softmax (F, scores, 1), self->memory },
                             .attributes = HYB_WITH ("transpose_a", "True"));
  HybValue *both = hyb_list_of (F, h, hyb_squeeze (F, answer, 1), NULL);

  return hyb_call (F, self->mix, hyb_concat (F, both, 1));
}

static HybValue *
seq2seq_forward (HybF *F, HybBlock *block, HybValue *input)
{
  Seq2seq  *self = (Seq2seq *) block;
  HybValue *x = hyb_call (F, self->read, hyb_item (F, input, 0));
  HybValue *y = hyb_call (F, self->write, hyb_item (F, input, 1));
  HybValue *encoded, *states, *result;

  encoded = hyb_call_list (F, self->encoder, x, hyb_item (F, input, 2), NULL);
  self->memory = hyb_swap_axes (F, hyb_item (F, encoded, 0), 0, 1);
  states = hyb_squeeze (F, hyb_item (F, hyb_item (F, encoded, 1), 0), 0);
  hyb_cell_reset (self->cell);
  result = hyb_foreach (F, one_step, y, hyb_list (F, 1, &states), self);
  return hyb_call (F, self->decoder, hyb_loop_result (F, result).outputs);
}

static const HybBlockClass seq2seq_class = {
  .name = "Seq2seq",
  .size = sizeof (Seq2seq),
  .forward = seq2seq_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&seq2seq_class, NULL);
  Seq2seq       *self = (Seq2seq *) block;
  gint64         hidden = given->hidden;

  hyb_block_enter_scope (block);
  self->read = hyb_append (block, hyb_embedding_new (given->vocabulary, hidden, NULL));
  self->encoder =
      hyb_append (block, hyb_rnn_layer (.mode = "gru", .hidden = hidden, .input_size = hidden));
  self->write = hyb_append (block, hyb_embedding_new (given->vocabulary, hidden, NULL));
  self->cell = hyb_append (block, hyb_gru_cell (.hidden = hidden, .input_size = hidden));
  self->mix =
      hyb_append (block, hyb_dense (.units = hidden, .in_units = 2 * hidden, .activation = "tanh"));
  self->decoder = hyb_append (block, hyb_dense (.units = given->vocabulary, .in_units = hidden,
                                                .no_flatten = TRUE));
  hyb_block_leave_scope (block);
  return block;
}

/* The target is the source in reverse; token 0 begins it.  The decoder is given the right tokens up
 * to each step (teacher forcing). */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  float         *source = hyb_tensor_get_data (batch->inputs[0]);
  float         *shown = hyb_tensor_get_data (batch->inputs[1]);
  float         *label = hyb_tensor_get_data (batch->label);

  for (gint64 i = 0; i < given->source * given->batch; i++)
    source[i] = (float) (1 + hyb_random_word (draw, (guint64) i) % (given->vocabulary - 1));
  for (gint64 t = 0; t < given->target; t++)
    for (gint64 n = 0; n < given->batch; n++)
      {
        gint64 from = given->source - 1 - t % given->source;

        label[t * given->batch + n] = source[from * given->batch + n];
        shown[t * given->batch + n] = t > 0 ? label[(t - 1) * given->batch + n] : 0;
      }
}

HYB_MODEL (.name = "seq2seq",
           .doc = "Encoder and decoder with attention, the decoder in a loop",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "[float32(source, batch), float32(target, batch),"
                     " [float32(1, batch, hidden)]]",
           .build = build,
           .task = { .label = "float32(target, batch)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.005",
                     .clip_global_norm = 5,
                     .steps = 200,
                     .fill = fill });
