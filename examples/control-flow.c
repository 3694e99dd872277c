/* control-flow.c — loops and branches of a model: foreach, while_loop and cond, computed and traced.
 *
 * Follows docs/tutorials/control-flow.md.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>

/* --- 1. foreach as a map: every row by itself --- */

static HybValue *
add_one (HybF *F, HybValue *row, HybValue **states, gpointer user)
{
  return hyb_add_scalar (F, row, 1);
}

static HybValue *
map (HybF *F, HybValue *data)
{
  HybValue *no_states = hyb_list (F, 0, NULL);

  return hyb_loop_result (F, hyb_foreach (F, add_one, data, no_states, NULL)).outputs;
}

/* --- 2. foreach as a sum: no outputs, only a state --- */

static HybValue *
add_to_state (HybF *F, HybValue *row, HybValue **state, gpointer user)
{
  *state = hyb_add (F, *state, row);
  return hyb_list (F, 0, NULL);
}

static HybValue *
sum (HybF *F, HybValue *data)
{
  HybValue *zero = hyb_zeros (F, "(1,)");

  return hyb_loop_result (F, hyb_foreach (F, add_to_state, data, zero, NULL)).states;
}

/* --- 3. foreach with outputs and a state: the running sum --- */

static HybValue *
running_sum (HybF *F, HybValue *row, HybValue **state, gpointer user)
{
  *state = hyb_add (F, *state, row);
  return *state;
}

static HybValue *
scan (HybF *F, HybValue *data)
{
  return hyb_foreach (F, running_sum, data, hyb_zeros (F, "(1,)"), NULL);
}

/* --- 4. foreach over a cell, for sequences of different lengths --- */

typedef struct
{
  HybBlock  parent;
  HybBlock *cell;
  HybValue *valid_length; /* of the call in progress */
} DynamicRnn;

/* states: those of the cell, then the number of the step. */
static HybValue *
masked_step (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  DynamicRnn *self = user;
  HybValue   *h = hyb_item (F, *states, 0), *c = hyb_item (F, *states, 1);
  HybValue   *step = hyb_item (F, *states, 2);
  HybValue   *new_states = hyb_list_of (F, h, c, NULL);
  HybValue   *output = hyb_cell_step (F, self->cell, x, &new_states);
  HybValue   *goes_on = hyb_broadcast (F, "broadcast_greater", self->valid_length, step);

  /* A sequence that has ended keeps its old states. */
  *states = hyb_list_of (F,
                         hyb_where (F, goes_on, hyb_item (F, new_states, 0), h),
                         hyb_where (F, goes_on, hyb_item (F, new_states, 1), c),
                         hyb_add_scalar (F, step, 1),
                         NULL);
  return output;
}

static HybValue *
dynamic_rnn_forward (HybF *F, HybBlock *block, HybValue *input)
{
  DynamicRnn   *self = (DynamicRnn *) block;
  HybValue     *states = hyb_item (F, input, 1);
  HybLoopResult loop;
  HybValue     *outputs;

  self->valid_length = hyb_item (F, input, 2);
  states = hyb_list_of (F,
                        hyb_item (F, states, 0),
                        hyb_item (F, states, 1),
                        hyb_zeros (F, "(1,)"),
                        NULL);
  hyb_cell_reset (self->cell);
  loop = hyb_loop_result (F, hyb_foreach (F, masked_step, hyb_item (F, input, 0), states, self));
  outputs = HYB_OP (F,
                    "SequenceMask",
                    .in = { loop.outputs, self->valid_length },
                    .attributes = HYB_WITH ("use_sequence_length", "True", "axis", "0"));
  return hyb_list_of (F, outputs, hyb_item (F, loop.states, 0), NULL);
}

static const HybBlockClass dynamic_rnn_class = {
  .name = "DynamicRnn",
  .size = sizeof (DynamicRnn),
  .forward = dynamic_rnn_forward,
};

static HybBlock *
new_dynamic_rnn (void)
{
  HybBlock   *block = hyb_block_new (&dynamic_rnn_class, NULL);
  DynamicRnn *self = (DynamicRnn *) block;

  hyb_block_enter_scope (block);
  self->cell = hyb_append (block, hyb_lstm_cell (.hidden = 2, .input_size = 3));
  hyb_block_leave_scope (block);
  hyb_block_initialize (block, "xavier", 7);
  return block;
}

