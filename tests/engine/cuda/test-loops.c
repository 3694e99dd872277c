/* test-loops.c — loops and conditions on the pretend GPU: what is copied while they run, what the
 * printed plan shows, and what happens when a call fails in a body.
 *
 * That their numbers are the processor's is shown by the tests of engine/control, which meson.build runs
 * on the pretend GPU, too.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/backward.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

/* --- Models --- */

/* Adds to each row of x what needs no input: on the processor it is a constant. */
static HybGraph *
new_constant (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  y = op_node (b, "_full", "shape=(4,) value=3", HYB_NO_ID);
  HybGraph   *body;

  y = op_node (b, "square", NULL, y, HYB_NO_ID);
  y = op_node (b, "broadcast_add", NULL, row, op_node (b, "sum", "axis=0 keepdims=1", y, HYB_NO_ID),
               HYB_NO_ID);
  body = op_finish (b, y, HYB_NO_ID);
  b = hyb_builder_new ();
  y = op_node_with_bodies (b, "_foreach",
                           "num_args=2 num_outputs=1 num_out_data=1 in_data_locs=(0,) "
                           "in_state_locs=() remain_locs=()",
                           &(OpOperands){ 1, (HybValueId[]){ op_variable (b, "x") }, 1, &body });
  return op_finish (b, y, HYB_NO_ID);
}

/* h = tanh (row w + h) over the rows of x.  other: an operator that the host computes, or NULL. */
static HybGraph *
new_recurrent (const char *other)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  h = op_variable (b, "h");
  HybValueId  w = op_variable (b, "w");
  HybValueId  y = op_node (b, "dot", NULL, row, w, HYB_NO_ID);
  HybGraph   *body;

  y = op_node (b, "elemwise_add", NULL, y, h, HYB_NO_ID);
  if (other)
    y = op_node (b, other, NULL, y, HYB_NO_ID);
  y = op_node (b, "tanh", NULL, y, HYB_NO_ID);
  body = op_finish (b, y, y, HYB_NO_ID);

  b = hyb_builder_new ();
  y = op_node_with_bodies (b, "_foreach",
                           "num_args=4 num_outputs=2 num_out_data=1 "
                           "in_data_locs=(0,) in_state_locs=(1,) remain_locs=(2,)",
                           &(OpOperands){ 3,
                                          (HybValueId[]){ op_variable (b, "x"),
                                                          op_variable (b, "h"),
                                                          op_variable (b, "w") },
                                          1, &body });
  return op_finish (b, y, HYB_NO_ID);
}

/* Doubles v until its product with u is not below 100, at most 12 times. */
static HybGraph *
new_doubling (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  v = op_variable (b, "v");
  HybValueId  u = op_variable (b, "u");
  HybGraph   *bodies[2];

  v = op_node (b, "dot", NULL, v, u, HYB_NO_ID);
  bodies[0] = op_finish (b, op_node (b, "_lesser_scalar", "scalar=100", v, HYB_NO_ID), HYB_NO_ID);
  b = hyb_builder_new ();
  v = op_node (b, "_mul_scalar", "scalar=2", op_variable (b, "v"), HYB_NO_ID);
  bodies[1] = op_finish (b, v, HYB_NO_ID);

  b = hyb_builder_new ();
  v = op_node_with_bodies (b, "_while_loop",
                           "num_args=4 num_outputs=1 num_out_data=0 max_iterations=12 "
                           "cond_input_locs=(0,1) func_input_locs=(0,) func_var_locs=(0,)",
                           &(OpOperands){
                               2, (HybValueId[]){ op_variable (b, "v"), op_variable (b, "u") }, 2,
                               bodies });
  return op_finish (b, v, HYB_NO_ID);
}

/* The graph followed by the gradients of all its variables. */
static HybGraph *
with_gradients (HybGraph *graph)
{
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybGraph        *both = hyb_graph_with_gradients (graph, n, variables, &error);

  g_assert_no_error (error);
  hyb_graph_unref (graph);
  return both;
}

/* Binds all variables: rows of x as many as the loop makes steps. */
static HybExecutor *
new_executor (HybGraph *graph, HybGpu *gpu, gint64 n_rows)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      gboolean    is_weight = strcmp (name, "w") == 0;
      gboolean    is_vector = strcmp (name, "h") == 0 || strcmp (name, "v") == 0;

      if (strcmp (name, "u") == 0)
        bind (executor, name, new_tensor (4, 0, 0.5));
      else
        bind (executor, name,
              new_tensor (is_weight || is_vector ? 4 : n_rows, is_vector ? 0 : 4, 0.3 + 0.1 * i));
    }
  return executor;
}

