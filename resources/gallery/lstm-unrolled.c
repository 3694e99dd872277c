/* lstm-unrolled.c — the language model with one LSTM cell unrolled over all steps.
 *
 * Each step has thirteen nodes, so length=2000 gives a graph of 26,000 nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "language-model.h"

typedef LanguageModelSizes Options;

static const HybParam options[] = {
  LANGUAGE_MODEL_OPTIONS,
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "128", 1, 65536, .doc = "units of the cell" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "35", 1, 65536, .doc = "tokens of a sequence" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

static HybValue *
lstm_unrolled_forward (HybF *F, HybBlock *block, HybValue *input)
{
  LanguageModel *self = (LanguageModel *) block;
  HybValue      *x = hyb_call (F, self->embedding, hyb_item (F, input, 0));
  HybValue      *states = hyb_item (F, input, 1);
  HybValue      *y;

  hyb_cell_reset (self->recurrent);
  y = hyb_unroll (F, self->recurrent, &states, .length = self->length, .inputs = x,
                  .begin_state = states, .layout = "TNC", .merge = HYB_MERGE_YES);
  return hyb_list_of (F, hyb_call (F, self->decoder, y), states, NULL);
}

static const HybBlockClass lstm_unrolled_class = {
  .name = "LstmUnrolled",
  .size = sizeof (LanguageModel),
  .forward = lstm_unrolled_forward,
};

static HybBlock *
make_cell (gconstpointer data)
{
  const Options *given = data;

  return hyb_lstm_cell (.hidden = given->hidden, .input_size = given->embedding);
}

static HybBlock *
build (gconstpointer data)
{
  return language_model_new (&lstm_unrolled_class, data, make_cell);
}

HYB_MODEL (.name = "lstm-unrolled",
           .doc = "Language model by one LSTM cell, unrolled into all its steps",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = LANGUAGE_MODEL_CELL_INPUTS,
           .build = build,
           .task = { LANGUAGE_MODEL_TASK, .epochs = 4 });
