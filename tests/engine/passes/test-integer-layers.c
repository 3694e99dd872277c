/* test-integer-layers.c — layers of floats between quantised values become layers of integers with the same numbers, but for
 * ties that are rounded differently.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

#include <math.h>

typedef enum
{
  CONVOLUTION,
  PRODUCT,
  DENSE,
} Kind;

typedef struct
{
  Kind     kind;
  gboolean has_bias, rectifies;
  gboolean by_channel;  /* scales and zero points of the weight */
  gboolean is_pruned;   /* with them: the scales of some channels are tiny, their biases large */
  gboolean is_signed;   /* the result */
  gboolean shows_float; /* the layer of floats is an output, too */
  guint    n_layers;    /* of integers that must result */
} Case;

static HybValue *
number (HybF *F, const char *value)
{
  return HYB_OP (F, "_full", .attributes = HYB_WITH ("shape", "(1,)", "value", value));
}

static HybValue *
dequantised (HybF *F, const char *name, HybValue *scale, HybValue *zero)
{
  return HYB_OP (F, "_dequantise_linear",
                 .in = { hyb_value_variable (F, name, NULL), scale, zero });
}

static HybValue *
trace_layer (HybF *F, const Case *c, HybValue *x, HybValue *weight)
{
  HybValue *bias = c->has_bias ? hyb_value_variable (F, "bias", NULL) : NULL, *y;

  if (c->kind == PRODUCT)
    {
      y = HYB_OP (F, "_npi_matmul", .in = { x, weight });
      return bias ? HYB_OP (F, "broadcast_add", .in = { bias, y }) : y;
    }
  if (c->kind == DENSE)
    return HYB_OP (F, "FullyConnected", .in = { x, weight, bias },
                   .attributes = HYB_WITH ("num_hidden", "6", "no_bias", bias ? "False" : "True"));
  return HYB_OP (F, "Convolution", .in = { x, weight, bias },
                 .attributes = HYB_WITH ("kernel", "(3, 2)", "pad", "(1, 1)", "stride", "(2, 1)",
                                         "num_filter", "6", "num_group", "2", "no_bias",
                                         bias ? "False" : "True"));
}

static HybGraph *
trace (const Case *c)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *scale = c->by_channel ? hyb_value_variable (F, "scale", NULL) : number (F, "0.02");
  HybValue *zero = c->by_channel ? hyb_value_variable (F, "zero", NULL) : number (F, "3");
  HybValue *x = dequantised (F, "x", number (F, "0.05"), number (F, "120")), *layer, *y;
  HybGraph *graph;

  y = layer = trace_layer (F, c, x, dequantised (F, "weight", scale, zero));
  if (c->rectifies)
    y = HYB_OP (F, "relu", .in = { y });
  y = HYB_OP (F, "_quantise_linear",
              .in = { y, number (F, "0.3"), number (F, c->is_signed ? "-128" : "0") },
              .attributes = HYB_WITH ("out_type", c->is_signed ? "int8" : "uint8"));
  graph =
      hyb_f_finish (F, c->shows_float ? hyb_list (F, 2, (HybValue *[]){ y, layer }) : y, &error);
  g_assert_no_error (error);
  return graph;
}

static HybType
type_of (const Case *c, const char *name)
{
  if (g_str_equal (name, "x"))
    return (HybType){ c->kind == CONVOLUTION ? hyb_shape_make (4, (gint64[]){ 2, 4, 5, 7 })
                                             : hyb_shape_2d (5, 9),
                      HYB_U8 };
  if (g_str_equal (name, "weight"))
    return (HybType){ c->kind == CONVOLUTION ? hyb_shape_make (4, (gint64[]){ 6, 2, 3, 2 })
                      : c->kind == DENSE     ? hyb_shape_2d (6, 9)
                                             : hyb_shape_2d (9, 6),
                      HYB_I8 };
  if (g_str_equal (name, "bias"))
    return (HybType){ hyb_shape_1d (6), HYB_F32 };
  return (HybType){ c->kind == CONVOLUTION ? hyb_shape_make (4, (gint64[]){ 6, 1, 1, 1 })
                    : c->kind == DENSE     ? hyb_shape_2d (6, 1)
                                           : hyb_shape_2d (1, 6),
                    HYB_F32 };
}