/* --- 5. while_loop: the running sum of the first four rows --- */

/* variables: the sum, the number of the step.  data: the array whose rows are added. */
static HybValue *
is_less_than_four (HybF *F, HybValue *variables, gpointer data)
{
  return hyb_compare_scalar (F, hyb_item (F, variables, 1), HYB_LESS, 4);
}

static HybValue *
add_row (HybF *F, HybValue **variables, gpointer data)
{
  HybValue *i = hyb_item (F, *variables, 1);
  HybValue *row = HYB_OP (F, "take", .in = { data, i });
  HybValue *total = hyb_add (F, hyb_item (F, *variables, 0), hyb_reshape (F, row, "(1,)"));

  *variables = hyb_list_of (F, total, hyb_add_scalar (F, i, 1), NULL);
  return total;
}

static HybValue *
sum_of_four (HybF *F, HybValue *data)
{
  HybValue *zero = hyb_zeros (F, "(1,)"), *first = hyb_zeros (F, "(1,)");

  return hyb_while_loop (F,
                         &(HybWhile){ .condition = is_less_than_four,
                                      .body = add_row,
                                      .variables = hyb_list_of (F, zero, first, NULL),
                                      .max_iterations = 5,
                                      .user = data });
}

/* --- 6. cond: steps after the end of the sequence are not computed --- */

typedef struct
{
  HybBlock  parent;
  HybBlock *cell;
  HybValue *length, *x, *states; /* of the step in progress */
} SkippingRnn;

static HybValue *
run_cell (HybF *F, gpointer user)
{
  SkippingRnn *self = user;
  HybValue    *states = self->states;
  HybValue    *output = hyb_cell_step (F, self->cell, self->x, &states);

  return hyb_list_of (F, output, states, NULL);
}

static HybValue *
keep_states (HybF *F, gpointer user)
{
  SkippingRnn *self = user;

  return hyb_list_of (F, hyb_unary (F, "zeros_like", self->x), self->states, NULL);
}

/* states: the number of the step, then those of the cell. */
static HybValue *
step_or_skip (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  SkippingRnn *self = user;
  HybValue    *step = hyb_item (F, *states, 0), *result;

  self->x = x;
  self->states = hyb_item (F, *states, 1);
  result = hyb_cond (F, hyb_compare (F, step, HYB_LESS, self->length), run_cell, keep_states, self);
  *states = hyb_list_of (F, hyb_add_scalar (F, step, 1), hyb_item (F, result, 1), NULL);
  return hyb_item (F, result, 0);
}

static HybValue *
skipping_rnn_forward (HybF *F, HybBlock *block, HybValue *input)
{
  SkippingRnn *self = (SkippingRnn *) block;
  HybValue    *first = hyb_zeros (F, "(1,)");
  HybValue    *states = hyb_list_of (F, first, hyb_item (F, input, 2), NULL);

  self->length = hyb_item (F, input, 0);
  hyb_cell_reset (self->cell);
  return hyb_loop_result (F, hyb_foreach (F, step_or_skip, hyb_item (F, input, 1), states, self))
      .outputs;
}

static const HybBlockClass skipping_rnn_class = {
  .name = "SkippingRnn",
  .size = sizeof (SkippingRnn),
  .forward = skipping_rnn_forward,
};

static HybBlock *
new_skipping_rnn (void)
{
  HybBlock    *block = hyb_block_new (&skipping_rnn_class, NULL);
  SkippingRnn *self = (SkippingRnn *) block;

  hyb_block_enter_scope (block);
  self->cell = hyb_append (block, hyb_lstm_cell (.hidden = 3, .input_size = 3));
  hyb_block_leave_scope (block);
  hyb_block_initialize (block, "xavier", 7);
  return block;
}

/* --- Computing and tracing the same functions --- */

