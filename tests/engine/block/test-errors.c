/* test-errors.c — errors that users of blocks can make: each message names the block and says what
 * to do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/rnn/layer.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static HybTensor *
array (int rank, gint64 a, gint64 b, gint64 c)
{
  return hyb_tensor_new_float (rank, (gint64[]){ a, b, c }, NULL);
}

static void
assert_says (const char *message, const char *first, const char *second)
{
  g_test_message ("%s", message);
  g_assert_nonnull (strstr (message, first));
  g_assert_nonnull (strstr (message, second));
}

/* Calls the block at once on an array; its message has both texts. */
static void
check_call (HybBlock *block, HybTensor *input, const char *first, const char *second)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);

  hyb_call (F, block, hyb_value_from_tensor (F, input));
  g_assert_nonnull (hyb_f_get_error (F));
  assert_says (hyb_f_get_error (F)->message, first, second);
}

static void
check_trace (HybBlock *block, guint n, const char *structure, const char *first, const char *second)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = hyb_block_trace (block, n, structure, FALSE, &error);

  g_assert_null (graph);
  assert_says (error->message, first, second);
}

/* A block called “Odd” that does what function does. */
typedef struct
{
  HybBlock parent;
  HybValue *(*function) (HybF *F, HybValue *x);
} Odd;

static HybValue *
odd_forward (HybF *F, HybBlock *block, HybValue *x)
{
  return ((Odd *) block)->function (F, x);
}

static HybBlock *
odd (HybValue *(*function) (HybF *F, HybValue *x))
{
  static const HybBlockClass klass = {
    .name = "Odd",
    .size = sizeof (Odd),
    .forward = odd_forward,
  };
  HybBlock *block = hyb_block_new (&klass, "odd_");

  ((Odd *) block)->function = function;
  return block;
}

/* --- Parameters --- */

static void
test_shape_mismatch (void)
{
  g_autoptr (HybBlock) net = hyb_sequential ("net_");
  g_autoptr (HybTensor) x = array (2, 2, 5, 0);

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_dense (.units = 3, .in_units = 4));
  hyb_block_leave_scope (net);
  hyb_block_initialize (net, "xavier", 1);
  check_call (net, x, "net.net_dense0", "5");
}

static void
test_uninitialized_parameter (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .in_units = 4, .prefix = "layer_");
  g_autoptr (HybTensor) x = array (2, 2, 4, 0);

  check_call (dense, x, "block layer", "hyb_block_initialize");
}

static void
test_deferred_parameter (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .prefix = "layer_");
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (dense);
  g_autoptr (GError) error = NULL;

  hyb_block_initialize (dense, "xavier", 1);
  g_assert_null (hyb_parameter_get_data (g_ptr_array_index (parameters, 0), &error));
  assert_says (error->message, "layer_weight", "Run the block once");
}

static void
test_unknown_initializer (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .in_units = 4, .prefix = "layer_");
  g_autoptr (HybTensor) x = array (2, 2, 4, 0);

  hyb_block_initialize (dense, "magic", 1);
  check_call (dense, x, "layer_weight", "magic");
}

static void
test_wrong_array_for_a_parameter (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .in_units = 4, .prefix = "layer_");
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (dense);
  g_autoptr (HybTensor) x = array (2, 3, 5, 0);
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_parameter_set_data (g_ptr_array_index (parameters, 0), x, &error));
  assert_says (error->message, "layer_weight", "(3, 5)");
}

static void
test_missing_array_in_a_file (void)
{
  g_autoptr (HybBlock) one = hyb_dense (.units = 3, .in_units = 4, .prefix = "one_");
  g_autoptr (HybBlock) net = hyb_sequential ("net_");
  g_autofree char *file = g_build_filename (g_get_tmp_dir (), "hyb-errors.params", NULL);
  g_autoptr (GError) error = NULL;

  hyb_append (net, hyb_dense (.units = 3, .in_units = 4, .prefix = "two_"));
  hyb_block_initialize (one, "xavier", 1);
  g_assert_true (hyb_block_save_parameters (one, file, NULL));
  g_assert_false (hyb_block_load_parameters (net, file, &error));
  assert_says (error->message, "0.weight", "prefix");
  g_unlink (file);
}

/* --- Hybridizing --- */

static void
test_plain_child (void)
{
  g_autoptr (HybBlock) net = hyb_sequential ("net_");
  g_autoptr (GError) error = NULL;

  hyb_append (net, hyb_plain_sequential ("plain_"));
  g_assert_false (hyb_block_hybridize (net, TRUE, NULL, &error));
  assert_says (error->message, "plain_", "Make it a hybrid block");
}

