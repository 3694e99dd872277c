/* test-contexts.c — the context of a GPU is made that of the thread before each call that needs it: on a second GPU, on
 * two in turns, and on threads that have none.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/recurrent-layer.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

/* Two products with a function between them, recorded from the second run on and timed. */
static HybGraph *
new_products (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  w = op_variable (b, "w");
  HybValueId  y = op_node (b, "dot", NULL, op_variable (b, "x"), w, HYB_NO_ID);

  y = op_node (b, "sin", NULL, y, HYB_NO_ID);
  return op_finish (b, op_node (b, "dot", NULL, y, w, HYB_NO_ID), HYB_NO_ID);
}

static HybExecutor *
new_products_executor (HybGraph *graph, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu, .times_device = TRUE };
  HybExecutor       *executor = hyb_executor_new (graph, &options);

  bind (executor, "x", new_tensor (4, 4, 0.3));
  bind (executor, "w", new_tensor (4, 4, 0.7));
  return executor;
}

/* In hybrid mode, which records nothing, without inputs that are sent. */
static HybExecutor *
new_constant_executor (HybGraph *graph, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = HYB_MODE_HYBRID, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);

  bind (executor, "x", new_tensor (4, 4, 0.3));
  bind (executor, "w", new_tensor (4, 4, 0.7));
  hyb_executor_set_constant (executor, "x", TRUE);
  hyb_executor_set_constant (executor, "w", TRUE);
  return executor;
}

static HybGpu *
open_number (const char *name)
{
  g_autoptr (GError) error = NULL;
  HybGpu *gpu = hyb_gpu_open (name, &error);

  g_assert_no_error (error);
  return gpu;
}

/* A model on two devices. */
typedef struct
{
  HybExecutor *there, *expected;
} Pair;

static void
run_pair (const Pair *pair)
{
  run (pair->there);
  for (guint i = 0; i < hyb_executor_n_outputs (pair->expected); i++)
    assert_output_near (pair->there, pair->expected, i);
}

static gpointer
run_on_thread (gpointer data)
{
  run_pair (data);
  g_assert_false (isnan (hyb_executor_get_device_seconds (((const Pair *) data)->there)));
  return NULL;
}

static gpointer
run_untimed_on_thread (gpointer data)
{
  run_pair (data);
  return NULL;
}

static gpointer
free_on_thread (gpointer executor)
{
  hyb_executor_free (executor);
  return NULL;
}

static void
test_two_gpus (void)
{
  HybGraph *graphs[] = { new_products (), new_layer () };
  HybGpu   *gpus[2];
  Pair      pairs[2][2];

  if (!set_up ("devices=2"))
    return;
  gpus[0] = open_number ("gpu:0");
  gpus[1] = open_number ("gpu:1");
  for (guint g = 0; g < 2; g++)
    for (guint d = 0; d < 2; d++)
      {
        HybExecutor *(*make) (HybGraph *, HybGpu *) =
            g == 0 ? new_products_executor : new_layer_executor;

        pairs[g][d] = (Pair){ make (graphs[g], gpus[d]), make (graphs[g], NULL) };
        run (pairs[g][d].expected);
      }
  for (guint round = 0; round < 3; round++)
    for (guint g = 0; g < 2; g++)
      for (guint d = 0; d < 2; d++)
        run_pair (&pairs[g][d]);
  for (guint g = 0; g < 2; g++)
    for (guint d = 0; d < 2; d++)
      {
        hyb_executor_free (pairs[g][d].there);
        hyb_executor_free (pairs[g][d].expected);
      }
  hyb_gpu_unref (gpus[0]);
  hyb_gpu_unref (gpus[1]);
  assert_clean ();
  hyb_graph_unref (graphs[0]);
  hyb_graph_unref (graphs[1]);
}

/* Every run, and the end, is on a thread of its own; the GPU is not the first one. */
static void
test_fresh_threads (void)
{
  g_autoptr (HybGraph) graph = new_products ();
  g_autoptr (HybGpu) gpu = NULL;
  Pair pair;

  if (!set_up ("devices=2"))
    return;
  gpu = open_number ("gpu:1");
  pair = (Pair){ new_products_executor (graph, gpu), new_products_executor (graph, NULL) };
  run (pair.expected);
  for (guint i = 0; i < 3; i++)
    g_thread_join (g_thread_new ("run", run_on_thread, &pair));
  g_thread_join (g_thread_new ("free", free_on_thread, pair.there));
  hyb_executor_free (pair.expected);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  assert_clean ();
}

/* Nothing is copied before the first call of a library, since all variables are there. */
static void
test_library_calls_first (void)
{
  g_autoptr (HybGraph) graph = new_products ();
  g_autoptr (HybGpu) gpu = NULL;
  Pair pair;

  if (!set_up ("devices=2"))
    return;
  gpu = open_number ("gpu:1");
  pair = (Pair){ new_constant_executor (graph, gpu), new_products_executor (graph, NULL) };
  run (pair.expected);
  for (guint i = 0; i < 3; i++)
    g_thread_join (g_thread_new ("run", run_untimed_on_thread, &pair));
  hyb_executor_free (pair.there);
  hyb_executor_free (pair.expected);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  assert_clean ();
}

TEST_PROGRAM (test_contexts)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/contexts/two-gpus-compute-in-turns", test_two_gpus);
  g_test_add_func ("/engine/cuda/contexts/threads-need-no-context", test_fresh_threads);
  g_test_add_func ("/engine/cuda/contexts/the-first-call-may-be-a-library-s",
                   test_library_calls_first);
  return g_test_run ();
}