/* Runs the graph on both; returns what was copied.  text: the printed plan, or NULL. */
static guint
compare (HybGraph *graph, gint64 n_rows, char **text)
{
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autoptr (HybExecutor) host = new_executor (graph, NULL, n_rows);
  g_autoptr (HybExecutor) executor = new_executor (graph, gpu, n_rows);
  g_autofree char *work = NULL;
  const char      *copies;

  run (host);
  run (executor);
  assert_all_within (executor, host, 1e-5);
  if (text)
    *text = hyb_plan_print (hyb_executor_get_plan (executor));
  work = hyb_executor_dup_device_work (executor);
  copies = strstr (work, "steps; ");
  g_assert_nonnull (copies);
  return (guint) g_ascii_strtoull (copies + strlen ("steps; "), NULL, 10);
}

static void
assert_lines (const char *text, const char *const *lines)
{
  const char *at = text;

  for (; *lines; lines++)
    {
      const char *found = strstr (at, *lines);

      if (!found)
        g_error ("“%s” is not in its place in:\n%s", *lines, text);
      at = found + strlen (*lines);
    }
}

/* --- Tests --- */

/* Without hoisting the product stays in the body. */
static void
test_steps_copy_nothing (void)
{
  g_autoptr (HybGraph) graph = new_recurrent (NULL);
  guint few, many;

  if (!set_up ("order=mixed seed=4"))
    return;
  few = compare (graph, 3, NULL);
  many = compare (graph, 40, NULL);
  g_assert_cmpuint (few, ==, 2); /* x, h and w there, the stacked states back */
  g_assert_cmpuint (many, ==, few);
  assert_clean ();
}

static void
test_backward_steps_copy_nothing (void)
{
  g_autoptr (HybGraph) graph = with_gradients (new_recurrent (NULL));
  g_autofree char *text = NULL;
  guint            few, many;

  if (!set_up ("order=mixed seed=4"))
    return;
  few = compare (graph, 3, NULL);
  many = compare (graph, 40, &text);
  g_assert_cmpuint (many, <=, few);
  if (strstr (text, "on the host: "))
    g_error ("a step is on the host:\n%s", text);
  assert_clean ();
}

/* A body has no constants: the device would not find them. */
static void
test_constants_of_a_body_are_computed (void)
{
  g_autoptr (HybGraph) graph = new_constant ();

  if (!set_up (""))
    return;
  compare (graph, 3, NULL);
  assert_clean ();
}

/* One number a step tells whether to make another. */
static void
test_condition_reads_one_number (void)
{
  g_autoptr (HybGraph) graph = new_doubling ();
  g_autoptr (HybTensor) v = new_tensor (4, 0, 0.3);
  g_autoptr (HybTensor) u = new_tensor (4, 0, 0.5);
  g_autofree char *text = NULL;
  double           sum = 0;
  guint            n_steps = 0;

  if (!set_up (""))
    return;
  for (guint i = 0; i < 4; i++)
    sum += hyb_tensor_get_value (v, i) * hyb_tensor_get_value (u, i);
  for (; sum < 100 && n_steps < 12; sum *= 2)
    n_steps++;
  g_assert_cmpuint (n_steps, >, 4);
  g_assert_cmpuint (n_steps, <, 12);
  /* v and u there, the result back, and a number before every step and after the last. */
  g_assert_cmpuint (compare (graph, 0, &text), ==, 2 + n_steps + 1);
  if (strstr (text, "on the host: "))
    g_error ("a step is on the host:\n%s", text);
  assert_clean ();
}

/* A step of the host in a body gets its operand by one copy, and its result goes back by one. */
static void
test_host_step_in_body (void)
{
  static const char *const lines[] = {
    "1 steps on the GPU, 0 on the host; ",
    "_foreach",
    ", on the GPU\n",
    "          copy  16 bytes to the host, @",
    "cumsum",
    ", on the host: the GPU module does not compute this operator\n",
    "          copy  16 bytes to the GPU, head 0\n",
    ", on the GPU\n",
    NULL,
  };
  g_autoptr (HybGraph) graph = new_recurrent ("cumsum");
  g_autofree char *text = NULL;
  guint            few, many;

  if (!set_up ("order=reverse"))
    return;
  few = compare (graph, 3, &text);
  many = compare (graph, 13, NULL);
  assert_lines (text, lines);
  g_assert_cmpuint (many - few, ==, 2 * 10);
  assert_clean ();
}

