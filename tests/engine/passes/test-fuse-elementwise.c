/* test-fuse-elementwise.c — chains of pointwise operators as one node: where they should be,
 * where they must not be, and the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define CHAIN "_elementwise_chain"
/* Elements from which on values are fused; a whole number of blocks. */
#define LARGE 4194304
/* Elements that differ from each other; blocks are none of its multiples. */
#define PERIOD 4099

/* What operators are told; others need nothing. */
static const struct
{
  const char *op, *attributes[5];
} told[] = {
  { "_mul_scalar", { "scalar", "0.75" } },
  { "_rminus_scalar", { "scalar", "0.75" } },
  { "Activation", { "act_type", "softsign" } },
  { "clip", { "a_min", "-0.5", "a_max", "0.9" } },
};

static HybValueId
call (HybBuilder *builder, const char *op, HybValueId a, HybValueId b)
{
  const char *const *attributes = NULL;
  HybValueId         inputs[] = { a, b };
  g_autoptr (GError) error = NULL;
  HybValueId value;

  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    if (g_str_equal (op, told[i].op))
      attributes = told[i].attributes;
  value = hyb_builder_call (builder, op,
                            &(HybNodeSpec){ .name = op,
                                            .n_inputs = b == HYB_NO_ID ? 1 : 2,
                                            .inputs = inputs,
                                            .attributes = attributes },
                            &error);
  g_assert_no_error (error);
  return value;
}

static HybValueId
apply (HybBuilder *builder, const char *op, HybValueId value)
{
  return call (builder, op, value, HYB_NO_ID);
}

/* One of every family, x read again at the end and a value read twice on the way. */
static HybGraph *
long_chain (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId y = hyb_builder_add_variable (builder, "y", NULL);
  HybValueId value = apply (builder, "_mul_scalar", x), other;

  value = apply (builder, "tanh", value);
  other = apply (builder, "square", apply (builder, "Activation", y));
  value = call (builder, "elemwise_add", value, other);
  value = call (builder, "elemwise_mul", value, value);
  value = apply (builder, "sigmoid", apply (builder, "clip", value));
  value = call (builder, "broadcast_sub", apply (builder, "sin", x), value);
  hyb_builder_add_head (builder, apply (builder, "_rminus_scalar", value));
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

/* --- Running --- */

static void
bind (HybExecutor *executor, HybGraph *graph, gint64 rows, gint64 columns)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint v = 0; v < n; v++)
    {
      HybType type = { hyb_shape_2d (rows, columns), HYB_F32 };
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);
      float *values = hyb_tensor_get_data (tensor);

      for (gint64 i = 0; i < rows * columns; i++)
        values[i] = i >= PERIOD ? values[i - PERIOD]
                                : (float) (2 * sin (0.7 * (double) (i + 1) + 3 * (double) v));
      hyb_executor_bind (executor, hyb_graph_get_node (graph, variables[v])->name, tensor, &error);
      g_assert_no_error (error);
    }
}

