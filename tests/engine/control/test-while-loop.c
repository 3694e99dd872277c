/* test-while-loop.c — _while_loop: the checks of op-check.h on samples and refusals; loops that
 * stop early or make no step, and loop variables that change their shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/gradient-check.h"
#include "engine/exec/executor.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-case.h"
#include "tests/program.h"

#include <string.h>

/* --- Bodies: index 0 is the condition, 1 a step --- */

/* Condition: i < 3.  Step (x, i): out = sin(x); x = sin(x), i = i + 1. */
static HybGraph *
count_bodies (guint index)
{
  HybBuilder *b = hyb_builder_new ();

  if (index == 0)
    {
      HybValueId i = op_variable (b, "i");

      return op_finish (b, op_node (b, "_lesser_scalar", "scalar=3", i, HYB_NO_ID), HYB_NO_ID);
    }
  else
    {
      HybValueId x = op_variable (b, "x");
      HybValueId i = op_variable (b, "i");
      HybValueId y = op_node (b, "sin", NULL, x, HYB_NO_ID);
      HybValueId next = op_node (b, "_plus_scalar", "scalar=1", i, HYB_NO_ID);

      return op_finish (b, y, y, next, HYB_NO_ID);
    }
}

/* As before; x also gets w and dropout. */
static HybGraph *
captured_bodies (guint index)
{
  HybBuilder *b = hyb_builder_new ();

  if (index == 0)
    {
      HybValueId i = op_variable (b, "i");
      HybValueId limit = op_variable (b, "limit");

      return op_finish (b, op_node (b, "broadcast_lesser", NULL, i, limit, HYB_NO_ID), HYB_NO_ID);
    }
  else
    {
      HybValueId w = op_variable (b, "w");
      HybValueId x = op_variable (b, "x");
      HybValueId i = op_variable (b, "i");
      HybValueId product = op_node (b, "elemwise_mul", NULL, x, w, HYB_NO_ID);
      HybValueId dropped = op_node (b, "Dropout", "p=0.3", product, HYB_NO_ID);
      HybValueId y = op_node (b, "elemwise_add", NULL, dropped, x, HYB_NO_ID);
      HybValueId next = op_node (b, "_plus_scalar", "scalar=1", i, HYB_NO_ID);

      return op_finish (b, dropped, y, next, HYB_NO_ID);
    }
}

/* Condition: sum(x) < 20.  Step (x): out = sum(x); x = (x, x). */
static HybGraph *
grow_bodies (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");
  HybValueId  sum = op_node (b, "sum", NULL, x, HYB_NO_ID);

  if (index == 0)
    return op_finish (b, op_node (b, "_lesser_scalar", "scalar=20", sum, HYB_NO_ID), HYB_NO_ID);
  return op_finish (b, sum, op_node (b, "Concat", "num_args=2 dim=0", x, x, HYB_NO_ID), HYB_NO_ID);
}

/* Condition: i < 3.  Step (x, i): x = tanh(x wᵀ), out = x. */
static HybGraph *
dense_bodies (guint index)
{
  if (index == 0)
    return count_bodies (0);

  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");
  HybValueId  i = op_variable (b, "i");
  HybValueId  w = op_variable (b, "w");
  HybValueId  y = op_node (b, "FullyConnected", "num_hidden=2 no_bias=True", x, w, HYB_NO_ID);
  HybValueId  h = op_node (b, "tanh", NULL, y, HYB_NO_ID);

  return op_finish (b, h, h, op_node (b, "_plus_scalar", "scalar=1", i, HYB_NO_ID), HYB_NO_ID);
}

/* A condition of two elements. */
static HybGraph *
wide_bodies (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");

  if (index == 0)
    return op_finish (b, op_node (b, "_lesser_scalar", "scalar=20", x, HYB_NO_ID), HYB_NO_ID);
  return op_finish (b, op_node (b, "sin", NULL, x, HYB_NO_ID), HYB_NO_ID);
}

#define COUNT                                                                     \
  "num_args=4 num_outputs=3 num_out_data=1 max_iterations=5 cond_input_locs=[1] " \
  "func_input_locs=[0,1] func_var_locs=[0,1]"
#define CAPTURED                                                                    \
  "num_args=6 num_outputs=3 num_out_data=1 max_iterations=4 cond_input_locs=[1,3] " \
  "func_input_locs=[2,0,1] func_var_locs=[1,2]"
#define GROW                                                                      \
  "num_args=3 num_outputs=2 num_out_data=1 max_iterations=6 cond_input_locs=[0] " \
  "func_input_locs=[0] func_var_locs=[0]"

