/* test-sources.c — which nodes of a model the nodes of its plan stand for: merged, fused, batched and
 * split nodes, and what was added to help them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/block/control.h"
#include "engine/exec/plan-sources.h"
#include "engine/graph/builder.h"
#include "engine/rnn/cell.h"
#include "tests/program.h"

#include <string.h>

#define STEPS  4
#define HIDDEN 5

/* --- Graphs --- */

static HybGraph *
trace_lstm (void)
{
  g_autoptr (HybBlock) cell = hyb_lstm_cell_new (
      &(HybCellOptions){ .hidden = HIDDEN, .input_size = HIDDEN, .prefix = "cell_" });
  g_autoptr (HybF) F = hyb_f_new_trace (TRUE);
  g_autoptr (GError) error = NULL;
  HybValue *data = hyb_value_variable (F, "data", NULL);
  HybValue *states[] = { hyb_value_variable (F, "state0", NULL),
                         hyb_value_variable (F, "state1", NULL) };
  HybValue *output =
      hyb_unroll (F, cell, NULL, .length = STEPS, .inputs = data,
                  .begin_state = hyb_list (F, 2, states), .layout = "TNC", .merge = HYB_MERGE_YES);
  HybGraph *graph = hyb_f_finish (F, output, &error);

  g_assert_no_error (error);
  return graph;
}

static HybPlan *
plan_lstm (HybGraph *graph, const char *const *without)
{
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  g_autofree HybType *types = g_new (HybType, n);
  g_autoptr (GError) error = NULL;
  HybPlan *plan;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;

      types[i] = (HybType){ g_str_has_suffix (name, "weight") ? hyb_shape_2d (4 * HIDDEN, HIDDEN)
                            : g_str_has_suffix (name, "bias") ? hyb_shape_1d (4 * HIDDEN)
                            : strcmp (name, "data") == 0      ? hyb_shape_3d (STEPS, 2, HIDDEN)
                                                              : hyb_shape_2d (2, HIDDEN),
                            HYB_F32 };
    }
  plan = hyb_plan_new (graph, types, &(HybPlanOptions){ .optimise = TRUE, .without = without },
                       &error);
  g_assert_no_error (error);
  return plan;
}

/* --- Questions --- */

/* The node of the plan that computes a node of the model, of this type; HYB_NO_ID if there is none. */
static HybNodeId
find_computing (const HybPlan *plan, HybNodeId model, const char *type)
{
  HybGraph *graph = hyb_plan_get_graph (plan);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      guint            n;
      const HybSource *sources = hyb_plan_get_sources (plan, id, &n);

      for (guint i = 0; i < n; i++)
        if (sources[i].node == model && !sources[i].is_helper &&
            strcmp (hyb_graph_get_node (graph, id)->type, type) == 0)
          return id;
    }
  return HYB_NO_ID;
}

static gboolean
helps (const HybPlan *plan, HybNodeId id, HybNodeId model)
{
  guint            n;
  const HybSource *sources = hyb_plan_get_sources (plan, id, &n);

  for (guint i = 0; i < n; i++)
    if (sources[i].node == model)
      return sources[i].is_helper;
  return FALSE;
}

static HybNodeId
find_named (HybGraph *graph, const char *name)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (strcmp (hyb_graph_get_node (graph, id)->name, name) == 0)
      return id;
  g_error ("no node %s", name);
}

/* --- Tests --- */

static void
test_without_passes (void)
{
  g_autoptr (HybGraph) graph = trace_lstm ();
  g_autoptr (HybPlan) plan = NULL;
  const char *all[32] = { NULL };
  guint       n_all = 0;

  for (const HybPass *const *pass = hyb_passes (); *pass; pass++)
    if ((*pass)->optimising)
      all[n_all++] = (*pass)->name;
  plan = plan_lstm (graph, all);
  g_assert_true (hyb_plan_get_given (plan) == graph);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      guint            n;
      const HybSource *sources = hyb_plan_get_sources (plan, id, &n);

      if (hyb_node_is_variable (hyb_graph_get_node (graph, id)))
        g_assert_cmpuint (n, ==, 0);
      else
        {
          g_assert_cmpuint (n, ==, 1);
          g_assert_cmpuint (sources[0].node, ==, id);
          g_assert_false (sources[0].is_helper);
        }
    }
}

/* Everything of a cell but its two products is computed by the node for its gates: their sum, the split
 * into four, the four functions, three products, the sum and the function of the cell. */
#define N_INSIDE 11

static void
test_gates (void)
{
  g_autoptr (HybGraph) graph = trace_lstm ();
  g_autoptr (HybPlan) plan = plan_lstm (graph, NULL);
  guint n_gates = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (hyb_plan_get_graph (plan)); id++)
    {
      const HybNode   *node = hyb_graph_get_node (hyb_plan_get_graph (plan), id);
      guint            n;
      const HybSource *sources = hyb_plan_get_sources (plan, id, &n);
      g_autofree char *step = g_strdup_printf ("cell_t%u_", n_gates);

      if (strcmp (node->type, "_lstm_gates") != 0)
        continue;
      n_gates++;
      g_assert_cmpuint (n, ==, N_INSIDE);
      for (guint i = 0; i < n; i++)
        {
          const HybNode *source = hyb_graph_get_node (graph, sources[i].node);

          g_assert_false (sources[i].is_helper);
          g_assert_cmpstr (source->type, !=, "FullyConnected");
          g_assert_true (g_str_has_prefix (source->name, step));
        }
    }
  g_assert_cmpuint (n_gates, ==, STEPS);
}

