/* test-lowered.c — tests of the engine's operators that a node is lowered to.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-types.h"
#include "engine/exec/executor.h"
#include "engine/lower/infer-lowered.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#include <string.h>

static guint
count_operator (HybGraph *graph, const char *op)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      n += node->op && g_str_equal (node->op->name, op);
    }
  return n;
}

/* The types of all values of a graph.  (transfer full) */
static HybType *
infer (HybGraph *graph)
{
  HybType *types = g_new (HybType, hyb_graph_n_values (graph));

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  return types;
}

static HybLowered *
lower (const char *lines)
{
  g_autoptr (HybModel) model = nodes_model (lines, 17);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = infer (graph);

  return hyb_lowered_new (graph, types);
}

/* Attributes of a ConvTranspose with strides of 2, and the axes that are cut after it. */
typedef struct
{
  const char *attributes;
  guint       n_cuts;
} Padding;

static const Padding paddings[] = {
  { "pads=[0,0,0,0]", 0 }, { "pads=[1,1,1,1]", 0 }, { "pads=[1,1,1,1] output_padding=[1,1]", 0 },
  { "pads=[1,1,0,0]", 0 }, /* one element is left at the end: less than a stride */
  { "pads=[0,1,1,1]", 2 }, { "pads=[2,2,0,0]", 2 },
};

static void
test_a_transposed_convolution_cuts_off_its_padding (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (paddings); i++)
    {
      g_autofree char *lines = g_strdup_printf ("x: float[1,2,5,5]\nw: float[2,3,4,4]\n"
                                                "y = ConvTranspose x, w | strides=[2,2] %s\n"
                                                "-> y\n",
                                                paddings[i].attributes);
      g_autoptr (HybLowered) lowered = lower (lines);

      g_test_message ("%s", paddings[i].attributes);
      g_assert_cmpuint (count_operator (lowered->graph, "Deconvolution"), ==, 1);
      g_assert_cmpuint (count_operator (lowered->graph, "slice_axis"), ==, paddings[i].n_cuts);
    }
}

/* The axis that shrinks is resampled before the one that grows. */
static void
test_resize_begins_with_the_axis_that_shrinks (void)
{
  static const char *const sizes[] = { "1 8 2 4", "1 2 8 4" };
  static const char *const axes[] = { "2", "1" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *lines = g_strdup_printf ("x: float[1,4,4,4]\ns = int64[4] %s\n"
                                                "y = Resize x, _, _, s | mode=linear\n-> y\n",
                                                sizes[i]);
      g_autoptr (HybLowered) lowered = lower (lines);
      const char *first = NULL;

      for (HybNodeId id = 0; id < hyb_graph_n_nodes (lowered->graph); id++)
        {
          const HybNode *node = hyb_graph_get_node (lowered->graph, id);

          if (!first && node->op && g_str_equal (node->op->name, "_resample"))
            first = hyb_node_get_attribute (node, "axis");
        }
      g_assert_cmpstr (first, ==, axes[i]);
    }
}

/* A layer, and the operators that compute it: where it only runs, on the processor, and otherwise. */
typedef struct
{
  const char *lines, *run, *otherwise;
} Layer;

#define GRU(x, attributes)                  \
  "x: " x "[4,2,3]\nw: " x "[1,6,3]\nr: " x \
  "[1,6,2]\ny, h = GRU x, w, r | hidden_size=2 " attributes "\n-> y\n"

static const Layer layers[] = {
  { GRU ("float", "linear_before_reset=1"), "RNN", "RNN" },
  { GRU ("float", ""), "_rnn_form", "_foreach" },
  { GRU ("double", ""), "_foreach", "_foreach" },
  { "x: uint8[4,3]\nw: int8[3,2]\ny = MatMulInteger x, w\n-> y\n", "_integer_matmul",
    "_npi_matmul" },
  { "x: uint8[1,3,4,4]\nw: int8[2,3,3,3]\ny = ConvInteger x, w\n-> y\n", "_integer_convolution",
    "Convolution" },
  { "x: uint8[4,3]\nn: uint8[3]\ny = BitShift x, n | direction=LEFT\n-> y\n", "_bit_shift",
    "broadcast_mul" },
  { "x: float[4,3]\naxis = int64[] 0\ny = CumSum x, axis | reverse=1\n-> y\n", "_running_sum",
    "cumsum" },
};

static void
test_layers_without_gradient_or_kernel_on_a_gpu_only_run (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (layers); i++)
    for (guint for_run = 0; for_run < 2; for_run++)
      {
        g_autoptr (HybModel) model = nodes_model (layers[i].lines, 17);
        HybGraph           *graph = hyb_model_get_graph (model);
        g_autofree HybType *types = infer (graph);
        g_autoptr (GError) error = NULL;
        g_autoptr (HybLowered) lowered =
            hyb_lower (graph, &(HybLowerOptions){ .types = types, .for_run = for_run == 1 },
                       &error);

        g_test_message ("%s", layers[i].lines);
        g_assert_nonnull (lowered);
        g_assert_cmpuint (count_operator (lowered->graph,
                                          for_run ? layers[i].run : layers[i].otherwise),
                          ==, 1);
      }
}

