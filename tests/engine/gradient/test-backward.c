/* test-backward.c — where gradients flow, what they become in the graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/backward.h"

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/imperative/imperative.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

#include <string.h>

/* A graph with variables a, b … that a test builds up. */
typedef struct
{
  HybBuilder *builder;
  HybValueId  a, b;
} Sketch;

static Sketch
sketch_new (void)
{
  Sketch sketch = { hyb_builder_new () };

  sketch.a = hyb_builder_add_variable (sketch.builder, "a", NULL);
  sketch.b = hyb_builder_add_variable (sketch.builder, "b", NULL);
  return sketch;
}

static HybValueId
add (Sketch *sketch, const char *op, const char *name, HybValueId x, HybValueId y)
{
  HybValueId inputs[] = { x, y };
  guint      n = y == HYB_NO_ID ? 1 : 2;
  g_autoptr (GError) error = NULL;
  HybValueId value =
      hyb_builder_call (sketch->builder, op,
                        &(HybNodeSpec){ .name = name, .n_inputs = n, .inputs = inputs }, &error);

  g_assert_no_error (error);
  return value;
}

/* With respect to a and b, or to a alone. */
static HybGraph *
differentiate (Sketch *sketch, guint n_wrt, GError **error)
{
  HybNodeId wrt[] = { 0, 1 };
  g_autoptr (HybGraph) graph = hyb_builder_freeze (g_steal_pointer (&sketch->builder));
  g_autoptr (HybGraph) both = hyb_graph_with_gradients (graph, n_wrt, wrt, error);

  if (both)
    {
      g_autoptr (GError) broken = NULL;

      hyb_graph_verify (both, &broken);
      g_assert_no_error (broken);
    }
  return g_steal_pointer (&both);
}

/* Runs with a = 2, b = 3, …: one number per variable; returns head number `head`. */
static double
run (HybGraph *graph, guint head)
{
  guint n, n_heads;
  g_autoptr (GPtrArray) variables =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) heads = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GError) error = NULL;

  hyb_graph_get_variables (graph, &n);
  hyb_graph_get_heads (graph, &n_heads);
  g_ptr_array_set_size (heads, (int) n_heads);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (variables, op_tensor ("f32[1]", 2.0 + i));

  hyb_imperative_run (graph, (HybTensor *const *) variables->pdata, (HybTensor **) heads->pdata,
                      NULL, &error);
  g_assert_no_error (error);
  return hyb_tensor_get_value (heads->pdata[head], 0);
}

static guint
count_op (HybGraph *graph, const char *op)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += g_str_equal (hyb_graph_get_node (graph, id)->op->name, op);
  return n;
}

/* y = a·a: both inputs of one node are the same value. */
static void
test_both_uses_of_an_input_count (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId y = add (&sketch, "elemwise_mul", "y", sketch.a, sketch.a);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 2, &error);
  g_assert_no_error (error);

  /* a = 2, b = 3, head gradient 4: 2·a·4; b has no part in it. */
  g_assert_cmpfloat (run (graph, 0), ==, 4);
  g_assert_cmpfloat (run (graph, 1), ==, 16);
  g_assert_cmpfloat (run (graph, 2), ==, 0);
}

static void
test_a_head_that_comes_twice_counts_twice (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId y = add (&sketch, "elemwise_mul", "y", sketch.a, sketch.b);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (sketch.builder, y);
  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 2, &error);
  g_assert_no_error (error);

  g_assert_cmpuint (hyb_graph_find_variable (graph, "y_output_head_gradient"), !=, HYB_NO_ID);
  g_assert_cmpuint (hyb_graph_find_variable (graph, "y_output#1_head_gradient"), !=, HYB_NO_ID);
  /* Head gradients 4 and 5. */
  g_assert_cmpfloat (run (graph, 2), ==, 3 * (4 + 5));
  g_assert_cmpfloat (run (graph, 3), ==, 2 * (4 + 5));
}

static void
test_a_variable_may_be_a_head (void)
{
  Sketch sketch = sketch_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (sketch.builder, sketch.a);
  graph = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run (graph, 1), ==, 4);
}

static void
test_no_node_is_added_for_gradients_that_are_not_needed (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId y = add (&sketch, "elemwise_mul", "y", sketch.b, sketch.b);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);
  /* a, b, y, head gradient, zeros for a. */
  g_assert_cmpuint (hyb_graph_n_nodes (graph), ==, 5);
}

static void
test_constant_operators_stop_the_flow (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId x = add (&sketch, "BlockGrad", "stop", sketch.a, HYB_NO_ID);
  HybValueId y = add (&sketch, "elemwise_mul", "y", x, sketch.a);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);
  /* Only the open path: a · 4, not 2·a·4. */
  g_assert_cmpfloat (run (graph, 1), ==, 8);
}

