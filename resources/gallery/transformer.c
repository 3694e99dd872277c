/* transformer.c — a transformer encoder: layers of self-attention, with normalisation before each
 * part.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 vocabulary, units, heads, layers, length, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, vocabulary), HYB_PARAM_INT, "32", 2, 1 << 22,
    .doc = "size of the vocabulary" },
  { HYB_FIELD (Options, units), HYB_PARAM_INT, "64", 1, 65536, .doc = "size of an embedding" },
  { HYB_FIELD (Options, heads), HYB_PARAM_INT, "4", 1, 256, .doc = "must divide units" },
  { HYB_FIELD (Options, layers), HYB_PARAM_INT, "2", 1, 256, .doc = "encoder layers" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "16", 2, 65536, .doc = "tokens of a sequence" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

/* --- One layer --- */

typedef struct
{
  HybBlock  parent;
  gint64    heads;
  HybBlock *before_attention, *project, *join, *before_feed, *widen, *narrow;
} EncoderLayer;

static HybValue *
attend (HybF *F, EncoderLayer *self, HybValue *x)
{
  const char *heads = hyb_f_text (F, "%d", (int) self->heads);
  HybValue   *all =
      hyb_call (F, self->project, x); /* queries, keys and values, interleaved by head */
  HybValue *scores = HYB_OP (F, "_contrib_interleaved_matmul_selfatt_qk", .in = { all },
                             .attributes = HYB_WITH ("heads", heads));
  HybValue *mixed =
      HYB_OP (F, "_contrib_interleaved_matmul_selfatt_valatt",
              .in = { all, hyb_softmax (F, scores, -1) }, .attributes = HYB_WITH ("heads", heads));

  return hyb_call (F, self->join, mixed);
}

static HybValue *
encoder_layer_forward (HybF *F, HybBlock *block, HybValue *x)
{
  EncoderLayer *self = (EncoderLayer *) block;
  HybValue     *y;

  x = hyb_add (F, x, attend (F, self, hyb_call (F, self->before_attention, x)));
  y = hyb_call (F, self->widen, hyb_call (F, self->before_feed, x));
  return hyb_add (F, x, hyb_call (F, self->narrow, y));
}

static const HybBlockClass encoder_layer_class = {
  .name = "EncoderLayer",
  .size = sizeof (EncoderLayer),
  .forward = encoder_layer_forward,
};

static HybBlock *
dense (gint64 units, gint64 inputs, const char *activation)
{
  return hyb_dense (.units = units, .in_units = inputs, .no_flatten = TRUE,
                    .activation = activation);
}

static HybBlock *
encoder_layer (const Options *given)
{
  HybBlock     *block = hyb_block_new (&encoder_layer_class, NULL);
  EncoderLayer *self = (EncoderLayer *) block;
  gint64        units = given->units;

  self->heads = given->heads;
  hyb_block_enter_scope (block);
  self->before_attention = hyb_append (block, hyb_layer_norm (.in_channels = units));
  self->project = hyb_append (block, dense (3 * units, units, NULL));
  self->join = hyb_append (block, dense (units, units, NULL));
  self->before_feed = hyb_append (block, hyb_layer_norm (.in_channels = units));
  self->widen = hyb_append (block, dense (4 * units, units, "relu"));
  self->narrow = hyb_append (block, dense (units, 4 * units, NULL));
  hyb_block_leave_scope (block);
  return block;
}

/* --- The encoder --- */

typedef struct
{
  HybBlock      parent;
  HybParameter *position; /* (length, 1, units) */
  HybBlock     *embedding, *layers, *decoder;
} Transformer;

static HybValue *
transformer_forward (HybF *F, HybBlock *block, HybValue *tokens)
{
  Transformer *self = (Transformer *) block;
  HybValue    *x = hyb_call (F, self->embedding, tokens);

  x = hyb_broadcast (F, "broadcast_add", x, hyb_use (F, self->position));
  return hyb_call (F, self->decoder, hyb_call (F, self->layers, x));
}

static const HybBlockClass transformer_class = {
  .name = "Transformer",
  .size = sizeof (Transformer),
  .forward = transformer_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&transformer_class, NULL);
  Transformer   *self = (Transformer *) block;

  self->position =
      hyb_block_add_parameter (block, &(HybParameterSpec){
                                          .name = "position",
                                          .shape = hyb_shape_3d (given->length, 1, given->units),
                                          .init = "normal:0.1" });
  hyb_block_enter_scope (block);
  self->embedding = hyb_append (block, hyb_embedding_new (given->vocabulary, given->units, NULL));
  self->layers = hyb_append (block, hyb_sequential (""));
  for (gint64 i = 0; i < given->layers; i++)
    hyb_append (self->layers, encoder_layer (given));
  self->decoder = hyb_append (block, dense (given->vocabulary, given->units, NULL));
  hyb_block_leave_scope (block);
  return block;
}

/* The target is the sequence in reverse. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  float         *x = hyb_tensor_get_data (batch->inputs[0]);
  float         *label = hyb_tensor_get_data (batch->label);
  gint64         n_tokens = given->length * given->batch;

  for (gint64 i = 0; i < n_tokens; i++)
    x[i] = (float) (hyb_random_word (draw, (guint64) i) % given->vocabulary);
  for (gint64 i = 0; i < n_tokens; i++)
    label[i] = x[(given->length - 1 - i / given->batch) * given->batch + i % given->batch];
}

HYB_MODEL (.name = "transformer",
           .doc = "Encoder of self attention layers",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(length, batch)",
           .build = build,
           .task = { .label = "float32(length, batch)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.002",
                     .clip_global_norm = 1,
                     .steps = 200,
                     .fill = fill });
