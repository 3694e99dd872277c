/* test-replay.c — what static mode records and replays on the pretend GPU, and when it must not.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/gpu-private.h"
#include "tests/engine/cuda/faulty-backend.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

/* y = tanh (x w) and its square, with a running sum of the host between them if so wanted. */
static HybGraph *
new_layers (gboolean with_host_step)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");
  HybValueId  y = op_node (b, "dot", NULL, x, op_variable (b, "w"), HYB_NO_ID);

  y = op_node (b, "tanh", NULL, y, HYB_NO_ID);
  if (with_host_step)
    y = op_node (b, "cumsum", "axis=1", y, HYB_NO_ID);
  y = op_node (b, "dot", NULL, y, y, HYB_NO_ID);
  y = op_node (b, "sigmoid", NULL, y, HYB_NO_ID);
  return op_finish (b, y, HYB_NO_ID);
}

/* state = tanh (state + row) over the rows of x. */
static HybGraph *
new_loop (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  y =
      op_node (b, "tanh", NULL,
               op_node (b, "elemwise_add", NULL, row, op_variable (b, "state"), HYB_NO_ID),
               HYB_NO_ID);
  HybGraph *body = op_finish (b, y, y, HYB_NO_ID);

  b = hyb_builder_new ();
  y = op_node_with_bodies (b, "_foreach",
                           "num_args=3 num_outputs=2 num_out_data=1 "
                           "in_data_locs=(0,) in_state_locs=(1,) remain_locs=()",
                           &(OpOperands){
                               2, (HybValueId[]){ op_variable (b, "x"), op_variable (b, "w") }, 1,
                               &body });
  return op_finish (b, y, HYB_NO_ID);
}

/* Chooses between the square and the negative of x by the only element of w. */
static HybGraph *
new_choice (void)
{
  HybGraph   *bodies[3];
  HybBuilder *b = hyb_builder_new ();
  HybValueId  y = op_node (b, "_greater_scalar", "scalar=0", op_variable (b, "w"), HYB_NO_ID);

  bodies[0] = op_finish (b, y, HYB_NO_ID);
  for (guint i = 1; i < 3; i++)
    {
      b = hyb_builder_new ();
      y = op_node (b, i == 1 ? "square" : "negative", NULL, op_variable (b, "x"), HYB_NO_ID);
      bodies[i] = op_finish (b, y, HYB_NO_ID);
    }
  b = hyb_builder_new ();
  y = op_node_with_bodies (
      b, "_cond",
      "num_args=5 num_outputs=1 cond_input_locs=(1,) then_input_locs=(0,) else_input_locs=(0,)",
      &(OpOperands){ 2, (HybValueId[]){ op_variable (b, "x"), op_variable (b, "w") }, 3, bodies });
  return op_finish (b, y, HYB_NO_ID);
}

/* y = dropout (x w) + uniform numbers, and its square. */
static HybGraph *
new_noise (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x");
  HybValueId  y = op_node (b, "dot", NULL, x, op_variable (b, "w"), HYB_NO_ID);

  y = op_node (b, "Dropout", "p=0.4 mode=always", y, HYB_NO_ID);
  y = op_node (b, "elemwise_add", NULL, y, op_node (b, "_random_uniform", "shape=(6,6)", HYB_NO_ID),
               HYB_NO_ID);
  return op_finish (b, op_node (b, "dot", NULL, y, y, HYB_NO_ID), HYB_NO_ID);
}

/* state = dropout (state + row) over the rows of x. */
static HybGraph *
new_noisy_loop (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  y = op_node (b, "elemwise_add", NULL, row, op_variable (b, "state"), HYB_NO_ID);
  HybGraph   *body;

  y = op_node (b, "Dropout", "p=0.4 mode=always", y, HYB_NO_ID);
  body = op_finish (b, y, y, HYB_NO_ID);
  b = hyb_builder_new ();
  y = op_node_with_bodies (b, "_foreach",
                           "num_args=3 num_outputs=2 num_out_data=1 "
                           "in_data_locs=(0,) in_state_locs=(1,) remain_locs=()",
                           &(OpOperands){
                               2, (HybValueId[]){ op_variable (b, "x"), op_variable (b, "w") }, 1,
                               &body });
  return op_finish (b, y, HYB_NO_ID);
}

