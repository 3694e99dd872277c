/* test-infer-lowered.c — tests of types in graphs of ONNX: known values, names of dimensions, frozen dimensions, branches
 * that are decided.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/infer-lowered.h"

#include "engine/analysis/infer-types.h"
#include "engine/lower/inferred.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#include <string.h>

/* The type of output 0, as text.  (transfer full) */
static char *
output_type (const char *lines, gint64 opset)
{
  g_autoptr (HybModel) model = nodes_model (lines, opset);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_types (model);
  guint               n;
  const HybValueId   *heads = hyb_graph_get_heads (graph, &n);

  hyb_infer_types (graph, types, NULL, FALSE, NULL);
  return hyb_type_to_string (&types[heads[0]]);
}

static void
check_type (const char *lines, gint64 opset, const char *expected)
{
  g_autofree char *type = output_type (lines, opset);

  g_test_message ("%s", lines);
  g_assert_cmpstr (type, ==, expected);
}

static void
test_shapes_that_are_computed_are_known (void)
{
  check_type ("x: float[2,3,4]\n"
              "s = Shape x\ni = int64[] 0\nz = int64[1] 0\nb = Gather s, i\n"
              "u = Unsqueeze b, z\nm = int64[1] -1\nt = Concat u, m | axis=0\n"
              "y = Reshape x, t\n-> y\n",
              13, "float32 (2, 12)");
  /* The largest integer is an end. */
  check_type ("x: float[5,3]\na = int64[1] 1\ne = int64[1] 9223372036854775807\n"
              "y = Slice x, a, e\n-> y\n",
              13, "float32 (4, 3)");
  check_type ("x: float[5,3]\na = int64[1] -1\ne = int64[1] -9223372036854775807\nd = int64[1] 1\n"
              "p = int64[1] -2\ny = Slice x, a, e, d, p\n-> y\n",
              13, "float32 (5, 2)");
}

static void
test_dimensions_keep_their_names (void)
{
  check_type ("x: float[batch,3]\ny = Relu x\n-> y\n", 13, "float32 (batch, 3)");
  check_type ("x: float[batch,time,4]\ny = Transpose x | perm=[1,0,2]\n-> y\n", 13,
              "float32 (time, batch, 4)");
  check_type ("x: float[batch,4]\ny = Concat x, x | axis=0\n-> y\n", 13, "float32 (2·batch, 4)");
  check_type ("x: float[a,b]\nm = int64[1] -1\ny = Reshape x, m\n-> y\n", 13, "float32 (a·b,)");
  /* A name that stands for nothing names nothing. */
  check_type ("x: float[unk__12,3]\ny = Relu x\n-> y\n", 13, "float32 (?, 3)");
  check_type ("x: float[?,3]\ny = Relu x\n-> y\n", 13, "float32 (?, 3)");
}

/* Sizes that happen to give the same number are not all there are. */
static void
test_a_dimension_that_two_sizes_agree_on_is_not_fixed (void)
{
  /* Between 0 and 100 elements. */
  check_type ("x: float[n]\na = int64[1] 0\ne = int64[1] 100\ny = Slice x, a, e\n-> y\n", 13,
              "float32 (?,)");
  /* One step for each 500 samples, begun ones included. */
  check_type ("x: float[1,1,samples]\ny = MaxPool x | kernel_shape=[1] strides=[500]\n-> y\n", 13,
              "float32 (1, 1, ?)");
}

static void
test_a_window_finds_sizes_that_it_fits_into (void)
{
  check_type ("x: float[1,1,samples]\nw = float[1,1,90]\n"
              "y = MaxPool x | kernel_shape=[90] strides=[1]\n-> y\n",
              13, "float32 (1, 1, ?)");
}

static void
test_a_graph_that_only_takes_small_sizes_is_limited_but_not_frozen (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[time,4]\ntable = float[8,4]\na = int64[1] 0\n"
                                            "s = Shape x\ni = int64[1] 0\nn = Gather s, i\n"
                                            "p = Slice table, a, n\ny = Add x, p\n-> y\n",
                                            13);
  HybGraph *graph = hyb_model_get_graph (model);
  g_auto (HybLoweredFacts) facts = { 0 };
  g_autofree HybType *types = hyb_model_new_types (model);
  g_autofree char    *text = NULL;
  guint               n;

  hyb_lowered_infer (graph, types, &facts);
  g_assert_cmpuint (facts.faults->len, ==, 0);
  g_assert_true (facts.is_limit);
  g_assert_nonnull (facts.frozen);
  text = hyb_type_to_string (&types[hyb_graph_get_heads (graph, &n)[0]]);
  g_assert_cmpstr (text, ==, "float32 (time, 4)");
}

static void
test_a_name_can_be_given_a_size (void)
{
  g_autoptr (HybModel) model =
      nodes_model ("x: float[batch,3]\ny = Concat x, x | axis=0\n-> y\n", 13);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_types (model);
  guint               n;
  const HybValueId   *heads = hyb_graph_get_heads (graph, &n);

  types[hyb_graph_get_node (graph, hyb_graph_find_variable (graph, "x"))->first_output].shape =
      hyb_shape_2d (4, 3);
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  g_assert_cmpint (types[heads[0]].shape.dim[0], ==, 8);
}

