/* zoneout.c — a tagger (tagger.h) with an LSTM cell and zoneout: outputs and states keep their
 * previous value with some probability, which is dropout along time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tagger.h"

typedef struct
{
  TAGGER_SIZES;
  gint64 hidden;
  double outputs, states;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "16", 1, 65536, .doc = "features of a step" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "32", 1, 65536, .doc = "units of a cell" },
  { HYB_FIELD (Options, outputs), HYB_PARAM_FLOAT, "0.1", 0, 0.99,
    .doc = "probability that an output keeps its value" },
  { HYB_FIELD (Options, states), HYB_PARAM_FLOAT, "0.2", 0, 0.99,
    .doc = "probability that a state keeps its value" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "4", 2, 65536, .doc = "labels of a step" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "12", 1, 65536, .doc = "steps" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

static HybBlock *
make_cell (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *cell = hyb_lstm_cell (.hidden = given->hidden, .input_size = given->inputs);

  return hyb_zoneout_cell_new (cell, given->outputs, given->states);
}

static HybBlock *
build (gconstpointer given)
{
  return tagger_new (given, make_cell);
}

HYB_MODEL (.name = "zoneout",
           .doc = "A tagger with zoneout: states sometimes keep their value",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = TAGGER_INPUTS,
           .build = build,
           .task = TAGGER_TASK);
