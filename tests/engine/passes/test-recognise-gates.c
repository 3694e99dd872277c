/* test-recognise-gates.c — GELU, SiLU and hard swish, in the spellings of exporters, become one operator with the same
 * numbers; near misses stay.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "engine/exec/plan-sources.h"
#include "tests/program.h"

#include <math.h>

#define ROOT_HALF "0.70710678118654752"
#define ROOT_PI   "0.79788456080286536"

static HybValue *
with (HybF *F, const char *op, HybValue *x, const char *scalar)
{
  return HYB_OP (F, op, .in = { x }, .attributes = HYB_WITH ("scalar", scalar));
}

static HybValue *
both (HybF *F, const char *op, HybValue *a, HybValue *b)
{
  return HYB_OP (F, op, .in = { a, b });
}

static HybValue *
one (HybF *F, const char *op, HybValue *x)
{
  return HYB_OP (F, op, .in = { x });
}

/* --- Spellings --- */

static HybValue *
gelu_halved_last (HybF *F, HybValue *x)
{
  HybValue *t = one (F, "erf", with (F, "_div_scalar", x, "1.4142135623730951"));

  t = both (F, "broadcast_mul", x, with (F, "_plus_scalar", t, "1"));
  return with (F, "_mul_scalar", t, "0.5");
}

static HybValue *
gelu_halved_first (HybF *F, HybValue *x)
{
  HybValue *t = one (F, "erf", with (F, "_mul_scalar", x, ROOT_HALF));

  return both (F, "broadcast_mul", with (F, "_plus_scalar", t, "1"),
               with (F, "_mul_scalar", x, "0.5"));
}

static HybValue *
tanh_of (HybF *F, HybValue *sum)
{
  HybValue *t = one (F, "tanh", with (F, "_mul_scalar", sum, ROOT_PI));

  return with (F, "_plus_scalar", t, "1");
}

static HybValue *
gelu_by_cube (HybF *F, HybValue *x)
{
  HybValue *cube = with (F, "_mul_scalar", with (F, "_power_scalar", x, "3"), "0.044715");

  return both (F, "broadcast_mul", with (F, "_mul_scalar", x, "0.5"),
               tanh_of (F, both (F, "broadcast_add", x, cube)));
}

static HybValue *
gelu_by_squares (HybF *F, HybValue *x)
{
  HybValue *s = with (F, "_mul_scalar", both (F, "broadcast_mul", x, x), "0.044715");

  s = both (F, "broadcast_mul", with (F, "_plus_scalar", s, "1"), x);
  return with (F, "_mul_scalar", both (F, "broadcast_mul", x, tanh_of (F, s)), "0.5");
}

static HybValue *
silu (HybF *F, HybValue *x)
{
  return both (F, "broadcast_mul", one (F, "sigmoid", x), x);
}

static HybValue *
limit (HybF *F, HybValue *x, const char *high)
{
  return with (F, "_minimum_scalar", with (F, "_maximum_scalar", x, "0"), high);
}

static HybValue *
hard_swish (HybF *F, HybValue *x)
{
  HybValue *gate = limit (F, with (F, "_plus_scalar", x, "3"), "6");

  return with (F, "_div_scalar", both (F, "broadcast_mul", x, gate), "6");
}

static HybValue *
hard_swish_by_unit (HybF *F, HybValue *x)
{
  HybValue *line =
      with (F, "_plus_scalar", with (F, "_mul_scalar", x, "0.16666666666666666"), "0.5");

  return both (F, "broadcast_mul", x, limit (F, line, "1"));
}

/* --- Near misses --- */

static HybValue *
other_factor (HybF *F, HybValue *x)
{
  HybValue *t = one (F, "erf", with (F, "_mul_scalar", x, "0.7072"));

  t = both (F, "broadcast_mul", x, with (F, "_plus_scalar", t, "1"));
  return with (F, "_mul_scalar", t, "0.5");
}

static HybValue *
other_limit (HybF *F, HybValue *x)
{
  HybValue *gate = limit (F, with (F, "_plus_scalar", x, "3"), "7");

  return with (F, "_div_scalar", both (F, "broadcast_mul", x, gate), "6");
}

