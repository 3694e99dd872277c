/* test-faults.c — an index outside of its axis ends a run with an error that names node, index and axis:
 * in every mode, inside of loops, and without harm to the next run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor.h"
#include "engine/exec/plan.h"

#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

#include <string.h>

static void
bind (HybExecutor *executor, const char *name, HybTensor *tensor /* (transfer full) */)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_bind (executor, name, tensor, &error);
  g_assert_no_error (error);
  hyb_tensor_unref (tensor);
}

/* One operator, called “picker”, that reads rows of “data” (or of constants) at “index”. */
static HybGraph *
new_reader (const char *op, const char *attributes)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  data = op_variable (builder, "data");
  HybValueId  index = op_variable (builder, "index");
  HybValueId  picked = op_node (builder, op, attributes, data, index, HYB_NO_ID);

  return op_finish (builder, op_node (builder, "sin", NULL, picked, HYB_NO_ID), HYB_NO_ID);
}

/* Runs with good, bad and again good indices; the bad run must fail with all of the words. */
static void
assert_refused (HybGraph          *graph,
                HybMode            mode,
                const char        *good,
                const char        *bad,
                const char *const *words)
{
  HybExecutorOptions options = { .mode = mode };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;

  bind (executor, "data", op_tensor_from_text ("f32[3,2] = 1,2,3,4,5,6", 0));
  for (guint round = 0; round < 3; round++)
    {
      bind (executor, "index", op_tensor_from_text (round == 1 ? bad : good, 0));
      g_assert_cmpint (hyb_executor_run (executor, NULL, &error), ==, round != 1);
      if (round != 1)
        g_assert_no_error (error);
      for (guint i = 0; round == 1 && words[i]; i++)
        if (!strstr (error->message, words[i]))
          g_error ("“%s” does not say “%s”", error->message, words[i]);
      g_clear_error (&error);
    }
}

static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };

static void
test_readers_refuse_in_every_mode (void)
{
  static const char *const gather[] = { "gather_nd", "index 3 ", "axis 0", "size 3", NULL };
  static const char *const column[] = { "gather_nd", "index -3 ", "axis 1", "size 2", NULL };
  static const char *const take[] = { "take", "index -1 ", "axis 0", "size 3", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (HybGraph) reader = new_reader ("gather_nd", NULL);
      g_autoptr (HybGraph) taker = new_reader ("take", "mode=raise");

      assert_refused (reader, modes[i], "f32[1,2] = 2,-3", "f32[1,2] = 2,3", gather);
      assert_refused (reader, modes[i], "i64[2,1] = 2,-2", "i64[2,1] = 2,-3", column);
      assert_refused (taker, modes[i], "i32[2] = 0,2", "i32[2] = 2,-1", take);
    }
}

/* As in MXNet, 1.5 selects element 1 of three, but 2.5 is beyond the last one. */
static void
test_a_fraction_beyond_the_last_element_is_outside (void)
{
  static const char *const words[] = { "index 2.5 ", "size 3", NULL };
  g_autoptr (HybGraph) reader = new_reader ("gather_nd", NULL);

  assert_refused (reader, HYB_MODE_STATIC, "f32[1,1] = 1.5", "f32[1,1] = 2.5", words);
}

/* Step i of the loop reads row index[i]. */
static HybGraph *
new_loop (void)
{
  HybBuilder *inner = hyb_builder_new (), *builder = hyb_builder_new ();
  HybValueId  row = op_variable (inner, "row");
  HybValueId  all = op_variable (inner, "all");
  HybGraph   *body =
      op_finish (inner, op_node (inner, "gather_nd", NULL, all, row, HYB_NO_ID), HYB_NO_ID);
  HybValueId data = op_variable (builder, "data");
  HybValueId index = op_variable (builder, "index");
  HybValueId loop =
      op_node_with_bodies (builder, "_foreach",
                           "num_args=3 num_outputs=1 num_out_data=1 "
                           "in_data_locs=(0,) in_state_locs=() remain_locs=(1,)",
                           &(OpOperands){ 2, (HybValueId[]){ index, data }, 1, &body });

  return op_finish (builder, loop, HYB_NO_ID);
}

static void
test_loops_end_with_the_node_inside (void)
{
  static const char *const words[] = { "_foreach", "gather_nd", "index 7 ", NULL };
  static const char *const planned[] = { "gather_nd", "index 7 ", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (HybGraph) loop = new_loop ();

      assert_refused (loop, modes[i], "i32[2,1,1] = 0,2", "i32[2,1,1] = 7,2",
                      modes[i] == HYB_MODE_IMPERATIVE ? words : planned);
    }
}

