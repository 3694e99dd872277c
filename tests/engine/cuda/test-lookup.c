/* test-lookup.c — gradients of Embedding and gather_nd with many uses of the same rows: the processor's numbers, the same
 * bytes in each order of threads, and work that grows with the number of uses alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/backward.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

#define COLUMNS 2

/* The gradient of the weights. */
static HybGraph *
new_embedding (gint64 rows)
{
  HybBuilder      *b = hyb_builder_new ();
  HybValueId       data = op_variable (b, "data"), weight = op_variable (b, "weight");
  g_autofree char *attributes = g_strdup_printf ("input_dim=%d output_dim=%d", (int) rows, COLUMNS);
  g_autoptr (HybGraph) forward =
      op_finish (b, op_node (b, "Embedding", attributes, data, weight, HYB_NO_ID), HYB_NO_ID);
  HybNodeId wrt[] = { 1 };
  g_autoptr (GError) error = NULL;
  HybGraph *graph = hyb_graph_with_gradients (forward, 1, wrt, &error);

  g_assert_no_error (error);
  return graph;
}

/* n uses of rows, in no order. */
static HybExecutor *
new_executor (HybGraph *graph, HybGpu *gpu, gint64 n, gint64 rows)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .training = TRUE, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  guint              n_variables;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n_variables);
  HybTensor         *data = new_tensor (n, 0, 1);

  for (gint64 i = 0; i < n; i++)
    hyb_dtype_set_double (hyb_tensor_get_data (data), HYB_F32, (gsize) i,
                          (double) (i * 7919 % rows));
  bind (executor, "data", data);
  bind (executor, "weight", new_tensor (rows, COLUMNS, 0.3));
  bind (executor, hyb_graph_get_node (graph, variables[2])->name, new_tensor (n, COLUMNS, 0.7));
  return executor;
}

static void
test_numbers (void)
{
  static const char *const orders[] = { "order=forward", "order=reverse", "order=mixed seed=4" };
  static const gint64 cases[][2] = { { 1, 3 }, { 255, 4 }, { 256, 1 }, { 257, 300 }, { 1000, 7 } };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      gint64 n = cases[c][0], rows = cases[c][1];
      g_autoptr (HybGraph) graph = new_embedding (rows);
      g_autoptr (HybExecutor) host = new_executor (graph, NULL, n, rows);
      g_autoptr (HybTensor) first = NULL;

      run (host);
      for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
        {
          g_autoptr (HybGpu) gpu = NULL;
          g_autoptr (HybExecutor) executor = NULL;
          HybTensor *gradient;

          if (!set_up (orders[i]))
            return;
          gpu = open_gpu ();
          executor = new_executor (graph, gpu, n, rows);
          run (executor);
          assert_output_near (executor, host, 1);
          gradient = hyb_executor_get_output (executor, 1);
          if (first)
            g_assert_cmpmem (hyb_tensor_get_data (gradient), hyb_tensor_get_bytes (gradient),
                             hyb_tensor_get_data (first), hyb_tensor_get_bytes (first));
          else
            first = hyb_tensor_copy (gradient);
          close_cleanly (&executor, &gpu);
        }
    }
}

/* Instructions of a run with n uses of that many rows. */
static guint64
count_steps (gint64 n, gint64 rows)
{
  g_autoptr (HybGraph) graph = new_embedding (rows);
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autoptr (HybExecutor) executor = new_executor (graph, gpu, n, rows);
  guint64 before = kernel_steps ();

  run (executor);
  hyb_executor_get_output (executor, 1);
  return kernel_steps () - before;
}

static void
test_work (void)
{
  static const gint64 rows[] = { 1, 7, 4096 };

  if (!set_up (""))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpuint (count_steps (4096, rows[i]), <, 5 * count_steps (1024, rows[i]));
}

TEST_PROGRAM (test_lookup)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/lookup/many-uses-of-a-row-add-up", test_numbers);
  g_test_add_func ("/engine/cuda/lookup/work-grows-with-the-uses-alone", test_work);
  return g_test_run ();
}
