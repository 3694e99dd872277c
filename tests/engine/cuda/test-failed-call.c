/* test-failed-call.c — what the user reads when a call fails while a model runs, and that the GPU may be
 * opened again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

/* Three steps: a product, its sine, another product. */
static HybGraph *
new_products (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  w = op_variable (b, "w");
  HybValueId  y = op_node (b, "dot", NULL, op_variable (b, "x"), w, HYB_NO_ID);

  y = op_node (b, "sin", NULL, y, HYB_NO_ID);
  return op_finish (b, op_node (b, "dot", NULL, y, w, HYB_NO_ID), HYB_NO_ID);
}

/* Runs with these settings of the pretend driver.  (transfer full): the message; NULL if nothing failed. */
static char *
run_products (const char *settings)
{
  g_autoptr (HybGraph) graph = new_products ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };

  configure (settings);
  options.gpu = gpu = open_gpu ();
  executor = hyb_executor_new (graph, &options);
  bind (executor, "x", new_tensor (4, 4, 0.3));
  bind (executor, "w", new_tensor (4, 4, 0.7));
  if (hyb_executor_run (executor, NULL, &error) && hyb_executor_finish (executor, &error))
    return NULL;
  g_assert_error (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED);
  return g_strdup (error->message);
}

/* The node whose call failed, the function, its code with its name, and what to do. */
static void
test_code_and_advice (void)
{
  g_autofree char *message = NULL, *again = NULL;

  if (!set_up (""))
    return;
  message = run_products ("fail=cublasGemmEx:2:13");
  g_assert_true (g_str_has_prefix (message, "node “"));
  g_assert_true (
      g_str_has_suffix (message, " (dot): cublasGemmEx failed with CUBLAS_STATUS_EXECUTION_FAILED "
                                 "(13). Run again with HYB_GPU_STEP=1 to wait after every "
                                 "operator"));
  again = run_products ("");
  g_assert_null (again);
}

static void
test_last_good_node (void)
{
  g_autofree char *message = NULL;

  if (!set_up (""))
    return;
  g_setenv ("HYB_GPU_STEP", "1", TRUE);
  message = run_products ("fail=cublasGemmEx:2:13");
  g_unsetenv ("HYB_GPU_STEP");
  g_assert_nonnull (strstr (message,
                            " (dot): cublasGemmEx failed with CUBLAS_STATUS_EXECUTION_FAILED (13). "
                            "The last node known to have ended is “"));
  g_assert_true (g_str_has_suffix (message, " (sin)"));
}

TEST_PROGRAM (test_failed_call)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/failed-call/the-message-has-code-node-and-advice",
                   test_code_and_advice);
  g_test_add_func ("/engine/cuda/failed-call/waiting-steps-name-the-last-good-node",
                   test_last_good_node);
  return g_test_run ();
}
