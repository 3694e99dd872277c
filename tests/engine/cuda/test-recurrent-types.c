/* test-recurrent-types.c — recurrent layers of every floating-point type on the pretend GPU, with their gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/recurrent-layer.h"
#include "tests/program.h"

static HybTensor *
convert (HybTensor *from, HybDType dtype)
{
  HybType    type = { *hyb_tensor_get_shape (from), dtype };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtype, (gsize) i,
                          hyb_tensor_get_value (from, i));
  return tensor;
}

/* All variables in this type. */
static HybExecutor *
new_executor (HybGraph *graph, HybGpu *gpu, HybDType dtype)
{
  HybExecutor     *executor = new_layer_executor (graph, gpu);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;

      bind (executor, name, convert (hyb_executor_get_bound (executor, name), dtype));
    }
  return executor;
}

static void
test_types (void)
{
  static const struct
  {
    HybDType    dtype;
    double      tolerance; /* of numbers of about 1 */
    const char *settings, *plan;
  } rows[] = {
    { HYB_F32, 1e-5, "", "2 steps on the GPU, 0 on the host" },
    { HYB_F64, 1e-12, "", "2 steps on the GPU, 0 on the host" },
    { HYB_F16, 1e-2, "", "2 steps on the GPU, 0 on the host" },
    { HYB_BF16, 1e-1, "", "2 steps on the GPU, 0 on the host" },
    { HYB_F16, 1e-2, "arch=75", "2 steps on the GPU, 0 on the host" },
    { HYB_BF16, 1e-1, "arch=75", "bfloat16 needs compute capability 8.0, this GPU has 7.5" },
  };
  g_autoptr (HybGraph) graph = new_layer ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (HybExecutor) host = new_executor (graph, NULL, rows[i].dtype);
      g_autoptr (HybExecutor) executor = NULL;
      g_autoptr (HybGpu) gpu = NULL;

      if (!set_up (rows[i].settings))
        return;
      gpu = open_gpu ();
      executor = new_executor (graph, gpu, rows[i].dtype);
      run (host);
      run (executor);
      assert_plan_says (executor, rows[i].plan);
      assert_all_within (executor, host, rows[i].tolerance);
      close_cleanly (&executor, &gpu);
    }
}

TEST_PROGRAM (test_recurrent_types)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/recurrent-types/every-floating-point-type", test_types);
  return g_test_run ();
}
