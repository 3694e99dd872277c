/* test-recognise-norms.c — layer normalisation in pieces, in the spellings of exporters, becomes LayerNorm with the same numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "engine/exec/plan-sources.h"
#include "tests/program.h"

#include <math.h>

#define COLUMNS 7

/* A spelling. */
typedef struct
{
  gboolean squares_by_power, multiplies_itself; /* else square */
  gboolean divides;                             /* by the root, else multiplies by its inverse */
  gboolean has_reciprocal;                      /* reciprocal of sqrt, else rsqrt */
  gboolean is_mirrored;                         /* operands the other way round */
  gboolean shows_variance;                      /* which then is an output, too */
  gboolean has_wide_gamma;                      /* a number for each element */
  gboolean is_over_rows;                        /* means over the first axis */
} Case;

static HybValue *
binary (HybF *F, const char *op, HybValue *a, HybValue *b, gboolean is_mirrored)
{
  return is_mirrored ? HYB_OP (F, op, .in = { b, a }) : HYB_OP (F, op, .in = { a, b });
}

static HybValue *
square (HybF *F, const Case *c, HybValue *x)
{
  if (c->multiplies_itself)
    return HYB_OP (F, "broadcast_mul", .in = { x, x });
  return c->squares_by_power
             ? HYB_OP (F, "_power_scalar", .in = { x }, .attributes = HYB_WITH ("scalar", "2"))
             : HYB_OP (F, "square", .in = { x });
}

static HybGraph *
trace (const Case *c)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue   *x = hyb_value_variable (F, "x", NULL), *d, *v, *y;
  const char *axis = c->is_over_rows ? "0" : "-1";
  HybGraph   *graph;

  d = HYB_OP (F, "_npi_mean", .in = { x },
              .attributes = HYB_WITH ("axis", axis, "keepdims", "True"));
  d = HYB_OP (F, "broadcast_sub", .in = { x, d });
  v = HYB_OP (F, "_npi_mean", .in = { square (F, c, d) },
              .attributes = HYB_WITH ("axis", axis, "keepdims", "True"));
  y = HYB_OP (F, "_plus_scalar", .in = { v }, .attributes = HYB_WITH ("scalar", "0.001"));
  if (c->divides)
    y = HYB_OP (F, "broadcast_div", .in = { d, HYB_OP (F, "sqrt", .in = { y }) });
  else if (c->has_reciprocal)
    y = binary (F, "broadcast_mul", d,
                HYB_OP (F, "reciprocal", .in = { HYB_OP (F, "sqrt", .in = { y }) }),
                c->is_mirrored);
  else
    y = binary (F, "broadcast_mul", d, HYB_OP (F, "rsqrt", .in = { y }), c->is_mirrored);
  y = binary (F, "broadcast_mul", y, hyb_value_variable (F, "gamma", NULL), c->is_mirrored);
  y = binary (F, "broadcast_add", y, hyb_value_variable (F, "beta", NULL), c->is_mirrored);
  graph = hyb_f_finish (F, c->shows_variance ? hyb_list (F, 2, (HybValue *[]){ y, v }) : y, &error);
  g_assert_no_error (error);
  return graph;
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
      gboolean    is_wide =
          g_str_equal (name, "x") || (c->has_wide_gamma && g_str_equal (name, "gamma"));
      HybType type = { is_wide ? hyb_shape_3d (2, 3, COLUMNS) : hyb_shape_1d (COLUMNS), HYB_F32 };
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) k,
                              sin (0.7 * (double) (k + 1) + 3 * name[0]) + 2);
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
    }
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

/* Compares with a run without passes; returns how many nodes the LayerNorm stands for, 0 without one. */
static guint
check (const Case *c, const HybExecutorOptions *options)
{
  HybExecutorOptions no_passes = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  g_autoptr (HybExecutor) joined = run (c, options);
  g_autoptr (HybExecutor) plain = run (c, &no_passes);
  const HybPlan *plan = hyb_executor_get_plan (joined);
  HybGraph      *graph = hyb_plan_get_graph (plan);
  guint          n = 0;

  for (guint head = 0; head < hyb_executor_n_outputs (plain); head++)
    for (gint64 i = 0; i < hyb_tensor_get_size (hyb_executor_get_output (plain, head)); i++)
      g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (hyb_executor_get_output (joined, head),
                                                            i),
                                      hyb_tensor_get_value (hyb_executor_get_output (plain, head),
                                                            i),
                                      1e-5);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (g_str_equal (hyb_graph_get_node (graph, id)->op->name, "LayerNorm"))
      hyb_plan_get_sources (plan, id, &n);
  return n;
}

static const HybExecutorOptions planned = { .mode = HYB_MODE_STATIC };

static void
test_every_spelling (void)
{
  const struct
  {
    Case  spelling;
    guint n_nodes;
  } cases[] = {
    { { FALSE }, 9 },
    { { .squares_by_power = TRUE, .divides = TRUE }, 9 },
    { { .multiplies_itself = TRUE, .has_reciprocal = TRUE }, 10 },
    { { .has_reciprocal = TRUE, .is_mirrored = TRUE }, 10 },
    { { .is_mirrored = TRUE }, 9 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (check (&cases[i].spelling, &planned), ==, cases[i].n_nodes);
}

static void
test_what_is_no_layer_norm_stays (void)
{
  const Case         plain = { FALSE }, shown = { .shows_variance = TRUE };
  const Case         wide = { .has_wide_gamma = TRUE }, over_rows = { .is_over_rows = TRUE };
  const char        *without[] = { "recognise-norms", NULL };
  HybExecutorOptions left_out = planned, exact = planned;

  left_out.without = without;
  exact.same_bytes = TRUE;
  g_assert_cmpuint (check (&shown, &planned), ==, 0);
  g_assert_cmpuint (check (&wide, &planned), ==, 0);
  g_assert_cmpuint (check (&over_rows, &planned), ==, 0);
  g_assert_cmpuint (check (&plain, &left_out), ==, 0);
  g_assert_cmpuint (check (&plain, &exact), ==, 0);
}

TEST_PROGRAM (test_recognise_norms)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/recognise-norms/every-spelling", test_every_spelling);
  g_test_add_func ("/engine/passes/recognise-norms/what-is-no-layer-norm-stays",
                   test_what_is_no_layer_norm_stays);

  return g_test_run ();
}