static HybValue *
other_operand (HybF *F, HybValue *x)
{
  return both (F, "broadcast_mul", one (F, "sigmoid", x), with (F, "_plus_scalar", x, "1"));
}

typedef struct
{
  HybValue *(*make) (HybF *F, HybValue *x);
  const char *op;      /* that takes its place; NULL: none does */
  guint       n_nodes; /* that the operator stands for */
} Case;

static HybGraph *
trace (const Case *c)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *x = hyb_value_variable (F, "x", NULL), *y = c->make (F, x);
  HybGraph *graph = hyb_f_finish (F, y, &error);

  g_assert_no_error (error);
  return graph;
}

static HybExecutor *
run (const Case *c, const HybExecutorOptions *options)
{
  g_autoptr (HybGraph) graph = trace (c);
  HybExecutor *executor = hyb_executor_new (graph, options);
  HybType      type = { hyb_shape_2d (3, 400), HYB_F32 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) x = hyb_tensor_new (&type, &error);
  float *values = hyb_tensor_get_data (x);

  for (gint64 i = 0; i < hyb_tensor_get_size (x); i++)
    values[i] = (float) (i - 600) * 0.02f;
  values[0] = NAN;
  values[1] = 100;
  values[2] = -100;
  g_assert_true (hyb_executor_bind (executor, "x", x, &error));
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

/* Compares with a run without passes; returns how many nodes the operator stands for, 0 without one. */
static guint
check (const Case *c, const HybExecutorOptions *options)
{
  HybExecutorOptions no_passes = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  g_autoptr (HybExecutor) joined = run (c, options);
  g_autoptr (HybExecutor) plain = run (c, &no_passes);
  HybTensor     *a = hyb_executor_get_output (joined, 0), *b = hyb_executor_get_output (plain, 0);
  const HybPlan *plan = hyb_executor_get_plan (joined);
  HybGraph      *graph = hyb_plan_get_graph (plan);
  guint          n = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (b); i++)
    {
      double got = hyb_tensor_get_value (a, i), want = hyb_tensor_get_value (b, i);

      g_assert_true (isnan (want) ? isnan (got) : fabs (got - want) <= 1e-6 * MAX (1, fabs (want)));
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (g_strcmp0 (hyb_graph_get_node (graph, id)->op->name, c->op) == 0)
      hyb_plan_get_sources (plan, id, &n);
  return n;
}

static const HybExecutorOptions planned = { .mode = HYB_MODE_STATIC };

static void
test_every_spelling (void)
{
  const Case cases[] = {
    { gelu_halved_last, "LeakyReLU", 5 },
    { gelu_halved_first, "LeakyReLU", 5 },
    { gelu_by_cube, "_gated_activation", 8 },
    { gelu_by_squares, "_gated_activation", 9 },
    { silu, "_gated_activation", 2 },
    { hard_swish, "_gated_activation", 5 },
    { hard_swish_by_unit, "_gated_activation", 5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("case %u", i);
      g_assert_cmpuint (check (&cases[i], &planned), ==, cases[i].n_nodes);
    }
}

static void
test_near_misses_stay (void)
{
  HybValue *(*const functions[]) (HybF *, HybValue *) = { other_factor, other_limit,
                                                          other_operand };
  const char        *without[] = { "recognise-gates", NULL };
  HybExecutorOptions left_out = planned, exact = planned;

  left_out.without = without;
  exact.same_bytes = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_assert_cmpuint (check (&(Case){ functions[i], "LeakyReLU" }, &planned), ==, 0);
      g_assert_cmpuint (check (&(Case){ functions[i], "_gated_activation" }, &planned), ==, 0);
    }
  g_assert_cmpuint (check (&(Case){ silu, "_gated_activation" }, &left_out), ==, 0);
  g_assert_cmpuint (check (&(Case){ silu, "_gated_activation" }, &exact), ==, 0);
}

TEST_PROGRAM (test_recognise_gates)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/recognise-gates/every-spelling", test_every_spelling);
  g_test_add_func ("/engine/passes/recognise-gates/near-misses-stay", test_near_misses_stay);

  return g_test_run ();
}
