/* test-misuse.c — the library used against its headers: an error or a message that an assertion failed, never a crash.
 *
 * null-calls.py tries what is NULL for every function; here are functions that return NULL, objects of the wrong kind,
 * calls in the wrong order and numbers out of range.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/formats/format.h"
#include "engine/open/open.h"
#include "engine/rnn/cell.h"
#include "engine/rnn/layer.h"
#include "engine/train/trainer.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static HybTensor *
array (gint64 a, gint64 b)
{
  return hyb_tensor_new_float (2, (const gint64[]){ a, b }, NULL);
}

static HybValue *
value (HybF *F, gint64 a, gint64 b)
{
  g_autoptr (HybTensor) tensor = array (a, b);

  return hyb_value_from_tensor (F, tensor);
}

static void
assert_failed (HybF *F, const char *wanted)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_f_check (F, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, wanted));
}

/* The next critical message of the library must be this one. */
static void
expect_critical (const char *pattern)
{
  g_test_expect_message ("hybrid", G_LOG_LEVEL_CRITICAL, pattern);
}

/* --- Functions of the user --- */

static HybValue *
no_step (HybF *F           G_GNUC_UNUSED,
         HybValue *slices  G_GNUC_UNUSED,
         HybValue **states G_GNUC_UNUSED,
         gpointer user     G_GNUC_UNUSED)
{
  return NULL;
}

static HybValue *
no_states (HybF *F G_GNUC_UNUSED, HybValue *slices, HybValue **states, gpointer user G_GNUC_UNUSED)
{
  *states = NULL;
  return slices;
}

/* One output in the first step, none in the others. */
static HybValue *
fewer_outputs (HybF *F, HybValue *slices, HybValue **states G_GNUC_UNUSED, gpointer user)
{
  guint *n = user;

  return (*n)++ == 0 ? slices : hyb_list (F, 0, NULL);
}

