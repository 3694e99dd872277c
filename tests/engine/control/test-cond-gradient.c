/* test-cond-gradient.c — gradients of _cond: of the branch that ran, of inputs used twice, and of
 * branches with different shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

/* p; x · y; w + z, where w is x too: the same input twice. */
static HybGraph *
make_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();

  if (index == 0)
    return op_finish (b, op_node (b, "_copy", NULL, op_variable (b, "p"), HYB_NO_ID), HYB_NO_ID);
  if (index == 1)
    {
      HybValueId x = op_variable (b, "x");
      HybValueId y = op_variable (b, "y");

      return op_finish (b, op_node (b, "elemwise_mul", NULL, x, y, HYB_NO_ID), HYB_NO_ID);
    }

  HybValueId x = op_variable (b, "x");
  HybValueId w = op_variable (b, "w");
  HybValueId z = op_variable (b, "z");
  HybValueId square = op_node (b, "elemwise_mul", NULL, x, w, HYB_NO_ID);

  return op_finish (b, op_node (b, "elemwise_add", NULL, square, z, HYB_NO_ID), HYB_NO_ID);
}

static HybGraph *
make_graph (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybGraph   *bodies[] = { make_body (0), make_body (1), make_body (2) };
  HybValueId  inputs[4];
  HybValueId  y;

  inputs[0] = op_variable (b, "p");
  inputs[1] = op_variable (b, "x");
  inputs[2] = op_variable (b, "y");
  inputs[3] = op_variable (b, "z");
  y = op_node_with_bodies (b, "_cond",
                           "num_args=7 num_outputs=1 cond_input_locs=[0] then_input_locs=[1,2] "
                           "else_input_locs=[1,1,3]",
                           &(OpOperands){ 4, inputs, 3, bodies });
  return op_finish (b, y, HYB_NO_ID);
}

static HybExecutor *
run_gradients (double predicate)
{
  static const HybNodeId wrt[] = { 1, 2, 3 };
  HybExecutorOptions     options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybGraph) graph = make_graph ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) gradients = hyb_graph_with_gradients (graph, 3, wrt, &error);
  HybExecutor     *executor;
  guint            n;
  const HybNodeId *variables;

  g_assert_no_error (error);
  executor = hyb_executor_new (gradients, &options);
  variables = hyb_graph_get_variables (gradients, &n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HybTensor) tensor =
          i == 0 ? op_tensor ("i32[1]", predicate) : op_tensor ("f32[2]", i + 1., i + 2.);

      hyb_executor_bind (executor, hyb_graph_get_node (gradients, variables[i])->name, tensor,
                         NULL);
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  return executor;
}

/* x = (2, 3), y = (3, 4), z = (4, 5), incoming (5, 6). */
static void
test_branch_not_taken_gives_zeros (void)
{
  g_autoptr (HybExecutor) executor = run_gradients (1);

  op_assert_near (hyb_executor_get_output (executor, 1), 0, 15., 24.);
  op_assert_near (hyb_executor_get_output (executor, 2), 0, 10., 18.);
  op_assert_near (hyb_executor_get_output (executor, 3), 0, 0., 0.);
}

static void
test_an_input_used_twice_gets_the_sum (void)
{
  g_autoptr (HybExecutor) executor = run_gradients (0);

  op_assert_near (hyb_executor_get_output (executor, 1), 0, 20., 36.);
  op_assert_near (hyb_executor_get_output (executor, 2), 0, 0., 0.);
  op_assert_near (hyb_executor_get_output (executor, 3), 0, 5., 6.);
}

/* sum(x) > 1; (x, x); sin(x). */
static HybGraph *
shape_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");

  if (index == 0)
    {
      HybValueId sum = op_node (b, "sum", NULL, x, HYB_NO_ID);

      return op_finish (b, op_node (b, "_greater_scalar", "scalar=1", sum, HYB_NO_ID), HYB_NO_ID);
    }
  if (index == 1)
    return op_finish (b, op_node (b, "Concat", "num_args=2 dim=0", x, x, HYB_NO_ID), HYB_NO_ID);
  return op_finish (b, op_node (b, "_mul_scalar", "scalar=3", x, HYB_NO_ID), HYB_NO_ID);
}

static void
test_branches_of_different_shapes (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybGraph   *bodies[] = { shape_body (0), shape_body (1), shape_body (2) };
  HybValueId  x = op_variable (b, "x");
  HybValueId  y = op_node_with_bodies (b, "_cond",
                                       "num_args=4 num_outputs=1 cond_input_locs=[0] "
                                        "then_input_locs=[0] else_input_locs=[0]",
                                       &(OpOperands){ 1, &x, 3, bodies });
  HybValueId  square = op_node (b, "square", NULL, y, HYB_NO_ID);
  g_autoptr (HybGraph) graph =
      op_finish (b, op_node (b, "sum", NULL, square, HYB_NO_ID), HYB_NO_ID);
  g_autoptr (GError) error = NULL;
  HybNodeId wrt = 0;
  g_autoptr (HybGraph) gradients = hyb_graph_with_gradients (graph, 1, &wrt, &error);
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };

  g_assert_no_error (error);
  for (int large = 0; large < 2; large++)
    {
      g_autoptr (HybExecutor) executor = hyb_executor_new (gradients, &options);
      g_autoptr (HybTensor) given = op_tensor ("f32[2]", 0.25, large ? 2. : 0.5);
      g_autoptr (HybTensor) one = op_tensor ("f32[1]", 1.);

      hyb_executor_bind (executor, "x", given, NULL);
      hyb_executor_bind (executor, "sum_output_head_gradient", one, &error);
      hyb_executor_run (executor, NULL, &error);
      g_assert_no_error (error);
      if (large) /* 4 x */
        op_assert_near (hyb_executor_get_output (executor, 1), 1e-6, 1., 8.);
      else /* 18 x */
        op_assert_near (hyb_executor_get_output (executor, 1), 1e-6, 4.5, 9.);
    }
}

TEST_PROGRAM (test_cond_gradient)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/cond-gradient/branch-not-taken-gives-zeros",
                   test_branch_not_taken_gives_zeros);
  g_test_add_func ("/engine/ops/cond-gradient/an-input-used-twice-gets-the-sum",
                   test_an_input_used_twice_gets_the_sum);
  g_test_add_func ("/engine/ops/cond-gradient/branches-of-different-shapes",
                   test_branches_of_different_shapes);

  return g_test_run ();
}
