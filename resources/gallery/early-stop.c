/* early-stop.c — a while loop that applies the same layer to a state again and again, and ends when
 * the state hardly changes any more (hyb_while_loop()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 inputs, hidden, classes, steps, batch;
  double enough;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "32", 1, 65536, .doc = "features of a sample" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "32", 1, 65536, .doc = "units of the state" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "4", 2, 65536, .doc = "outputs" },
  { HYB_FIELD (Options, steps), HYB_PARAM_INT, "12", 1, 4096, .doc = "maximum number of steps" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "16", 1, 65536, .doc = "samples in a batch" },
  { HYB_FIELD (Options, enough), HYB_PARAM_FLOAT, "0.02", .doc = "mean change that ends the loop" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *begin, *step, *decide;
  gint64    steps;
  double    enough;
  HybValue *x; /* input of the current call, for the loop's functions */
} EarlyStop;

/* Variables: the state, the mean change of the last step, the number of steps. */
static HybValue *
goes_on (HybF *F, HybValue *variables, gpointer self)
{
  return hyb_compare_scalar (F, hyb_item (F, variables, 1), HYB_GREATER,
                             ((EarlyStop *) self)->enough);
}

static HybValue *
one_step (HybF *F, HybValue **variables, gpointer user)
{
  EarlyStop *self = user;
  HybValue  *old = hyb_item (F, *variables, 0);
  HybValue *new =
      hyb_activation (F, hyb_add (F, self->x, hyb_call (F, self->step, old)), "tanh", NULL);
  HybValue *change = hyb_mean (F, hyb_unary (F, "abs", hyb_sub (F, new, old)), NULL);
  HybValue *last = hyb_mul_scalar (F, hyb_item (F, *variables, 1), 0);

  change = hyb_add (F, hyb_reshape (F, change, "(1,)"), last);
  *variables =
      hyb_list_of (F, new, change, hyb_add_scalar (F, hyb_item (F, *variables, 2), 1), NULL);
  return hyb_list_of (F, change, NULL);
}

static HybValue *
early_stop_forward (HybF *F, HybBlock *block, HybValue *input)
{
  EarlyStop *self = (EarlyStop *) block;
  HybValue  *one = hyb_ones (F, "(1,)");
  HybValue  *none = hyb_zeros (F, "(1,)");
  HybValue  *state, *result;

  self->x = hyb_call (F, self->begin, input);
  state = hyb_unary (F, "tanh", self->x);
  result = hyb_while_loop (F, &(HybWhile){ .condition = goes_on,
                                           .body = one_step,
                                           .variables = hyb_list_of (F, state, one, none, NULL),
                                           .max_iterations = self->steps,
                                           .user = self });
  state = hyb_loop_result (F, result).states;
  return hyb_list_of (F, hyb_call (F, self->decide, hyb_item (F, state, 0)), hyb_item (F, state, 2),
                      NULL);
}

static const HybBlockClass early_stop_class = {
  .name = "EarlyStop",
  .size = sizeof (EarlyStop),
  .forward = early_stop_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&early_stop_class, NULL);
  EarlyStop     *self = (EarlyStop *) block;

  self->steps = given->steps;
  self->enough = given->enough;
  hyb_block_enter_scope (block);
  self->begin = hyb_append (block, hyb_dense (.units = given->hidden));
  self->step = hyb_append (block, hyb_dense (.units = given->hidden, .in_units = given->hidden,
                                             .weight_init = "normal:0.1"));
  self->decide = hyb_append (block, hyb_dense (.units = given->classes));
  hyb_block_leave_scope (block);
  return block;
}

/* The class is the quarter of the circle in which the first two features lie. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  float         *x = hyb_tensor_get_data (batch->inputs[0]);
  float         *label = hyb_tensor_get_data (batch->label);

  for (gint64 i = 0; i < given->batch * given->inputs; i++)
    x[i] = (float) hyb_random_normal (draw, (guint64) i);
  for (gint64 n = 0; n < given->batch; n++)
    {
      const float *row = x + n * given->inputs;

      label[n] = (float) (((row[0] > 0) + 2 * (row[given->inputs > 1] > 0)) % given->classes);
    }
}

HYB_MODEL (.name = "early-stop",
           .doc = "A while loop that ends early, when its state has settled",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(batch, inputs)",
           .build = build,
           .task = { .label = "float32(batch)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.005",
                     .steps = 150,
                     .fill = fill });
