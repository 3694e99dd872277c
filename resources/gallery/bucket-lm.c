/* bucket-lm.c — a language model that is trained on batches of two sequence lengths in turn
 * (buckets).
 *
 * Its graph fits any length; each length has its own plan, and both plans share the weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "language-model.h"

typedef struct
{
  LANGUAGE_MODEL_SIZES;
  gint64 shorter;
} Options;

static const HybParam options[] = {
  LANGUAGE_MODEL_OPTIONS,
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "128", 1, 65536, .doc = "units of the layer" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "40", 1, 65536,
    .doc = "tokens of a sequence in every other batch" },
  { HYB_FIELD (Options, shorter), HYB_PARAM_INT, "20", 1, 65536,
    .doc = "tokens of a sequence in the other batches" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
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

  return hyb_rnn_layer (.mode = "gru", .hidden = given->hidden, .input_size = given->embedding);
}

static HybBlock *
build (gconstpointer data)
{
  return language_model_new (&language_model_class, data, make_layer);
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
           .task = { LANGUAGE_MODEL_TASK, .epochs = 4, .vary = vary });