/* Around hybrid children a plain block hybridizes each of them. */
static void
test_plain_block_hybridizes_its_children (void)
{
  g_autoptr (HybBlock) plain = hyb_plain_sequential ("plain_");
  HybBlock *dense = hyb_append (plain, hyb_dense (.units = 3, .in_units = 4));
  g_autoptr (HybTensor) x = array (2, 2, 4, 0);
  g_autoptr (GError) error = NULL;

  hyb_block_initialize (plain, "xavier", 1);
  g_assert_true (hyb_block_hybridize (plain, TRUE, NULL, &error));
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (HybF) F = hyb_f_new (FALSE, 0);

      hyb_call (F, plain, hyb_value_from_tensor (F, x));
      g_assert_true (hyb_f_check (F, &error));
    }
  g_assert_cmpuint (hyb_block_n_forward_calls (plain), ==, 3);
  g_assert_cmpuint (hyb_block_n_forward_calls (dense), ==, 1);
  check_trace (plain, 1, "0", "plain", "hybrid block");
}

static void
test_static_shape_alone (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .prefix = "layer_");
  g_autoptr (GError) error = NULL;

  g_assert_false (
      hyb_block_hybridize (dense, TRUE, &(HybHybridize){ .static_shape = TRUE }, &error));
  assert_says (error->message, "layer_", "static_alloc");
}

static void
test_export_before_hybridize (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .prefix = "layer_");
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_block_export (dense, "nowhere", 0, &error));
  assert_says (error->message, "layer", "hyb_block_hybridize");
}

static HybValue *
read_numbers (HybF *F, HybValue *x)
{
  hyb_value_get_tensor (x);
  return x;
}

static HybValue *
read_shape (HybF *F, HybValue *x)
{
  hyb_value_get_type (x);
  return x;
}

static HybValue *
bring_numbers (HybF *F, HybValue *x)
{
  g_autoptr (HybTensor) one = array (1, 1, 0, 0);

  return hyb_broadcast (F, "broadcast_add", x, hyb_value_from_tensor (F, one));
}

static HybValue *
change_in_place (HybF *F, HybValue *x)
{
  HybValue *y = hyb_unary (F, "relu", x);

  return HYB_OP (F, "BatchNorm", .in = { x, y, y, y, y });
}

static HybValue *
call_nothing (HybF *F, HybValue *x)
{
  return hyb_unary (F, "no_such_operator", x);
}

static HybValue *
too_many_inputs (HybF *F, HybValue *x)
{
  return HYB_OP (F, "relu", .in = { x, x });
}

static HybValue *
wrong_item (HybF *F, HybValue *x)
{
  return hyb_item (F, x, 3);
}

static HybValue *
wrong_attribute (HybF *F, HybValue *x)
{
  return HYB_OP (F, "softmax", .in = { x }, .attributes = HYB_WITH ("axis", "first"));
}

static void
test_untraceable_forwards (void)
{
  static const struct
  {
    HybValue *(*function) (HybF *F, HybValue *x);
    const char *says;
  } forwards[] = {
    { read_numbers, "express the step with operators" },
    { read_shape, "reshape_like" },
    { bring_numbers, "make it a parameter" },
    { change_in_place, "Keep such a state in a parameter" },
    { call_nothing, "no_such_operator" },
    { too_many_inputs, "relu" },
    { wrong_item, "item 3" },
    { wrong_attribute, "axis" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (forwards); i++)
    {
      g_autoptr (HybBlock) block = odd (forwards[i].function);

      check_trace (block, 1, "0", "block odd", forwards[i].says);
    }
}

static guint calls;

static HybValue *
moody (HybF *F, HybValue *x)
{
  return hyb_unary (F, calls++ % 2 == 0 ? "relu" : "tanh", x);
}

static void
test_second_trace_differs (void)
{
  g_autoptr (HybBlock) block = odd (moody);
  g_autoptr (HybTensor) x = array (2, 2, 4, 0);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);

  calls = 0;
  hyb_block_hybridize (block, TRUE, NULL, NULL);
  hyb_call (F, block, hyb_value_from_tensor (F, x));
  g_assert_true (hyb_f_check (F, NULL));
  hyb_block_hybridize (block, TRUE, NULL, NULL); /* forgets the graph */
  check_call (block, x, "block odd", "second trace");
}