static HybExecutor *
run (HybGraph *graph, gint64 rows, gint64 columns, gboolean fuses, gboolean training)
{
  static const char *const without[] = { "fuse-elementwise", NULL };
  HybExecutorOptions       options = { .mode = HYB_MODE_STATIC,
                                       .training = training,
                                       .without = fuses ? NULL : without };
  HybExecutor             *executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;

  bind (executor, graph, rows, columns);
  for (guint turn = 0; turn < 2; turn++)
    g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

static void
compare (HybExecutor *a, HybExecutor *b)
{
  g_assert_cmpuint (hyb_executor_n_outputs (a), ==, hyb_executor_n_outputs (b));
  for (guint i = 0; i < hyb_executor_n_outputs (a); i++)
    {
      HybTensor *x = hyb_executor_get_output (a, i), *y = hyb_executor_get_output (b, i);

      g_assert_cmpmem (hyb_tensor_get_data (x), hyb_tensor_get_bytes (x), hyb_tensor_get_data (y),
                       hyb_tensor_get_bytes (y));
    }
}

/* The same bytes with and without the pass; returns how many chains there are. */
static guint
check (HybGraph *graph, gint64 rows, gint64 columns, gboolean training)
{
  g_autoptr (HybExecutor) fused = run (graph, rows, columns, TRUE, training);
  g_autoptr (HybExecutor) plain = run (graph, rows, columns, FALSE, training);

  compare (fused, plain);
  g_assert_cmpuint (op_count_planned (plain, CHAIN), ==, 0);
  return op_count_planned (fused, CHAIN);
}

/* --- Where there is one --- */

static void
test_a_chain_is_one_node (void)
{
  g_autoptr (HybGraph) graph = long_chain ();
  g_autoptr (HybExecutor) fused = run (graph, 1, LARGE, TRUE, FALSE);
  const HybPlan   *plan = hyb_executor_get_plan (fused);
  g_autofree char *text = hyb_plan_print (plan);

  g_assert_cmpuint (hyb_plan_n_steps (plan), ==, 1);
  g_assert_nonnull (strstr (text, "pass fuse-elementwise: 3 of 13 nodes left"));
  g_assert_nonnull (strstr (text, CHAIN " “_rminus_scalar”"));
  g_assert_nonnull (strstr (text, "_mul_scalar, tanh, "));
  g_assert_nonnull (strstr (text, " and 5 more"));
}

/* Members are what they were: that is how a profile finds what it has measured. */
static void
test_members_keep_their_origin (void)
{
  g_autoptr (HybGraph) graph = long_chain ();
  g_autoptr (HybExecutor) fused = run (graph, 1, LARGE, TRUE, FALSE);
  HybGraph *planned = hyb_plan_get_graph (hyb_executor_get_plan (fused));
  guint     n_members = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (planned); id++)
    {
      HybGraph *body;

      if (hyb_graph_get_node (planned, id)->n_bodies == 0)
        continue;
      g_assert_cmpuint (hyb_graph_get_node (planned, id)->origin, ==,
                        hyb_graph_n_nodes (graph) - 1);
      body = hyb_graph_get_bodies (planned, id)[0];
      for (HybNodeId i = 0; i < hyb_graph_n_nodes (body); i++)
        {
          const HybNode *member = hyb_graph_get_node (body, i);

          if (hyb_node_is_variable (member))
            continue;
          g_assert_true (member->op == hyb_graph_get_node (graph, member->origin)->op);
          n_members++;
        }
    }
  g_assert_cmpuint (n_members, ==, hyb_graph_n_nodes (graph) - 2);
}

static void
test_bytes_are_the_same (void)
{
  static const gint64 sizes[][2] = { { 1, LARGE }, { 1, LARGE + 1 }, { 3, LARGE / 3 + 4099 } };
  g_autoptr (HybGraph) graph = long_chain ();

  for (guint threads = 1; threads <= 2; threads++)
    {
      hyb_parallel_set_threads (threads);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        g_assert_cmpuint (check (graph, sizes[i][0], sizes[i][1], FALSE), ==, 1);
    }
  hyb_parallel_set_threads (0);
}

static void
test_threads_do_not_matter (void)
{
  g_autoptr (HybGraph) graph = long_chain ();
  g_autoptr (HybExecutor) one = NULL;
  g_autoptr (HybExecutor) two = NULL;

  hyb_parallel_set_threads (1);
  one = run (graph, 1, LARGE + 4099, TRUE, FALSE);
  hyb_parallel_set_threads (2);
  two = run (graph, 1, LARGE + 4099, TRUE, FALSE);
  compare (one, two);
  hyb_parallel_set_threads (0);
}

/* --- Where there is none --- */

static void
test_small_values_stay (void)
{
  static const gint64 sizes[][2] = { { 0, 4 }, { 1, 1 }, { 3, 5 }, { 1, LARGE - 1 } };
  g_autoptr (HybGraph) graph = long_chain ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    g_assert_cmpuint (check (graph, sizes[i][0], sizes[i][1], FALSE), ==, 0);
}

