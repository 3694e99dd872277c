/* test-plan.c — steps, views, computing in place, and what is refused.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/plan.h"

#include "engine/analysis/pass.h"
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "tests/engine/exec/run-plan.h"
#include "tests/engine/toy-ops.h"
#include "tests/program.h"

static HybGraph *
chain (guint n, gboolean scan)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId value = hyb_builder_add_variable (builder, "x", NULL);

  for (guint i = 0; i < n; i++)
    value = toy_node (builder, scan ? &toy_scan : &toy_step, "next", value, HYB_NO_ID);
  hyb_builder_add_head (builder, value);
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

static void
test_chains_compute_in_place (void)
{
  g_autoptr (HybGraph) graph = chain (30, FALSE);
  g_autoptr (HybTensor) x = toy_row (16, 0);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybPlan) inside = plan_for (graph, &x, &options);
  g_autoptr (HybPlan) outside = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  g_assert_cmpuint (hyb_plan_get_memory (inside), ==, 64);
  options.bind_outputs = TRUE;
  outside = plan_for (graph, &x, &options);
  g_assert_cmpuint (hyb_plan_get_memory (outside), ==, 0);
  outputs = run_plan (outside, &x);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 15), ==, 45);
  g_assert_cmpfloat (hyb_tensor_get_value (x, 15), ==, 15);
}

static void
test_memory_is_shared_along_a_chain (void)
{
  g_autoptr (HybGraph) graph = chain (30, TRUE);
  g_autoptr (HybTensor) x = toy_row (16, 0);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybPlan) plan = plan_for (graph, &x, &options);

  /* Two values and the workspace between them. */
  g_assert_cmpuint (hyb_plan_get_memory (plan), ==, 3 * 64);
}

static void
test_views_are_no_steps (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     next = toy_node (builder, &toy_step, "next", x, HYB_NO_ID);
  HybValueId     tail = toy_node (builder, &toy_tail, "tail", next, HYB_NO_ID);
  HybValueId     flat = toy_node (builder, &toy_flat, "flat", tail, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE, .bind_outputs = TRUE };
  g_autoptr (HybTensor) data = toy_row (32, 0);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autofree char *text = NULL;

  hyb_builder_add_head (builder, flat);
  hyb_builder_add_head (builder, next);
  hyb_builder_add_head (builder, x);
  hyb_builder_add_head (builder, next);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, &data, &options);
  outputs = run_plan (plan, &data);
  text = hyb_plan_print (plan);
  g_test_message ("%s", text);

  g_assert_cmpuint (hyb_plan_n_steps (plan), ==, 1);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 0), ==, 17);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[1], 3), ==, 4);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[2], 3), ==, 3);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[3], 31), ==, 32);
  g_assert_cmpuint (hyb_plan_get_memory (plan), ==, 0);
}

static void
test_views_left_out_are_copies (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId  next = toy_node (builder, &toy_step, "next", x, HYB_NO_ID);
  HybValueId  tail = toy_node (builder, &toy_tail, "tail", next, HYB_NO_ID);
  const char *without[] = { "share-views", NULL };
  g_autoptr (HybTensor) data = toy_row (32, 0);
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_flat, "flat", tail, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  for (int copies = 0; copies < 2; copies++)
    {
      HybPlanOptions options = { .optimise = TRUE, .without = copies ? without : NULL };
      g_autoptr (HybPlan) plan = plan_for (graph, &data, &options);

      g_assert_cmpuint (hyb_plan_n_steps (plan), ==, copies ? 3 : 1);
    }
}

