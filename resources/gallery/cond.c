/* cond.c — a branch in the graph (hyb_cond()): batches with a positive mean go through a deep network,
 * others through a single layer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 inputs, hidden, classes, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "32", 1, 65536, .doc = "features of a sample" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "64", 1, 65536, .doc = "units of a layer" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "2", 2, 65536, .doc = "outputs" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "samples in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *first, *second, *shortcut, *decide;
  HybValue *x; /* input of the current call, for the branches */
} Branching;

static HybValue *
deep (HybF *F, gpointer user)
{
  Branching *self = user;

  return hyb_call (F, self->second, hyb_call (F, self->first, self->x));
}

static HybValue *
shallow (HybF *F, gpointer user)
{
  Branching *self = user;

  return hyb_call (F, self->shortcut, self->x);
}

static HybValue *
branching_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Branching *self = (Branching *) block;
  HybValue  *bright = hyb_compare_scalar (F, hyb_mean (F, x, NULL), HYB_GREATER, 0);

  self->x = x;
  return hyb_call (F, self->decide, hyb_cond (F, bright, deep, shallow, self));
}

static const HybBlockClass branching_class = {
  .name = "Branching",
  .size = sizeof (Branching),
  .forward = branching_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options  *given = data;
  HybBlock       *block = hyb_block_new (&branching_class, NULL);
  Branching      *self = (Branching *) block;
  HybDenseOptions layer = { .units = given->hidden,
                            .in_units = given->inputs,
                            .activation = "relu" };

  hyb_block_enter_scope (block);
  self->first = hyb_append (block, hyb_dense_new (&layer));
  self->shortcut = hyb_append (block, hyb_dense_new (&layer));
  layer.in_units = given->hidden;
  self->second = hyb_append (block, hyb_dense_new (&layer));
  self->decide = hyb_append (block, hyb_dense (.units = given->classes, .in_units = given->hidden));
  hyb_block_leave_scope (block);
  return block;
}

/* The mean of a batch is positive or negative; the class is whether the first feature is above it. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  float         *x = hyb_tensor_get_data (batch->inputs[0]);
  float         *label = hyb_tensor_get_data (batch->label);
  double         middle = hyb_random_word (~draw, 0) % 2 == 0 ? 0.5 : -0.5;

  for (gint64 i = 0; i < given->batch * given->inputs; i++)
    x[i] = (float) (middle + hyb_random_normal (draw, (guint64) i));
  for (gint64 n = 0; n < given->batch; n++)
    label[n] = x[n * given->inputs] > middle;
}

HYB_MODEL (.name = "cond",
           .doc = "Two ways through the network, chosen by the input",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(batch, inputs)",
           .build = build,
           .task = { .label = "float32(batch)",
                     .settings = "learning_rate=0.1",
                     .steps = 150,
                     .fill = fill });
