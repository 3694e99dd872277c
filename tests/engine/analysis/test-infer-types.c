/* test-infer-types.c — both directions, messages, reasons, and long graphs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"

#include "engine/base/error.h"
#include "tests/engine/toy-ops.h"
#include "tests/program.h"

#include <string.h>

static HybType *
new_types (HybGraph *graph)
{
  guint    n = hyb_graph_n_values (graph);
  HybType *types = g_new (HybType, n);

  for (guint i = 0; i < n; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  return types;
}

static void
assert_type (const HybType *type, const char *expected)
{
  g_autofree char *text = hyb_type_to_string (type);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_forward_and_backward (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId zeros = toy_node (builder, &toy_zeros, "begin", HYB_NO_ID, HYB_NO_ID);
  HybValueId weight = hyb_builder_add_variable (builder, "weight", NULL);
  HybValueId x =
      hyb_builder_add_variable (builder, "x",
                                (const char *[]){ "__shape__", "(2, 0)", "__dtype__", "1", NULL });
  HybValueId          first = toy_node (builder, &toy_add, "first", zeros, weight);
  HybValueId          second = toy_node (builder, &toy_add, "second", first, x);
  g_autofree HybType *types = NULL;
  guint32             fixed_by[5];
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  hyb_builder_add_head (builder, second);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  types = new_types (graph);
  types[weight].shape = hyb_shape_2d (HYB_UNKNOWN, 3);

  g_assert_true (hyb_infer_types (graph, types, fixed_by, FALSE, &error));
  for (guint i = 0; i < 5; i++)
    assert_type (&types[i], "float64 (2, 3)");
  g_assert_cmpuint (fixed_by[zeros], ==, hyb_graph_get_producer (graph, first));
}

static void
test_given_types_win_over_attributes (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x =
      hyb_builder_add_variable (builder, "x",
                                (const char *[]){ "__shape__", "(2, 4)", "__dtype__", "1", NULL });
  g_autofree HybType *types = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_step, "y", x, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  types = new_types (graph);
  types[x] = (HybType){ hyb_shape_1d (9), HYB_F16 };

  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  assert_type (&types[1], "float16 (9,)");
}

static void
test_undetermined_dtypes_become_float32 (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId          x = hyb_builder_add_variable (builder, "x", NULL);
  g_autofree HybType *types = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_step, "y", x, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  types = new_types (graph);

  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  assert_type (&types[0], "float32 ?");
  assert_type (&types[1], "float32 ?");
}

static void
test_contradictions_name_node_and_inputs (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId  a = hyb_builder_add_variable (builder, "a", NULL);
  HybValueId  b = hyb_builder_add_variable (builder, "b", NULL);
  HybValueId  inputs[] = { a, b };
  HybNodeSpec spec = { .op = &toy_add, .name = "sum", .n_inputs = 2, .inputs = inputs, .line = 31 };
  HybNodeId   id = hyb_builder_add (builder, &spec, NULL);
  g_autofree HybType *types = NULL;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  hyb_builder_add_head (builder, hyb_builder_output (builder, id, 0));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  types = new_types (graph);
  types[a].shape = hyb_shape_1d (2);
  types[b].shape = hyb_shape_1d (3);

  g_assert_false (hyb_infer_types (graph, types, NULL, FALSE, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "line 31: node “sum” (toy_add): "));
  g_assert_nonnull (strstr (error->message, "lhs “a” unknown (2,), rhs “b” unknown (3,)"));
}

static void
test_attributes_that_cannot_be_read (void)
{
  static const char *const wrong[][2] = {
    { "__shape__", "(2, -7)" }, { "__shape__", "two" }, { "__dtype__", "99" }, { "__dtype__", "x" }
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (HybBuilder) builder = hyb_builder_new ();
      g_autofree HybType *types = NULL;
      g_autoptr (HybGraph) graph = NULL;
      g_autoptr (GError) error = NULL;

      hyb_builder_add_head (builder,
                            hyb_builder_add_variable (builder, "x",
                                                      (const char *[]){ wrong[i][0], wrong[i][1],
                                                                        NULL }));
      graph = hyb_builder_freeze (g_steal_pointer (&builder));
      types = new_types (graph);
      g_assert_false (hyb_infer_types (graph, types, NULL, FALSE, &error));
      g_assert_nonnull (strstr (error->message, "“x”"));
      g_assert_nonnull (strstr (error->message, wrong[i][1]));
    }
}

/* Types stated by a variable, and by two operands that each know one dimension. */
static void
test_sizes_that_no_array_has (void)
{
  static const char *const wrong[] = { "(9223372036854775807, 2)", "(4294967296, 2147483648)" };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (HybBuilder) builder = hyb_builder_new ();
      HybValueId x =
          hyb_builder_add_variable (builder, "x", (const char *[]){ "__shape__", wrong[i], NULL });
      g_autofree HybType *types = NULL;
      g_autoptr (HybGraph) graph = NULL;
      g_autoptr (GError) error = NULL;

      hyb_builder_add_head (builder, toy_node (builder, &toy_step, "y", x, HYB_NO_ID));
      graph = hyb_builder_freeze (g_steal_pointer (&builder));
      types = new_types (graph);
      g_assert_false (hyb_infer_types (graph, types, NULL, FALSE, &error));
      g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
      g_assert_true (g_str_has_prefix (error->message, "node “x”: an array of shape "));
      g_assert_nonnull (strstr (error->message, wrong[i]));
    }
}