/* The block is traced by a call of the same block: its path is there once. */
static void
test_hybridized_block_is_named_once (void)
{
  g_autoptr (HybBlock) net = hyb_sequential ("net_");
  g_autoptr (HybTensor) x = array (2, 2, 5, 0);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  const char *message;

  hyb_append (net, hyb_dense (.units = 3, .in_units = 4, .prefix = "layer_"));
  hyb_block_initialize (net, "xavier", 1);
  g_assert_true (hyb_block_hybridize (net, TRUE, NULL, NULL));
  hyb_call (F, net, hyb_value_from_tensor (F, x));
  g_assert_nonnull (hyb_f_get_error (F));
  message = hyb_f_get_error (F)->message;
  g_test_message ("%s", message);
  g_assert_true (g_str_has_prefix (message, "block net"));
  g_assert_null (strstr (message + 1, "block net"));
}

/* --- SymbolBlock --- */

static HybModel *
exported (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .in_units = 4, .prefix = "layer_");
  g_autoptr (HybTensor) x = array (2, 2, 4, 0);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);

  hyb_block_initialize (dense, "xavier", 1);
  hyb_block_hybridize (dense, TRUE, NULL, NULL);
  hyb_call (F, dense, hyb_value_from_tensor (F, x));
  return hyb_block_to_model (dense, NULL);
}

static void
test_symbol_block (void)
{
  g_autoptr (HybModel) model = exported ();
  g_autoptr (HybBlock) block =
      hyb_symbol_block_new (model, (const char *const[]){ "data", NULL }, NULL);
  g_autoptr (HybTensor) x = array (2, 2, 4, 0);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (GError) error = NULL;
  HybValue *value = hyb_value_from_tensor (F, x);

  hyb_call_list (F, block, value, value, NULL);
  assert_says (hyb_f_get_error (F)->message, "SymbolBlock", "2 inputs");
  g_assert_null (hyb_symbol_block_new (model, (const char *const[]){ "dta", NULL }, &error));
  assert_says (error->message, "dta", "hscope info");
  g_clear_error (&error);
  hyb_model_remove_parameter (model, "layer_weight");
  g_assert_null (hyb_symbol_block_new (model, (const char *const[]){ "data", NULL }, &error));
  assert_says (error->message, "layer_weight", "list it among the inputs");
}

/* --- Cells --- */

static void
test_state_counts (void)
{
  g_autoptr (HybBlock) cell = hyb_lstm_cell (.hidden = 4, .input_size = 4, .prefix = "cell_");
  g_autoptr (HybBlock) layer = hyb_rnn_layer (.mode = "lstm", .hidden = 4, .prefix = "layer_");
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  HybValue *x = hyb_value_variable (F, "x", NULL), *states = hyb_list_of (F, x, NULL);

  check_trace (cell, 2, "[0, [0]]", "block cell", "hyb_cell_begin_state");
  check_trace (layer, 2, "[0, [0]]", "block layer", "hyb_rnn_layer_begin_state");
  hyb_unroll (F, cell, NULL, .length = 2, .inputs = x, .begin_state = states);
  assert_says (hyb_f_get_error (F)->message, "1 state", "hyb_cell_begin_state");
}

/* Nested lists are states, too, if they hold as many arrays. */
static void
test_nested_states_are_taken (void)
{
  g_autoptr (HybBlock) cell = hyb_lstm_cell (.hidden = 4, .input_size = 4);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = hyb_block_trace (cell, 3, "[0, [0, [0]]]", FALSE, &error);

  g_assert_no_error (error);
}

static void
test_cells_that_cannot_step (void)
{
  HybBlock *left = hyb_lstm_cell (.hidden = 4);
  g_autoptr (HybBlock) both =
      hyb_bidirectional_cell_new (left, hyb_lstm_cell (.hidden = 4), NULL, HYB_STYLE_GLUON);
  g_autoptr (HybBlock) fused = hyb_fused_cell (.mode = "lstm", .hidden = 4, .prefix = "fused_");

  check_trace (both, 5, "[0, [0, 0, 0, 0]]", "bidirectional", "Unroll it");
  check_trace (fused, 3, "[0, [0, 0]]", "block fused", "unfuse it");
}

