/* test-executor.c — three modes, plans kept by types, states, labels, cancelling.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor.h"

#include "engine/base/error.h"
#include "tests/engine/count-allocations.h"
#include "tests/engine/toy-ops.h"
#include "tests/program.h"

#include <string.h>

/* --- A model with a bit of everything --- */

static HybGraph *
new_model (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId weight = hyb_builder_add_variable (builder, "weight", NULL);
  HybValueId state = hyb_builder_add_variable (builder, "state", NULL);
  HybValueId prepared = toy_node (builder, &toy_step, "prepared", weight, HYB_NO_ID);
  HybValueId sum = toy_node (builder, &toy_add, "sum", x, prepared);
  HybValueId scan = toy_node (builder, &toy_scan, "scan", sum, HYB_NO_ID);
  HybValueId noise = toy_node (builder, &toy_noise, "noise", scan, HYB_NO_ID);
  HybValueId count = toy_node (builder, &toy_count, "count", noise, state);
  HybValueId tail = toy_node (builder, &toy_tail, "tail", count, HYB_NO_ID);

  hyb_builder_add_head (builder, tail);
  hyb_builder_add_head (builder, count);
  hyb_builder_add_head (builder, x);
  hyb_builder_add_head (builder, prepared);
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

static void
bind (HybExecutor *executor, const char *name, HybTensor *tensor /* (transfer full) */)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_bind (executor, name, tensor, &error);
  g_assert_no_error (error);
  hyb_tensor_unref (tensor);
}

static HybExecutor *
new_executor (HybGraph *graph, const HybExecutorOptions *options, gint64 n)
{
  HybExecutor *executor = hyb_executor_new (graph, options);

  bind (executor, "x", toy_row (n, 1));
  bind (executor, "weight", toy_row (n, 5));
  bind (executor, "state", hyb_tensor_new_scalar (0));
  return executor;
}

static void
run (HybExecutor *executor)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
}

static GPtrArray *
copy_outputs (HybExecutor *executor)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (outputs, hyb_tensor_copy (hyb_executor_get_output (executor, i)));
  return outputs;
}

static void
assert_same (HybTensor *a, HybTensor *b)
{
  g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)));
  g_assert_cmpmem (hyb_tensor_get_data (a), hyb_tensor_get_bytes (a), hyb_tensor_get_data (b),
                   hyb_tensor_get_bytes (b));
}

static void
test_modes_give_the_same_bytes (void)
{
  g_autoptr (HybGraph) graph = new_model ();
  g_autoptr (GPtrArray) expected = NULL;

  for (int no_passes = 0; no_passes < 2; no_passes++)
    for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
      {
        HybExecutorOptions options = {
          .mode = mode, .no_passes = no_passes, .seed = 7, .fold_parameters = TRUE
        };
        g_autoptr (HybExecutor) executor = new_executor (graph, &options, 33);
        g_autoptr (GPtrArray) outputs = NULL;

        hyb_executor_set_constant (executor, "weight", TRUE);
        for (int i = 0; i < 3; i++)
          run (executor);
        outputs = copy_outputs (executor);
        g_assert_cmpuint (hyb_executor_n_runs (executor), ==, 3);
        g_assert_cmpuint (hyb_executor_get_peak_bytes (executor), >, 0);
        g_assert_cmpuint (hyb_executor_get_peak_bytes (executor) % sizeof (float), ==, 0);
        g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_bound (executor, "state"), 0), ==,
                           3);
        if (!expected)
          expected = g_steal_pointer (&outputs);
        else
          for (guint i = 0; i < outputs->len; i++)
            assert_same (outputs->pdata[i], expected->pdata[i]);
      }
}

static void
test_static_runs_allocate_nothing (void)
{
  g_autoptr (HybGraph) graph = new_model ();
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybExecutor) executor = new_executor (graph, &options, 33);
  g_autoptr (HybTensor) other = toy_row (33, 2);
  gint before, after;

  if (!COUNTS_ALLOCATIONS)
    {
      g_test_skip ("memory is watched by the sanitizer");
      return;
    }

  run (executor);
  is_counting = TRUE;
  before = g_atomic_int_get (&n_allocations);
  g_free (g_malloc (1));
  g_assert_cmpint (g_atomic_int_get (&n_allocations), ==, before + 1);

  before = g_atomic_int_get (&n_allocations);
  for (int i = 0; i < 10; i++)
    hyb_executor_run (executor, NULL, NULL);
  /* Another weight of the same type is only another pointer. */
  hyb_executor_bind (executor, "weight", other, NULL);
  hyb_executor_run (executor, NULL, NULL);
  after = g_atomic_int_get (&n_allocations);
  is_counting = FALSE;
  g_assert_cmpint (after - before, ==, 0);
  g_assert_cmpuint (hyb_executor_n_runs (executor), ==, 12);
}