static void
test_a_dimension_that_the_graph_fixes_is_frozen (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[batch,4]\nt = int64[2] 1 4\n"
                                            "y = Reshape x, t\n-> y\n",
                                            13);
  g_auto (HybLoweredFacts) facts = { 0 };
  g_autofree HybType *types = hyb_model_new_types (model);

  hyb_lowered_infer (hyb_model_get_graph (model), types, &facts);
  g_assert_cmpuint (facts.faults->len, ==, 0);
  g_assert_nonnull (facts.frozen);
  g_assert_cmpuint (facts.frozen->len, ==, 1);
}

static void
test_a_contradiction_names_the_node (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[2,3]\ny = MatMul x, x\n-> y\n", 13);
  g_autofree HybType *types = hyb_model_new_types (model);
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_infer_types (hyb_model_get_graph (model), types, NULL, FALSE, &error));
  g_assert_nonnull (strstr (error->message, "node “y” (MatMul)"));
}

/* Commands ask in turn for the sizes that the file leaves open and for chosen ones. */
static void
test_results_for_two_sizes_stay (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[batch,3]\ny = Relu x\n-> y\n", 13);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *open = hyb_model_new_types (model);
  g_autofree HybType *sized = hyb_model_new_types (model);
  g_autoptr (HybInferred) first = hyb_inferred_get (graph, open, FALSE);

  for (gint64 batch = 4; batch < 7; batch++)
    {
      g_autoptr (HybInferred) other = NULL, again = NULL;

      sized[hyb_graph_get_node (graph, hyb_graph_find_variable (graph, "x"))->first_output].shape =
          hyb_shape_2d (batch, 3);
      other = hyb_inferred_get (graph, sized, FALSE);
      again = hyb_inferred_get (graph, open, FALSE);
      g_assert_true (other != first);
      g_assert_true (again == first);
      g_assert_cmpint (other->types[hyb_graph_get_heads (graph, &(guint){ 0 })[0]].shape.dim[0], ==,
                       batch);
    }
}

static void
test_nodes_that_only_compute_shapes_are_known (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[n,4]\ns = Shape x\nh = Relu x\n"
                                            "y = Reshape h, s\n-> y\n",
                                            13);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_types (model);
  g_autoptr (HybLowered) lowered = NULL;
  g_autofree guint8 *known = NULL;
  guint              n_known = 0;

  hyb_infer_types (graph, types, NULL, FALSE, NULL);
  lowered = hyb_lowered_new (graph, types);
  known = hyb_lowered_find_known (lowered, graph);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n_known += known[id];
  g_assert_cmpuint (n_known, ==, 1);
}

static void
test_arrays_that_are_made_of_small_constants_are_known (void)
{
  g_autoptr (HybModel) model = nodes_model ("x: float[300,300]\ns = int64[2] 300 300\n"
                                            "w = ConstantOfShape s\nv = Transpose w | perm=[1,0]\n"
                                            "y = Add x, v\n-> y\n",
                                            13);
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_types (model);
  g_autoptr (HybLowered) lowered = hyb_lowered_new (graph, types);
  g_autofree guint8 *known = hyb_lowered_find_known (lowered, graph);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    g_assert_cmpint (known[id], ==,
                     strcmp (hyb_graph_get_node (graph, id)->type, "ConstantOfShape") == 0);
}

TEST_PROGRAM (test_infer_lowered)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, function) g_test_add_func ("/engine/lower/types/" name, function)
  ADD ("shapes-that-are-computed-are-known", test_shapes_that_are_computed_are_known);
  ADD ("dimensions-keep-their-names", test_dimensions_keep_their_names);
  ADD ("a-dimension-that-two-sizes-agree-on-is-not-fixed",
       test_a_dimension_that_two_sizes_agree_on_is_not_fixed);
  ADD ("a-window-finds-sizes-that-it-fits-into", test_a_window_finds_sizes_that_it_fits_into);
  ADD ("a-graph-that-only-takes-small-sizes-is-limited-but-not-frozen",
       test_a_graph_that_only_takes_small_sizes_is_limited_but_not_frozen);
  ADD ("a-name-can-be-given-a-size", test_a_name_can_be_given_a_size);
  ADD ("a-dimension-that-the-graph-fixes-is-frozen",
       test_a_dimension_that_the_graph_fixes_is_frozen);
  ADD ("a-contradiction-names-the-node", test_a_contradiction_names_the_node);
  ADD ("results-for-two-sizes-stay", test_results_for_two_sizes_stay);
  ADD ("nodes-that-only-compute-shapes-are-known", test_nodes_that_only_compute_shapes_are_known);
  ADD ("arrays-that-are-made-of-small-constants-are-known",
       test_arrays_that_are_made_of_small_constants_are_known);
#undef ADD

  return g_test_run ();
}