static const OpSample samples[] = {
  { "_while_loop",
    "stops early",
    COUNT,
    { "f32[2,2]", "i32[1] = 0" },
    OP_SKIP_DOUBLE,
    count_bodies },
  { "_while_loop",
    "stops after one step",
    COUNT,
    { "f32[2]", "i32[1] = 2" },
    OP_SKIP_DOUBLE,
    count_bodies },
  { "_while_loop",
    "reaches the maximum",
    COUNT,
    { "f32[2]", "i32[1] = -9" },
    OP_SKIP_DOUBLE,
    count_bodies },
  { "_while_loop",
    "makes no step",
    COUNT,
    { "f32[2]", "i32[1] = 3" },
    OP_SKIP_DOUBLE,
    count_bodies },
  { "_while_loop",
    "captured values and dropout",
    CAPTURED,
    { "f32[3]", "i32[1] = 0", "f32[3]", "i32[1] = 3" },
    OP_SKIP_DOUBLE,
    captured_bodies },
  { "_while_loop",
    "a dense layer, stopped early",
    "num_args=5 num_outputs=3 num_out_data=1 max_iterations=5 cond_input_locs=[1] "
    "func_input_locs=[0,1,2] func_var_locs=[0,1]",
    { "f32[3,2]", "i32[1] = 1", "f32[2,2]" },
    OP_SKIP_DOUBLE,
    dense_bodies },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_while_loop",
    "a condition of two elements",
    "num_args=3 num_outputs=1 num_out_data=0 max_iterations=6 cond_input_locs=[0] "
    "func_input_locs=[0] func_var_locs=[0]",
    { "f32[2]" },
    "must have one element, but its shape is (2,)",
    wide_bodies },
  { "_while_loop",
    "no limit",
    "num_args=3 num_outputs=1 num_out_data=0",
    { "f32[2]" },
    "max_iterations",
    wide_bodies },
  { "_while_loop",
    "a variable twice",
    "num_args=4 num_outputs=3 num_out_data=1 max_iterations=5 cond_input_locs=[1] "
    "func_input_locs=[0,1] func_var_locs=[0,0]",
    { "f32[2]", "i32[1]" },
    "names variable 0 twice",
    count_bodies },
  { "_while_loop",
    "an input that is not there",
    "num_args=4 num_outputs=3 num_out_data=1 max_iterations=5 cond_input_locs=[7] "
    "func_input_locs=[0,1] func_var_locs=[0,1]",
    { "f32[2]", "i32[1]" },
    "cond_input_locs must lie between 0 and 1",
    count_bodies },
  { 0 },
};

/* --- Cases that samples do not cover --- */

static HybGraph *
loop_graph (HybGraph *(*body) (guint index),
            const char *attributes,
            guint       n_inputs,
            guint       n_outputs)
{
  HybBuilder *b = hyb_builder_new ();
  HybGraph   *bodies[] = { body (0), body (1) };
  HybValueId  inputs[8];
  HybValueId  first;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);

      inputs[i] = op_variable (b, name);
    }
  first = op_node_with_bodies (b, "_while_loop", attributes,
                               &(OpOperands){ n_inputs, inputs, 2, bodies });
  for (guint o = 0; o < n_outputs; o++)
    hyb_builder_add_head (b, first + o);
  return hyb_builder_freeze (b);
}

static HybExecutor *
run_bound (HybGraph *graph, HybMode mode, HybTensor **tensors, guint n, GError **error)
{
  HybExecutorOptions options = { .mode = mode };
  HybExecutor       *executor = hyb_executor_new (graph, &options);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);

      g_assert_true (hyb_executor_bind (executor, name, tensors[i], NULL));
    }
  hyb_executor_run (executor, NULL, error);
  return executor;
}

static const HybMode all_modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };

/* Rows past the last step are zero, and the hidden output is the number of steps. */
static void
test_missing_rows_are_zero_and_steps_are_counted (void)
{
  g_autoptr (HybGraph) graph = loop_graph (count_bodies, COUNT, 2, 4);
  g_autoptr (HybTensor) x = op_tensor ("f32[1]", 0.5);
  g_autoptr (HybTensor) i = op_tensor ("i32[1]", 1.);

  for (guint m = 0; m < G_N_ELEMENTS (all_modes); m++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HybExecutor) executor =
          run_bound (graph, all_modes[m], (HybTensor *[]){ x, i }, 2, &error);

      g_assert_no_error (error);
      op_assert_near (hyb_executor_get_output (executor, 0), 1e-6, 0.479425539, 0.461269558, 0., 0.,
                      0.);
      op_assert_near (hyb_executor_get_output (executor, 2), 0, 3.);
      op_assert_type (hyb_executor_get_output (executor, 3), "int64 (1,)");
      op_assert_near (hyb_executor_get_output (executor, 3), 0, 2.);
    }
}

