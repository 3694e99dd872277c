/* test-product.c — which products of matrices cuBLAS computes: those of floating-point elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

#define ON_GPU  "1 steps on the GPU, 0 on the host"
#define ON_HOST "on the host: cuBLAS does not multiply elements of this type\n"

static HybExecutor *
new_executor (HybGraph *graph, const char *dtype, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  g_autofree char   *a = g_strdup_printf ("%s[2,3] = 1,2,-3,4,0,6", dtype);
  g_autofree char   *b = g_strdup_printf ("%s[3,2] = 7,-8,9,1,2,5", dtype);

  bind (executor, "a", op_tensor_from_text (a, 0));
  bind (executor, "b", op_tensor_from_text (b, 1));
  return executor;
}

static void
test_types (void)
{
  static const char *const rows[][2] = {
    { "f32", ON_GPU },  { "f64", ON_GPU },  { "f16", ON_GPU },
    { "bf16", ON_GPU }, { "i32", ON_HOST }, { "i64", ON_HOST },
  };
  HybBuilder *b = hyb_builder_new ();
  HybValueId  left = op_variable (b, "a");
  g_autoptr (HybGraph) graph =
      op_finish (b, op_node (b, "dot", NULL, left, op_variable (b, "b"), HYB_NO_ID), HYB_NO_ID);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (HybExecutor) host = new_executor (graph, rows[i][0], NULL);
      g_autoptr (HybExecutor) executor = NULL;
      g_autoptr (HybGpu) gpu = NULL;

      if (!set_up (""))
        return;
      gpu = open_gpu ();
      executor = new_executor (graph, rows[i][0], gpu);
      run (host);
      run (executor);
      assert_near (executor, host); /* whole numbers, which every type has */
      assert_plan_says (executor, rows[i][1]);
      close_cleanly (&executor, &gpu);
    }
}

TEST_PROGRAM (test_product)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/product/cublas-multiplies-floating-point-elements", test_types);
  return g_test_run ();
}
