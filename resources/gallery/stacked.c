/* stacked.c — a tagger (tagger.h) with a stack of GRU cells, and dropout between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tagger.h"

typedef struct
{
  TAGGER_SIZES;
  gint64 hidden, layers;
  double dropout;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "16", 1, 65536, .doc = "features of a step" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "32", 1, 65536, .doc = "units of a cell" },
  { HYB_FIELD (Options, layers), HYB_PARAM_INT, "3", 1, 64, .doc = "cells in the stack" },
  { HYB_FIELD (Options, dropout), HYB_PARAM_FLOAT, "0.0", 0, 0.99,
    .doc = "dropout rate between cells" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "4", 2, 65536, .doc = "labels of a step" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "12", 1, 65536, .doc = "steps" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

static HybBlock *
make_cell (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *stack = hyb_sequential_cell_new (HYB_STYLE_GLUON, NULL);

  hyb_block_enter_scope (stack);
  for (gint64 i = 0; i < given->layers; i++)
    {
      hyb_append (stack, hyb_gru_cell (.hidden = given->hidden,
                                       .input_size = i == 0 ? given->inputs : given->hidden));
      if (given->dropout > 0 && i + 1 < given->layers)
        hyb_append (stack, hyb_dropout_cell_new (given->dropout, HYB_STYLE_GLUON, NULL));
    }
  hyb_block_leave_scope (stack);
  return stack;
}

static HybBlock *
build (gconstpointer given)
{
  return tagger_new (given, make_cell);
}

HYB_MODEL (.name = "stacked",
           .doc = "A tagger of stacked cells, with dropout between them",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = TAGGER_INPUTS,
           .build = build,
           .task = TAGGER_TASK);
