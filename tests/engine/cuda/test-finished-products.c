/* test-finished-products.c — cuBLASLt adds a bias, and rectifies, while it multiplies; where it cannot, kernels do, and
 * the numbers are the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

/* relu (x wᵀ + b), as an output alone, or with the product too. */
static HybGraph *
new_graph (gboolean shows_product)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  x = op_variable (builder, "x"), w = op_variable (builder, "w");
  HybValueId  product = op_node (builder, "FullyConnected", "num_hidden=8", x, w,
                                 op_variable (builder, "b"), HYB_NO_ID);
  HybValueId  y = op_node (builder, "Activation", "act_type=relu", product, HYB_NO_ID);

  return shows_product ? op_finish (builder, y, product, HYB_NO_ID)
                       : op_finish (builder, y, HYB_NO_ID);
}

static HybExecutor *
new_executor (HybGraph *graph, const char *dtype, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  g_autofree char   *x = g_strdup_printf ("%s[4,8]", dtype);
  g_autofree char   *w = g_strdup_printf ("%s[8,8]", dtype);
  g_autofree char   *b = g_strdup_printf ("%s[8] = 1,-2,3,-4,5,-6,7,-8", dtype);

  bind (executor, "x", op_tensor_from_text (x, 0));
  bind (executor, "w", op_tensor_from_text (w, 1));
  bind (executor, "b", op_tensor_from_text (b, 2));
  return executor;
}

/* Runs the graph on the processor and on the GPU and compares all outputs, in two runs, of which the second is recorded.
 * Returns how often cuBLASLt multiplied, and kernels were launched. */
static guint
compare (HybGraph   *graph,
         const char *dtype,
         const char *settings,
         double      tolerance,
         guint      *n_kernels)
{
  g_autoptr (HybExecutor) host = new_executor (graph, dtype, NULL);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  guint n_products;

  configure (settings);
  gpu = open_gpu ();
  executor = new_executor (graph, dtype, gpu);
  run (host);
  run (executor);
  n_products = calls ("cublasLtMatmul");
  *n_kernels = calls ("cuLaunchKernel");
  run (executor);
  assert_all_within (executor, host, tolerance);
  g_assert_cmpuint (op_count_planned (host, "_rectified_fully_connected"), ==, 0);
  close_cleanly (&executor, &gpu);
  return n_products;
}

static void
test_one_call (void)
{
  static const char *const types[] = { "f32", "f16", "bf16" };
  static const double      tolerances[] = { 1e-5, 1e-2, 1e-1 };
  g_autoptr (HybGraph) graph = new_graph (FALSE);
  g_autoptr (HybGraph) shown = new_graph (TRUE);
  guint n_kernels;

  if (!set_up (""))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_assert_cmpuint (compare (graph, types[i], "", tolerances[i], &n_kernels), ==, 1);
      g_assert_cmpuint (n_kernels, ==, 0);
    }
  /* The product is an output, too: the bias is added by cuBLASLt, and a kernel rectifies. */
  g_assert_cmpuint (compare (shown, "f32", "", 1e-5, &n_kernels), ==, 1);
  g_assert_cmpuint (n_kernels, ==, 1);
}

/* As where a library or chip has no such algorithm, or the call fails. */
static void
test_without_endings (void)
{
  g_autoptr (HybGraph) graph = new_graph (FALSE);
  guint n_kernels;

  if (!set_up (""))
    return;
  g_assert_cmpuint (compare (graph, "f32", "endings=none", 1e-5, &n_kernels), ==, 0);
  g_assert_cmpuint (n_kernels, ==, 2);
  g_assert_cmpuint (compare (graph, "f32", "fail=cublasLtCreate:1:3", 1e-5, &n_kernels), ==, 0);
  g_assert_cmpuint (compare (graph, "f32", "fail=cublasLtMatmulAlgoGetHeuristic:1:7", 1e-5,
                             &n_kernels),
                    ==, 0);
}

/* What a self-test found wrong is not computed under another name. */
static void
test_excluded (void)
{
  static const char *const parts[] = { "FullyConnected", "Activation" };
  g_autoptr (HybGraph) graph = new_graph (FALSE);

  if (!set_up (""))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (HybGpu) gpu = open_gpu ();
      g_autoptr (HybExecutor) executor = new_executor (graph, "f32", gpu);
      g_autofree char *text = NULL;

      g_assert_true (hyb_gpu_exclude_type (gpu, parts[i], HYB_F32, "it is wrong"));
      run (executor);
      text = hyb_plan_print (hyb_executor_get_plan (executor));
      g_assert_nonnull (strstr (text, "on the host: it is wrong"));
      g_assert_nonnull (strstr (text, "0 steps on the GPU, 1 on the host"));
    }
}

TEST_PROGRAM (test_finished_products)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/finished-products/bias-and-rectifier-are-part-of-one-call",
                   test_one_call);
  g_test_add_func ("/engine/cuda/finished-products/"
                   "kernels-take-their-place-where-there-is-no-algorithm",
                   test_without_endings);
  g_test_add_func ("/engine/cuda/finished-products/an-excluded-part-is-the-host's", test_excluded);
  return g_test_run ();
}
