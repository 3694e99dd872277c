/* test-cancel-transposes.c — transposes around pointwise operators go, two in a row become one, and others stay.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "engine/exec/plan-sources.h"
#include "tests/program.h"

#include <math.h>

typedef enum
{
  AROUND_UNARY,     /* (relu (xᵀ) · 2)ᵀ */
  AROUND_SUM,       /* (xᵀ + yᵀ)ᵀ */
  AROUND_SUM_OTHER, /* (xᵀ + y)ᵀ, where y has an order of its own */
  IN_A_ROW,         /* (xᵃ)ᵇ */
  SHOWN,            /* the value between is an output, too */
  AROUND_ROWS,      /* a softmax is between */
  WITH_NUMBER,      /* (xᵀ · n)ᵀ for a tensor of one element */
  REVERSED,         /* the same as AROUND_UNARY, where no axes are named: all are reversed */
} Kind;

#define FORTH "(0, 2, 3, 1)"
#define BACK  "(0, 3, 1, 2)"

static HybValue *
permute (HybF *F, HybValue *x, const char *axes)
{
  return HYB_OP (F, "transpose", .in = { x }, .attributes = HYB_WITH ("axes", axes));
}

static HybGraph *
trace (Kind kind)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  const char *forth = kind == REVERSED ? "None" : FORTH;
  HybValue   *x = hyb_value_variable (F, "x", NULL), *t = permute (F, x, forth), *y = t;
  HybGraph   *graph;

  if (kind == AROUND_SUM)
    y = HYB_OP (F, "broadcast_add",
                .in = { t, permute (F, hyb_value_variable (F, "y", NULL), FORTH) });
  else if (kind == AROUND_SUM_OTHER)
    y = HYB_OP (F, "broadcast_add", .in = { t, hyb_value_variable (F, "z", NULL) });
  else if (kind == WITH_NUMBER)
    y = HYB_OP (F, "broadcast_mul", .in = { t, hyb_value_variable (F, "number", NULL) });
  else if (kind == AROUND_ROWS)
    y = HYB_OP (F, "softmax", .in = { t }, .attributes = HYB_WITH ("axis", "-1"));
  else if (kind != IN_A_ROW)
    y = HYB_OP (F, "_mul_scalar", .in = { HYB_OP (F, "relu", .in = { t }) },
                .attributes = HYB_WITH ("scalar", "2"));
  t = permute (F, y, kind == IN_A_ROW ? FORTH : kind == REVERSED ? "None" : BACK);
  graph = hyb_f_finish (F, kind == SHOWN ? hyb_list (F, 2, (HybValue *[]){ t, y }) : t, &error);
  g_assert_no_error (error);
  return graph;
}

static HybShape
shape_of (const char *name)
{
  return g_str_equal (name, "number") ? hyb_shape_1d (1)
         : g_str_equal (name, "z")    ? hyb_shape_4d (2, 4, 5, 3)
                                      : hyb_shape_4d (2, 3, 4, 5);
}

static HybExecutor *
run (Kind kind, const HybExecutorOptions *options)
{
  g_autoptr (HybGraph) graph = trace (kind);
  HybExecutor     *executor = hyb_executor_new (graph, options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybType     type = { shape_of (name), HYB_F32 };
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) k,
                              sin (0.7 * (double) (k + 1) + 3 * name[0]));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
    }
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

/* Compares with a run without passes, bit for bit; returns how many transposes are left. */
static guint
check (Kind kind, const HybExecutorOptions *options)
{
  HybExecutorOptions no_passes = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  g_autoptr (HybExecutor) with = run (kind, options);
  g_autoptr (HybExecutor) plain = run (kind, &no_passes);
  HybGraph *graph = hyb_plan_get_graph (hyb_executor_get_plan (with));
  guint     n = 0;

  for (guint head = 0; head < hyb_executor_n_outputs (plain); head++)
    {
      HybTensor *a = hyb_executor_get_output (with, head);
      HybTensor *b = hyb_executor_get_output (plain, head);

      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)));
      for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
        g_assert_cmpfloat (hyb_tensor_get_value (a, i), ==, hyb_tensor_get_value (b, i));
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += g_str_equal (hyb_graph_get_node (graph, id)->op->name, "transpose");
  return n;
}

