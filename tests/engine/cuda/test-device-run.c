/* test-device-run.c — whole models on the pretend GPU: the same numbers as the processor, what is
 * copied, and what happens when any call fails.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/program.h"

/* --- Models --- */

/* attributes: key, value, … of one line; inputs end with HYB_NO_ID. */
static HybValueId
add (HybBuilder *builder, const char *op, const char *attributes, const HybValueId *inputs)
{
  g_auto (GStrv) words = g_strsplit (attributes, " ", -1);
  g_autoptr (GError) error = NULL;
  HybNodeSpec spec = { .op = hyb_op_find (op), .name = op, .inputs = inputs };
  HybNodeId   id;

  if (*attributes)
    spec.attributes = (const char *const *) words;
  while (inputs[spec.n_inputs] != HYB_NO_ID)
    spec.n_inputs++;
  id = hyb_builder_add (builder, &spec, &error);
  g_assert_no_error (error);
  return hyb_builder_output (builder, id, 0);
}

#define INPUTS(...) ((HybValueId[]){ __VA_ARGS__, HYB_NO_ID })

/* Two layers, with a softmax that the host computes between them. */
static HybGraph *
new_perceptron (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId  w1 = hyb_builder_add_variable (builder, "w1", NULL);
  HybValueId  b1 = hyb_builder_add_variable (builder, "b1", NULL);
  HybValueId  w2 = hyb_builder_add_variable (builder, "w2", NULL);
  HybValueId  y = add (builder, "FullyConnected", "num_hidden 6", INPUTS (x, w1, b1));

  y = add (builder, "Activation", "act_type tanh", INPUTS (y));
  y = add (builder, "softmax", "", INPUTS (y));
  y = add (builder, "_mul_scalar", "scalar 3", INPUTS (y));
  y = add (builder, "FullyConnected", "num_hidden 4 no_bias True", INPUTS (y, w2));
  hyb_builder_add_head (builder, y);
  return hyb_builder_freeze (builder);
}

/* Five pointwise operators in a row. */
static HybGraph *
new_chain (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId  y = add (builder, "_plus_scalar", "scalar 0.5", INPUTS (x));

  y = add (builder, "square", "", INPUTS (y));
  y = add (builder, "sigmoid", "", INPUTS (y));
  y = add (builder, "elemwise_mul", "", INPUTS (y, x));
  y = add (builder, "_rminus_scalar", "scalar 2", INPUTS (y));
  hyb_builder_add_head (builder, y);
  return hyb_builder_freeze (builder);
}

/* Four steps in a row that the host computes, on two values of 256 bytes each. */
static HybGraph *
new_host_steps (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId  y = hyb_builder_add_variable (builder, "y", NULL);
  HybValueId  a = add (builder, "dot", "", INPUTS (x, y));
  HybValueId  b = add (builder, "dot", "", INPUTS (y, x));

  a = add (builder, "sort", "axis 1", INPUTS (a));
  b = add (builder, "sort", "axis 0", INPUTS (b));
  a = add (builder, "sort", "axis 0", INPUTS (a));
  b = add (builder, "sort", "axis 1", INPUTS (b));
  hyb_builder_add_head (builder, add (builder, "dot", "", INPUTS (a, b)));
  return hyb_builder_freeze (builder);
}

static HybExecutor *
new_executor (HybGraph *graph, HybMode mode, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = mode, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  guint              n;

  hyb_graph_get_variables (graph, &n);
  bind (executor, "x", new_tensor (3, 5, 0.7));
  if (n == 1)
    return executor;
  bind (executor, "w1", new_tensor (6, 5, 0.3));
  bind (executor, "b1", new_tensor (6, 0, 0.9));
  bind (executor, "w2", new_tensor (4, 6, 0.4));
  return executor;
}

/* A GPU that leaves softmax and sort to the host. */
static HybGpu *
open_partial_gpu (void)
{
  HybGpu *gpu = open_gpu ();

  hyb_gpu_exclude (gpu, "softmax", "this test leaves it to the host");
  hyb_gpu_exclude (gpu, "sort", "this test leaves it to the host");
  return gpu;
}

/* --- Tests --- */

