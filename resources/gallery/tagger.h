/* tagger.h — the frame of models that read a sequence with a cell and label every step, and the
 * task that they are trained on.
 *
 * A model includes this file, begins its options with TAGGER_SIZES, and defines how its cell is
 * made.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#define TAGGER_SIZES gint64 inputs, classes, length, batch

/* The members with which the options of every tagger begin. */
typedef struct
{
  TAGGER_SIZES;
} TaggerSizes;

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
  y = hyb_unroll (F, self->cell, NULL, .length = self->length, .inputs = x, .layout = "NTC",
                  .merge = HYB_MERGE_YES);
  return hyb_call (F, self->decoder, y);
}

static const HybBlockClass tagger_class = {
  .name = "Tagger",
  .size = sizeof (Tagger),
  .forward = tagger_forward,
};

static HybBlock *
tagger_new (gconstpointer options, HybBlock *(*make_cell) (gconstpointer options))
{
  const TaggerSizes *sizes = options;
  HybBlock          *block = hyb_block_new (&tagger_class, NULL);
  Tagger            *self = (Tagger *) block;

  self->length = (guint) sizes->length;
  hyb_block_enter_scope (block);
  self->cell = hyb_append (block, make_cell (options));
  self->decoder = hyb_append (block, hyb_dense (.units = sizes->classes, .no_flatten = TRUE));
  hyb_block_leave_scope (block);
  return block;
}

/* The label of a step says in which direction the first feature is going. */
static void
tagger_fill (gconstpointer data, const HybBatch *batch)
{
  const TaggerSizes *sizes = data;
  guint64            draw = hyb_random_mix (batch->seed, batch->step);
  gint64             n_steps = sizes->batch * sizes->length;
  float             *x = hyb_tensor_get_data (batch->inputs[0]);
  float             *label = hyb_tensor_get_data (batch->label);

  for (gint64 i = 0; i < n_steps * sizes->inputs; i++)
    x[i] = (float) hyb_random_normal (draw, (guint64) i);
  for (gint64 i = 0; i < n_steps; i++)
    {
      gint64 t = i % sizes->length;
      float  here = x[i * sizes->inputs];
      float  before = t > 0 ? x[(i - 1) * sizes->inputs] : 0;
      float  after = t + 1 < sizes->length ? x[(i + 1) * sizes->inputs] : 0;

      label[i] = (float) (((here > before) + 2 * (here > after)) % sizes->classes);
    }
}

#define TAGGER_INPUTS "float32(batch, length, inputs)"
#define TAGGER_TASK                                                                           \
  {                                                                                           \
    .label = "float32(batch, length)", .optimizer = "adam", .settings = "learning_rate=0.01", \
    .clip_global_norm = 5, .steps = 100, .fill = tagger_fill                                  \
  }