/* x is of n rows of 6; w: 6 rows of columns, or 6 elements, or one. */
static HybExecutor *
new_executor (HybGraph *graph, HybMode mode, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = mode, .gpu = gpu };

  return hyb_executor_new (graph, &options);
}

static void
bind_inputs (HybExecutor *executor, gint64 rows, gint64 w_rows, gint64 w_columns, double step)
{
  bind (executor, "x", new_tensor (rows, 6, step));
  bind (executor, "w", new_tensor (w_rows, w_columns, step + 0.4));
}

static gboolean
has_same_bytes (HybExecutor *executor, HybExecutor *expected)
{
  HybTensor *a = hyb_executor_get_output (executor, 0);
  HybTensor *b = hyb_executor_get_output (expected, 0);

  g_assert_cmpuint (hyb_tensor_get_bytes (a), ==, hyb_tensor_get_bytes (b));
  return memcmp (hyb_tensor_get_data (a), hyb_tensor_get_data (b), hyb_tensor_get_bytes (b)) == 0;
}

/* Runs five times with other inputs each; the bytes must be those of hybrid mode, which hands its work
 * over step by step.  Returns how often a graph was launched. */
static guint
compare (HybGraph *graph, gint64 w_rows, gint64 w_columns)
{
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autoptr (HybExecutor) executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  g_autoptr (HybExecutor) plain = new_executor (graph, HYB_MODE_HYBRID, gpu);
  g_autofree char *work = NULL;
  guint            n_launched = 0;

  for (guint i = 0; i < 5; i++)
    {
      guint before;

      bind_inputs (executor, 6, w_rows, w_columns, 0.3 + i);
      bind_inputs (plain, 6, w_rows, w_columns, 0.3 + i);
      run (plain);
      before = calls ("cuLaunchKernel");
      run (executor);
      if (i > 1)
        n_launched += calls ("cuLaunchKernel") - before;
      g_assert_true (has_same_bytes (executor, plain));
    }
  g_assert_true ((n_launched == 0) == (calls ("cuGraphLaunch") > 0));
  work = hyb_executor_dup_device_work (executor);
  g_assert_true ((strstr (work, " Recorded stretches of steps that were replayed: ") != NULL) ==
                 (calls ("cuGraphLaunch") > 0));
  return calls ("cuGraphLaunch");
}

/* --- A planted fault: a twin that lets the recording keep the seed --- */

static gint64 *kept_seed; /* on the device */

static void
bake_seed (HybQueue *queue, const HybCall *call, const HybRun *given, gpointer prepared)
{
  HybRun baked = *given;

  real_backend->set (queue, kept_seed, (gint64) given->seed);
  baked.seed_there = (const guint64 *) kept_seed;
  real_op.launch (queue, call, &baked, prepared);
}

/* --- Tests --- */

static void
test_stretch_is_one_launch (void)
{
  static const char *const orders[] = { "order=forward", "order=reverse", "order=mixed seed=7" };

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_autoptr (HybGraph) graph = new_layers (FALSE);

      if (!set_up (orders[i]))
        return;
      g_assert_cmpuint (compare (graph, 6, 6), ==, 4); /* not in the first run */
      assert_clean ();
    }
}

static void
test_host_step_divides (void)
{
  g_autoptr (HybGraph) graph = new_layers (TRUE);

  if (!set_up (""))
    return;
  g_assert_cmpuint (compare (graph, 6, 6), ==, 2 * 4);
  assert_clean ();
}

static void
test_loop_is_recorded (void)
{
  g_autoptr (HybGraph) graph = new_loop ();

  if (!set_up ("order=mixed seed=2"))
    return;
  g_assert_cmpuint (compare (graph, 6, 0), ==, 4);
  assert_clean ();
}

