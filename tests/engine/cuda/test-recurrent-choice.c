/* test-recurrent-choice.c — cuDNN's algorithm for a recurrent layer: the one that was measured to be faster for just this
 * layer, else the standard one, which shows in the pretended clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

enum
{
  STEPS = 5,
  BATCH = 3,
  UNITS = 6,
  WEIGHTS = 4 * UNITS * (UNITS + UNITS + 2)
};

static HybGraph *
new_lstm (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x"), w = op_variable (b, "w"), h = op_variable (b, "h");

  return op_finish (b,
                    op_node (b, "RNN", "mode=lstm num_layers=1 state_size=6", x, w, h,
                             op_variable (b, "c"), HYB_NO_ID),
                    HYB_NO_ID);
}

static HybTensor *
new_states (gint64 first)
{
  HybType    type = { hyb_shape_3d (first, BATCH, UNITS), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) i, sin ((double) i));
  return tensor;
}

static HybExecutor *
new_executor (HybGraph *graph, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu, .times_device = TRUE };
  HybExecutor       *executor = hyb_executor_new (graph, &options);

  bind (executor, "x", new_states (STEPS));
  bind (executor, "w", new_tensor (WEIGHTS, 0, 0.1));
  bind (executor, "h", new_states (1));
  bind (executor, "c", new_states (1));
  return executor;
}

/* The seconds of a run by the GPU's clock, whose numbers must be the processor's. */
static double
time_run (HybGraph *graph, HybGpuMath math)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGpu) gpu = hyb_gpu_open_with_math ("gpu", math, &error);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybExecutor) host = new_executor (graph, NULL);

  g_assert_no_error (error);
  executor = new_executor (graph, gpu);
  run (executor);
  run (host);
  for (gint64 i = 0; i < hyb_tensor_get_size (hyb_executor_get_output (host, 0)); i++)
    g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (hyb_executor_get_output (executor, 0), i),
                                    hyb_tensor_get_value (hyb_executor_get_output (host, 0), i),
                                    math == HYB_GPU_FAST ? 1e-2 : 1e-5);
  return hyb_executor_get_device_seconds (executor);
}

/* A line of gpu-check. */
#define LINE(cell, training, units, batch, algorithm, math, recorded, low, high)                 \
  "{\"cell\": \"" cell "\", \"training\": " training ", \"units\": " units ", \"batch\": " batch \
  ", \"steps\": 100, \"algorithm\": \"" algorithm "\", \"math\": \"" math                        \
  "\", \"recorded\": " recorded ", \"median\": 0.0015, \"low\": " low ", \"high\": " high "}\n"
#define MINE(algorithm, low, high) \
  LINE ("lstm", "false", "6", "3", algorithm, "fma", "true", low, high)
#define STANDARD MINE ("standard", "1.4e-3", "0.0016")

static void
test_table (void)
{
  static const struct
  {
    const char *table;
    gboolean    is_faster; /* than without a table */
  } rows[] = {
    { "", FALSE },
    { STANDARD, FALSE },
    { STANDARD MINE ("persist-static", "0.0010", "0.0011"), TRUE },
    { MINE ("persist-small", "1e-3", "1.1e-3") "nonsense\n" STANDARD, TRUE },
    { STANDARD MINE ("persist-static", "0.0010", "0.0015"), FALSE }, /* the intervals overlap */
    { STANDARD MINE ("persist-dynamic", "0.0010", "0.0011"), FALSE },
    { MINE ("persist-static", "0.0010", "0.0011"), FALSE }, /* compared with nothing */
    { STANDARD LINE ("gru", "false", "6", "3", "persist-static", "fma", "true", "0.001", "0.001"),
      FALSE },
    { STANDARD LINE ("lstm", "true", "6", "3", "persist-static", "fma", "true", "0.001", "0.001"),
      FALSE },
    { STANDARD LINE ("lstm", "false", "7", "3", "persist-static", "fma", "true", "0.001", "0.001"),
      FALSE },
    { STANDARD LINE ("lstm", "false", "6", "4", "persist-static", "fma", "true", "0.001", "0.001"),
      FALSE },
    { STANDARD LINE ("lstm", "false", "6", "3", "persist-static", "default", "true", "0.001",
                     "0.001"),
      FALSE },
    { STANDARD LINE ("lstm", "false", "6", "3", "persist-static", "fma", "false", "0.001", "0.001"),
      FALSE },
    { STANDARD MINE ("persist-static", "nan", "0.0011") MINE ("persist-static", "-1", "0.0011"),
      FALSE },
  };
  g_autoptr (HybGraph) graph = new_lstm ();
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "times", NULL);
  double           standard;

  if (!set_up ("algorithms=all"))
    return;
  g_unsetenv ("HYB_GPU_RNN_TIMES");
  standard = time_run (graph, HYB_GPU_PRECISE);
  g_setenv ("HYB_GPU_RNN_TIMES", path, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      double seconds;

      g_assert_true (g_file_set_contents (path, rows[i].table, -1, NULL));
      seconds = time_run (graph, HYB_GPU_PRECISE);
      if ((seconds < standard) != rows[i].is_faster)
        g_error ("%g s instead of %g s with:\n%s", seconds, standard, rows[i].table);
    }
  g_assert_cmpfloat (time_run (graph, HYB_GPU_FAST), ==, standard);

  /* What cuDNN refuses after all is computed by the standard algorithm. */
  configure ("");
  g_assert_true (
      g_file_set_contents (path, STANDARD MINE ("persist-static", "0.0010", "0.0011"), -1, NULL));
  g_assert_cmpfloat (time_run (graph, HYB_GPU_PRECISE), ==, standard);
  g_unsetenv ("HYB_GPU_RNN_TIMES");
  assert_clean ();
}

TEST_PROGRAM (test_recurrent_choice)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/recurrent-choice/what-was-measured-counts", test_table);
  return g_test_run ();
}