/* Checks how many nodes of each kind slice the model. */
static void
check_slices (const char *text,
              gboolean    for_run,
              guint       n_slice,
              guint       n_slice_axis,
              guint       n_reverse)
{
  g_autoptr (HybModel) model = nodes_model (text, 17);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = infer (graph);
  HybLowerOptions     options = { .types = types, .for_run = for_run };
  g_autoptr (HybLowered) lowered = hyb_lower (graph, &options, NULL);

  g_assert_nonnull (lowered);
  g_assert_cmpuint (count_operator (lowered->graph, "slice"), ==, n_slice);
  g_assert_cmpuint (count_operator (lowered->graph, "slice_axis"), ==, n_slice_axis);
  g_assert_cmpuint (count_operator (lowered->graph, "reverse"), ==, n_reverse);
}

/* All axes are cut by one node; where the graph may be given other sizes, each by a node that counts as the file does. */
static void
test_slice_is_one_node_where_it_only_runs (void)
{
  const char *plain = "x: float[4,5,6]\ns = int64[3] 1 0 -4\ne = int64[3] 3 9 -1\n"
                      "y = Slice x, s, e\n-> y\n";
  const char *steps =
      "x: float[4,5,6]\ns = int64[3] 9 -1 0\ne = int64[3] -9 0 9\na = int64[3] 0 1 2\n"
      "t = int64[3] -1 -2 3\ny = Slice x, s, e, a, t\n-> y\n";

  check_slices (plain, TRUE, 1, 0, 0);
  check_slices (plain, FALSE, 0, 3, 0);
  check_slices (steps, TRUE, 1, 0, 0);
  check_slices (steps, FALSE, 2, 1, 2);
}

/* The last two axes are resampled by one node; where the graph is written to a file, by operators that MXNet has. */
static void
test_resize_is_one_node (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[1,3,4,4]\ns = int64[4] 1 3 8 2\n"
                                            "y = Resize x, _, _, s | mode=linear\n-> y\n",
                                            17);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  for (int portable = 0; portable < 2; portable++)
    {
      HybLowerOptions options = { .types = types, .is_portable = portable };
      g_autoptr (HybLowered) lowered = hyb_lower (graph, &options, NULL);

      g_assert_nonnull (lowered);
      g_assert_cmpuint (count_operator (lowered->graph, "_resample"), ==, portable ? 0 : 1);
      g_assert_cmpuint (count_operator (lowered->graph, "take"), ==, portable ? 4 : 0);
    }
}

/* What ONNX Runtime computes; where the graph is written to a file, too. */
static void
test_resized_bytes_are_weighted_by_floats (void)
{
  static const guint8 given[] = { 0, 255 }, expected[] = { 0, 63, 191, 255 };

  g_autoptr (HybModel) model = nodes_model ("x: uint8[1,1,1,2]\ns = int64[4] 1 1 1 4\n"
                                            "y = Resize x, _, _, s | mode=linear\n-> y\n",
                                            17);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = infer (graph);
  HybLowerOptions     options = { .types = types, .is_portable = TRUE };
  g_autoptr (HybLowered) lowered = hyb_lower (graph, &options, NULL);
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (lowered->graph, &(HybExecutorOptions){ .mode = HYB_MODE_STATIC });
  HybType type = { .shape = { .rank = 4, .dim = { 1, 1, 1, 2 } }, .dtype = HYB_U8 };
  g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);

  memcpy (hyb_tensor_get_data (x), given, sizeof given);
  g_assert_true (hyb_executor_bind (executor, "x", x, NULL));
  g_assert_true (hyb_executor_run (executor, NULL, NULL));
  g_assert_cmpmem (hyb_tensor_get_data (hyb_executor_get_output (executor, 0)), 4, expected, 4);
}

/* As ONNX Runtime has it, which takes a number for an array of one element. */
static void
test_indices_of_a_number_have_one_row (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[]\ny = NonZero x\n-> y\n", 17);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = infer (graph);
  const HybType      *type = &types[hyb_graph_n_values (graph) - 1];

  g_assert_cmpint (type->shape.rank, ==, 2);
  g_assert_cmpint (type->shape.dim[0], ==, 1);
}

TEST_PROGRAM (test_lowered)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/onnx/lowered/a-transposed-convolution-cuts-off-its-padding",
                   test_a_transposed_convolution_cuts_off_its_padding);
  g_test_add_func ("/engine/onnx/lowered/resize-begins-with-the-axis-that-shrinks",
                   test_resize_begins_with_the_axis_that_shrinks);
  g_test_add_func ("/engine/onnx/lowered/layers-without-gradient-or-kernel-on-a-gpu-only-run",
                   test_layers_without_gradient_or_kernel_on_a_gpu_only_run);
  g_test_add_func ("/engine/onnx/lowered/slice-is-one-node-where-it-only-runs",
                   test_slice_is_one_node_where_it_only_runs);
  g_test_add_func ("/engine/onnx/lowered/resize-is-one-node", test_resize_is_one_node);
  g_test_add_func ("/engine/onnx/lowered/resized-bytes-are-weighted-by-floats",
                   test_resized_bytes_are_weighted_by_floats);

  g_test_add_func ("/engine/onnx/lowered/indices-of-a-number-have-one-row",
                   test_indices_of_a_number_have_one_row);

  return g_test_run ();
}