static void
test_seeds_repeat (void)
{
  g_autoptr (HybGraph) graph = new_model ();
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .seed = 5 };
  g_autoptr (HybExecutor) executor = new_executor (graph, &options, 33);
  g_autoptr (GPtrArray) first = NULL;
  g_autoptr (GPtrArray) second = NULL;
  g_autoptr (GPtrArray) again = NULL;

  run (executor);
  first = copy_outputs (executor);
  bind (executor, "state", hyb_tensor_new_scalar (0));
  run (executor);
  second = copy_outputs (executor);
  bind (executor, "state", hyb_tensor_new_scalar (0));
  hyb_executor_set_seed (executor, 5);
  run (executor);
  again = copy_outputs (executor);

  assert_same (first->pdata[1], again->pdata[1]);
  g_assert_true (hyb_tensor_get_value (first->pdata[1], 0) !=
                 hyb_tensor_get_value (second->pdata[1], 0));
}

static void
test_the_callers_states_stay_as_they_are (void)
{
  g_autoptr (HybGraph) graph = new_model ();
  g_autoptr (HybTensor) state = hyb_tensor_new_scalar (10);

  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      HybExecutorOptions options = { .mode = mode };
      g_autoptr (HybExecutor) executor = new_executor (graph, &options, 5);

      g_assert_true (hyb_executor_bind (executor, "state", state, NULL));
      run (executor);
      run (executor);
      g_assert_cmpfloat (hyb_tensor_get_value (state, 0), ==, 10);
      g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_bound (executor, "state"), 0), ==,
                         12);
    }
}

static void
test_alternating_lengths_keep_their_plans (void)
{
  g_autoptr (HybGraph) graph = new_model ();
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybExecutor) executor = new_executor (graph, &options, 3);
  const HybPlan *plans[2] = { NULL, NULL };

  for (int turn = 0; turn < 6; turn++)
    {
      gint64 n = turn % 2 == 0 ? 300 : 40;

      bind (executor, "x", toy_row (n, 1));
      bind (executor, "weight", toy_row (n, 5));
      run (executor);
      g_assert_cmpint (hyb_tensor_get_size (hyb_executor_get_output (executor, 1)), ==, n);
      if (turn < 2)
        plans[turn] = hyb_executor_get_plan (executor);
      g_assert_true (plans[turn % 2] == hyb_executor_get_plan (executor));
    }
}

/* The input is read again after the output that it came from has been written. */
static void
test_outputs_may_become_inputs (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId next = toy_node (builder, &toy_step, "next", x, HYB_NO_ID);
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder, next);
  hyb_builder_add_head (builder, toy_node (builder, &toy_add, "sum", next, x));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));

  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      HybExecutorOptions options = { .mode = mode };
      g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);

      bind (executor, "x", toy_row (4, 0));
      for (int i = 0; i < 4; i++)
        {
          run (executor);
          g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_output (executor, 1), 0), ==,
                             3 * i + 1);
          g_assert_true (
              hyb_executor_bind (executor, "x", hyb_executor_get_output (executor, 0), NULL));
        }
    }
}

static void
test_rebinding_a_folded_parameter_counts (void)
{
  g_autoptr (HybGraph) graph = new_model ();
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .fold_parameters = TRUE };
  g_autoptr (HybExecutor) executor = new_executor (graph, &options, 4);

  hyb_executor_set_constant (executor, "weight", TRUE);
  run (executor);
  g_assert_cmpuint (hyb_plan_n_steps (hyb_executor_get_plan (executor)), ==, 4);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_output (executor, 3), 0), ==, 6);
  bind (executor, "weight", toy_row (4, 50));
  run (executor);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_output (executor, 3), 0), ==, 51);
}

static void
test_everything_missing_is_named_at_once (void)
{
  g_autoptr (HybGraph) graph = new_model ();
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;

  bind (executor, "x", toy_row (4, 50));
  g_assert_false (hyb_executor_run (executor, NULL, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING);
  g_assert_nonnull (strstr (error->message, "2 variables without a value: “weight”, “state”"));
  g_clear_error (&error);
  g_assert_false (
      hyb_executor_bind (executor, "w", hyb_executor_get_bound (executor, "x"), &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING);
}

static HybGraph *
loss_model (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId label = hyb_builder_add_variable (builder, "label", NULL);

  hyb_builder_add_variable (builder, "unused", NULL);
  hyb_builder_add_head (builder, toy_node (builder, &toy_loss, "loss", x, label));
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

static void
test_labels_are_not_needed_for_inference (void)
{
  g_autoptr (HybGraph) graph = loss_model ();

  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      HybExecutorOptions options = { .mode = mode };
      g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);

      for (gint64 n = 3; n < 6; n++)
        {
          bind (executor, "x", toy_row (n, 1));
          run (executor);
          g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_output (executor, 0), n - 1),
                             ==, (double) n);
        }
      bind (executor, "label", toy_row (5, 1));
      run (executor);
      g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_output (executor, 0), 4), ==, 15);
    }
}

