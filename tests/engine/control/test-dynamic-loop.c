/* test-dynamic-loop.c — loops whose types are known only while running.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/exec/executor.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <string.h>

/* Variables: row, state.  Output and state: the state and the row, one after the other. */
static HybGraph *
growing_output_graph (void)
{
  HybBuilder *b = hyb_builder_new (), *outer = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row"), state = op_variable (b, "state");
  HybValueId  grown = op_node (b, "Concat", "num_args=2 dim=0", state, row, HYB_NO_ID);
  HybGraph   *body = op_finish (b, grown, grown, HYB_NO_ID);
  HybValueId  inputs[] = { op_variable (outer, "x"), op_variable (outer, "s") };
  HybValueId  first =
      op_node_with_bodies (outer, "_foreach",
                           "num_args=3 num_outputs=2 num_out_data=1 in_data_locs=[0] "
                           "in_state_locs=[1] remain_locs=()",
                           &(OpOperands){ 2, inputs, 1, &body });

  return op_finish (outer, first, first + 1, HYB_NO_ID);
}

/* The rows of an output have one shape. */
static void
test_output_may_not_change_its_shape (void)
{
  g_autoptr (HybGraph) graph = growing_output_graph ();
  g_autoptr (HybTensor) x = op_tensor ("f32[3,2]", 1., 2., 3., 4., 5., 6.);
  g_autoptr (HybTensor) s = op_tensor ("f32[1]", 10.);

  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      HybExecutorOptions options = { .mode = mode };
      g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
      g_autoptr (GError) error = NULL;

      g_assert_true (hyb_executor_bind (executor, "x", x, NULL));
      g_assert_true (hyb_executor_bind (executor, "s", s, NULL));
      g_assert_false (hyb_executor_run (executor, NULL, &error));
      g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES);
      g_assert_nonnull (strstr (error->message, "Only states may change their shape"));
    }
}

TEST_PROGRAM (test_dynamic_loop)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/control/dynamic-loop/output-may-not-change-its-shape",
                   test_output_may_not_change_its_shape);
  return g_test_run ();
}
