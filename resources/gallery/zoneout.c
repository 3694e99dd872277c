/* zoneout.c — an LSTM cell some of whose states keep their old value, which is like dropout in time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 inputs, hidden, classes, length, batch;
  double outputs, states;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "16", 1, 65536, .doc = "features of a step" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "32", 1, 65536, .doc = "units of a cell" },
  { HYB_FIELD (Options, outputs), HYB_PARAM_FLOAT, "0.1", 0, 0.99, .doc = "share of outputs kept" },
  { HYB_FIELD (Options, states), HYB_PARAM_FLOAT, "0.2", 0, 0.99, .doc = "share of states kept" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "4", 2, 65536, .doc = "labels of a step" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "12", 1, 65536, .doc = "steps" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "sequences at once" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  guint     length;
  HybBlock *cell, *decoder;
} Tagger;

static HybValue *
tagger_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Tagger   *self = (Tagger *) block;
  HybValue *y;

  hyb_cell_reset (self->cell);
  y = hyb_unroll (F,
                  self->cell,
                  NULL,
                  .length = self->length,
                  .inputs = x,
                  .layout = "NTC",
                  .merge = HYB_MERGE_YES);
  return hyb_call (F, self->decoder, y);
}

static const HybBlockClass tagger_class = {
  .name = "Tagger",
  .size = sizeof (Tagger),
  .forward = tagger_forward,
};

static HybBlock *
make_cell (const Options *given)
{
  HybBlock *cell = hyb_lstm_cell (.hidden = given->hidden, .input_size = given->inputs);

  return hyb_zoneout_cell_new (cell, given->outputs, given->states);
}

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&tagger_class, NULL);
  Tagger        *self = (Tagger *) block;

  self->length = (guint) given->length;
  hyb_block_enter_scope (block);
  self->cell = hyb_append (block, make_cell (given));
  self->decoder = hyb_append (block, hyb_dense (.units = given->classes, .no_flatten = TRUE));
  hyb_block_leave_scope (block);
  return block;
}

/* The label of a step says in which direction the first feature is going. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  gint64         n_steps = given->batch * given->length;
  float         *x = hyb_tensor_get_data (batch->inputs[0]);
  float         *label = hyb_tensor_get_data (batch->label);

  for (gint64 i = 0; i < n_steps * given->inputs; i++)
    x[i] = (float) hyb_random_normal (draw, (guint64) i);
  for (gint64 i = 0; i < n_steps; i++)
    {
      gint64 t = i % given->length;
      float  here = x[i * given->inputs];
      float  before = t > 0 ? x[(i - 1) * given->inputs] : 0;
      float  after = t + 1 < given->length ? x[(i + 1) * given->inputs] : 0;

      label[i] = (float) (((here > before) + 2 * (here > after)) % given->classes);
    }
}

HYB_MODEL (.name = "zoneout",
           .doc = "A tagger whose states now and then stay as they were",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(batch, length, inputs)",
           .build = build,
           .task = { .label = "float32(batch, length)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.01",
                     .clip_global_norm = 5,
                     .steps = 100,
                     .fill = fill });