static void
test_sizes_at_the_limit (void)
{
  for (gint64 more = 0; more < 2; more++)
    {
      g_autoptr (HybBuilder) builder = hyb_builder_new ();
      HybValueId          a = hyb_builder_add_variable (builder, "a", NULL);
      HybValueId          b = hyb_builder_add_variable (builder, "b", NULL);
      g_autofree HybType *types = NULL;
      g_autoptr (HybGraph) graph = NULL;
      g_autoptr (GError) error = NULL;

      hyb_builder_add_head (builder, toy_node (builder, &toy_add, "sum", a, b));
      graph = hyb_builder_freeze (g_steal_pointer (&builder));
      types = new_types (graph);
      /* 7 · (2⁶³ − 1) / 7 elements of one byte are the most. */
      types[a].shape = hyb_shape_2d (7, HYB_UNKNOWN);
      types[b].shape = hyb_shape_2d (HYB_UNKNOWN, G_MAXINT64 / 7 + more);
      g_assert_cmpint (hyb_infer_types (graph, types, NULL, FALSE, &error), ==, more == 0);
      if (more > 0)
        g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
    }
}

static void
test_reasons (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId  kept = toy_node (builder, &toy_positive, "kept", x, HYB_NO_ID);
  HybValueId  next = toy_node (builder, &toy_step, "next", kept, HYB_NO_ID);
  HybNodeSpec spec = { .type = "Foo", .name = "foo", .n_inputs = 1, .inputs = &x };
  HybNodeId   foo = hyb_builder_add (builder, &spec, NULL);
  HybValueId  after =
      toy_node (builder, &toy_step, "after", hyb_builder_output (builder, foo, 0), HYB_NO_ID);
  g_autofree HybType *types = NULL;
  g_autofree char    *text = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder, next);
  hyb_builder_add_head (builder, after);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  types = new_types (graph);

  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  text = hyb_infer_reason (graph, types, next);
  g_assert_nonnull (strstr (text, "variable “x”"));
  g_free (text);

  types[x].shape = hyb_shape_1d (3);
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  text = hyb_infer_reason (graph, types, next);
  g_assert_nonnull (
      strstr (text, "node “kept” (toy_positive) has a shape that is only known while it runs"));
  g_free (text);
  text = hyb_infer_reason (graph, types, after);
  g_assert_nonnull (strstr (text, "node “foo” has the unknown operator “Foo”"));
}

/* Every second node is reached forward, the others only backward from the end. */
static void
test_long_graphs_take_little_time (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId          x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId          value = x;
  gint64              start;
  g_autofree HybType *types = NULL;
  g_autoptr (HybGraph) graph = NULL;

  for (guint i = 0; i < 50000; i++)
    {
      HybValueId zeros = toy_node (builder, &toy_zeros, "", HYB_NO_ID, HYB_NO_ID);

      value = toy_node (builder, &toy_add, "", value, zeros);
    }
  hyb_builder_add_head (builder, value);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  types = new_types (graph);

  types[value].shape = hyb_shape_2d (HYB_UNKNOWN, 8);
  types[x].shape = hyb_shape_2d (4, HYB_UNKNOWN);
  start = g_get_monotonic_time ();
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  g_test_message ("%u nodes in %.1f ms", hyb_graph_n_nodes (graph),
                  (double) (g_get_monotonic_time () - start) / 1000);
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    assert_type (&types[i], "float32 (4, 8)");
}

/* Nothing joins them, so that each is filled for itself. */
static void
test_many_values_without_a_dtype (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autofree HybType *types = NULL;
  g_autoptr (HybGraph) graph = NULL;

  for (guint i = 0; i < 10000; i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);
      HybValueId       x = hyb_builder_add_variable (builder, name, NULL);

      hyb_builder_add_head (builder, toy_node (builder, &toy_step, "", x, HYB_NO_ID));
    }
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  types = new_types (graph);
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, NULL));
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    g_assert_cmpint (types[i].dtype, ==, HYB_F32);
}

TEST_PROGRAM (test_infer_types)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/infer-types/forward-and-backward", test_forward_and_backward);
  g_test_add_func ("/engine/passes/infer-types/given-types-win-over-attributes",
                   test_given_types_win_over_attributes);
  g_test_add_func ("/engine/passes/infer-types/undetermined-dtypes-become-float32",
                   test_undetermined_dtypes_become_float32);
  g_test_add_func ("/engine/passes/infer-types/contradictions-name-node-and-inputs",
                   test_contradictions_name_node_and_inputs);
  g_test_add_func ("/engine/passes/infer-types/attributes-that-cannot-be-read",
                   test_attributes_that_cannot_be_read);
  g_test_add_func ("/engine/passes/infer-types/sizes-that-no-array-has",
                   test_sizes_that_no_array_has);
  g_test_add_func ("/engine/passes/infer-types/sizes-at-the-limit", test_sizes_at_the_limit);
  g_test_add_func ("/engine/passes/infer-types/reasons", test_reasons);
  g_test_add_func ("/engine/passes/infer-types/long-graphs-take-little-time",
                   test_long_graphs_take_little_time);

  g_test_add_func ("/engine/passes/infer-types/many-values-without-a-dtype",
                   test_many_values_without_a_dtype);

  return g_test_run ();
}