static void
test_three_modes (void)
{
  static const char *const orders[] = { "order=forward", "order=reverse", "order=mixed seed=7" };

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_autoptr (HybGraph) graph = new_perceptron ();
      g_autoptr (HybExecutor) host = new_executor (graph, HYB_MODE_STATIC, NULL);
      g_autoptr (HybGpu) gpu = NULL;

      if (!set_up (orders[i]))
        return;
      gpu = open_partial_gpu ();
      run (host);
      for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
        {
          g_autoptr (HybExecutor) executor = new_executor (graph, mode, gpu);
          g_autofree char *work = NULL;

          run (executor);
          assert_near (executor, host);
          run (executor);
          assert_near (executor, host);
          work = hyb_executor_dup_device_work (executor);
          g_assert_true (g_str_has_prefix (work, "The GPU computed 4 of 5 steps; "));
        }
      g_clear_pointer (&gpu, hyb_gpu_unref);
      assert_clean ();
    }
}

static void
test_printed_plan (void)
{
  static const char *const lines[] = {
    "4 steps on the GPU, 1 on the host; 2 copies of 144 bytes between steps and after them\n",
    "  copy  72 bytes to the host, @",
    ", on the host: this test leaves it to the host\n",
    "  copy  72 bytes to the GPU, @",
    "  head 0, 48 bytes, stays on the GPU until it is read\n",
  };
  g_autoptr (HybGraph) graph = new_perceptron ();
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autofree char *text = NULL;
  const char      *at;

  if (!set_up (""))
    return;
  gpu = open_partial_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  run (executor);
  text = hyb_plan_print (hyb_executor_get_plan (executor));
  at = text;
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      const char *found = strstr (at, lines[i]);

      if (!found)
        g_error ("“%s” is not in its place in:\n%s", lines[i], text);
      at = found + strlen (lines[i]);
    }
}

static void
test_one_launch_a_chain (void)
{
  g_autoptr (HybGraph) graph = new_chain ();
  g_autoptr (HybExecutor) host = new_executor (graph, HYB_MODE_STATIC, NULL);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;

  if (!set_up (""))
    return;
  gpu = open_partial_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  run (host);
  run (executor);
  assert_near (executor, host);
  g_assert_cmpuint (calls ("cuLaunchKernel"), ==, 1);
}

static void
test_parameters_are_sent_once (void)
{
  g_autoptr (HybGraph) graph = new_perceptron ();
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  guint before;

  if (!set_up (""))
    return;
  gpu = open_partial_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  hyb_executor_set_constant (executor, "w1", TRUE);
  hyb_executor_set_constant (executor, "b1", TRUE);
  hyb_executor_set_constant (executor, "w2", TRUE);
  run (executor);
  g_assert_cmpuint (calls ("cuMemcpyAsync"), ==, 4 + 2); /* variables, then between steps */
  run (executor);
  g_assert_cmpuint (calls ("cuMemcpyAsync"), ==, 6 + 1 + 2);
  bind (executor, "w1", new_tensor (6, 5, 0.31));
  before = calls ("cuMemcpyAsync");
  run (executor);
  g_assert_cmpuint (calls ("cuMemcpyAsync"), ==, before + 2 + 2);
}

/* Both operands of the four steps come in one copy, and both results go in one. */
static void
test_host_steps_copy_once (void)
{
  g_autoptr (HybGraph) graph = new_host_steps ();
  g_autoptr (HybExecutor) host = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autofree char *text = NULL;
  g_autofree char *work = NULL;

  if (!set_up (""))
    return;
  gpu = open_partial_gpu ();
  for (guint i = 0; i < 2; i++)
    {
      HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = i > 0 ? gpu : NULL };
      HybExecutor       *one = hyb_executor_new (graph, &options);

      bind (one, "x", new_tensor (8, 8, 0.7));
      bind (one, "y", new_tensor (8, 8, 0.3));
      run (one);
      *(i > 0 ? &executor : &host) = one;
    }
  assert_near (executor, host);
  text = hyb_plan_print (hyb_executor_get_plan (executor));
  if (!strstr (text, "3 steps on the GPU, 4 on the host; 2 copies of 1024 bytes between steps") ||
      !strstr (text, "  copy  512 bytes to the host, @") ||
      !strstr (text, "  copy  512 bytes to the GPU, @"))
    g_error ("the copies are not those that are needed:\n%s", text);
  g_assert_cmpuint (calls ("cuMemcpyAsync"), ==, 1 + 2 + 1); /* inputs, between steps, the output */
  work = hyb_executor_dup_device_work (executor);
  g_assert_true (
      g_str_has_prefix (work, "The GPU computed 3 of 7 steps; 4 copies between host and GPU, "));
}

