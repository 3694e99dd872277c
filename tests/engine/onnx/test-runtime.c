/* test-runtime.c — tests of nodes whose form only a whole file shows: numbers that ONNX Runtime computed, in every mode.
 *
 * tests/data/onnx/runtime has a model and its arrays for each case; make-runtime.py beside it writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/exec/executor.h"
#include "tests/engine/onnx/files.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static void
test_numbers (gconstpointer name)
{
  files_run ("runtime", name);
}

/* Nodes whose inputs or attributes tell nothing: types are inferred all the same. */
static void
test_what_is_unknown_is_no_crash (void)
{
  static const char *const nodes[] = {
    "x: float[4,3,2]\nw: float[1,6,2]\nr: float[1,6,2]\ny = GRU x, w, r | hidden_size=2 clip=1\n-> "
    "y",
    "x: float[?,?]\ny = GRU x, x, x, x, x, x\n-> y",
    "x: float[?,?,?]\ny = LSTM x, x, x, x, x, x, x, x | hidden_size=2\n-> y",
    "x: float[?,?,?,?]\ny = Attention x, x, x, x, x, x | is_causal=1\n-> y",
    "x: float[?,?,?,?]\ny = GridSample x, x\n-> y",
    "x: float[?,?,?,?]\ny = Resize x, x, x | antialias=1\n-> y",
    "x: float[?]\ny = CumProd x, x\n-> y",
    "x: float[?,?]\ny = NonMaxSuppression x, x\n-> y",
    "x: float[?]\nk: int64[]\nz = SplitToSequence x, k\ny = SequenceAt z, k\n-> y",
    "x: float[?,?]\nz = SplitToSequence x\nu = SequenceConstruct x, z\nw = SequenceInsert u, z, x\n"
    "y = SequenceLength w\n-> y",
    "y = SequenceEmpty\nz = SequenceAt y, y\n-> z",
    "x: float[]\nk: int64[]\nz = SequenceAt x, k\nu = SequenceInsert x, x\nw = ConcatFromSequence "
    "x\n-> z, "
    "u, w",
  };

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autoptr (HybModel) model = nodes_model (nodes[i], 26);
      HybGraph           *graph = hyb_model_get_graph (model);
      g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));

      for (guint v = 0; v < hyb_graph_n_values (graph); v++)
        types[v] = HYB_TYPE_UNKNOWN;
      hyb_infer_types (graph, types, NULL, FALSE, NULL);
    }
}

static void
check_comparison (const char *lines, gint64 opset, gboolean runs)
{
  g_autoptr (HybModel) model = nodes_model (lines, opset);
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybExecutor) executor = hyb_executor_new (hyb_model_get_graph (model), &options);
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_executor_bind (executor, "a", hyb_model_get_parameter (model, "a"), NULL));
  g_assert_cmpint (hyb_executor_run (executor, NULL, &error), ==, runs);
  if (!runs)
    g_assert_nonnull (strstr (error->message, "does not take"));
}

/* ONNX Runtime refuses them in the same versions. */
static void
test_old_comparisons_are_of_some_types (void)
{
  check_comparison ("a = float[2] 1 2\ny = Equal a, a\n-> y", 7, FALSE);
  check_comparison ("a = float[2] 1 2\ny = Equal a, a\n-> y", 11, TRUE);
  check_comparison ("a = int64[2] 1 2\ny = Equal a, a\n-> y", 7, TRUE);
  check_comparison ("a = int64[2] 1 2\ny = Less a, a\n-> y", 7, FALSE);
  check_comparison ("a = int64[2] 1 2\ny = Less a, a\n-> y", 9, TRUE);
  check_comparison ("a = float[2] 1 2\ny = Greater a, a\n-> y", 7, TRUE);
}

/* --- Nodes that ONNX Runtime refuses, too --- */

/* Runs a file without inputs. */
static HybExecutor *
run_lines (const char *lines, gint64 opset, GError **error)
{
  g_autoptr (HybModel) model = nodes_model (lines, opset);
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  HybExecutor       *executor = hyb_executor_new (hyb_model_get_graph (model), &options);

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      g_assert_true (
          hyb_executor_bind (executor, name, hyb_model_get_parameter (model, name), NULL));
    }
  hyb_executor_run (executor, NULL, error);
  return executor;
}