/* Prints the numbers of an array, or of each array of a list, with as many digits as are stable. */
static void
show (const char *what, HybValue *value)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();

  hyb_flatten_into (value, arrays);
  printf ("%s:", what);
  for (guint i = 0; i < arrays->len; i++)
    {
      HybTensor *tensor = hyb_value_get_tensor (g_ptr_array_index (arrays, i));

      printf (i > 0 ? " |" : "");
      for (gint64 k = 0; tensor && k < hyb_tensor_get_size (tensor); k++)
        printf (" %.4g", hyb_tensor_get_value (tensor, k));
    }
  printf ("\n");
}

/* Prints the operators of a graph, and those of the bodies inside of them. */
static void
show_nodes (HybGraph *graph, int depth)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (hyb_node_is_variable (node))
        continue;
      printf ("%*s%s\n", 2 * depth, "", node->op->name);
      for (guint b = 0; b < node->n_bodies; b++)
        show_nodes (hyb_graph_get_bodies (graph, id)[b], depth + 1);
    }
}

/* Calls a block, hybridizes it, and calls it again. */
static void
show_twice (HybF *F, const char *what, HybBlock *block, HybValue *input)
{
  show (what, hyb_call (F, block, input));
  hyb_block_hybridize (block, TRUE, NULL, NULL);
  show ("  hybridized", hyb_call (F, block, input));
}

static int
run (HybF *F, GError **error)
{
  static const float numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  g_autoptr (HybTensor) rows = hyb_tensor_new_float (2, (const gint64[]){ 5, 1 }, numbers);
  g_autoptr (HybTensor) sequences = hyb_tensor_new_float (3, (const gint64[]){ 2, 2, 3 }, numbers);
  g_autoptr (HybTensor) sequence = hyb_tensor_new_float (3, (const gint64[]){ 4, 1, 3 }, numbers);
  g_autoptr (HybTensor) states = hyb_tensor_new_float (2, (const gint64[]){ 2, 2 }, NULL);
  g_autoptr (HybTensor) state = hyb_tensor_new_float (2, (const gint64[]){ 1, 3 }, NULL);
  g_autoptr (HybTensor) lengths =
      hyb_tensor_new_float (1, (const gint64[]){ 2 }, (float[]){ 2, 1 });
  g_autoptr (HybTensor) three = hyb_tensor_new_scalar (3);
  g_autoptr (HybBlock) map_block = hyb_lambda_new (map, NULL);
  g_autoptr (HybBlock) sum_block = hyb_lambda_new (sum, NULL);
  g_autoptr (HybBlock) scan_block = hyb_lambda_new (scan, NULL);
  g_autoptr (HybBlock) while_block = hyb_lambda_new (sum_of_four, NULL);
  g_autoptr (HybBlock) dynamic = new_dynamic_rnn ();
  g_autoptr (HybBlock) skipping = new_skipping_rnn ();
  g_autoptr (HybGraph) graph = NULL;
  HybValue *data = hyb_value_from_tensor (F, rows);
  HybValue *h = hyb_value_from_tensor (F, states), *h1 = hyb_value_from_tensor (F, state);

  show_twice (F, "map", map_block, data);
  show_twice (F, "sum", sum_block, data);
  show_twice (F, "running sum and last state", scan_block, data);
  show_twice (F,
              "two sequences of 2 and 1 steps",
              dynamic,
              hyb_list_of (F,
                           hyb_value_from_tensor (F, sequences),
                           hyb_list_of (F, h, h, NULL),
                           hyb_value_from_tensor (F, lengths),
                           NULL));
  show_twice (F, "sum of four rows", while_block, data);
  show_twice (F,
              "three of four steps",
              skipping,
              hyb_list_of (F,
                           hyb_value_from_tensor (F, three),
                           hyb_value_from_tensor (F, sequence),
                           hyb_list_of (F, h1, h1, NULL),
                           NULL));
  graph = hyb_block_trace (while_block, 1, "0", FALSE, error);
  if (!graph || !hyb_f_check (F, error))
    return 1;
  show_nodes (graph, 0);
  return 0;
}

int
main (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (GError) error = NULL;
  int status = run (F, &error);

  if (error)
    fprintf (stderr, "%s\n", error->message);
  return status;
}
