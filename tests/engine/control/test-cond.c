/* test-cond.c — _cond: the checks of op-check.h on samples and refusals, and branches whose
 * outputs differ in shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-case.h"
#include "tests/program.h"

#include <string.h>

/* --- Bodies: 0 is the predicate, 1 and 2 the branches --- */

/* p; sin(x) y; x + dropout(z). */
static HybGraph *
branch_bodies (guint index)
{
  HybBuilder *b = hyb_builder_new ();

  if (index == 0)
    return op_finish (b, op_node (b, "_copy", NULL, op_variable (b, "p"), HYB_NO_ID), HYB_NO_ID);

  HybValueId x = op_variable (b, "x");
  HybValueId other = op_variable (b, index == 1 ? "y" : "z");

  if (index == 1)
    return op_finish (b,
                      op_node (b, "elemwise_mul", NULL, op_node (b, "sin", NULL, x, HYB_NO_ID),
                               other, HYB_NO_ID),
                      HYB_NO_ID);
  return op_finish (b,
                    op_node (b, "elemwise_add", NULL, x,
                             op_node (b, "Dropout", "p=0.5", other, HYB_NO_ID), HYB_NO_ID),
                    HYB_NO_ID);
}

/* max(x) > 1; (x, x); x. */
static HybGraph *
shape_bodies (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");

  if (index == 0)
    {
      HybValueId max = op_node (b, "max", NULL, x, HYB_NO_ID);

      return op_finish (b, op_node (b, "_greater_scalar", "scalar=1", max, HYB_NO_ID), HYB_NO_ID);
    }
  if (index == 1)
    return op_finish (b, op_node (b, "Concat", "num_args=2 dim=0", x, x, HYB_NO_ID), HYB_NO_ID);
  return op_finish (b, x, HYB_NO_ID);
}

/* The predicate has as many elements as x. */
static HybGraph *
wide_bodies (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");

  return op_finish (b, op_node (b, "sin", NULL, x, HYB_NO_ID), HYB_NO_ID);
}

#define BRANCHES \
  "num_args=7 num_outputs=1 cond_input_locs=[0] then_input_locs=[1,2] else_input_locs=[1,3]"
#define ALONE "num_args=4 num_outputs=1 cond_input_locs=[0] then_input_locs=[0] else_input_locs=[0]"

static const OpSample samples[] = {
  { "_cond",
    "first branch",
    BRANCHES,
    { "i32[1] = 1", "f32[2,2]", "f32[2,2]", "f32[2,2]" },
    OP_SKIP_DOUBLE,
    branch_bodies },
  { "_cond",
    "second branch, with dropout",
    BRANCHES,
    { "i32[1] = 0", "f32[2,2]", "f32[2,2]", "f32[2,2]" },
    OP_SKIP_DOUBLE,
    branch_bodies },
  { "_cond",
    "any number but zero is true",
    BRANCHES,
    { "f64[1] = -0.25", "f64[2]", "f64[2]", "f64[2]" },
    OP_SKIP_GRADIENT,
    branch_bodies },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_cond",
    "a predicate of two elements",
    ALONE,
    { "f32[2]" },
    "its predicate must have one element, but its shape is (2,)",
    wide_bodies },
  { "_cond",
    "branches that contradict an input",
    BRANCHES,
    { "i32[1]", "f32[2]", "f32[2]", "f32[3]" },
    "in its else branch",
    branch_bodies },
  { "_cond",
    "an input that is not there",
    "num_args=4 num_outputs=1 cond_input_locs=[0] then_input_locs=[1] else_input_locs=[0]",
    { "f32[1]" },
    "then branch must lie between 0 and 0",
    wide_bodies },
  { "_cond",
    "other variables than the branch has",
    "num_args=4 num_outputs=1 cond_input_locs=[0] then_input_locs=[0,0] else_input_locs=[0]",
    { "f32[1]" },
    "its then branch has 1 variables",
    wide_bodies },
  { 0 },
};

static const HybMode all_modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };

static void
test_branches_may_differ_in_shape (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");
  HybGraph   *bodies[] = { shape_bodies (0), shape_bodies (1), shape_bodies (2) };
  HybValueId  y = op_node_with_bodies (b, "_cond", ALONE, &(OpOperands){ 1, &x, 3, bodies });
  g_autoptr (HybGraph) graph = op_finish (b, y, op_node (b, "sum", NULL, y, HYB_NO_ID), HYB_NO_ID);

  for (guint m = 0; m < G_N_ELEMENTS (all_modes); m++)
    for (int large = 0; large < 2; large++)
      {
        HybExecutorOptions options = { .mode = all_modes[m] };
        g_autoptr (HybTensor) given = op_tensor ("f32[2]", 0.5, large ? 3. : 0.75);
        g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
        g_autoptr (GError) error = NULL;

        hyb_executor_bind (executor, "x", given, NULL);
        hyb_executor_run (executor, NULL, &error);
        g_assert_no_error (error);
        op_assert_type (hyb_executor_get_output (executor, 0),
                        large ? "float32 (4,)" : "float32 (2,)");
        op_assert_near (hyb_executor_get_output (executor, 1), 1e-6, large ? 7. : 1.25);
      }
}

TEST_PROGRAM (test_cond)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("cond", hyb_ops_cond, samples, refusals);
  g_test_add_func ("/engine/ops/cond/branches-may-differ-in-shape",
                   test_branches_may_differ_in_shape);

  return g_test_run ();
}