/* The contradiction is said, not that the type of the label is unknown because of it. */
static void
test_shapes_are_checked_before_labels_are_made (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId y = hyb_builder_add_variable (builder, "y", NULL);
  HybValueId label = hyb_builder_add_variable (builder, "label", NULL);
  HybValueId sum = toy_node (builder, &toy_add, "sum", x, y);
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_loss, "loss", sum, label));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      HybExecutorOptions options = { .mode = mode };
      g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
      g_autoptr (GError) error = NULL;

      bind (executor, "x", toy_row (3, 1));
      bind (executor, "y", toy_row (4, 1));
      g_assert_false (hyb_executor_run (executor, NULL, &error));
      g_assert_nonnull (strstr (error->message, "“sum”"));
      bind (executor, "y", toy_row (3, 1));
      run (executor);
    }
}

static void
test_labels_are_needed_for_training (void)
{
  g_autoptr (HybGraph) graph = loss_model ();
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .training = TRUE };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;

  bind (executor, "x", toy_row (3, 1));
  g_assert_false (hyb_executor_run (executor, NULL, &error));
  g_assert_nonnull (strstr (error->message, "“label”"));
  g_assert_null (strstr (error->message, "unused"));
}

static void
test_shapes_that_show_only_while_running (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId         x = hyb_builder_add_variable (builder, "x", NULL);
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) executor = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_positive, "kept", x, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  executor = hyb_executor_new (graph, &options);
  for (gint64 n = 5; n < 8; n++)
    {
      bind (executor, "x", toy_row (n, -3));
      run (executor);
      g_assert_cmpint (hyb_tensor_get_size (hyb_executor_get_output (executor, 0)), ==, n - 4);
    }
}

typedef struct
{
  GCancellable *cancellable;
  guint         n_started;
} Impatient;

static void
cancel_at_once (gpointer data, const HybSpan *span)
{
  Impatient *impatient = data;

  impatient->n_started++;
  g_cancellable_cancel (impatient->cancellable);
}

static void
test_cancelling_between_operators (void)
{
  g_autoptr (HybGraph) graph = new_model ();

  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      HybExecutorOptions options = { .mode = mode };
      g_autoptr (HybExecutor) executor = new_executor (graph, &options, 20);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Impatient impatient = { cancellable, 0 };
      HybProbe  probe = { .data = &impatient, .begin = cancel_at_once };
      g_autoptr (GError) error = NULL;

      run (executor); /* plans, so that the probe sees operators first */
      hyb_executor_set_probe (executor, &probe);
      g_assert_false (hyb_executor_run (executor, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpuint (impatient.n_started, ==, 1);
      hyb_executor_set_probe (executor, NULL);
      run (executor);
    }
}

TEST_PROGRAM (test_executor)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/exec/executor/modes-give-the-same-bytes",
                   test_modes_give_the_same_bytes);
  g_test_add_func ("/engine/exec/executor/static-runs-allocate-nothing",
                   test_static_runs_allocate_nothing);
  g_test_add_func ("/engine/exec/executor/seeds-repeat", test_seeds_repeat);
  g_test_add_func ("/engine/exec/executor/the-callers-states-stay-as-they-are",
                   test_the_callers_states_stay_as_they_are);
  g_test_add_func ("/engine/exec/executor/alternating-lengths-keep-their-plans",
                   test_alternating_lengths_keep_their_plans);
  g_test_add_func ("/engine/exec/executor/outputs-may-become-inputs",
                   test_outputs_may_become_inputs);
  g_test_add_func ("/engine/exec/executor/rebinding-a-folded-parameter-counts",
                   test_rebinding_a_folded_parameter_counts);
  g_test_add_func ("/engine/exec/executor/everything-missing-is-named-at-once",
                   test_everything_missing_is_named_at_once);
  g_test_add_func ("/engine/exec/executor/labels-are-not-needed-for-inference",
                   test_labels_are_not_needed_for_inference);
  g_test_add_func ("/engine/exec/executor/shapes-are-checked-before-labels-are-made",
                   test_shapes_are_checked_before_labels_are_made);
  g_test_add_func ("/engine/exec/executor/labels-are-needed-for-training",
                   test_labels_are_needed_for_training);
  g_test_add_func ("/engine/exec/executor/shapes-that-show-only-while-running",
                   test_shapes_that_show_only_while_running);
  g_test_add_func ("/engine/exec/executor/cancelling-between-operators",
                   test_cancelling_between_operators);

  return g_test_run ();
}