/* Every run has a seed of its own, which is sent in front of what is replayed. */
static void
test_random_numbers_are_recorded (void)
{
  static const char *const orders[] = { "order=forward", "order=reverse", "order=mixed seed=7" };

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_autoptr (HybGraph) graph = new_noise ();
      g_autoptr (HybGraph) loop = new_noisy_loop ();

      if (!set_up (orders[i]))
        return;
      g_assert_cmpuint (compare (graph, 6, 6), ==, 4);
      assert_clean ();
      set_up (orders[i]);
      g_assert_cmpuint (compare (loop, 6, 0), ==, 4);
      assert_clean ();
    }
}

/* The comparison above finds a seed that was recorded: the run that records it is right, the next one is
 * not. */
static void
test_recorded_seed_is_found (void)
{
  g_autoptr (HybGraph) graph = new_noise ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybGpu) plain_gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybExecutor) plain = NULL;
  g_autoptr (GError) error = NULL;
  HybBackend faulty;

  if (!set_up (""))
    return;
  plain_gpu = open_gpu ();
  faulty = new_faulty_backend ("Dropout", bake_seed);
  gpu = hyb_gpu_open_with (&faulty, 0, HYB_GPU_PRECISE, &error);
  g_assert_no_error (error);
  kept_seed = faulty.take (gpu->device, FALSE, sizeof *kept_seed, &error);
  g_assert_no_error (error);
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  plain = new_executor (graph, HYB_MODE_HYBRID, plain_gpu);
  bind_inputs (executor, 6, 6, 6, 0.3);
  bind_inputs (plain, 6, 6, 6, 0.3);
  for (guint i = 0; i < 4; i++)
    {
      run (executor);
      run (plain);
      g_assert_true (has_same_bytes (executor, plain) == (i < 2));
    }
  g_clear_pointer (&executor, hyb_executor_free);
  g_clear_pointer (&plain, hyb_executor_free);
  faulty.give (gpu->device, FALSE, kept_seed);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  g_clear_pointer (&plain_gpu, hyb_gpu_unref);
  g_free ((gpointer) faulty.ops);
  assert_clean ();
}

/* The predicate is read by the host in every run, so that the branch is chosen anew. */
static void
test_condition_is_not_recorded (void)
{
  g_autoptr (HybGraph) graph = new_choice ();

  if (!set_up (""))
    return;
  g_assert_cmpuint (compare (graph, 1, 0), ==, 0);
  assert_clean ();
}

/* More steps than a graph may have are handed over one by one. */
static void
test_long_loop_is_not_recorded (void)
{
  g_autoptr (HybGraph) graph = new_loop ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;

  if (!set_up (""))
    return;
  gpu = open_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  bind_inputs (executor, 10001, 6, 0, 0.3); /* a launch and a copy each */
  for (guint i = 0; i < 2; i++)
    run (executor);
  g_assert_cmpuint (calls ("cuStreamBeginCapture_v2"), ==, 0);
}

/* Inputs that are larger lie elsewhere: what was recorded for the smaller ones is not replayed. */
static void
test_moved_inputs (void)
{
  g_autoptr (HybGraph) graph = new_loop ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybExecutor) host = NULL;

  if (!set_up (""))
    return;
  gpu = open_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  host = new_executor (graph, HYB_MODE_STATIC, NULL);
  for (guint i = 0; i < 12; i++)
    {
      gint64 rows = i % 4 < 2 ? 3 : 9;

      bind_inputs (executor, rows, 6, 0, 0.2 + i);
      bind_inputs (host, rows, 6, 0, 0.2 + i);
      run (host);
      run (executor);
      assert_near (executor, host);
    }
  g_assert_cmpuint (calls ("cuGraphLaunch"), >, 4);
  close_cleanly (&executor, &gpu);
}

static guint
n_recorded_in (HybExecutor *executor, guint n_runs)
{
  guint n = calls ("cuStreamBeginCapture_v2");

  for (guint i = 0; i < n_runs; i++)
    run (executor);
  return calls ("cuStreamBeginCapture_v2") - n;
}