static const HybExecutorOptions planned = { .mode = HYB_MODE_STATIC, .same_bytes = TRUE };

/* --- The origins of nodes --- */

/* Checks that the node of the plan with this operator computes the operators that `computed` names, one a word and in the
 * order of the model, and helps no others. */
static void
check_sources (const HybPlan *plan, const char *op, const char *computed)
{
  HybGraph *graph = hyb_plan_get_graph (plan);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (g_str_equal (hyb_graph_get_node (graph, id)->op->name, op))
      {
        g_autoptr (GString) names = g_string_new (NULL);
        guint            n;
        const HybSource *sources = hyb_plan_get_sources (plan, id, &n);

        for (guint i = 0; i < n; i++)
          g_string_append_printf (names, "%s%s%s", i > 0 ? " " : "",
                                  sources[i].is_helper ? "helps:" : "",
                                  hyb_graph_get_node (hyb_plan_get_given (plan), sources[i].node)
                                      ->op->name);
        g_assert_cmpstr (names->str, ==, computed);
        return;
      }
  g_error ("no operator %s", op);
}

static void
check_plan (Kind kind, const char *op, const char *computed)
{
  const char        *without[] = { "fuse-elementwise", NULL };
  HybExecutorOptions options = planned;
  g_autoptr (HybExecutor) executor = NULL;

  options.without = without;
  executor = run (kind, &options);
  check_sources (hyb_executor_get_plan (executor), op, computed);
}

/* The first transposes belong to what reads them, the last one to what it reads. */
static void
test_nodes_stand_for_what_they_compute (void)
{
  check_plan (AROUND_UNARY, "relu", "transpose relu");
  check_plan (AROUND_UNARY, "_mul_scalar", "_mul_scalar transpose");
  check_plan (AROUND_SUM, "broadcast_add", "transpose transpose broadcast_add transpose");
  check_plan (IN_A_ROW, "transpose", "transpose transpose");
  check_plan (WITH_NUMBER, "broadcast_mul", "transpose broadcast_mul transpose");
}

static void
test_transposes_that_cancel_go (void)
{
  g_assert_cmpuint (check (AROUND_UNARY, &planned), ==, 0);
  g_assert_cmpuint (check (AROUND_SUM, &planned), ==, 0);
  g_assert_cmpuint (check (WITH_NUMBER, &planned), ==, 0);
  g_assert_cmpuint (check (REVERSED, &planned), ==, 0);
}

static void
test_two_in_a_row_become_one (void)
{
  g_assert_cmpuint (check (IN_A_ROW, &planned), ==, 1);
}

static void
test_others_stay (void)
{
  const char        *without[] = { "cancel-transposes", NULL };
  HybExecutorOptions left_out = planned;

  left_out.without = without;
  g_assert_cmpuint (check (AROUND_SUM_OTHER, &planned), ==, 2);
  g_assert_cmpuint (check (SHOWN, &planned), ==, 2);
  g_assert_cmpuint (check (AROUND_ROWS, &planned), ==, 2);
  g_assert_cmpuint (check (AROUND_UNARY, &left_out), ==, 2);
}

TEST_PROGRAM (test_cancel_transposes)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/cancel-transposes/transposes-that-cancel-go",
                   test_transposes_that_cancel_go);
  g_test_add_func ("/engine/passes/cancel-transposes/two-in-a-row-become-one",
                   test_two_in_a_row_become_one);
  g_test_add_func ("/engine/passes/cancel-transposes/others-stay", test_others_stay);
  g_test_add_func ("/engine/passes/cancel-transposes/nodes-stand-for-what-they-compute",
                   test_nodes_stand_for_what_they_compute);

  return g_test_run ();
}
