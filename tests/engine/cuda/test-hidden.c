/* test-hidden.c — what recurrent layers keep for their gradient: it is written on the GPU only if the GPU
 * reads it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "tests/engine/cuda/recurrent-layer.h"
#include "tests/program.h"

/* Runs on the GPU and compares all outputs with those of the processor. */
static char *
run_on_gpu (HybGraph *graph, HybGpu *gpu)
{
  g_autoptr (HybExecutor) expected = new_layer_executor (graph, NULL);
  g_autoptr (HybExecutor) executor = new_layer_executor (graph, gpu);

  run (expected);
  run (executor);
  assert_all_within (executor, expected, 1e-5);
  return hyb_plan_print (hyb_executor_get_plan (executor));
}

static void
test_gpu_keeps_values (void)
{
  g_autoptr (HybGraph) graph = new_layer ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autofree char *text = NULL;

  if (!set_up (""))
    return;
  gpu = open_gpu ();
  text = run_on_gpu (graph, gpu);
  g_assert_nonnull (strstr (text, "2 steps on the GPU, 0 on the host"));
  g_clear_pointer (&gpu, hyb_gpu_unref);
  assert_clean ();
}

static void
test_both_or_none (void)
{
  static const char *const rows[][2] = {
    { "_backward_RNN", "on the host: the host computes its gradient\n" },
    { "_rnn_recording", "on the host: the host computes the operator whose gradient "
                        "this is\n" }
  };
  g_autoptr (HybGraph) graph = new_layer ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (HybGpu) gpu = NULL;
      g_autofree char *text = NULL;

      if (!set_up (""))
        return;
      gpu = open_gpu ();
      g_assert_true (hyb_gpu_exclude (gpu, rows[i][0], "a test leaves it to the host"));
      /* The plan gives the operator its first name. */
      hyb_gpu_exclude (gpu, i == 1 ? "RNN" : "_backward_RNN", "a test leaves it to the host");
      text = run_on_gpu (graph, gpu);
      if (!strstr (text, rows[i][1]) || !strstr (text, "0 steps on the GPU, 2 on the host"))
        g_error ("“%s” is not in:\n%s", rows[i][1], text);
      g_clear_pointer (&gpu, hyb_gpu_unref);
      assert_clean ();
    }
}

/* A cuDNN whose weights end outside of their space, or lie outside of it, gets none: the host computes. */
static void
test_weights_outside (void)
{
  static const char *const shifts[] = { "shift=4", "shift=16M" };
  g_autoptr (HybGraph) graph = new_layer ();

  for (guint i = 0; i < G_N_ELEMENTS (shifts); i++)
    {
      g_autoptr (HybGpu) gpu = NULL;
      g_autofree char *text = NULL;

      if (!set_up (shifts[i]))
        return;
      gpu = open_gpu ();
      text = run_on_gpu (graph, gpu);
      if (!strstr (text, "on the host: cuDNN places weights outside of their space\n"))
        g_error ("%s: %s", shifts[i], text);
      g_clear_pointer (&gpu, hyb_gpu_unref);
      assert_clean ();
    }
}

/* The GPU has the values already when it turns out that it cannot compute the gradient. */
static void
test_gradient_fails_to_prepare (void)
{
  g_autoptr (HybGraph) graph = new_layer ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;

  if (!set_up ("fail=cudnnCreateRNNDescriptor:2:4000"))
    return;
  gpu = open_gpu ();
  executor = new_layer_executor (graph, gpu);
  g_assert_false (hyb_executor_run (executor, NULL, &error));
  g_assert_error (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED);
  if (!strstr (error->message, "the GPU keeps values for this gradient, but cannot compute it: "
                               "cudnnCreateRNNDescriptor failed with "))
    g_error ("%s", error->message);
  close_cleanly (&executor, &gpu);
}

TEST_PROGRAM (test_hidden)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/hidden/the-gpu-keeps-values-for-gradients", test_gpu_keeps_values);
  g_test_add_func ("/engine/cuda/hidden/layer-and-gradient-are-in-one-place", test_both_or_none);
  g_test_add_func ("/engine/cuda/hidden/weights-outside-of-their-space-are-not-used",
                   test_weights_outside);
  g_test_add_func ("/engine/cuda/hidden/a-gradient-that-cannot-be-prepared-is-explained",
                   test_gradient_fails_to_prepare);
  return g_test_run ();
}
