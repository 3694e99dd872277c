/* test-fold-scales.c — factors and summands of channels become a part of the convolution before them, and others stay.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "tests/program.h"

#include <math.h>

#define CHANNELS 6
#define SIZE     9

/* What follows the convolution. */
typedef enum
{
  PRODUCT_AND_SUM, /* conv · a + b */
  REVERSED,        /* b + a · conv, in other shapes */
  SUM_ONLY,        /* conv without a bias + b */
  ONE_NUMBER,      /* conv · n */
  BEHIND_NORM,     /* norm (conv) · a + b */
  LEARNED,         /* conv · a, where a changes between runs */
  EVERYWHERE,      /* conv + map */
  COLUMNS,         /* conv · one number for each column */
  SHOWN,           /* conv · a, and conv is an output, too */
} Kind;

/* Variables, by the first letter of their names. */
static HybShape
shape_of (char letter)
{
  switch (letter)
    {
    case 'x':
    case 'm':
      return hyb_shape_4d (2, CHANNELS, SIZE, SIZE);
    case 'w':
      return hyb_shape_4d (CHANNELS, CHANNELS, 3, 3);
    case 'a':
      return hyb_shape_make (3, (gint64[]){ CHANNELS, 1, 1 });
    case 'b':
      return hyb_shape_4d (1, CHANNELS, 1, 1);
    case 'c':
      return hyb_shape_1d (SIZE);
    case 'n':
      return hyb_shape_1d (1);
    default:
      return hyb_shape_1d (CHANNELS);
    }
}

static HybValue *
variable (HybF *F, const char *name)
{
  return hyb_value_variable (F, name, NULL);
}

static HybValue *
normalise (HybF *F, HybValue *x)
{
  return HYB_OP (F, "BatchNorm",
                 .in = { x, variable (F, "gamma"), variable (F, "zeta"), variable (F, "_mean"),
                         variable (F, "var") },
                 .attributes = HYB_WITH ("fix_gamma", "False"));
}

static HybValue *
finish (HybF *F, Kind kind, HybValue *y)
{
  if (kind == BEHIND_NORM)
    y = normalise (F, y);
  if (kind == REVERSED)
    y = HYB_OP (F, "broadcast_mul", .in = { variable (F, "b"), y });
  else if (kind == ONE_NUMBER)
    y = HYB_OP (F, "broadcast_mul", .in = { y, variable (F, "n") });
  else if (kind == COLUMNS)
    y = HYB_OP (F, "broadcast_mul", .in = { y, variable (F, "c") });
  else if (kind == EVERYWHERE)
    y = HYB_OP (F, "elemwise_add", .in = { y, variable (F, "m") });
  else if (kind != SUM_ONLY)
    y = HYB_OP (F, "broadcast_mul", .in = { y, variable (F, "a") });
  if (kind == PRODUCT_AND_SUM || kind == SUM_ONLY || kind == BEHIND_NORM)
    y = HYB_OP (F, "broadcast_add", .in = { y, variable (F, "b") });
  if (kind == REVERSED)
    y = HYB_OP (F, "broadcast_add", .in = { variable (F, "a"), y });
  return y;
}

static HybGraph *
trace (Kind kind)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *bias = kind == SUM_ONLY ? NULL : variable (F, "i");
  HybValue *first =
      HYB_OP (F, "Convolution", .in = { variable (F, "x"), variable (F, "w"), bias },
              .attributes = HYB_WITH ("kernel", "(3, 3)", "pad", "(1, 1)", "num_filter",
                                      G_STRINGIFY (CHANNELS), "no_bias", bias ? "False" : "True"));
  HybValue *y = finish (F, kind, first);
  HybGraph *graph;

  graph = hyb_f_finish (F, kind == SHOWN ? hyb_list (F, 2, (HybValue *[]){ y, first }) : y, &error);
  g_assert_no_error (error);
  return graph;
}

static HybExecutor *
run (Kind kind, const HybExecutorOptions *options)
{
  g_autoptr (HybGraph) graph = trace (kind);
  HybExecutor     *executor = hyb_executor_new (graph, options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GError) error = NULL;

  for (guint v = 0; v < n; v++)
    {
      const char *name = hyb_graph_get_node (graph, variables[v])->name;
      HybType     type = { shape_of (name[0]), HYB_F32 };
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);
      float *values = hyb_tensor_get_data (tensor);

      for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
        values[i] =
            (float) (sin (0.7 * (double) (i + 1) + 3 * name[0]) + (name[0] == 'v' ? 1.5 : 0));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
      hyb_executor_set_constant (executor, name,
                                 name[0] != 'x' && !(kind == LEARNED && name[0] == 'a'));
    }
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

/* Compares with a run without passes; returns how many nodes are left besides a convolution and what is folded. */
static guint
check (Kind kind, const char *without)
{
  const char *const  names[] = { without, NULL };
  HybExecutorOptions plain_options = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC,
                                 .fold_parameters = TRUE,
                                 .without = without ? names : NULL };
  g_autoptr (HybExecutor) with = run (kind, &options);
  g_autoptr (HybExecutor) plain = run (kind, &plain_options);
  HybGraph *graph = hyb_plan_get_graph (hyb_executor_get_plan (with));
  guint     n = 0;

  for (guint head = 0; head < hyb_executor_n_outputs (plain); head++)
    {
      HybTensor *a = hyb_executor_get_output (with, head);
      HybTensor *b = hyb_executor_get_output (plain, head);

      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)));
      for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
        g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (a, i), hyb_tensor_get_value (b, i),
                                        2e-5);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const char *op = hyb_graph_get_node (graph, id)->op->name;

      n += g_str_equal (op, "broadcast_mul") || g_str_equal (op, "broadcast_add") ||
           g_str_equal (op, "elemwise_add") || g_str_equal (op, "BatchNorm");
    }
  return n;
}

static void
test_scales_of_channels_go (void)
{
  g_assert_cmpuint (check (PRODUCT_AND_SUM, NULL), ==, 0);
  g_assert_cmpuint (check (REVERSED, NULL), ==, 0);
  g_assert_cmpuint (check (SUM_ONLY, NULL), ==, 0);
  g_assert_cmpuint (check (ONE_NUMBER, NULL), ==, 0);
}

static void
test_scales_behind_a_norm_go_as_well (void)
{
  g_assert_cmpuint (check (BEHIND_NORM, NULL), ==, 0);
  g_assert_cmpuint (check (BEHIND_NORM, "fold-scales"), ==, 2);
  g_assert_cmpuint (check (BEHIND_NORM, "fold-batch-norm"), ==, 3);
}

static void
test_others_stay (void)
{
  g_assert_cmpuint (check (PRODUCT_AND_SUM, "fold-scales"), ==, 2);
  g_assert_cmpuint (check (LEARNED, NULL), ==, 1);
  g_assert_cmpuint (check (EVERYWHERE, "finish-convolutions"), ==, 1);
  g_assert_cmpuint (check (COLUMNS, NULL), ==, 1);
  g_assert_cmpuint (check (SHOWN, NULL), ==, 1);
}

TEST_PROGRAM (test_fold_scales)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/fold-scales/scales-of-channels-go", test_scales_of_channels_go);
  g_test_add_func ("/engine/passes/fold-scales/scales-behind-a-norm-go-as-well",
                   test_scales_behind_a_norm_go_as_well);
  g_test_add_func ("/engine/passes/fold-scales/others-stay", test_others_stay);

  return g_test_run ();
}