/* tanh of a square that somebody else reads: a head, or a sum over everything. */
static void
check_seen (gboolean is_head)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId seen = apply (builder, "square", hyb_builder_add_variable (builder, "x", NULL));
  HybValueId last = apply (builder, "exp", apply (builder, "tanh", seen));
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) fused = NULL;

  hyb_builder_add_head (builder, last);
  hyb_builder_add_head (builder, is_head ? seen : apply (builder, "sum", seen));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  g_assert_cmpuint (check (graph, 5, LARGE / 5 + 1, FALSE), ==, 1);
  fused = run (graph, 5, LARGE / 5 + 1, TRUE, FALSE);
  g_assert_cmpuint (op_count_planned (fused, "square"), ==, 1);
  g_assert_cmpuint (op_count_planned (fused, "tanh"), ==, 0);
}

static void
test_what_others_read_stays (void)
{
  check_seen (TRUE);
  check_seen (FALSE);
}

/* A transposition is no member, nor is what has another shape behind it. */
static void
test_other_shapes_end_a_chain (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId value = apply (builder, "exp", apply (builder, "tanh", x));
  HybValueId rows = apply (builder, "Flatten", apply (builder, "abs", value));
  g_autoptr (HybGraph) graph = NULL;

  value = apply (builder, "sigmoid", apply (builder, "transpose", value));
  hyb_builder_add_head (builder, apply (builder, "square", value));
  hyb_builder_add_head (builder, call (builder, "broadcast_add", rows, apply (builder, "sum", x)));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  g_assert_cmpuint (check (graph, 7, LARGE / 7 + 1, FALSE), ==, 2);
}

/* The sum of values that are made one after the other: to add all at the end would keep all of
 * them. */
static void
test_memory_does_not_grow (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId value = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId sum = HYB_NO_ID;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) fused = NULL;
  g_autoptr (HybExecutor) plain = NULL;

  for (guint i = 0; i < 6; i++)
    {
      value = apply (builder, "softmax", value);
      sum = sum == HYB_NO_ID ? value : call (builder, "elemwise_add", sum, value);
    }
  hyb_builder_add_head (builder, sum);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  fused = run (graph, 2048, 2048, TRUE, FALSE);
  plain = run (graph, 2048, 2048, FALSE, FALSE);
  compare (fused, plain);
  g_assert_cmpuint (hyb_plan_get_memory (hyb_executor_get_plan (fused)), <=,
                    hyb_plan_get_memory (hyb_executor_get_plan (plain)));
}

/* --- While training --- */

static void
test_gradients_are_the_same (void)
{
  g_autoptr (HybGraph) graph = long_chain ();
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) both = hyb_graph_with_gradients (graph, n, variables, &error);

  g_assert_no_error (error);
  for (guint threads = 1; threads <= 2; threads++)
    {
      hyb_parallel_set_threads (threads);
      g_assert_cmpuint (check (both, 1, LARGE + 4099, TRUE), >=, 2);
    }
  hyb_parallel_set_threads (0);
}

TEST_PROGRAM (test_fuse_elementwise)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/fuse-elementwise/a-chain-is-one-node", test_a_chain_is_one_node);
  g_test_add_func ("/engine/passes/fuse-elementwise/members-keep-their-origin",
                   test_members_keep_their_origin);
  g_test_add_func ("/engine/passes/fuse-elementwise/bytes-are-the-same", test_bytes_are_the_same);
  g_test_add_func ("/engine/passes/fuse-elementwise/threads-do-not-matter",
                   test_threads_do_not_matter);
  g_test_add_func ("/engine/passes/fuse-elementwise/small-values-stay", test_small_values_stay);
  g_test_add_func ("/engine/passes/fuse-elementwise/what-others-read-stays",
                   test_what_others_read_stays);
  g_test_add_func ("/engine/passes/fuse-elementwise/other-shapes-end-a-chain",
                   test_other_shapes_end_a_chain);
  g_test_add_func ("/engine/passes/fuse-elementwise/memory-does-not-grow",
                   test_memory_does_not_grow);
  g_test_add_func ("/engine/passes/fuse-elementwise/gradients-are-the-same",
                   test_gradients_are_the_same);

  return g_test_run ();
}