/* An observer knows the work of a recording only if it saw the recording; without one, any recording will do. */
static void
test_observers (void)
{
  g_autoptr (HybGraph) graph = new_loop ();
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  HybProbe first = { .follows_device = 1 };
  HybProbe second = { .follows_device = 2 };

  if (!set_up (""))
    return;
  gpu = open_gpu ();
  executor = new_executor (graph, HYB_MODE_STATIC, gpu);
  bind_inputs (executor, 3, 6, 0, 0.2);
  hyb_executor_set_probe (executor, &first);
  g_assert_cmpuint (n_recorded_in (executor, 4), >, 0);
  g_assert_cmpuint (n_recorded_in (executor, 3), ==, 0);
  hyb_executor_set_probe (executor, &second);
  g_assert_cmpuint (n_recorded_in (executor, 1), >, 0);
  g_assert_cmpuint (n_recorded_in (executor, 3), ==, 0);
  hyb_executor_set_probe (executor, NULL);
  g_assert_cmpuint (n_recorded_in (executor, 3), ==, 0);
}

/* Where recording fails work is handed over step by step; where a call fails that computes, the run
 * fails. */
static void
test_every_call_can_fail (void)
{
  static const char *const functions[] = {
    "cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags",
    "cuGraphDestroy",          "cuGraphLaunch",      "cuGraphExecDestroy",
    "cuLaunchKernel",          "cuMemcpyAsync"
  };
  g_autoptr (HybGraph) graph = new_layers (TRUE);

  if (!set_up (""))
    return;
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    for (guint n = 1; n <= 8; n++)
      {
        g_autofree char *settings = g_strdup_printf ("fail=%s:%u:1", functions[f], n);
        g_autofree char *left = NULL;
        g_autoptr (GError) error = NULL;
        g_autoptr (HybGpu) gpu = NULL;
        g_autoptr (HybExecutor) host = new_executor (graph, HYB_MODE_STATIC, NULL);
        g_autoptr (HybExecutor) executor = NULL;
        gboolean is_done = TRUE;

        bind_inputs (host, 6, 6, 6, 0.3);
        run (host);
        configure (settings);
        gpu = open_gpu ();
        executor = new_executor (graph, HYB_MODE_STATIC, gpu);
        bind_inputs (executor, 6, 6, 6, 0.3);
        for (guint i = 0; i < 3 && is_done; i++)
          {
            is_done =
                hyb_executor_run (executor, NULL, &error) && hyb_executor_finish (executor, &error);
            g_assert_true (is_done == !error);
            if (is_done)
              assert_near (executor, host);
          }
        if (error)
          g_assert_cmpuint (strlen (error->message), >, 20);
        if (strcmp (functions[f], "cuGraphInstantiateWithFlags") == 0)
          g_assert_no_error (error);
        g_clear_pointer (&executor, hyb_executor_free);
        g_clear_pointer (&gpu, hyb_gpu_unref);
        left = leaks ();
        if (*left && !g_str_has_prefix (functions[f], "cuGraph") &&
            !g_str_has_prefix (functions[f], "cuStream"))
          g_error ("%s: %s was not destroyed", settings, left);
      }
}

TEST_PROGRAM (test_replay)
{
  g_autofree char *cache = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/replay/a-stretch-is-one-launch", test_stretch_is_one_launch);
  g_test_add_func ("/engine/cuda/replay/a-host-step-divides-a-stretch", test_host_step_divides);
  g_test_add_func ("/engine/cuda/replay/a-loop-is-recorded", test_loop_is_recorded);
  g_test_add_func ("/engine/cuda/replay/random-numbers-are-recorded",
                   test_random_numbers_are_recorded);
  g_test_add_func ("/engine/cuda/replay/a-recorded-seed-is-found", test_recorded_seed_is_found);
  g_test_add_func ("/engine/cuda/replay/a-condition-is-not-recorded",
                   test_condition_is_not_recorded);
  g_test_add_func ("/engine/cuda/replay/a-long-loop-is-not-recorded",
                   test_long_loop_is_not_recorded);
  g_test_add_func ("/engine/cuda/replay/moved-inputs-are-recorded-anew", test_moved_inputs);
  g_test_add_func ("/engine/cuda/replay/a-recording-serves-the-observer-that-saw-it",
                   test_observers);
  g_test_add_func ("/engine/cuda/replay/every-call-can-fail", test_every_call_can_fail);
  return g_test_run ();
}
