/* test-failed-recording.c — a call that fails while steps are recorded: the steps are handed over one by one, and
 * nothing else shows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/recurrent-layer.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

#define N_RUNS 4

/* A function of the driver or of a library, and a code with which it fails. */
typedef struct
{
  const char *function;
  int         code;
} Call;

/* What a model calls in runs that are handed over step by step, recorded, and replayed. */
typedef struct
{
  HybGraph *graph;
  HybExecutor *(*new_executor) (HybGraph *graph, HybGpu *gpu);
} Model;

/* Two products with a function between them. */
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
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu };
  HybExecutor       *executor = hyb_executor_new (graph, &options);

  bind (executor, "x", new_tensor (4, 4, 0.3));
  bind (executor, "w", new_tensor (4, 4, 0.7));
  return executor;
}

/* Runs with these settings; every run must give what the processor gives.  Returns how often function was called
 * in the run that records, and in *before how often until then. */
static guint
run_model (const Model *model, const char *settings, const char *function, guint *before)
{
  g_autoptr (HybExecutor) expected = model->new_executor (model->graph, NULL);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  guint n = 0;

  run (expected);
  configure (settings);
  gpu = open_gpu ();
  executor = model->new_executor (model->graph, gpu);
  for (guint i = 0; i < N_RUNS; i++)
    {
      g_autoptr (GError) error = NULL;
      guint now = calls (function);

      if (!hyb_executor_run (executor, NULL, &error) || !hyb_executor_finish (executor, &error))
        g_error ("run %u with %s: %s", i, settings, error->message);
      assert_all_within (executor, expected, 1e-5);
      if (i == 1)
        {
          *before = now;
          n = calls (function) - now;
        }
    }
  close_cleanly (&executor, &gpu);
  return n;
}

/* Lets each call of each function fail that the recording makes. */
static void
fail_in_turn (const Model *model, guint n_calls, const Call *list)
{
  for (guint c = 0; c < n_calls; c++)
    {
      guint before = 0, unused;
      guint n = run_model (model, "", list[c].function, &before);

      g_assert_cmpuint (n, >, 0);
      for (guint i = 1; i <= n; i++)
        {
          g_autofree char *settings =
              g_strdup_printf ("fail=%s:%u:%d", list[c].function, before + i, list[c].code);

          run_model (model, settings, list[c].function, &unused);
        }
    }
}

static void
test_products (void)
{
  static const Call list[] = {
    { "cublasGemmEx", 13 },
    { "cuLaunchKernel", 1 },
    { "cuStreamBeginCapture_v2", 1 },
    { "cuStreamEndCapture", 1 },
    { "cuGraphInstantiateWithFlags", 2 },
  };
  g_autoptr (HybGraph) graph = new_products ();

  if (set_up (""))
    fail_in_turn (&(Model){ graph, new_products_executor }, G_N_ELEMENTS (list), list);
}

static void
test_recurrent_layer (void)
{
  static const Call list[] = {
    { "cudnnRNNForward", 5000 },
    { "cudnnRNNBackwardData_v8", 5000 },
    { "cudnnRNNBackwardWeights_v8", 5000 },
    { "cuMemsetD8Async", 1 },
  };
  g_autoptr (HybGraph) graph = new_layer ();

  if (set_up (""))
    fail_in_turn (&(Model){ graph, new_layer_executor }, G_N_ELEMENTS (list), list);
}

TEST_PROGRAM (test_failed_recording)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/failed-recording/products-are-handed-over", test_products);
  g_test_add_func ("/engine/cuda/failed-recording/a-recurrent-layer-is-handed-over",
                   test_recurrent_layer);
  return g_test_run ();
}