static void
test_unrolling (void)
{
  g_autoptr (HybBlock) cell = hyb_gru_cell (.hidden = 4);
  static const struct
  {
    guint       length;
    const char *layout, *says;
    gboolean    list;
  } wrong[] = {
    { 3, "NCX", "NTC, TNC", FALSE },
    { 0, "NTC", "number of steps", FALSE },
    { 3, "NTC", "one a step", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
      HybValue *x = hyb_value_variable (F, "x", NULL);

      hyb_unroll (F, cell, NULL, .length = wrong[i].length,
                  .inputs = wrong[i].list ? hyb_list_of (F, x, x, NULL) : x,
                  .layout = wrong[i].layout);
      assert_says (hyb_f_get_error (F)->message, wrong[i].says, "");
    }
}

static void
test_dropout_of_one_layer_is_said_to_be_ignored (void)
{
  g_autoptr (HybBlock) layer = NULL;

  g_test_expect_message ("hybrid", G_LOG_LEVEL_MESSAGE, "*only one*ignored*");
  layer = hyb_rnn_layer (.mode = "lstm", .hidden = 4, .dropout = 0.5);
  g_test_assert_expected_messages ();
}

/* --- Control flow --- */

static HybValue *
ignore_data (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  return *state = hyb_unary (F, "relu", *state);
}

static HybValue *
always (HybF *F, HybValue *variables, gpointer user)
{
  return hyb_item (F, variables, 0);
}

static HybValue *
lose_a_variable (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *sum = hyb_add (F, hyb_item (F, *variables, 0), hyb_item (F, *variables, 1));

  *variables = hyb_list_of (F, sum, NULL);
  return hyb_list (F, 0, NULL);
}

static HybValue *
one_array (HybF *F, gpointer x)
{
  return hyb_unary (F, "relu", x);
}

static HybValue *
two_arrays (HybF *F, gpointer x)
{
  HybValue *y = hyb_unary (F, "relu", x);

  return hyb_list_of (F, y, y, NULL);
}

static HybValue *
unused_data (HybF *F, HybValue *x)
{
  return hyb_foreach (F, ignore_data, hyb_item (F, x, 0), hyb_item (F, x, 1), NULL);
}

static HybValue *
fewer_variables (HybF *F, HybValue *x)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = always,
                                         .body = lose_a_variable,
                                         .variables = x,
                                         .max_iterations = 3 });
}

static HybValue *
no_iterations (HybF *F, HybValue *x)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = always,
                                         .body = lose_a_variable,
                                         .variables = x,
                                         .max_iterations = 0 });
}

static HybValue *
unequal_branches (HybF *F, HybValue *x)
{
  return hyb_cond (F, hyb_item (F, x, 0), one_array, two_arrays, hyb_item (F, x, 1));
}

static void
test_control_flow (void)
{
  static const struct
  {
    HybValue *(*function) (HybF *F, HybValue *x);
    const char *says;
  } forwards[] = {
    { unused_data, "not used in the loop body" },
    { fewer_variables, "must stay the same" },
    { no_iterations, "at least 1" },
    { unequal_branches, "equally many" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (forwards); i++)
    {
      g_autoptr (HybBlock) block = odd (forwards[i].function);

      check_trace (block, 2, "[0, 0]", "block odd", forwards[i].says);
    }
}

TEST_PROGRAM (test_errors)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/engine/block/errors/" name, function)
  ADD ("shape-mismatch", test_shape_mismatch);
  ADD ("uninitialized-parameter", test_uninitialized_parameter);
  ADD ("deferred-parameter", test_deferred_parameter);
  ADD ("unknown-initializer", test_unknown_initializer);
  ADD ("wrong-array-for-a-parameter", test_wrong_array_for_a_parameter);
  ADD ("missing-array-in-a-file", test_missing_array_in_a_file);
  ADD ("plain-child", test_plain_child);
  ADD ("plain-block-hybridizes-its-children", test_plain_block_hybridizes_its_children);
  ADD ("static-shape-alone", test_static_shape_alone);
  ADD ("export-before-hybridize", test_export_before_hybridize);
  ADD ("untraceable-forwards", test_untraceable_forwards);
  ADD ("second-trace-differs", test_second_trace_differs);
  ADD ("hybridized-block-is-named-once", test_hybridized_block_is_named_once);
  ADD ("symbol-block", test_symbol_block);
  ADD ("state-counts", test_state_counts);
  ADD ("nested-states-are-taken", test_nested_states_are_taken);
  ADD ("cells-that-cannot-step", test_cells_that_cannot_step);
  ADD ("unrolling", test_unrolling);
  ADD ("dropout-of-one-layer-is-said-to-be-ignored",
       test_dropout_of_one_layer_is_said_to_be_ignored);
  ADD ("control-flow", test_control_flow);
#undef ADD
  return g_test_run ();
}