static void
test_wrong_sizes_are_refused (void)
{
  static const struct
  {
    const char *lines, *words;
    gint64      opset;
  } rows[] = {
    { "a = float[4] 1 2 3 4\ny, z = Split a | split=[1,2]\n-> y\n-> z", "do not add up", 11 },
    { "a = float[4] 1 2 3 4\ny, z = Split a | split=[2,3]\n-> y\n-> z", "do not add up", 11 },
    { "a = float[4] 1 2 3 4\ny, z = Split a | split=[1,9223372036854775807]\n-> y\n-> z",
      "do not add up", 11 },
    { "a = float[4] 1 2 3 4\ny, z = Split a | split=[4]\n-> y\n-> z", "2 outputs, but 1 sizes",
      11 },
    { "a = float[4] 1 2 3 4\ns = int64[3] 1 1 2\ny, z = Split a, s\n-> y\n-> z",
      "2 outputs, but 3 sizes", 13 },
    { "a = float[1,4,4] 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\ns = int64[2] 3 3\n"
      "k = int64[2] 2 2\ny = Col2Im a, s, k | pads=[-1,0,1,0]\n-> y",
      "pads has a negative value", 18 },
    { "a = float[2,3] 1 2 3 4 5 6\ni = int64[0,2147483647]\ny = GatherND a, i | batch_dims=1\n-> y",
      "tuples have 2147483647 indices", 13 },
    { "a = float[2,3] 1 2 3 4 5 6\ni = int64[0,4294967297]\ny = GatherND a, i\n-> y",
      "tuples have 4294967297 indices", 13 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HybExecutor) executor = run_lines (rows[i].lines, rows[i].opset, &error);

      if (!error || !strstr (error->message, rows[i].words))
        g_error ("%s: %s", rows[i].lines, error ? error->message : "it ran");
    }
}

/* Only the sum of the start and the steps fits into 64 bits. */
static void
test_ranges_over_all_integers (void)
{
  g_autoptr (HybExecutor) executor =
      run_lines ("s = int64[] -9000000000000000000\nl = int64[] 9000000000000000000\n"
                 "d = int64[] 4000000000000000000\ny = Range s, l, d\n-> y",
                 11, NULL);
  HybTensor *y = hyb_executor_get_output (executor, 0);

  g_assert_cmpint (hyb_tensor_get_size (y), ==, 5);
  g_assert_cmpint (((const gint64 *) hyb_tensor_get_data (y))[4], ==,
                   G_GINT64_CONSTANT (7000000000000000000));
}

/* --- Chance --- */

/* Elements are dropped or doubled, as the mask says. */
static void
test_dropout_returns_its_mask (gconstpointer mode)
{
  static const char lines[] = "x: float[64]\nr = float[] 0.5\nt = bool[] 1\n"
                              "y, z = Dropout x, r, t\n-> y\n-> z";
  g_autoptr (HybModel) model = nodes_model (lines, 13);
  HybExecutorOptions options = { .mode = (HybMode) GPOINTER_TO_INT (mode) };
  g_autoptr (HybExecutor) executor = hyb_executor_new (hyb_model_get_graph (model), &options);
  HybType type = { hyb_shape_1d (64), HYB_F32 };
  g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
  double n_kept = 0;

  for (int i = 0; i < 64; i++)
    ((float *) hyb_tensor_get_data (x))[i] = 3;
  g_assert_true (hyb_executor_bind (executor, "x", x, NULL));
  g_assert_true (hyb_executor_bind (executor, "r", hyb_model_get_parameter (model, "r"), NULL));
  g_assert_true (hyb_executor_bind (executor, "t", hyb_model_get_parameter (model, "t"), NULL));
  g_assert_true (hyb_executor_run (executor, NULL, NULL));
  for (int i = 0; i < 64; i++)
    {
      double mask = hyb_tensor_get_value (hyb_executor_get_output (executor, 1), i);

      g_assert_cmpfloat (hyb_tensor_get_value (hyb_executor_get_output (executor, 0), i), ==,
                         6 * mask);
      n_kept += mask;
    }
  g_assert_cmpfloat (n_kept, >, 0);
  g_assert_cmpfloat (n_kept, <, 64);
}