static void
test_foreach_body (gconstpointer tracing)
{
  static const struct
  {
    HybForeachBody body;
    const char    *wanted;
    gboolean       only_imperative;
  } rows[] = {
    { no_step, "a loop body returned NULL", FALSE },
    { no_states, "gave 0 states for 1", FALSE },
    { fewer_outputs, "gave 0 outputs for 1", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HybF     *F = tracing ? hyb_f_new_trace (FALSE) : hyb_f_new (FALSE, 0);
      HybValue *data = tracing ? hyb_value_variable (F, "data", NULL) : value (F, 2, 3);
      HybValue *states = tracing ? hyb_value_variable (F, "s", NULL) : value (F, 1, 1);
      guint     n = 0;

      if (!tracing || !rows[i].only_imperative)
        {
          hyb_foreach (F, rows[i].body, data, states, &n);
          assert_failed (F, rows[i].wanted);
        }
      hyb_f_free (F);
    }
}

static HybValue *
always (HybF *F, HybValue *variables G_GNUC_UNUSED, gpointer user G_GNUC_UNUSED)
{
  return hyb_f_is_tracing (F) ? hyb_item (F, variables, 0) : hyb_add_scalar (F, value (F, 1, 1), 1);
}

static HybValue *
no_condition (HybF *F G_GNUC_UNUSED, HybValue *variables G_GNUC_UNUSED, gpointer user G_GNUC_UNUSED)
{
  return NULL;
}

static HybValue *
no_while_step (HybF *F              G_GNUC_UNUSED,
               HybValue **variables G_GNUC_UNUSED,
               gpointer user        G_GNUC_UNUSED)
{
  return NULL;
}

static HybValue *
no_variables (HybF *F G_GNUC_UNUSED, HybValue **variables, gpointer user G_GNUC_UNUSED)
{
  HybValue *outputs = *variables;

  *variables = NULL;
  return outputs;
}

static void
test_while_body (gconstpointer tracing)
{
  static const struct
  {
    HybWhileCondition condition;
    HybWhileBody      body;
    const char       *wanted;
  } rows[] = {
    { always, no_while_step, "a loop body returned NULL" },
    { always, no_variables, "gave 0 variables for 1" },
    { no_condition, no_variables, "NULL" },
    { NULL, no_while_step, "a loop needs a condition and a body" },
    { always, NULL, "a loop needs a condition and a body" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HybF *F = tracing ? hyb_f_new_trace (FALSE) : hyb_f_new (FALSE, 0);

      hyb_while_loop (F, &(HybWhile){ .condition = rows[i].condition,
                                      .body = rows[i].body,
                                      .variables = tracing ? hyb_value_variable (F, "v", NULL)
                                                           : value (F, 1, 1),
                                      .max_iterations = 3 });
      assert_failed (F, rows[i].wanted);
      hyb_f_free (F);
    }
}

static HybValue *
no_branch (HybF *F G_GNUC_UNUSED, gpointer user G_GNUC_UNUSED)
{
  return NULL;
}

static void
test_branch (gconstpointer tracing)
{
  HybF *F = tracing ? hyb_f_new_trace (FALSE) : hyb_f_new (FALSE, 0);

  hyb_cond (F, tracing ? hyb_value_variable (F, "p", NULL) : value (F, 1, 1), no_branch, no_branch,
            NULL);
  assert_failed (F, "a branch returned NULL");
  hyb_f_free (F);
}

/* --- The wrong kind --- */

static void
test_block_that_is_no_cell (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 4);
  HybF     *F = hyb_f_new (FALSE, 0);
  HybValue *states = value (F, 2, 4);

  hyb_cell_begin_state (F, dense, "_zeros", 2);
  assert_failed (F, "is stepped like a recurrent cell");
  hyb_f_free (F);

  F = hyb_f_new (FALSE, 0);
  hyb_unroll (F, dense, &states, .length = 3, .inputs = value (F, 2, 3));
  assert_failed (F, "is stepped like a recurrent cell");
  hyb_f_free (F);

  F = hyb_f_new (FALSE, 0);
  hyb_cell_dynamic_unroll (F, dense, &(HybUnroll){ .inputs = value (F, 2, 3) }, &states);
  assert_failed (F, "is stepped like a recurrent cell");
  hyb_f_free (F);

  expect_critical ("hyb_cell_n_states*failed");
  g_assert_cmpuint (hyb_cell_n_states (dense), ==, 0);
  F = hyb_f_new (FALSE, 0);
  expect_critical ("hyb_rnn_layer_begin_state*failed");
  g_assert_null (hyb_rnn_layer_begin_state (F, dense, "_zeros", 1));
  hyb_f_free (F);
  expect_critical ("hyb_zoneout_cell_new*failed");
  g_assert_null (hyb_zoneout_cell_new (dense, 0.1, 0.1));
  expect_critical ("hyb_residual_cell_new*failed");
  g_assert_null (hyb_residual_cell_new (dense));
  expect_critical ("hyb_variational_dropout_cell_new*failed");
  g_assert_null (hyb_variational_dropout_cell_new (dense, 0.1, 0.1, 0.1));
  expect_critical ("hyb_bidirectional_cell_new*failed");
  g_assert_null (hyb_bidirectional_cell_new (dense, dense, NULL, HYB_STYLE_GLUON));
  g_test_assert_expected_messages ();
}

static void
test_cell_without_states (void)
{
  g_autoptr (HybBlock) cell = hyb_lstm_cell (.hidden = 4);
  HybF *F = hyb_f_new (FALSE, 0);

  hyb_block_initialize (cell, NULL, 0);
  g_assert_nonnull (hyb_cell_step (F, cell, value (F, 2, 3), NULL));
  assert_failed (F, "stepped with NULL for its states");
  hyb_f_free (F);
}

static void
test_graph_with_too_few_arrays (void)
{
  HybF *trace = hyb_f_new_trace (FALSE), *F = hyb_f_new (FALSE, 0);
  g_autoptr (HybGraph) graph = hyb_f_finish (trace,
                                             hyb_add (trace, hyb_value_variable (trace, "a", NULL),
                                                      hyb_value_variable (trace, "b", NULL)),
                                             NULL);
  HybValue *one = value (F, 2, 3);

  g_assert_true (hyb_value_is_failed (hyb_f_graph (F, graph, 1, &one)));
  assert_failed (F, "1 arrays were given for the 2 variables");
  hyb_f_free (trace);
  hyb_f_free (F);
}

/* --- The wrong order, and numbers out of range --- */

/* The container has taken over the reference, so that the second owner frees nothing. */
static void
test_child_that_is_dropped_twice (void)
{
  HybBlock *container = hyb_sequential (NULL), *child = hyb_dense (.units = 3), *other;

  hyb_append (container, child);
  expect_critical ("*has taken over*");
  hyb_block_unref (child);
  g_test_assert_expected_messages ();
  g_assert_true (hyb_block_get_child (container, 0) == child);

  /* A reference of one's own can be dropped, before the container and after it. */
  hyb_block_unref (hyb_block_ref (child));
  other = hyb_block_ref (child);
  hyb_block_unref (container);
  g_assert_nonnull (hyb_block_get_prefix (other));
  hyb_block_unref (other);
}

static void
test_block_inside_itself (void)
{
  g_autoptr (HybBlock) container = hyb_sequential (NULL);

  expect_critical ("hyb_block_add_child*failed");
  g_assert_null (hyb_append (container, container));
  g_test_assert_expected_messages ();
}

static void
test_scope_that_is_not_open (void)
{
  g_autoptr (HybBlock) outer = hyb_sequential (NULL);
  g_autoptr (HybBlock) other = hyb_sequential (NULL);
  g_autoptr (HybBlock) inside = NULL;

  expect_critical ("hyb_block_leave_scope*failed");
  hyb_block_leave_scope (outer);
  hyb_block_enter_scope (outer);
  expect_critical ("hyb_block_leave_scope*failed");
  hyb_block_leave_scope (other);
  g_test_assert_expected_messages ();
  inside = hyb_dense (.units = 1);
  g_assert_true (g_str_has_prefix (hyb_block_get_prefix (inside), hyb_block_get_prefix (outer)));
  hyb_block_leave_scope (outer);
}

static void
test_block_that_is_freed_in_its_scope (void)
{
  HybBlock *outer = hyb_sequential ("outer_"), *scope = hyb_sequential (NULL);
  g_autoptr (HybBlock) inner = hyb_sequential ("inner_");
  g_autoptr (HybBlock) after = NULL;

  /* The outermost is freed while two are open in it, then the one that is open last but one. */
  hyb_block_enter_scope (outer);
  hyb_block_enter_scope (scope);
  hyb_block_enter_scope (inner);
  hyb_block_unref (outer);
  hyb_block_unref (scope);
  hyb_block_leave_scope (inner);
  after = hyb_dense (.units = 1);
  g_assert_true (g_str_has_prefix (hyb_block_get_prefix (after), "dense"));
}

/* Entered twice, a scope is open once, and the one around it is not forgotten. */
static void
test_scope_that_is_entered_twice (void)
{
  g_autoptr (HybBlock) outer = hyb_sequential ("outer_");
  g_autoptr (HybBlock) inner = hyb_sequential ("inner_");
  g_autoptr (HybBlock) between = NULL;
  g_autoptr (HybBlock) after = NULL;

  hyb_block_enter_scope (outer);
  hyb_block_enter_scope (inner);
  hyb_block_enter_scope (inner);
  hyb_block_leave_scope (inner);
  between = hyb_dense (.units = 1);
  g_assert_true (g_str_has_prefix (hyb_block_get_prefix (between), "outer_"));
  hyb_block_leave_scope (outer);
  after = hyb_dense (.units = 1);
  g_assert_true (g_str_has_prefix (hyb_block_get_prefix (after), "dense"));
}

static void
test_numbers_out_of_range (void)
{
  g_autoptr (HybBlock) block = hyb_sequential (NULL);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();

  expect_critical ("hyb_block_get_child*failed");
  g_assert_null (hyb_block_get_child (block, 0));
  expect_critical ("hyb_model_get_parameter_name*failed");
  g_assert_null (hyb_model_get_parameter_name (model, 0));
  expect_critical ("hyb_model_get_parameter_prefix*failed");
  g_assert_cmpint (hyb_model_get_parameter_prefix (model, 0), ==, HYB_PREFIX_NONE);
  expect_critical ("hyb_tensor_list_get*failed");
  g_assert_null (hyb_tensor_list_get (list, 0));
  g_test_assert_expected_messages ();
}

static void
assert_no_graph (GError **error)
{
  g_assert_error (*error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING);
  g_assert_nonnull (strstr ((*error)->message, "has no graph"));
  g_clear_error (error);
}

static void
test_model_without_a_graph (void)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_model_save (model, "none", 0, NULL, &error));
  assert_no_graph (&error);
  g_assert_null (hyb_symbol_block_new (model, (const char *const[]){ "x", NULL }, &error));
  assert_no_graph (&error);
  g_assert_null (
      hyb_trainer_new (model, &(HybTrainerOptions){ .loss = "l2", .optimizer = "sgd" }, &error));
  assert_no_graph (&error);
}