/* The products of all steps with one weight are one product, of which each step reads a part. */
static void
test_batched_products (void)
{
  g_autoptr (HybGraph) graph = trace_lstm ();
  g_autoptr (HybPlan) plan = plan_lstm (graph, NULL);
  HybNodeId batched = HYB_NO_ID;

  for (guint step = 0; step < STEPS; step++)
    {
      g_autofree char *name = g_strdup_printf ("cell_t%u_i2h", step);
      HybNodeId        model = find_named (graph, name);
      HybGraph        *after = hyb_plan_get_graph (plan);
      guint            n_helping = 0;

      for (HybNodeId id = 0; id < hyb_graph_n_nodes (after); id++)
        if (helps (plan, id, model) &&
            hyb_graph_get_node (after, id)->op->category == HYB_CATEGORY_LINEAR)
          {
            g_assert_true (batched == HYB_NO_ID || batched == id);
            batched = id;
            n_helping++;
          }
      g_assert_cmpuint (n_helping, ==, 1);
    }
}

/* A product that left the body of a loop names the product that was there. */
static void
test_moved_product (void)
{
  g_autoptr (HybBlock) cell = hyb_lstm_cell_new (
      &(HybCellOptions){ .hidden = HIDDEN, .input_size = HIDDEN, .prefix = "cell_" });
  g_autoptr (HybF) F = hyb_f_new_trace (TRUE);
  g_autoptr (GError) error = NULL;
  HybValue *data = hyb_value_variable (F, "data", NULL);
  HybValue *states[] = { hyb_value_variable (F, "state0", NULL),
                         hyb_value_variable (F, "state1", NULL) };
  HybValue *output = hyb_item (F, hyb_foreach_cell (F, cell, data, hyb_list (F, 2, states)), 0);
  g_autoptr (HybGraph) graph = hyb_f_finish (F, output, &error);
  g_autoptr (HybPlan) plan = NULL;
  HybGraph *after;
  guint     n_moved = 0;

  g_assert_no_error (error);
  plan = plan_lstm (graph, NULL);
  after = hyb_plan_get_graph (plan);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (after); id++)
    {
      guint            n;
      const HybSource *sources = hyb_plan_get_sources (plan, id, &n);

      for (guint i = 0; i < n; i++)
        if (sources[i].inner != HYB_NO_ID && !sources[i].is_helper)
          {
            HybGraph *body = hyb_graph_get_bodies (graph, sources[i].node)[0];

            n_moved++;
            g_assert_cmpstr (hyb_graph_get_node (body, sources[i].inner)->name, ==, "cell_t0_i2h");
            g_assert_cmpint (hyb_graph_get_node (after, id)->op->category, ==, HYB_CATEGORY_LINEAR);
          }
    }
  g_assert_cmpuint (n_moved, ==, 1);
}

static HybGraph *
make_equal (void)
{
  HybBuilder *builder = hyb_builder_new ();
  g_autoptr (GError) error = NULL;
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId one =
      hyb_builder_call (builder, "tanh",
                        &(HybNodeSpec){ .name = "one", .n_inputs = 1, .inputs = &x }, &error);
  HybValueId other =
      hyb_builder_call (builder, "tanh",
                        &(HybNodeSpec){ .name = "other", .n_inputs = 1, .inputs = &x }, &error);
  HybValueId unread =
      hyb_builder_call (builder, "exp",
                        &(HybNodeSpec){ .name = "unread", .n_inputs = 1, .inputs = &x }, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (unread, !=, HYB_NO_ID);
  hyb_builder_add_head (builder, one);
  hyb_builder_add_head (builder, other);
  return hyb_builder_freeze (builder);
}

static void
test_merged (void)
{
  g_autoptr (HybGraph) graph = make_equal ();
  HybType type = { hyb_shape_1d (3), HYB_F32 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybPlan) plan =
      hyb_plan_new (graph, &type, &(HybPlanOptions){ .optimise = TRUE }, &error);
  HybNodeId        merged;
  guint            n;
  const HybSource *sources;

  g_assert_no_error (error);
  merged = find_named (hyb_plan_get_graph (plan), "one");
  sources = hyb_plan_get_sources (plan, merged, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (sources[0].node, ==, find_named (graph, "one"));
  g_assert_cmpuint (sources[1].node, ==, find_named (graph, "other"));
  /* What no output needs, nothing computes. */
  g_assert_cmpuint (find_computing (plan, find_named (graph, "unread"), "exp"), ==, HYB_NO_ID);
  /* Behind the last node there is nothing. */
  hyb_plan_get_sources (plan, hyb_graph_n_nodes (hyb_plan_get_graph (plan)), &n);
  g_assert_cmpuint (n, ==, 0);
}

TEST_PROGRAM (test_sources)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/sources/without-passes-every-node-stands-for-itself",
                   test_without_passes);
  g_test_add_func ("/engine/sources/gates-stand-for-what-they-replace", test_gates);
  g_test_add_func ("/engine/sources/a-batched-product-helps-every-step", test_batched_products);
  g_test_add_func ("/engine/sources/a-product-before-a-loop-names-the-one-inside",
                   test_moved_product);
  g_test_add_func ("/engine/sources/merged-nodes-stand-for-both", test_merged);
  return g_test_run ();
}
