/* test-memory-curve.c — the memory in use by each step of a plan, against what its operators need.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/memory-curve.h"
#include "tests/engine/toy-ops.h"
#include "tests/program.h"

/* The plan of what make adds for x, 1,024 floats. */
static HybPlan *
plan_of (HybValueId (*make) (HybBuilder *builder, HybValueId x))
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybType    type = { hyb_shape_1d (1024), HYB_F32 };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  HybPlan *plan;

  hyb_builder_add_head (builder, make (builder, x));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = hyb_plan_new (graph, &type, &(HybPlanOptions){ 0 }, &error);
  g_assert_no_error (error);
  return plan;
}

/* "LIVE+TAKEN" of each step, in arrays of 4 KiB. */
static void
assert_curve (const HybPlan *plan, const char *expected)
{
  g_autoptr (GArray) curve = prof_memory_curve (plan);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < curve->len; i++)
    {
      const ProfLive *live = &g_array_index (curve, ProfLive, i);

      g_string_append_printf (text, "%s%g+%g", i > 0 ? " " : "", live->live / 4096.0,
                              live->taken / 4096.0);
    }
  g_assert_cmpstr (text->str, ==, expected);
}

static HybValueId
make_sums_in_place (HybBuilder *builder, HybValueId x)
{
  HybValueId a = toy_node (builder, &toy_add, "a", x, x);
  HybValueId b = toy_node (builder, &toy_add, "b", x, x);
  HybValueId sum = toy_node (builder, &toy_add, "sum", a, b);

  return toy_node (builder, &toy_add, "y", sum, x);
}

/* a and b each take an array; the sum lies in that of a while b is still read, and y in it alone. */
static void
test_outputs_in_the_memory_of_inputs (void)
{
  g_autoptr (HybPlan) plan = plan_of (make_sums_in_place);

  assert_curve (plan, "1+1 2+1 2+0 1+0");
}

static HybValueId
make_chain (HybBuilder *builder, HybValueId x)
{
  HybValueId a = toy_node (builder, &toy_step, "a", x, HYB_NO_ID);
  HybValueId b = toy_node (builder, &toy_step, "b", a, HYB_NO_ID);

  return toy_node (builder, &toy_add, "y", b, b);
}

/* b lies in the memory of a; y does not lie in that of b, which it reads twice. */
static void
test_a_chain (void)
{
  g_autoptr (HybPlan) plan = plan_of (make_chain);

  assert_curve (plan, "1+1 1+0 2+1");
}

static void
test_without_a_plan (void)
{
  g_autoptr (GArray) curve = prof_memory_curve (NULL);

  g_assert_cmpuint (curve->len, ==, 0);
}

TEST_PROGRAM (test_memory_curve)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/profiler/memory-curve/outputs-in-the-memory-of-inputs",
                   test_outputs_in_the_memory_of_inputs);
  g_test_add_func ("/profiler/memory-curve/a-chain", test_a_chain);
  g_test_add_func ("/profiler/memory-curve/without-a-plan", test_without_a_plan);

  return g_test_run ();
}