/* A loop of which the device could compute nothing is one step of the host. */
static void
test_whole_loop_on_host (void)
{
  static const char *const lines[] = { "0 steps on the GPU, 1 on the host; ", "_foreach",
                                       ", on the host: the GPU module computes no operator of its "
                                       "body\n",
                                       NULL };
  HybBuilder              *b = hyb_builder_new ();
  HybValueId               y = op_node (b, "cumsum", NULL, op_variable (b, "row"), HYB_NO_ID);
  HybGraph                *body = op_finish (b, y, HYB_NO_ID);
  g_autoptr (HybGraph) graph = NULL;
  g_autofree char *text = NULL;

  b = hyb_builder_new ();
  y = op_node_with_bodies (b, "_foreach",
                           "num_args=2 num_outputs=1 num_out_data=1 in_data_locs=(0,) "
                           "in_state_locs=() remain_locs=()",
                           &(OpOperands){ 1, (HybValueId[]){ op_variable (b, "x") }, 1, &body });
  graph = op_finish (b, y, HYB_NO_ID);
  if (!set_up (""))
    return;
  compare (graph, 5, &text);
  assert_lines (text, lines);
}

/* The first, second … call of every function fails while a loop and its gradient run. */
static void
test_every_call_can_fail (void)
{
  static const char *const functions[] = { "cuCtxSetCurrent",     "cuMemAlloc_v2",
                                           "cuMemHostAlloc",      "cuMemcpyAsync",
                                           "cuMemsetD32Async",    "cuMemsetD8Async",
                                           "cuStreamSynchronize", "cuLaunchKernel" };
  g_autoptr (HybGraph) graph = with_gradients (new_recurrent ("cumsum"));

  if (!set_up (""))
    return;
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      guint most = 1;

      for (guint n = 0; n <= most; n++)
        {
          g_autofree char *settings = g_strdup_printf ("fail=%s:%u:1", functions[f], n);
          g_autofree char *left = NULL;
          g_autoptr (GError) error = NULL;
          g_autoptr (HybGpu) gpu = NULL;

          configure (n > 0 ? settings : "");
          gpu = hyb_gpu_open ("gpu", &error);
          if (gpu)
            {
              g_autoptr (HybExecutor) executor = new_executor (graph, gpu, 4);

              g_assert_true ((hyb_executor_run (executor, NULL, &error) &&
                              hyb_executor_finish (executor, &error)) == !error);
            }
          if (n == 0)
            most = MIN (calls (functions[f]), 24);
          g_assert_true (!error || n > 0);
          if (error)
            g_assert_cmpuint (strlen (error->message), >, 20);
          g_clear_pointer (&gpu, hyb_gpu_unref);
          left = leaks ();
          if (*left)
            g_error ("%s: %s was not destroyed", settings, left);
        }
    }
}

/* With HYB_GPU_STEP the node in the body is named, too. */
static void
test_failed_step_is_named (void)
{
  g_autoptr (HybGraph) graph = new_recurrent (NULL);
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;

  if (!set_up ("fail=cuLaunchKernel:3:1"))
    return;
  g_setenv ("HYB_GPU_STEP", "1", TRUE);
  gpu = open_gpu ();
  executor = new_executor (graph, gpu, 4);
  g_assert_false (hyb_executor_run (executor, NULL, &error));
  g_unsetenv ("HYB_GPU_STEP");
  g_assert_true (g_str_has_prefix (error->message, "node “_foreach"));
  g_assert_nonnull (strstr (error->message, "(_foreach): node “"));
}

TEST_PROGRAM (test_loops)
{
  g_autofree char *cache = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/loops/steps-copy-nothing", test_steps_copy_nothing);
  g_test_add_func ("/engine/cuda/loops/backward-steps-copy-nothing",
                   test_backward_steps_copy_nothing);
  g_test_add_func ("/engine/cuda/loops/constants-of-a-body-are-computed",
                   test_constants_of_a_body_are_computed);
  g_test_add_func ("/engine/cuda/loops/a-condition-reads-one-number",
                   test_condition_reads_one_number);
  g_test_add_func ("/engine/cuda/loops/a-host-step-in-a-body-copies-its-operands",
                   test_host_step_in_body);
  g_test_add_func ("/engine/cuda/loops/a-loop-of-host-steps-is-one-host-step",
                   test_whole_loop_on_host);
  g_test_add_func ("/engine/cuda/loops/every-call-can-fail", test_every_call_can_fail);
  g_test_add_func ("/engine/cuda/loops/a-failed-step-in-a-body-is-named",
                   test_failed_step_is_named);
  return g_test_run ();
}