static void
test_loop_variable_may_change_its_shape (void)
{
  g_autoptr (HybGraph) graph = loop_graph (grow_bodies, GROW, 1, 3);
  g_autoptr (HybTensor) x = op_tensor ("f32[2]", 1., 2.);

  for (guint m = 0; m < G_N_ELEMENTS (all_modes); m++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HybExecutor) executor = run_bound (graph, all_modes[m], &x, 1, &error);

      g_assert_no_error (error);
      op_assert_near (hyb_executor_get_output (executor, 0), 0, 3., 6., 12., 0., 0., 0.);
      op_assert_type (hyb_executor_get_output (executor, 1), "float32 (16,)");
      op_assert_near (hyb_executor_get_output (executor, 2), 0, 3.);
    }
}

/* Condition: i < 3.  Step (x, i, w): x = (x, sin(x w)), out = sum(x). */
static HybGraph *
grow_with_weight_bodies (guint index)
{
  if (index == 0)
    return count_bodies (0);

  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");
  HybValueId  i = op_variable (b, "i");
  HybValueId  w = op_variable (b, "w");
  HybValueId  y = op_node (b, "broadcast_mul", NULL, x, w, HYB_NO_ID);
  HybValueId z = op_node (b, "Dropout", "p=0.3", op_node (b, "sin", NULL, y, HYB_NO_ID), HYB_NO_ID);
  HybValueId grown = op_node (b, "Concat", "num_args=2 dim=0", x, z, HYB_NO_ID);

  return op_finish (b, op_node (b, "sum", NULL, grown, HYB_NO_ID), grown,
                    op_node (b, "_plus_scalar", "scalar=1", i, HYB_NO_ID), HYB_NO_ID);
}

static void
test_growing_loop_variable_has_a_gradient (void)
{
  const char *attributes =
      "num_args=5 num_outputs=3 num_out_data=1 max_iterations=5 cond_input_locs=[1] "
      "func_input_locs=[0,1,2] func_var_locs=[0,1]";
  g_autoptr (HybGraph) graph = loop_graph (grow_with_weight_bodies, attributes, 3, 3);
  HybNodeId        wrt[] = { 0, 2 };
  HybGradientCheck check = { .graph = graph, .n_wrt = 2, .wrt = wrt, .seed = 1, .training = TRUE };

  for (int first = 0; first < 4; first++) /* 3 steps to none */
    {
      g_autoptr (HybTensor) x = op_tensor_from_text ("f32[2]", 0);
      g_autoptr (HybTensor) i = op_tensor ("i32[1]", (double) first);
      g_autoptr (HybTensor) w = op_tensor_from_text ("f32[1] 0.5..2", 2);
      HybTensor *variables[] = { x, i, w };
      g_autoptr (GError) error = NULL;

      check.variables = variables;
      hyb_gradient_check (&check, &error);
      g_assert_no_error (error);
    }
}

/* A loop with changing shapes that makes no step: rows have the shape of the first step's. */
static void
test_no_step_of_a_growing_loop (void)
{
  g_autoptr (HybGraph) graph = loop_graph (grow_bodies, GROW, 1, 2);
  g_autoptr (HybTensor) x = op_tensor ("f32[2]", 11., 22.);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybExecutor) executor = run_bound (graph, HYB_MODE_STATIC, &x, 1, &error);

  g_assert_no_error (error);
  op_assert_type (hyb_executor_get_output (executor, 0), "float32 (6, 1)");
  op_assert_near (hyb_executor_get_output (executor, 1), 0, 11., 22.);
}

TEST_PROGRAM (test_while_loop)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("while-loop", hyb_ops_while_loop, samples, refusals);
  g_test_add_func ("/engine/ops/while-loop/missing-rows-are-zero-and-steps-are-counted",
                   test_missing_rows_are_zero_and_steps_are_counted);
  g_test_add_func ("/engine/ops/while-loop/loop-variable-may-change-its-shape",
                   test_loop_variable_may_change_its_shape);
  g_test_add_func ("/engine/ops/while-loop/growing-loop-variable-has-a-gradient",
                   test_growing_loop_variable_has_a_gradient);
  g_test_add_func ("/engine/ops/while-loop/no-step-of-a-growing-loop",
                   test_no_step_of_a_growing_loop);

  return g_test_run ();
}