static double
element_of (const Case *c, const char *name, gint64 i)
{
  if (c->is_pruned && i % 2 == 1 && g_str_equal (name, "scale"))
    return i == 1 ? 0 : 1e-10;
  if (c->is_pruned && i % 2 == 1 && g_str_equal (name, "bias"))
    return 11.3 + 0.1 * (double) i;
  if (g_str_equal (name, "x"))
    return (double) (i * 37 % 256);
  if (g_str_equal (name, "weight"))
    return (double) (i * 29 % 255) - 127;
  if (g_str_equal (name, "zero"))
    return (double) (i * 5 % 9) - 4;
  return g_str_equal (name, "scale") ? 0.01 + 0.003 * (double) i : 2 * sin ((double) i);
}

static HybExecutor *
run (const Case *c, const HybExecutorOptions *options)
{
  g_autoptr (HybGraph) graph = trace (c);
  HybExecutor     *executor = hyb_executor_new (graph, options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybType     type = type_of (c, name);
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) k,
                              element_of (c, name, k));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
    }
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

static void
check (const Case *c)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  HybExecutorOptions no_passes = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  g_autoptr (HybExecutor) integers = run (c, &options);
  g_autoptr (HybExecutor) floats = run (c, &no_passes);
  HybTensor *left = hyb_executor_get_output (integers, 0);
  HybTensor *right = hyb_executor_get_output (floats, 0);
  gint64     n_different = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (right); i++)
    {
      double difference = fabs (hyb_tensor_get_value (left, i) - hyb_tensor_get_value (right, i));

      g_assert_cmpfloat (difference, <=, 1);
      n_different += difference > 0;
    }
  g_assert_cmpint (n_different * 20, <=, hyb_tensor_get_size (right));
  g_assert_cmpuint (op_count_planned (integers, "_integer_matmul") +
                        op_count_planned (integers, "_integer_convolution"),
                    ==, c->n_layers);
  g_assert_cmpuint (op_count_planned (integers, "_dequantise_linear"), ==, c->n_layers ? 0 : 2);
}

static void
test_layers_become_integers (void)
{
  for (guint bits = 0; bits < 48; bits++)
    check (&(Case){ .kind = (Kind) (bits / 16),
                    .has_bias = (bits & 1) != 0,
                    .rectifies = (bits & 2) != 0,
                    .by_channel = (bits & 4) != 0,
                    .is_signed = (bits & 8) != 0,
                    .n_layers = 1 });
}

/* In multiples of their scales these biases exceed what int32 holds. */
static void
test_channels_of_almost_no_weight_keep_their_bias (void)
{
  for (guint kind = CONVOLUTION; kind <= DENSE; kind++)
    check (&(Case){ .kind = (Kind) kind,
                    .has_bias = TRUE,
                    .by_channel = TRUE,
                    .is_pruned = TRUE,
                    .n_layers = 1 });
}

static void
test_layers_with_other_readers_stay (void)
{
  for (guint kind = CONVOLUTION; kind <= DENSE; kind++)
    check (&(Case){ .kind = (Kind) kind, .shows_float = TRUE });
}

TEST_PROGRAM (test_integer_layers)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/passes/integer-layers/layers-become-integers",
                   test_layers_become_integers);
  g_test_add_func ("/engine/passes/integer-layers/channels-of-almost-no-weight-keep-their-bias",
                   test_channels_of_almost_no_weight_keep_their_bias);
  g_test_add_func ("/engine/passes/integer-layers/layers-with-other-readers-stay",
                   test_layers_with_other_readers_stay);
  return g_test_run ();
}