static void
test_equal_nodes_merge_and_constants_fold (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId  weight = hyb_builder_add_variable (builder, "weight", NULL);
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId  folded = toy_node (builder, &toy_step, "folded", weight, HYB_NO_ID);
  HybValueId  a = toy_node (builder, &toy_add, "a", x, folded);
  HybValueId  b = toy_node (builder, &toy_add, "b", x, folded);
  HybValueId  noise_a = toy_node (builder, &toy_noise, "n", a, HYB_NO_ID);
  HybValueId  noise_b = toy_node (builder, &toy_noise, "n", b, HYB_NO_ID);
  const char *without[] = { "merge-equal", NULL };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  HybTensor     *inputs[] = { data, data };
  HybTensor     *constants[] = { data, NULL };
  HybPlanOptions options = { .optimise = TRUE, .constants = constants };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  g_autoptr (HybPlan) plain = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autofree char *text = NULL;

  hyb_builder_add_head (builder, noise_a);
  hyb_builder_add_head (builder, noise_b);
  toy_node (builder, &toy_step, "dead", x, HYB_NO_ID);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, inputs, &options);
  text = hyb_plan_print (plan);

  g_assert_cmpuint (hyb_plan_n_steps (plan), ==, 3);
  g_assert_cmpuint (hyb_plan_n_variables (plan), ==, 2);
  g_assert_nonnull (strstr (text, "pass fold-constants: 1 values computed"));
  g_assert_nonnull (strstr (text, "pass merge-equal: 7 of 8 nodes left"));
  g_assert_nonnull (strstr (text, "pass drop-dead: 6 of 7 nodes left"));
  outputs = run_plan (plan, inputs);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs->pdata[0], 3), 11.5, 0.5);

  options.without = without;
  plain = plan_for (graph, inputs, &options);
  g_assert_cmpuint (hyb_plan_n_steps (plain), ==, 4);
}

static void
test_states_are_never_folded_or_viewed (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     state = toy_node (builder, &toy_zeros, "state", HYB_NO_ID, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_count, "count", x, state));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, &data, &options);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) outputs = run_plan (plan, &data);

      g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 0), ==, 1);
    }
}

/* zeros → flat → state: if flat were a view, counting would write the zeros. */
static void
test_views_of_states_are_copies (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     one = hyb_builder_add_variable (builder, "one", NULL);
  HybValueId     state = toy_node (builder, &toy_flat, "state", one, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (HybTensor) start = toy_row (1, 1);
  HybTensor *inputs[] = { data, start };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_count, "count", x, state));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, inputs, &options);
  outputs = run_plan (plan, inputs);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 0), ==, 2);
  g_assert_cmpfloat (hyb_tensor_get_value (start, 0), ==, 1);
}

static void
test_absurd_sizes_are_refused_with_a_name (void)
{
  g_autoptr (HybGraph) graph = chain (3, TRUE);
  HybType        type = { hyb_shape_2d (1 << 20, 1 << 30), HYB_F32 };
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_plan_new (graph, &type, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "“x”"));
  g_clear_error (&error);

  /* Each value fits, all together do not. */
  type.shape = hyb_shape_1d (1000);
  options.memory_limit = 9000;
  g_assert_null (hyb_plan_new (graph, &type, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "“next”"));
}

static void
test_limit_of_memory_is_the_most_a_plan_takes (void)
{
  g_autoptr (HybGraph) graph = chain (3, TRUE);
  HybType        type = { hyb_shape_1d (1000), HYB_F32 };
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybPlan) plan = hyb_plan_new (graph, &type, &options, &error);
  g_autoptr (HybPlan) same = NULL;
  g_autoptr (HybPlan) less = NULL;
  gsize memory;

  g_assert_no_error (error);
  memory = hyb_plan_get_memory (plan);
  g_assert_cmpuint (memory, >=, 4000);
  hyb_limits_set (memory, 0);
  same = hyb_plan_new (graph, &type, &options, &error);
  g_assert_no_error (error);
  hyb_limits_set (memory - 1, 0);
  less = hyb_plan_new (graph, &type, &options, &error);
  hyb_limits_set (0, 0);
  g_assert_null (less);
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_SMALLER);
}

static void
test_unknown_types_are_refused_together (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     a = hyb_builder_add_variable (builder, "a", NULL);
  HybValueId     b = hyb_builder_add_variable (builder, "b", NULL);
  HybType        types[2] = { HYB_TYPE_UNKNOWN, HYB_TYPE_UNKNOWN };
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_add, "sum", a, b));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  g_assert_null (hyb_plan_new (graph, types, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "“a”, “b”"));
}

static void
test_passes_have_names (void)
{
  g_autoptr (HybGraph) graph = chain (3, TRUE);
  HybType        type = { hyb_shape_1d (3), HYB_F32 };
  const char    *without[] = { "fold-nothing", NULL };
  HybPlanOptions options = { .optimise = TRUE, .without = without };
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_plan_new (graph, &type, &options, &error));
  g_assert_nonnull (strstr (error->message, "“fold-nothing”"));
  g_assert_nonnull (strstr (error->message, "merge-equal"));
}

static void
note_pass (gpointer data, const HybSpan *span)
{
  g_assert_cmpint (span->kind, ==, HYB_SPAN_PASS);
  g_string_append_printf (data, "%s ", hyb_passes ()[span->id]->name);
}