/* An index that is known while planning is refused then. */
static void
test_constant_indices_are_refused_while_planning (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  data = op_variable (builder, "data");
  HybValueId  index = op_node (builder, "_full", "shape=(1, 1) value=3", HYB_NO_ID);
  g_autoptr (HybGraph) graph =
      op_finish (builder, op_node (builder, "gather_nd", NULL, data, index, HYB_NO_ID), HYB_NO_ID);
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;

  bind (executor, "data", op_tensor_from_text ("f32[3,2]", 0));
  g_assert_false (hyb_executor_run (executor, NULL, &error));
  g_assert_nonnull (strstr (error->message, "index 3 is outside"));
}

/* A loop that factorises one matrix of “data” in each step. */
static HybGraph *
new_matrix_loop (void)
{
  HybBuilder *inner = hyb_builder_new (), *builder = hyb_builder_new ();
  HybValueId  matrix = op_variable (inner, "matrix");
  HybGraph   *body =
      op_finish (inner, op_node (inner, "_linalg_potrf", NULL, matrix, HYB_NO_ID), HYB_NO_ID);
  HybValueId data = op_variable (builder, "data");
  HybValueId loop = op_node_with_bodies (builder, "_foreach",
                                         "num_args=2 num_outputs=1 num_out_data=1 "
                                         "in_data_locs=(0,) in_state_locs=() remain_locs=()",
                                         &(OpOperands){ 1, &data, 1, &body });

  return op_finish (builder, loop, HYB_NO_ID);
}

/* [4 2; 2 5] = L Lᵀ with L = [2 0; 1 2]. */
static void
test_loops_factorise_matrices_and_refuse_the_wrong_one (void)
{
  static const float factor[] = { 2, 0, 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (HybGraph) loop = new_matrix_loop ();
      HybExecutorOptions options = { .mode = modes[i] };
      g_autoptr (HybExecutor) executor = hyb_executor_new (loop, &options);
      g_autoptr (GError) error = NULL;
      const float *got;

      bind (executor, "data", op_tensor_from_text ("f32[2,2,2] = 1,0,0,1, 4,2,2,5", 0));
      hyb_executor_run (executor, NULL, &error);
      g_assert_no_error (error);
      got = hyb_tensor_get_data (hyb_executor_get_output (executor, 0));
      for (guint k = 0; k < 4; k++)
        g_assert_cmpfloat_with_epsilon (got[4 + k], factor[k], 1e-6);

      bind (executor, "data", op_tensor_from_text ("f32[2,2,2] = 1,0,0,1, 1,2,2,1", 0));
      g_assert_false (hyb_executor_run (executor, NULL, &error));
      g_assert_nonnull (strstr (error->message, "_linalg_potrf"));
      g_assert_nonnull (strstr (error->message, "is not positive definite"));
    }
}

/* A graph in which values are checked keeps its plan. */
static void
test_graphs_that_check_matrices_are_planned (void)
{
  static const char *const ops[] = { "_linalg_potrf", "_linalg_potri", "_linalg_gelqf",
                                     "_linalg_syevd", "_linalg_inverse" };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      HybBuilder *builder = hyb_builder_new ();
      HybValueId  data = op_variable (builder, "data");
      g_autoptr (HybGraph) graph =
          op_finish (builder, op_node (builder, ops[i], NULL, data, HYB_NO_ID), HYB_NO_ID);
      HybType type = { hyb_shape_make (2, (gint64[]){ 2, 2 }), HYB_F32 };
      g_autoptr (GError) error = NULL;
      g_autoptr (HybPlan) plan = hyb_plan_new (graph, &type, &(HybPlanOptions){ 0 }, &error);

      g_assert_no_error (error);
      g_assert_false (hyb_plan_is_dynamic (plan));
    }
}

TEST_PROGRAM (test_faults)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/exec/faults/readers-refuse-in-every-mode",
                   test_readers_refuse_in_every_mode);
  g_test_add_func ("/engine/exec/faults/a-fraction-beyond-the-last-element-is-outside",
                   test_a_fraction_beyond_the_last_element_is_outside);
  g_test_add_func ("/engine/exec/faults/loops-end-with-the-node-inside",
                   test_loops_end_with_the_node_inside);
  g_test_add_func ("/engine/exec/faults/constant-indices-are-refused",
                   test_constant_indices_are_refused_while_planning);
  g_test_add_func ("/engine/exec/faults/loops-factorise-matrices-and-refuse-the-wrong-one",
                   test_loops_factorise_matrices_and_refuse_the_wrong_one);
  g_test_add_func ("/engine/exec/faults/graphs-that-check-matrices-are-planned",
                   test_graphs_that_check_matrices_are_planned);
  return g_test_run ();
}