/* --- A pair of files --- */

/* Parameters none of which the graph has. */
static void
test_pair_without_a_match (void)
{
  static const char symbol[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      " {\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
      " {\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"2\", "
      "\"no_bias\": \"True\"},"
      " \"inputs\": [[0, 0, 0], [1, 0, 0]]}], \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]]}";
  g_autofree char *folder = g_dir_make_tmp ("misuse-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "m-symbol.json", NULL);
  g_autofree char *params = g_build_filename (folder, "other.params", NULL);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) stranger = array (7, 7);
  g_autoptr (HybTensor) weight = array (2, 3);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (file, symbol, -1, NULL));
  hyb_tensor_list_set (list, "arg:unlike", stranger);
  g_assert_true (hyb_weights_write_file (list, params, NULL));
  g_assert_null (hyb_model_open (file, params, HYB_EPOCH_HIGHEST, &error));
  g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH);
  g_assert_nonnull (strstr (error->message, params));
  g_assert_nonnull (strstr (error->message, "none of its 1 arrays"));

  /* With one of its own among strangers the pair opens. */
  hyb_tensor_list_set (list, "arg:fc_weight", weight);
  g_assert_true (hyb_weights_write_file (list, params, NULL));
  g_clear_error (&error);
  model = hyb_model_open (file, params, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  g_remove (file);
  g_remove (params);
  g_rmdir (folder);
}