/* A run returns before the GPU has computed: the input may change, and only reading waits. */
static void
test_inputs_may_change_at_once (void)
{
  g_autoptr (HybGraph) graph = new_chain ();
  g_autoptr (HybExecutor) host = new_executor (graph, HYB_MODE_STATIC, NULL);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;

  if (!set_up (""))
    return;
  gpu = open_partial_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  for (guint i = 0; i < 4; i++)
    {
      HybTensor *x = hyb_executor_get_bound (executor, "x");
      guint      waits;

      bind (host, "x", new_tensor (3, 5, 0.2 + i));
      run (host);
      bind (executor, "x", new_tensor (3, 5, 0.2 + i));
      x = hyb_executor_get_bound (executor, "x");
      waits = calls ("cuStreamSynchronize");
      run (executor);
      g_assert_cmpuint (calls ("cuStreamSynchronize") - waits, ==, i == 2); /* the run before */
      memset (hyb_tensor_get_data (x), 0, hyb_tensor_get_bytes (x));
      if (i != 1)
        assert_near (executor, host);
    }
  close_cleanly (&executor, &gpu);
}

/* Two outputs: each comes back once, when it is read, and after its plan is gone. */
static void
test_outputs_come_when_read (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) host = NULL;

  hyb_builder_add_head (builder, add (builder, "square", "", INPUTS (x)));
  hyb_builder_add_head (builder, add (builder, "_mul_scalar", "scalar 3", INPUTS (x)));
  graph = hyb_builder_freeze (builder);
  host = new_executor (graph, HYB_MODE_STATIC, NULL);
  run (host);
  if (!set_up (""))
    return;
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (HybGpu) gpu = NULL;
      g_autoptr (HybExecutor) executor = NULL;
      g_autoptr (HybTensor) first = NULL;
      g_autoptr (GError) error = NULL;

      configure ("");
      gpu = open_partial_gpu ();
      executor = new_executor (graph, mode, gpu);
      run (executor);
      g_assert_cmpuint (calls ("cuMemcpyAsync"), ==, 1);
      assert_output_near (executor, host, 0);
      assert_output_near (executor, host, 0);
      g_assert_cmpuint (calls ("cuMemcpyAsync"), ==, 2);
      hyb_executor_set_constant (executor, "x", TRUE); /* drops the plan */
      assert_output_near (executor, host, 1);
      g_assert_cmpuint (calls ("cuMemcpyAsync"), ==, 3);
      run (executor);
      g_assert_true (hyb_executor_finish (executor, &error));
      g_assert_no_error (error);
      assert_output_near (executor, host, 1);
      first = hyb_tensor_ref (hyb_executor_get_output (executor, 0));
      close_cleanly (&executor, &gpu);
    }
}

/* What fails after a run has returned is an error of hyb_executor_finish(), else of the next run. */
static void
test_late_error (void)
{
  g_autoptr (HybGraph) graph = new_chain ();

  if (!set_up (""))
    return;
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HybGpu) gpu = NULL;
      g_autoptr (HybExecutor) executor = NULL;
      g_autoptr (GError) error = NULL;

      configure ("fail=cuLaunchKernel:1:1");
      gpu = open_partial_gpu ();
      executor = new_executor (graph, HYB_MODE_STATIC, gpu);
      run (executor);
      if (i == 0)
        g_assert_false (hyb_executor_finish (executor, &error));
      else
        g_assert_false (hyb_executor_run (executor, NULL, &error));
      g_assert_error (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, "node “_rminus_scalar” (_elementwise_chain): "));
      g_assert_nonnull (strstr (error->message, "cuLaunchKernel"));
      g_assert_true (
          g_str_has_suffix (error->message,
                            ". Run again with HYB_GPU_STEP=1 to wait after every operator"));
    }
}

