/* test-reports.c — values that a twin cannot compute with: an index outside of its axis ends the run with
 * an error that names node, index and axis, and does no harm to the next run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

/* sin (gather_nd (data, index)). */
static HybGraph *
new_reader (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  data = op_variable (b, "data");
  HybValueId  y = op_node (b, "gather_nd", NULL, data, op_variable (b, "index"), HYB_NO_ID);

  return op_finish (b, op_node (b, "sin", NULL, y, HYB_NO_ID), HYB_NO_ID);
}

/* Step i of the loop reads row index[i]. */
static HybGraph *
new_loop (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  y = op_node (b, "gather_nd", NULL, op_variable (b, "all"), row, HYB_NO_ID);
  HybGraph   *body = op_finish (b, y, HYB_NO_ID);

  b = hyb_builder_new ();
  y = op_node_with_bodies (
      b, "_foreach",
      "num_args=3 num_outputs=1 num_out_data=1 in_data_locs=(0,) in_state_locs=() remain_locs=(1,)",
      &(OpOperands){ 2, (HybValueId[]){ op_variable (b, "index"), op_variable (b, "data") }, 1,
                     &body });
  return op_finish (b, y, HYB_NO_ID);
}

static HybExecutor *
new_executor (HybGraph *graph, HybMode mode, HybGpu *gpu, const char *data)
{
  HybExecutorOptions options = { .mode = mode, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);

  bind (executor, "data", op_tensor_from_text (data, 0));
  return executor;
}

/* Every second run has an index that is outside; the others give the processor's numbers, also when they
 * are replayed. */
static void
check_reader (HybGraph *graph, HybMode mode, const char *good, const char *bad, const char *wrong)
{
  const char *data = "f32[3,2] = 1,2,3,4,5,6";
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autoptr (HybExecutor) executor = new_executor (graph, mode, gpu, data);
  g_autoptr (HybExecutor) host = new_executor (graph, mode, NULL, data);

  bind (host, "index", op_tensor_from_text (good, 0));
  run (host);
  for (guint round = 0; round < 6; round++)
    {
      g_autoptr (GError) error = NULL;

      bind (executor, "index", op_tensor_from_text (round % 2 ? bad : good, 0));
      if (round % 2 == 0)
        {
          run (executor);
          assert_near (executor, host);
          continue;
        }
      g_assert_false (hyb_executor_run (executor, NULL, &error));
      if (!strstr (error->message, wrong) || !strstr (error->message, "gather_nd"))
        g_error ("“%s” does not say “%s” of gather_nd", error->message, wrong);
    }
}

static void
test_an_index_outside_is_reported (void)
{
  if (!set_up ("order=mixed seed=2"))
    return;
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (HybGraph) reader = new_reader ();

      check_reader (reader, mode, "f32[1,2] = 2,-3", "f32[1,2] = 2,3",
                    "index 3 is outside of axis 0");
      check_reader (reader, mode, "i64[2,1] = 2,-2", "i64[2,1] = 2,-3",
                    "index -3 is outside of axis 1");
      check_reader (reader, mode, "f64[1,1] = 1.5", "f64[1,1] = 2.5", "index 2.5 is outside");
    }
  assert_clean ();
}

static void
test_a_loop_reports_the_node_inside (void)
{
  if (!set_up ("order=mixed seed=2"))
    return;
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (HybGraph) loop = new_loop ();

      check_reader (loop, mode, "i32[2,1,1] = 0,2", "i32[2,1,1] = 0,7", "index 7 is outside");
    }
  assert_clean ();
}

/* Of equal coordinates the last row stays, in every order of threads. */
static void
test_the_last_of_equal_coordinates_stays (void)
{
  static const char *const orders[] = { "order=forward", "order=reverse", "order=mixed seed=7" };
  HybBuilder              *b = hyb_builder_new ();
  HybValueId               data = op_variable (b, "data");
  HybValueId               y =
      op_node (b, "scatter_nd", "shape=(3, 2)", data, op_variable (b, "index"), HYB_NO_ID);
  g_autoptr (HybGraph) graph = op_finish (b, y, HYB_NO_ID);
  const char *rows = "f32[4,2] = 1,2,3,4,5,6,7,8";

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_autoptr (HybGpu) gpu = NULL;
      g_autoptr (HybExecutor) executor = NULL;
      HybTensor *output;

      if (!set_up (orders[i]))
        return;
      gpu = open_gpu ();
      executor = new_executor (graph, HYB_MODE_STATIC, gpu, rows);
      bind (executor, "index", op_tensor_from_text ("i32[1,4] = 2,0,2,0", 0));
      run (executor);
      output = hyb_executor_get_output (executor, 0);
      op_assert_near (output, 0, 7., 8., 0., 0., 5., 6.);
    }
}

TEST_PROGRAM (test_reports)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/reports/an-index-outside-of-its-axis-ends-the-run",
                   test_an_index_outside_is_reported);
  g_test_add_func ("/engine/cuda/reports/a-loop-names-the-node-inside",
                   test_a_loop_reports_the_node_inside);
  g_test_add_func ("/engine/cuda/reports/the-last-of-equal-coordinates-stays",
                   test_the_last_of_equal_coordinates_stays);
  return g_test_run ();
}