/* An operator with neither a gradient nor the word that it is constant. */
static const HybOp *
find_op_without_gradient (void)
{
  guint               n;
  const HybOp *const *ops = hyb_op_list (&n);

  for (guint i = 0; i < n; i++)
    {
      guint n_inputs, n_outputs;

      if (ops[i]->gradient || ops[i]->flags & (HYB_OP_NO_GRADIENT | HYB_OP_OPAQUE) ||
          ops[i]->params || ops[i]->arity || ops[i]->recording || ops[i]->n_bodies ||
          (ops[i]->constant_inputs | ops[i]->mutates) & 1)
        continue;
      hyb_op_arity (ops[i], NULL, &n_inputs, &n_outputs);
      if (n_inputs >= 1 && n_inputs <= 2)
        return ops[i];
    }

  return NULL;
}

static void
test_a_missing_gradient_names_node_and_operator (void)
{
  const HybOp *op = find_op_without_gradient ();
  Sketch       sketch = sketch_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;
  guint n_inputs, n_outputs;

  g_assert_nonnull (op);
  hyb_op_arity (op, NULL, &n_inputs, &n_outputs);
  hyb_builder_add_head (sketch.builder, add (&sketch, op->name, "culprit", sketch.a, HYB_NO_ID));
  graph = differentiate (&sketch, 1, &error);
  g_assert_null (graph);
  g_assert_error (error, HYB_OP_ERROR, HYB_OP_ERROR_GRADIENT);
  g_assert_nonnull (strstr (error->message, "culprit"));
  g_assert_nonnull (strstr (error->message, op->name));
}

static void
test_an_unknown_operator_is_called_so (void)
{
  Sketch      sketch = sketch_new ();
  HybNodeSpec spec = { .type = "Strange", .name = "alien", .n_inputs = 1, .inputs = &sketch.a };
  HybNodeId   alien = hyb_builder_add (sketch.builder, &spec, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (sketch.builder, hyb_builder_output (sketch.builder, alien, 0));
  graph = differentiate (&sketch, 1, &error);
  g_assert_null (graph);
  g_assert_error (error, HYB_OP_ERROR, HYB_OP_ERROR_UNKNOWN);
  g_assert_nonnull (strstr (error->message, "“alien”: there is no operator called Strange"));
}

static void
test_a_missing_gradient_that_is_not_needed_is_no_error (void)
{
  const HybOp *op = find_op_without_gradient ();
  Sketch       sketch = sketch_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;
  guint n_inputs, n_outputs;

  hyb_op_arity (op, NULL, &n_inputs, &n_outputs);
  hyb_builder_add_head (sketch.builder, add (&sketch, op->name, "aside", sketch.b, HYB_NO_ID));
  graph = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);
  g_assert_nonnull (graph);
}

static void
test_gradient_nodes_point_at_what_they_differentiate (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId y = add (&sketch, "softmax", "y", sketch.a, HYB_NO_ID);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;
  const HybNode *forward, *backward;

  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);

  forward = hyb_graph_get_node (graph, 2);
  backward = hyb_graph_get_node (graph, hyb_graph_n_nodes (graph) - 1);
  g_assert_cmpstr (forward->name, ==, "y");
  g_assert_cmpstr (backward->name, ==, "y_backward");
  g_assert_cmpuint (backward->origin, ==, 2);
  g_assert_cmpuint (backward->key, ==, forward->key);
}

/* y = (a·b)·(a·b): the product gets two gradients, which are added. */
static void
test_sums_of_gradients_point_at_what_is_used_more_than_once (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId product = add (&sketch, "elemwise_mul", "product", sketch.a, sketch.b);
  HybValueId y = add (&sketch, "elemwise_mul", "y", product, product);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;
  guint n = 0;

  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (g_str_equal (node->name, "product_gradient_sum"))
        {
          g_assert_cmpuint (node->origin, ==, 2);
          n++;
        }
    }
  g_assert_cmpuint (n, ==, 1);
}

/* A weight used many times: few gradients wait at a time, none is lost. */
static void
test_many_uses_are_summed_on_the_way (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId y = sketch.b;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  for (guint i = 0; i < 100; i++)
    y = add (&sketch, "elemwise_add", "y", y, sketch.a);
  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run (graph, 1), ==, 400);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    g_assert_cmpuint (hyb_graph_get_node (graph, id)->n_inputs, <=, 8);
  g_assert_cmpuint (count_op (graph, "add_n"), <, 100 / 7 + 2);
}

