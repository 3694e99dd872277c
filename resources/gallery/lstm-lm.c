/* lstm-lm.c — a language model: embedding, LSTM layers as one fused operator, decoder.
 *
 * States are inputs and outputs, so that training can carry them from batch to batch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "language-model.h"

typedef struct
{
  LANGUAGE_MODEL_SIZES;
  gint64 layers;
  double dropout;
} Options;

static const HybParam options[] = {
  LANGUAGE_MODEL_OPTIONS,
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "256", 1, 65536, .doc = "units of each layer" },
  { HYB_FIELD (Options, layers), HYB_PARAM_INT, "1", 1, 64, .doc = "LSTM layers" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "35", 1, 65536, .doc = "tokens of a sequence" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
  { HYB_FIELD (Options, dropout), HYB_PARAM_FLOAT, "0.0", 0, 0.99,
    .doc = "dropout rate between layers" },
  { 0 },
};

static const HybBlockClass language_model_class = {
  .name = "LanguageModel",
  .size = sizeof (LanguageModel),
  .forward = language_model_forward_layer,
};

static HybBlock *
make_layer (gconstpointer data)
{
  const Options *given = data;

  return hyb_rnn_layer (.mode = "lstm", .hidden = given->hidden, .layers = (guint) given->layers,
                        .dropout = given->dropout, .input_size = given->embedding);
}

static HybBlock *
build (gconstpointer data)
{
  return language_model_new (&language_model_class, data, make_layer);
}

HYB_MODEL (.name = "lstm-lm",
           .doc = "Language model over characters with fused LSTM layers",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "[float32(length, batch),"
                     " [float32(layers, batch, hidden), float32(layers, batch, hidden)]]",
           .build = build,
           .task = { LANGUAGE_MODEL_TASK, .epochs = 6 });
