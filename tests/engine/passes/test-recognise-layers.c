/* test-recognise-layers.c — products with constant matrices become dense layers with the same numbers, and matrices that
 * nodes make are constants, too.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

#include <math.h>

#define DEPTH   24
#define COLUMNS 40

/* What is multiplied and added. */
typedef struct
{
  HybShape data, bias; /* bias of rank −1: none */
  HybDType dtype;
  gboolean shows_product;
  gboolean makes_weight; /* a node makes the matrix */
} Case;

static const HybShape no_bias = { .rank = HYB_UNKNOWN };

static HybGraph *
trace (const Case *c)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *x = hyb_value_variable (F, "data", NULL);
  HybValue *w = c->makes_weight ? HYB_OP (F, "_ones", .attributes = HYB_WITH ("shape", "(24, 40)"))
                                : hyb_value_variable (F, "weight", NULL);
  HybValue *product = HYB_OP (F, "_npi_matmul", .in = { x, w }), *y = product;
  HybGraph *graph;

  if (c->bias.rank >= 0)
    y = HYB_OP (F, "broadcast_add", .in = { hyb_value_variable (F, "bias", NULL), product });
  y = HYB_OP (F, "relu", .in = { y });
  graph = hyb_f_finish (F, c->shows_product ? hyb_list (F, 2, (HybValue *[]){ y, product }) : y,
                        &error);
  g_assert_no_error (error);
  return graph;
}

static void
bind (HybExecutor *executor, HybGraph *graph, const Case *c)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint v = 0; v < n; v++)
    {
      const char *name = hyb_graph_get_node (graph, variables[v])->name;
      HybType     type = { g_str_equal (name, "data")     ? c->data
                           : g_str_equal (name, "weight") ? hyb_shape_2d (DEPTH, COLUMNS)
                                                          : c->bias,
                       c->dtype };
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);

      for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) i,
                              sin (0.7 * (double) (i + 1) + 3 * (double) v));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
      hyb_executor_set_constant (executor, name, !g_str_equal (name, "data"));
    }
}

static HybExecutor *
run (const Case *c, const HybExecutorOptions *options)
{
  g_autoptr (HybGraph) graph = trace (c);
  HybExecutor *executor = hyb_executor_new (graph, options);
  g_autoptr (GError) error = NULL;

  bind (executor, graph, c);
  for (guint turn = 0; turn < 2; turn++)
    g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

/* Compares with a run without passes; returns how many layers there are, and sums that stayed. */
static guint
check (const Case *c, const HybExecutorOptions *options, guint *n_sums)
{
  HybExecutorOptions no_passes = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  g_autoptr (HybExecutor) layers = run (c, options);
  g_autoptr (HybExecutor) plain = run (c, &no_passes);
  double bound = c->dtype == HYB_F16 ? 0 : 1e-5;

  for (guint head = 0; head < hyb_executor_n_outputs (plain); head++)
    {
      HybTensor *a = hyb_executor_get_output (layers, head);
      HybTensor *b = hyb_executor_get_output (plain, head);

      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)));
      for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
        g_assert_cmpfloat (fabs (hyb_tensor_get_value (a, i) - hyb_tensor_get_value (b, i)), <=,
                           bound);
    }
  *n_sums = op_count_planned (layers, "broadcast_add");
  return op_count_planned (layers, "_panel_product");
}

static const HybExecutorOptions folding = { .mode = HYB_MODE_STATIC, .fold_parameters = TRUE };

static void
test_products_and_sums (void)
{
  const Case cases[] = {
    { hyb_shape_2d (5, DEPTH), hyb_shape_1d (COLUMNS), HYB_F32 },
    { hyb_shape_2d (5, DEPTH), hyb_shape_2d (1, COLUMNS), HYB_F32 },
    { hyb_shape_4d (2, 1, 3, DEPTH), hyb_shape_1d (COLUMNS), HYB_F32 },
    { hyb_shape_3d (2, 3, DEPTH), no_bias, HYB_F32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint n_sums;

      g_assert_cmpuint (check (&cases[i], &folding, &n_sums), ==, 1);
      g_assert_cmpuint (n_sums, ==, 0);
    }
}

static void
test_half_floats_are_rounded_before_the_sum (void)
{
  Case  c = { hyb_shape_3d (2, 3, DEPTH), hyb_shape_1d (COLUMNS), HYB_F16 };
  guint n_sums;

  g_assert_cmpuint (check (&c, &folding, &n_sums), ==, 1);
  g_assert_cmpuint (n_sums, ==, 1);
}

static void
test_what_is_no_layer_stays (void)
{
  Case               shown = { hyb_shape_2d (5, DEPTH), hyb_shape_1d (COLUMNS), HYB_F32, TRUE };
  Case               large = { hyb_shape_2d (5, DEPTH), hyb_shape_2d (5, COLUMNS), HYB_F32 };
  Case               row = { hyb_shape_2d (1, DEPTH), hyb_shape_1d (COLUMNS), HYB_F32 };
  const char        *without[] = { "recognise-layers", NULL };
  HybExecutorOptions exact = folding, left_out = folding;
  guint              n_sums;

  exact.same_bytes = TRUE;
  left_out.without = without;
  g_assert_cmpuint (check (&shown, &folding, &n_sums), ==, 1);
  g_assert_cmpuint (n_sums, ==, 1);
  g_assert_cmpuint (check (&large, &folding, &n_sums), ==, 1);
  g_assert_cmpuint (n_sums, ==, 1);
  g_assert_cmpuint (check (&row, &folding, &n_sums), ==, 0);
  g_assert_cmpuint (check (&large, &exact, &n_sums), ==, 0);
  g_assert_cmpuint (check (&large, &left_out, &n_sums), ==, 0);
}

static void
test_matrices_that_nodes_make (void)
{
  Case               c = { hyb_shape_2d (5, DEPTH), no_bias, HYB_F32, .makes_weight = TRUE };
  const char        *without[] = { "fold-literals", NULL };
  HybExecutorOptions left_out = folding;
  guint              n_sums;

  left_out.without = without;
  g_assert_cmpuint (check (&c, &folding, &n_sums), ==, 1);
  g_assert_cmpuint (check (&c, &left_out, &n_sums), ==, 0);
}

TEST_PROGRAM (test_recognise_layers)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/recognise-layers/products-and-sums", test_products_and_sums);
  g_test_add_func ("/engine/passes/recognise-layers/half-floats-are-rounded-before-the-sum",
                   test_half_floats_are_rounded_before_the_sum);
  g_test_add_func ("/engine/passes/recognise-layers/what-is-no-layer-stays",
                   test_what_is_no_layer_stays);
  g_test_add_func ("/engine/passes/recognise-layers/matrices-that-nodes-make",
                   test_matrices_that_nodes_make);

  return g_test_run ();
}