/* Quadratic work would take minutes here. */
static void
test_long_chains_take_linear_time (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId y = sketch.b;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;

  for (guint i = 0; i < 50000; i++)
    y = add (&sketch, "elemwise_mul", "y", y, sketch.a);
  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_graph_n_nodes (graph), >, 100000);
}

/* d²(a³)/da²: differentiating what differentiating made. */
static void
test_gradients_can_be_differentiated (void)
{
  Sketch     sketch = sketch_new ();
  HybValueId square = add (&sketch, "elemwise_mul", "square", sketch.a, sketch.a);
  HybValueId cube = add (&sketch, "elemwise_mul", "cube", square, sketch.a);
  HybNodeId  wrt[] = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) first = NULL;
  g_autoptr (HybGraph) second = NULL;

  hyb_builder_add_head (sketch.builder, cube);
  first = differentiate (&sketch, 1, &error);
  g_assert_no_error (error);
  second = hyb_graph_with_gradients (first, 1, wrt, &error);
  g_assert_no_error (error);
  /* a = 2; head gradients of the cube 4, then 5 of the cube again and 6 of 3·a²·4. */
  g_assert_cmpfloat (run (second, 1), ==, 3 * 4 * 4);
  g_assert_cmpfloat (run (second, 2), ==, 3 * 4 * 5 + 6 * 2 * 4 * 6);
}

/* The node with this name has this operator. */
static gboolean
has_node (HybGraph *graph, const char *name, const char *op)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (g_str_equal (hyb_graph_get_node (graph, id)->name, name))
      return g_str_equal (hyb_graph_get_node (graph, id)->op->name, op);
  return FALSE;
}

/* y = a·b with respect to the first n_wrt inputs; the formula of dot has a statement for each. */
static HybGraph *
differentiate_dot (guint n_wrt)
{
  Sketch     sketch = sketch_new ();
  HybValueId y = add (&sketch, "dot", "y", sketch.a, sketch.b);
  g_autoptr (GError) error = NULL;
  HybGraph *graph;

  hyb_builder_add_head (sketch.builder, y);
  graph = differentiate (&sketch, n_wrt, &error);
  g_assert_no_error (error);
  return graph;
}

static void
test_a_formula_adds_its_statements_in_order (void)
{
  g_autoptr (HybGraph) graph = differentiate_dot (2);

  g_assert_true (has_node (graph, "y_backward", "_backward_dot_lhs"));
  g_assert_true (has_node (graph, "y_backward1", "_backward_dot_rhs"));
  /* a = 2, b = 3, head gradient 4. */
  g_assert_cmpfloat (run (graph, 1), ==, 4 * 3);
  g_assert_cmpfloat (run (graph, 2), ==, 4 * 2);
}

static void
test_a_formula_leaves_out_what_is_not_needed (void)
{
  g_autoptr (HybGraph) graph = differentiate_dot (1);

  g_assert_true (has_node (graph, "y_backward", "_backward_dot_lhs"));
  g_assert_cmpuint (count_op (graph, "_backward_dot_rhs"), ==, 0);
}

TEST_PROGRAM (test_backward)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/gradient/backward/" name, function)
  TEST ("both-uses-of-an-input-count", test_both_uses_of_an_input_count);
  TEST ("a-head-that-comes-twice-counts-twice", test_a_head_that_comes_twice_counts_twice);
  TEST ("a-variable-may-be-a-head", test_a_variable_may_be_a_head);
  TEST ("no-node-is-added-for-gradients-that-are-not-needed",
        test_no_node_is_added_for_gradients_that_are_not_needed);
  TEST ("constant-operators-stop-the-flow", test_constant_operators_stop_the_flow);
  TEST ("a-missing-gradient-names-node-and-operator",
        test_a_missing_gradient_names_node_and_operator);
  TEST ("an-unknown-operator-is-called-so", test_an_unknown_operator_is_called_so);
  TEST ("a-missing-gradient-that-is-not-needed-is-no-error",
        test_a_missing_gradient_that_is_not_needed_is_no_error);
  TEST ("gradient-nodes-point-at-what-they-differentiate",
        test_gradient_nodes_point_at_what_they_differentiate);
  TEST ("sums-of-gradients-point-at-what-is-used-more-than-once",
        test_sums_of_gradients_point_at_what_is_used_more_than_once);
  TEST ("many-uses-are-summed-on-the-way", test_many_uses_are_summed_on_the_way);
  TEST ("long-chains-take-linear-time", test_long_chains_take_linear_time);
  TEST ("gradients-can-be-differentiated", test_gradients_can_be_differentiated);
  TEST ("a-formula-adds-its-statements-in-order", test_a_formula_adds_its_statements_in_order);
  TEST ("a-formula-leaves-out-what-is-not-needed", test_a_formula_leaves_out_what_is_not_needed);
#undef TEST

  return g_test_run ();
}