static void
test_the_probe_sees_passes (void)
{
  g_autoptr (HybGraph) graph = chain (3, TRUE);
  g_autoptr (HybTensor) x = toy_row (16, 0);
  g_autoptr (GString) seen = g_string_new (NULL);
  HybProbe       probe = { .data = seen, .begin = note_pass };
  const char    *without[] = { "merge-equal", NULL };
  HybPlanOptions options = { .optimise = TRUE, .without = without, .probe = &probe };
  g_autoptr (HybPlan) plan = plan_for (graph, &x, &options);

  g_assert_nonnull (plan);
  g_assert_true (g_str_has_prefix (seen->str, "lower infer-types fold-literals integer-layers "));
  g_assert_null (strstr (seen->str, "merge-equal"));
}

static void
test_dynamic_shapes_are_told (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     kept = toy_node (builder, &toy_positive, "kept", x, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_step, "next", kept, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, &data, &options);
  g_assert_true (hyb_plan_is_dynamic (plan));
}

static void
do_nothing (const HybCall *call, const HybRun *run)
{
}

static void
test_dispatch_takes_little_time (void)
{
  static const HybOp nothing = {
    .name = "nothing", .inputs = toy_two, .infer_shape = hyb_rule_same_shape, .forward = do_nothing
  };
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     value = x;
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  HybRun context = { .cancellable = cancellable };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  gint64    start = g_get_monotonic_time ();
  gpointer  room, memory;
  HybFrame *frame;

  for (int i = 0; i < 20000; i++)
    value = toy_node (builder, &nothing, "", value, x);
  hyb_builder_add_head (builder, value);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  start = g_get_monotonic_time ();
  plan = plan_for (graph, &data, &options);
  g_test_message ("planning 20000 nodes: %.1f ms",
                  (double) (g_get_monotonic_time () - start) / 1000);

  room = aligned_room (hyb_frame_size (plan));
  memory = aligned_room (hyb_plan_get_memory (plan));
  frame = hyb_frame_init (room, plan, memory);
  hyb_frame_bind_variable (frame, 0, hyb_tensor_get_data (data));
  g_assert_true (hyb_frame_run (frame, &context));
  start = g_get_monotonic_time ();
  for (int i = 0; i < 20; i++)
    g_assert_true (hyb_frame_run (frame, &context));
  g_test_message ("%.1f ns an operator",
                  (double) (g_get_monotonic_time () - start) * 1000 / 20 / hyb_plan_n_steps (plan));

  g_cancellable_cancel (cancellable);
  g_assert_false (hyb_frame_run (frame, &context));
  free (room);
  free (memory);
}

TEST_PROGRAM (test_plan)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/exec/plan/chains-compute-in-place", test_chains_compute_in_place);
  g_test_add_func ("/engine/exec/plan/memory-is-shared-along-a-chain",
                   test_memory_is_shared_along_a_chain);
  g_test_add_func ("/engine/exec/plan/views-are-no-steps", test_views_are_no_steps);
  g_test_add_func ("/engine/exec/plan/views-left-out-are-copies", test_views_left_out_are_copies);
  g_test_add_func ("/engine/exec/plan/equal-nodes-merge-and-constants-fold",
                   test_equal_nodes_merge_and_constants_fold);
  g_test_add_func ("/engine/exec/plan/states-are-never-folded-or-viewed",
                   test_states_are_never_folded_or_viewed);
  g_test_add_func ("/engine/exec/plan/views-of-states-are-copies", test_views_of_states_are_copies);
  g_test_add_func ("/engine/exec/plan/absurd-sizes-are-refused-with-a-name",
                   test_absurd_sizes_are_refused_with_a_name);
  g_test_add_func ("/engine/exec/plan/limit-of-memory-is-the-most-a-plan-takes",
                   test_limit_of_memory_is_the_most_a_plan_takes);
  g_test_add_func ("/engine/exec/plan/unknown-types-are-refused-together",
                   test_unknown_types_are_refused_together);
  g_test_add_func ("/engine/exec/plan/passes-have-names", test_passes_have_names);
  g_test_add_func ("/engine/exec/plan/the-probe-sees-passes", test_the_probe_sees_passes);
  g_test_add_func ("/engine/exec/plan/dynamic-shapes-are-told", test_dynamic_shapes_are_told);
  g_test_add_func ("/engine/exec/plan/dispatch-takes-little-time", test_dispatch_takes_little_time);

  return g_test_run ();
}
