/* bidirectional.c — a tagger (tagger.h) with a bidirectional LSTM: one cell reads the sequence
 * forwards, the other backwards.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tagger.h"

typedef struct
{
  TAGGER_SIZES;
  gint64 hidden;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "16", 1, 65536, .doc = "features of a step" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "32", 1, 65536, .doc = "units of a cell" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "4", 2, 65536, .doc = "labels of a step" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "12", 1, 65536, .doc = "steps" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

static HybBlock *
make_cell (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *forwards = hyb_lstm_cell (.hidden = given->hidden, .input_size = given->inputs);
  HybBlock      *backwards = hyb_lstm_cell (.hidden = given->hidden, .input_size = given->inputs);

  return hyb_bidirectional_cell_new (forwards, backwards, NULL, HYB_STYLE_GLUON);
}

static HybBlock *
build (gconstpointer given)
{
  return tagger_new (given, make_cell);
}

HYB_MODEL (.name = "bidirectional",
           .doc = "A tagger that reads forwards and backwards",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = TAGGER_INPUTS,
           .build = build,
           .task = TAGGER_TASK);