TEST_PROGRAM (test_misuse)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/misuse/foreach-body", NULL, test_foreach_body);
  g_test_add_data_func ("/engine/misuse/foreach-body-traced", "", test_foreach_body);
  g_test_add_data_func ("/engine/misuse/while-body", NULL, test_while_body);
  g_test_add_data_func ("/engine/misuse/while-body-traced", "", test_while_body);
  g_test_add_data_func ("/engine/misuse/branch", NULL, test_branch);
  g_test_add_data_func ("/engine/misuse/branch-traced", "", test_branch);
  g_test_add_func ("/engine/misuse/a-block-that-is-no-cell", test_block_that_is_no_cell);
  g_test_add_func ("/engine/misuse/a-cell-without-states", test_cell_without_states);
  g_test_add_func ("/engine/misuse/a-graph-with-too-few-arrays", test_graph_with_too_few_arrays);
  g_test_add_func ("/engine/misuse/a-child-that-is-dropped-twice",
                   test_child_that_is_dropped_twice);
  g_test_add_func ("/engine/misuse/a-block-inside-itself", test_block_inside_itself);
  g_test_add_func ("/engine/misuse/a-scope-that-is-not-open", test_scope_that_is_not_open);
  g_test_add_func ("/engine/misuse/a-scope-that-is-entered-twice",
                   test_scope_that_is_entered_twice);
  g_test_add_func ("/engine/misuse/a-block-that-is-freed-in-its-scope",
                   test_block_that_is_freed_in_its_scope);
  g_test_add_func ("/engine/misuse/numbers-out-of-range", test_numbers_out_of_range);
  g_test_add_func ("/engine/misuse/a-model-without-a-graph", test_model_without_a_graph);
  g_test_add_func ("/engine/misuse/a-pair-without-a-match", test_pair_without_a_match);
  return g_test_run ();
}