/* Logits 0 and ln 3: three quarters are of class 1. */
static void
test_classes_are_drawn_by_their_probability (gconstpointer mode)
{
  g_autoptr (HybModel) model =
      nodes_model ("x: float[2,2]\ny = Multinomial x | dtype=7 sample_size=4000\n-> y", 13);
  HybExecutorOptions options = { .mode = (HybMode) GPOINTER_TO_INT (mode) };
  g_autoptr (HybExecutor) executor = hyb_executor_new (hyb_model_get_graph (model), &options);
  g_autoptr (HybTensor) x = hyb_tensor_new (&(HybType){ hyb_shape_2d (2, 2), HYB_F32 }, NULL);
  HybTensor *y;
  double     n = 0;

  for (int i = 0; i < 4; i++)
    ((float *) hyb_tensor_get_data (x))[i] = i % 2 ? logf (3) : 0;
  g_assert_true (hyb_executor_bind (executor, "x", x, NULL));
  g_assert_true (hyb_executor_run (executor, NULL, NULL));
  y = hyb_executor_get_output (executor, 0);
  g_assert_cmpint (hyb_tensor_get_type (y)->dtype, ==, HYB_I64);
  g_assert_cmpint (hyb_tensor_get_type (y)->shape.dim[1], ==, 4000);
  for (int i = 0; i < 8000; i++)
    {
      double one = hyb_tensor_get_value (y, i);

      g_assert_true (one == 0 || one == 1);
      n += one;
    }
  g_assert_cmpfloat (n, >, 5600);
  g_assert_cmpfloat (n, <, 6400);
}

TEST_PROGRAM (test_runtime)
{
  g_autofree char *folder = g_build_filename (SOURCE_ROOT, "tests/data/onnx/runtime", NULL);
  g_autoptr (GDir) directory = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *file;

  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/onnx/runtime/what-is-unknown-is-no-crash",
                   test_what_is_unknown_is_no_crash);
  g_test_add_func ("/engine/onnx/runtime/old-comparisons-are-of-some-types",
                   test_old_comparisons_are_of_some_types);
  g_test_add_func ("/engine/onnx/runtime/wrong-sizes-are-refused", test_wrong_sizes_are_refused);
  g_test_add_func ("/engine/onnx/runtime/ranges-over-all-integers", test_ranges_over_all_integers);
  g_test_add_data_func ("/engine/onnx/runtime/dropout-returns-its-mask/imperative",
                        GINT_TO_POINTER (HYB_MODE_IMPERATIVE), test_dropout_returns_its_mask);
  g_test_add_data_func ("/engine/onnx/runtime/dropout-returns-its-mask/static",
                        GINT_TO_POINTER (HYB_MODE_STATIC), test_dropout_returns_its_mask);
  g_test_add_data_func ("/engine/onnx/runtime/classes-are-drawn/imperative",
                        GINT_TO_POINTER (HYB_MODE_IMPERATIVE),
                        test_classes_are_drawn_by_their_probability);
  g_test_add_data_func ("/engine/onnx/runtime/classes-are-drawn/static",
                        GINT_TO_POINTER (HYB_MODE_STATIC),
                        test_classes_are_drawn_by_their_probability);
  directory = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (directory);
  while ((file = g_dir_read_name (directory)))
    if (g_str_has_suffix (file, ".onnx"))
      {
        char            *name = g_strndup (file, strlen (file) - strlen (".onnx"));
        g_autofree char *path = g_strconcat ("/engine/onnx/runtime/", name, NULL);

        g_ptr_array_add (names, name);
        g_test_add_data_func (path, name, test_numbers);
      }
  g_assert_cmpuint (names->len, >, 10);
  return g_test_run ();
}