/* Runs the model with these settings.  TRUE if the run succeeded; every error has a sentence. */
static gboolean
try (HybGraph *graph, const char *settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  gboolean is_done;

  configure (settings);
  gpu = hyb_gpu_open ("gpu", &error);
  if (!gpu)
    {
      g_assert_cmpuint (strlen (error->message), >, 20);
      return FALSE;
    }
  executor = new_executor (graph, HYB_MODE_HYBRID, gpu);
  is_done = hyb_executor_run (executor, NULL, &error) && hyb_executor_finish (executor, &error);
  g_assert_true (is_done == !error);
  if (error)
    g_assert_cmpuint (strlen (error->message), >, 20);
  return is_done;
}

/* The first, second … call of every function fails; a kernel that cannot be loaded is no failure of
 * the run, because the host computes its step. */
static void
test_every_call_can_fail (void)
{
  static const char *const functions[] = {
    "cuDeviceGetCount", "cuDeviceGet",         "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",  "cuMemAlloc_v2",       "cuMemHostAlloc",
    "cuMemcpyAsync",    "cuStreamCreate",      "cuStreamSynchronize",
    "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel",
  };
  g_autoptr (HybGraph) graph = new_perceptron ();

  if (!set_up (""))
    return;
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      guint n, most;

      g_assert_true (try (graph, ""));
      most = calls (functions[f]);
      g_assert_cmpuint (most, >, 0);
      for (n = 1; n <= most; n++)
        {
          g_autofree char *settings = g_strdup_printf ("fail=%s:%u:1", functions[f], n);
          g_autofree char *left = NULL;
          gboolean         is_done = try (graph, settings);

          if (g_str_has_prefix (functions[f], "cuModule"))
            g_assert_true (is_done);
          left = leaks ();
          if (*left)
            g_error ("%s: %s was not destroyed", settings, left);
        }
    }
}

static void
test_too_little_memory (void)
{
  g_autoptr (HybGraph) graph = new_perceptron ();
  guint n_done = 0;

  if (!set_up (""))
    return;
  for (guint i = 0; i < 64; i++)
    {
      g_autofree char *settings = g_strdup_printf ("memory=%uM", i + 1);

      n_done += try (graph, settings);
    }
  g_assert_cmpuint (n_done, >, 0);
  g_assert_cmpuint (n_done, <, 64);
}

static void
test_memory_is_explained (void)
{
  g_autoptr (HybGraph) graph = new_chain ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;

  if (!set_up ("memory=1M"))
    return;
  gpu = open_partial_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  bind (executor, "x", new_tensor (1000, 300, 0.1));
  g_assert_false (hyb_executor_run (executor, NULL, &error));
  g_assert_true (g_str_has_prefix (error->message, "the plan needs 2.289 MiB, the GPU has "));
  g_assert_nonnull (strstr (error->message, " MiB free; the largest: “_rminus_scalar” 1.144 MiB"));
  g_assert_true (g_str_has_suffix (error->message, ". Use a smaller batch, or the processor"));
}

/* The host computes an excluded operator, so that wrong products of a GPU do no harm. */
static void
test_excluded_operator (void)
{
  g_autoptr (HybGraph) graph = new_perceptron ();
  g_autoptr (HybExecutor) host = new_executor (graph, HYB_MODE_STATIC, NULL);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) names = NULL;

  if (!set_up ("wrong=products"))
    return;
  gpu = open_partial_gpu ();
  g_assert_false (hyb_gpu_exclude (gpu, "_no_such_operator", "nothing computes it"));
  g_assert_true (hyb_gpu_exclude (gpu, "FullyConnected", "its products are too large"));
  names = hyb_gpu_list_excluded (gpu);
  g_assert_cmpuint (g_strv_length (names), ==, 3);
  g_assert_cmpstr (names[0], ==, "FullyConnected");
  run (host);
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  run (executor);
  assert_near (executor, host);
  text = hyb_plan_print (hyb_executor_get_plan (executor));
  g_assert_nonnull (strstr (text, ", on the host: its products are too large\n"));
  g_assert_nonnull (strstr (text, "\nprecise: products of float32 do not use TF32\n"));
}

