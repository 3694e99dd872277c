/* test-imperative.c — one operator at once, and whole graphs so.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/imperative.h"

#include "engine/base/error.h"
#include "tests/engine/toy-ops.h"
#include "tests/program.h"

static void
assert_row (HybTensor *tensor, gint64 n, double first, double step)
{
  g_assert_cmpint (hyb_tensor_get_size (tensor), ==, n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (tensor, i), ==, first + step * (double) i);
}

static void
test_one_operator (void)
{
  g_autoptr (HybTensor) a = toy_row (5, 1);
  g_autoptr (HybTensor) b = toy_row (5, 10);
  g_autoptr (HybTensor) y = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor *inputs[] = { a, b };

  g_assert_true (hyb_imperative_call (&(HybImperativeCall){ .op = &toy_add,
                                                            .n_inputs = 2,
                                                            .inputs = inputs,
                                                            .outputs = &y },
                                      NULL, &error));
  assert_row (y, 5, 21, 3);
}

static void
test_other_dtypes_are_converted (void)
{
  g_autoptr (HybTensor) a = toy_row (5, 1);
  static const HybDType dtypes[] = { HYB_F16, HYB_BF16, HYB_I32, HYB_I64, HYB_U8, HYB_F64 };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    for (int narrow = 0; narrow < 2; narrow++)
      {
        g_autoptr (HybTensor) x = hyb_tensor_convert (a, dtypes[i]);
        g_autoptr (HybTensor) y = NULL;
        HybTensor *inputs[] = { x, x };

        /* toy_add knows float64, toy_step only float32. */
        g_assert_true (
            hyb_imperative_call (&(HybImperativeCall){ .op = narrow ? &toy_step : &toy_add,
                                                       .n_inputs = narrow ? 1 : 2,
                                                       .inputs = inputs,
                                                       .outputs = &y },
                                 NULL, NULL));
        g_assert_cmpint (hyb_tensor_get_dtype (y), ==, dtypes[i]);
        assert_row (y, 5, narrow ? 2 : 3, narrow ? 1 : 3);
      }
}

static void
test_states_are_written_back (void)
{
  g_autoptr (HybTensor) x = toy_row (3, 0);
  g_autoptr (HybTensor) half = hyb_tensor_convert (x, HYB_F16);
  g_autoptr (HybTensor) one = hyb_tensor_new_scalar (4);
  g_autoptr (HybTensor) state = hyb_tensor_convert (one, HYB_F16);
  g_autoptr (HybTensor) y = NULL;
  HybTensor *inputs[] = { half, state };

  g_assert_true (hyb_imperative_call (&(HybImperativeCall){ .op = &toy_count,
                                                            .n_inputs = 2,
                                                            .inputs = inputs,
                                                            .outputs = &y },
                                      NULL, NULL));
  assert_row (y, 3, 5, 1);
  g_assert_cmpfloat (hyb_tensor_get_value (state, 0), ==, 5);
}

static void
test_contradictions_name_the_operator (void)
{
  g_autoptr (HybTensor) a = toy_row (5, 1);
  g_autoptr (HybTensor) b = toy_row (4, 1);
  g_autoptr (GError) error = NULL;
  HybTensor *inputs[] = { a, b };
  HybTensor *y = NULL;

  g_assert_false (hyb_imperative_call (&(HybImperativeCall){ .op = &toy_add,
                                                             .n_inputs = 2,
                                                             .inputs = inputs,
                                                             .outputs = &y },
                                       NULL, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES);
  g_assert_true (g_str_has_prefix (error->message, "toy_add: "));
  g_assert_null (y);
}

/* Nothing reads the output, and the operator has no inputs. */
static void
test_outputs_that_nothing_determines (void)
{
  HybTensor *y = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (
      hyb_imperative_call (&(HybImperativeCall){ .op = &toy_zeros, .outputs = &y }, NULL, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN);
  g_assert_nonnull (strstr (error->message, "only ? is known"));
  g_assert_null (y);
}

static void
test_shapes_that_show_only_while_running (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId kept = toy_node (builder, &toy_positive, "kept", x, HYB_NO_ID);
  g_autoptr (HybTensor) data = toy_row (7, -3);
  g_autoptr (HybTensor) y = NULL;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_step, "next", kept, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));

  g_assert_true (hyb_imperative_run (graph, &data, &y, NULL, &error));
  assert_row (y, 3, 2, 1);
}

static void
test_graph_fills_shapes_from_readers (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId zeros = toy_node (builder, &toy_zeros, "begin", HYB_NO_ID, HYB_NO_ID);
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  g_autoptr (HybTensor) data = toy_row (4, 3);
  HybTensor *heads[2] = { NULL, NULL };
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_add, "sum", x, zeros));
  hyb_builder_add_head (builder, x);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));

  g_assert_true (hyb_imperative_run (graph, &data, heads, NULL, NULL));
  assert_row (heads[0], 4, 3, 1);
  g_assert_true (heads[1] == data);
  hyb_tensor_unref (heads[0]);
  hyb_tensor_unref (heads[1]);
}

static void
count_bytes (gpointer data, guint16 device, gint64 bytes)
{
  gint64 *total = data;

  total[0] += bytes;
  total[1] = MAX (total[0], total[1]);
}

static void
test_memory_is_given_back (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  gint64     total[2] = { 0, 0 };
  HybProbe   probe = { .data = total, .memory = count_bytes };
  HybRun     context = { .probe = &probe };
  g_autoptr (HybTensor) data = toy_row (16, 3);
  g_autoptr (HybTensor) y = NULL;
  g_autoptr (HybGraph) graph = NULL;

  for (int i = 0; i < 20; i++)
    x = toy_node (builder, &toy_step, "next", x, HYB_NO_ID);
  hyb_builder_add_head (builder, x);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));

  g_assert_true (hyb_imperative_run (graph, &data, &y, &context, NULL));
  assert_row (y, 16, 23, 1);
  g_assert_cmpint (total[0], ==, 0);
  g_assert_cmpint (total[1], ==, 2 * 16 * 4);
}

static void
test_cancelling (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  HybRun context = { .cancellable = cancellable };
  g_autoptr (HybTensor) data = toy_row (16, 3);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor *y;

  hyb_builder_add_head (builder, toy_node (builder, &toy_step, "next", x, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  g_cancellable_cancel (cancellable);

  g_assert_false (hyb_imperative_run (graph, &data, &y, &context, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (y);
}

TEST_PROGRAM (test_imperative)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/exec/imperative/one-operator", test_one_operator);
  g_test_add_func ("/engine/exec/imperative/other-dtypes-are-converted",
                   test_other_dtypes_are_converted);
  g_test_add_func ("/engine/exec/imperative/states-are-written-back", test_states_are_written_back);
  g_test_add_func ("/engine/exec/imperative/contradictions-name-the-operator",
                   test_contradictions_name_the_operator);
  g_test_add_func ("/engine/exec/imperative/outputs-that-nothing-determines",
                   test_outputs_that_nothing_determines);
  g_test_add_func ("/engine/exec/imperative/shapes-that-show-only-while-running",
                   test_shapes_that_show_only_while_running);
  g_test_add_func ("/engine/exec/imperative/graph-fills-shapes-from-readers",
                   test_graph_fills_shapes_from_readers);
  g_test_add_func ("/engine/exec/imperative/memory-is-given-back", test_memory_is_given_back);
  g_test_add_func ("/engine/exec/imperative/cancelling", test_cancelling);

  return g_test_run ();
}