/* Precise products keep all bits; fast ones may round operands to 10 bits of fraction, as the pretend GPU
 * does. */
static void
test_math (void)
{
  g_autoptr (HybGraph) graph = new_perceptron ();

  if (!set_up (""))
    return;
  for (guint fast = 0; fast < 2; fast++)
    {
      g_autoptr (HybExecutor) host = new_executor (graph, HYB_MODE_STATIC, NULL);
      g_autoptr (HybExecutor) executor = NULL;
      g_autoptr (HybGpu) gpu = NULL;
      g_autoptr (GError) error = NULL;
      double most = 0;

      gpu = hyb_gpu_open_with_math ("gpu", fast ? HYB_GPU_FAST : HYB_GPU_PRECISE, &error);
      g_assert_no_error (error);
      g_assert_cmpint (hyb_gpu_get_math (gpu), ==, fast ? HYB_GPU_FAST : HYB_GPU_PRECISE);
      executor = new_executor (graph, HYB_MODE_STATIC, gpu);
      run (host);
      run (executor);
      for (gint64 i = 0; i < 12; i++)
        most = MAX (most, fabs (hyb_tensor_get_value (hyb_executor_get_output (executor, 0), i) -
                                hyb_tensor_get_value (hyb_executor_get_output (host, 0), i)));
      if (fast)
        g_assert_cmpfloat (most, >, 2e-5);
      else
        g_assert_cmpfloat (most, <, 5e-6);
    }
}

static void
test_cancel (void)
{
  g_autoptr (HybGraph) graph = new_perceptron ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (GError) error = NULL;

  if (!set_up (""))
    return;
  gpu = open_partial_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  g_cancellable_cancel (cancellable);
  g_assert_false (hyb_executor_run (executor, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  run (executor);
}

/* A file of the cache that was changed is not believed. */
static void
test_damaged_cache (void)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "kernels", NULL);
  g_autoptr (HybGraph) graph = new_chain ();
  const char *name;
  g_autoptr (GDir) dir = NULL;

  if (!set_up (""))
    return;
  g_assert_true (try (graph, ""));
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_file_set_contents (path, "hybridscope kernel 1 4 00\nrubbish", -1, NULL);
    }
  g_assert_true (try (graph, ""));
}

TEST_PROGRAM (test_device_run)
{
  g_autofree char *cache = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/run/three-modes-give-the-processor's-numbers", test_three_modes);
  g_test_add_func ("/engine/cuda/run/the-plan-shows-places-and-copies", test_printed_plan);
  g_test_add_func ("/engine/cuda/run/a-chain-is-one-launch", test_one_launch_a_chain);
  g_test_add_func ("/engine/cuda/run/parameters-are-sent-once", test_parameters_are_sent_once);
  g_test_add_func ("/engine/cuda/run/steps-of-the-host-copy-once", test_host_steps_copy_once);
  g_test_add_func ("/engine/cuda/run/inputs-may-change-when-a-run-returns",
                   test_inputs_may_change_at_once);
  g_test_add_func ("/engine/cuda/run/outputs-come-back-when-they-are-read",
                   test_outputs_come_when_read);
  g_test_add_func ("/engine/cuda/run/a-late-error-is-reported", test_late_error);
  g_test_add_func ("/engine/cuda/run/every-call-can-fail", test_every_call_can_fail);
  g_test_add_func ("/engine/cuda/run/too-little-memory-is-an-error", test_too_little_memory);
  g_test_add_func ("/engine/cuda/run/too-little-memory-is-explained", test_memory_is_explained);
  g_test_add_func ("/engine/cuda/run/an-excluded-operator-is-the-host's", test_excluded_operator);
  g_test_add_func ("/engine/cuda/run/fast-products-round-their-operands", test_math);
  g_test_add_func ("/engine/cuda/run/a-cancelled-run-ends", test_cancel);
  g_test_add_func ("/engine/cuda/run/a-damaged-cache-is-made-again", test_damaged_cache);
  return g_test_run ();
}
