/* test-graph.c — building, freezing and reading graphs.
 *
 * Every test builds the same small network: data and weight into a product, its sum with
 * itself, and a normalisation with running statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/builder.h"
#include "engine/graph/reach.h"
#include "engine/graph/roles.h"
#include "engine/graph/with-heads.h"
#include "tests/program.h"

#include <string.h>

typedef struct
{
  HybGraph  *graph;
  HybValueId data, weight, product, sum, unused;
} Fixture;

static HybValueId
call (HybBuilder *builder, const char *op, const char *name, guint n, const HybValueId *inputs)
{
  g_autoptr (GError) error = NULL;
  HybValueId value =
      hyb_builder_call (builder, op,
                        &(HybNodeSpec){ .name = name, .n_inputs = n, .inputs = inputs }, &error);

  g_assert_no_error (error);
  return value;
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  static const char *const names[] = { "gamma", "beta", "moving_mean", "moving_var" };
  HybBuilder              *builder = hyb_builder_new ();
  HybValueId               normalised[5], twice[2], product[2];

  fixture->data = hyb_builder_add_variable (builder, "data", NULL);
  fixture->weight = hyb_builder_add_variable (builder, "weight", NULL);
  product[0] = fixture->data;
  product[1] = fixture->weight;
  fixture->product = call (builder, "dot", "product", 2, product);
  fixture->unused = call (builder, "relu", "unused", 1, &fixture->product);
  twice[0] = twice[1] = fixture->product;
  fixture->sum = call (builder, "elemwise_add", "sum", 2, twice);
  normalised[0] = fixture->sum;
  for (guint i = 0; i < 4; i++)
    normalised[i + 1] = hyb_builder_add_variable (builder, names[i], NULL);
  hyb_builder_add_head (builder, call (builder, "BatchNorm", "norm", 5, normalised));
  hyb_builder_add_head (builder, fixture->sum);
  hyb_builder_add_head (builder, fixture->sum);
  fixture->graph = hyb_builder_freeze (builder);
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  hyb_graph_unref (fixture->graph);
}

static void
test_values_are_dense_and_lead_back_to_their_nodes (Fixture *fixture, gconstpointer unused)
{
  guint n_values = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (fixture->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (fixture->graph, id);

      g_assert_cmpuint (node->first_output, ==, n_values);
      for (guint i = 0; i < node->n_outputs; i++)
        {
          g_assert_cmpuint (hyb_graph_get_producer (fixture->graph, n_values + i), ==, id);
          g_assert_cmpuint (hyb_graph_get_output_index (fixture->graph, n_values + i), ==, i);
        }
      n_values += node->n_outputs;
    }
  g_assert_cmpuint (hyb_graph_n_values (fixture->graph), ==, n_values);
}

static void
test_inputs_come_before_their_readers (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (fixture->graph); id++)
    for (guint i = 0; i < hyb_graph_get_node (fixture->graph, id)->n_inputs; i++)
      g_assert_cmpuint (hyb_graph_get_producer (fixture->graph,
                                                hyb_graph_get_inputs (fixture->graph, id)[i]),
                        <, id);
  g_assert_true (hyb_graph_verify (fixture->graph, &error));
  g_assert_no_error (error);
}

/* Graphs are constant; what an error in a pass could make of one is made here by hand. */
static void
test_a_node_without_an_input_is_noticed (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  HybNodeId id = hyb_graph_get_producer (fixture->graph, fixture->product);
  HybNode  *node = (HybNode *) hyb_graph_get_node (fixture->graph, id);

  node->n_inputs--;
  g_assert_false (hyb_graph_verify (fixture->graph, &error));
  g_assert_nonnull (strstr (error->message, "a wrong number of inputs"));
  node->n_inputs++;
}

static void
test_a_node_that_reads_a_value_twice_is_two_users (Fixture *fixture, gconstpointer unused)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (fixture->graph, fixture->product, &n);
  HybNodeId        sum = hyb_graph_get_producer (fixture->graph, fixture->sum);
  guint            n_sum = 0;

  g_assert_cmpuint (n, ==, 3);
  for (guint i = 0; i < n; i++)
    n_sum += users[i] == sum;
  g_assert_cmpuint (n_sum, ==, 2);

  hyb_graph_get_users (fixture->graph, fixture->unused, &n);
  g_assert_cmpuint (n, ==, 0);
}

static void
test_running_statistics_are_auxiliary (Fixture *fixture, gconstpointer unused)
{
  guint            n_all, n_arguments, n_auxiliary;
  const HybNodeId *auxiliary = hyb_graph_get_auxiliary (fixture->graph, &n_auxiliary);

  hyb_graph_get_variables (fixture->graph, &n_all);
  hyb_graph_get_arguments (fixture->graph, &n_arguments);
  g_assert_cmpuint (n_all, ==, 6);
  g_assert_cmpuint (n_arguments, ==, 4);
  g_assert_cmpuint (n_auxiliary, ==, 2);
  g_assert_cmpstr (hyb_graph_get_node (fixture->graph, auxiliary[0])->name, ==, "moving_mean");
  g_assert_true (hyb_graph_is_auxiliary (fixture->graph, auxiliary[1]));
}

static void
test_variables_are_found_by_name_and_nodes_are_not (Fixture *fixture, gconstpointer unused)
{
  HybNodeId weight = hyb_graph_find_variable (fixture->graph, "weight");

  g_assert_cmpuint (hyb_graph_get_node (fixture->graph, weight)->first_output, ==, fixture->weight);
  g_assert_cmpuint (hyb_graph_find_variable (fixture->graph, "product"), ==, HYB_NO_ID);
  g_assert_cmpuint (hyb_graph_find_variable (fixture->graph, ""), ==, HYB_NO_ID);
}

static void
test_heads_that_repeat_are_numbered (Fixture *fixture, gconstpointer unused)
{
  g_auto (GStrv) names = hyb_graph_dup_output_names (fixture->graph);

  g_assert_cmpuint (g_strv_length (names), ==, 3);
  g_assert_cmpstr (names[0], ==, "norm_output");
  g_assert_cmpstr (names[1], ==, "sum_output");
  g_assert_cmpstr (names[2], ==, "sum_output#1");
}

static void
test_other_heads_keep_variables_and_drop_what_they_do_not_need (Fixture      *fixture,
                                                                gconstpointer unused)
{
  g_autoptr (HybGraph) part = hyb_graph_with_heads (fixture->graph, 1, &fixture->product);
  guint n;

  hyb_graph_get_variables (part, &n);
  g_assert_cmpuint (n, ==, 6);
  g_assert_cmpuint (hyb_graph_n_nodes (part), ==, 7);
  hyb_graph_get_heads (part, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_true (hyb_graph_verify (part, NULL));
}

static void
test_needed_are_those_that_a_head_depends_on (Fixture *fixture, gconstpointer unused)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (fixture->graph, NULL);

  g_assert_true (needed[hyb_graph_get_producer (fixture->graph, fixture->data)]);
  g_assert_true (needed[hyb_graph_get_producer (fixture->graph, fixture->sum)]);
  g_assert_false (needed[hyb_graph_get_producer (fixture->graph, fixture->unused)]);
}

/* Each state is the next one of the step before, so each is found only after the one before it.  The last does not count. */
static void
test_needed_later_are_states_that_a_head_depends_on (void)
{
  enum
  {
    N_STATES = 300
  };
  HybBuilder        *builder = hyb_builder_new ();
  HybSteps           steps = { .n_states = N_STATES, .first_head = 2 };
  guint8             by_head[2 + N_STATES] = { TRUE };
  HybValueId         variables[1 + N_STATES];
  guint              n;
  g_autofree guint8 *needed = NULL;
  g_autoptr (HybGraph) body = NULL;

  for (guint v = 0; v <= N_STATES; v++)
    {
      g_autofree char *name = g_strdup_printf ("v%u", v);

      variables[v] = hyb_builder_add_variable (builder, name, NULL);
    }
  hyb_builder_add_head (builder, call (builder, "relu", "condition", 1, &variables[1]));
  hyb_builder_add_head (builder, variables[N_STATES]); /* a row */
  for (guint s = 0; s < N_STATES; s++)
    hyb_builder_add_head (builder, variables[s + 2 < N_STATES ? s + 2 : 0]);
  body = hyb_builder_freeze (builder);

  steps.variables = hyb_graph_get_variables (body, &n) + 1;
  needed = hyb_graph_find_needed_later (body, &steps, by_head);
  for (guint v = 0; v <= N_STATES; v++)
    g_assert_cmpint (needed[hyb_graph_get_producer (body, variables[v])], ==, v < N_STATES);
  for (guint h = 0; h < G_N_ELEMENTS (by_head); h++)
    g_assert_cmpint (by_head[h], ==, h != 1 && h != 1 + N_STATES);
}

static void
test_statistics_are_written_in_training_only (Fixture *fixture, gconstpointer unused)
{
  HybNodeId          mean = hyb_graph_find_variable (fixture->graph, "moving_mean");
  HybNodeId          weight = hyb_graph_find_variable (fixture->graph, "weight");
  g_autofree guint8 *inference = hyb_graph_find_written (fixture->graph, FALSE);
  g_autofree guint8 *training = hyb_graph_find_written (fixture->graph, TRUE);

  g_assert_false (inference[mean]);
  g_assert_true (training[mean]);
  g_assert_false (training[weight]);
}

static void
test_a_copy_reads_the_inputs_that_it_is_given (Fixture *fixture, gconstpointer unused)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  other = hyb_builder_add_variable (builder, "other", NULL);
  HybValueId  inputs[2] = { other, other };
  HybNodeId   product = hyb_graph_get_producer (fixture->graph, fixture->product);
  HybValueId  copy = hyb_builder_copy (builder, fixture->graph, product, inputs);
  g_autoptr (HybGraph) graph = NULL;
  const HybNode *node;

  hyb_builder_add_head (builder, copy);
  graph = hyb_builder_freeze (builder);
  node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, copy));
  g_assert_cmpstr (node->name, ==, "product");
  g_assert_cmpuint (hyb_graph_get_inputs (graph, 1)[1], ==, other);
}

static void
test_attributes_that_do_not_parse_are_refused (void)
{
  static const char *const attributes[] = { "axis", "sideways", NULL };
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autoptr (GError) error = NULL;
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);

  g_assert_cmpuint (hyb_builder_call (builder, "softmax",
                                      &(HybNodeSpec){ .name = "y",
                                                      .n_inputs = 1,
                                                      .inputs = &x,
                                                      .attributes = attributes },
                                      &error),
                    ==, HYB_NO_ID);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "axis"));
  g_assert_cmpuint (hyb_builder_n_nodes (builder), ==, 1);
}

static void
test_an_unknown_operator_is_refused (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autoptr (GError) error = NULL;
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);

  g_assert_cmpuint (hyb_builder_call (builder, "no_such_operator",
                                      &(HybNodeSpec){ .name = "y", .n_inputs = 1, .inputs = &x },
                                      &error),
                    ==, HYB_NO_ID);
  g_assert_nonnull (error);
}

static void
test_every_graph_has_an_id_of_its_own (void)
{
  g_autoptr (HybGraph) a = hyb_builder_freeze (hyb_builder_new ());
  g_autoptr (HybGraph) b = hyb_builder_freeze (hyb_builder_new ());

  g_assert_cmpuint (hyb_graph_get_id (a), !=, hyb_graph_get_id (b));
  g_assert_cmpuint (hyb_graph_n_nodes (a), ==, 0);
  g_assert_cmpuint (hyb_graph_n_values (a), ==, 0);
}

/* Variables x, h, w in this order; c = x + w, n = h + c.  The expected orders are those of MXNet's
 * list_arguments() for files with these nodes and heads. */
static void
test_arguments_are_listed_depth_first_from_the_heads (void)
{
  static const struct
  {
    guint       heads[2]; /* 0 to 2: x, h, w; 3: c; 4: n */
    const char *expected;
  } cases[] = {
    { { 4, 3 }, "h x w" }, { { 3, 4 }, "x w h" }, { { 1, 4 }, "h x w" },
    { { 2, 4 }, "w h x" }, { { 3, 3 }, "x w h" }, /* no head needs h */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      HybBuilder *builder = hyb_builder_new ();
      HybValueId  values[5];
      g_autoptr (HybGraph) graph = NULL;
      g_autoptr (GString) got = g_string_new (NULL);
      const HybNodeId *arguments;
      guint            n;

      values[0] = hyb_builder_add_variable (builder, "x", NULL);
      values[1] = hyb_builder_add_variable (builder, "h", NULL);
      values[2] = hyb_builder_add_variable (builder, "w", NULL);
      values[3] = call (builder, "elemwise_add", "c", 2, (HybValueId[]){ values[0], values[2] });
      values[4] = call (builder, "elemwise_add", "n", 2, (HybValueId[]){ values[1], values[3] });
      for (guint k = 0; k < 2; k++)
        hyb_builder_add_head (builder, values[cases[i].heads[k]]);
      graph = hyb_builder_freeze (builder);

      arguments = hyb_graph_get_arguments (graph, &n);
      for (guint k = 0; k < n; k++)
        g_string_append_printf (got, "%s%s", k > 0 ? " " : "",
                                hyb_graph_get_node (graph, arguments[k])->name);
      g_assert_cmpstr (got->str, ==, cases[i].expected);
    }
}

/* Names say nothing here: the operand that a variable feeds decides. */
static void
test_roles_follow_from_operands (void)
{
  static const HybRole expected[] = { HYB_ROLE_DATA, HYB_ROLE_PARAMETER, HYB_ROLE_PARAMETER };
  HybBuilder          *builder = hyb_builder_new ();
  HybValueId           inputs[] = { hyb_builder_add_variable (builder, "p", NULL),
                                    hyb_builder_add_variable (builder, "q", NULL),
                                    hyb_builder_add_variable (builder, "r", NULL) };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  HybValueId value =
      hyb_builder_call (builder, "FullyConnected",
                        &(HybNodeSpec){ .name = "fc",
                                        .n_inputs = 3,
                                        .inputs = inputs,
                                        .attributes = (const char *[]){ "num_hidden", "2", NULL } },
                        &error);

  g_assert_no_error (error);
  hyb_builder_add_head (builder, value);
  graph = hyb_builder_freeze (builder);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    g_assert_cmpint (hyb_graph_get_role (graph, hyb_graph_get_producer (graph, inputs[i]), FALSE),
                     ==, expected[i]);
}

TEST_PROGRAM (test_graph)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, function) \
  g_test_add ("/engine/graph/graph/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("values-are-dense-and-lead-back-to-their-nodes",
       test_values_are_dense_and_lead_back_to_their_nodes);
  ADD ("inputs-come-before-their-readers", test_inputs_come_before_their_readers);
  ADD ("a-node-without-an-input-is-noticed", test_a_node_without_an_input_is_noticed);
  ADD ("a-node-that-reads-a-value-twice-is-two-users",
       test_a_node_that_reads_a_value_twice_is_two_users);
  ADD ("running-statistics-are-auxiliary", test_running_statistics_are_auxiliary);
  ADD ("variables-are-found-by-name-and-nodes-are-not",
       test_variables_are_found_by_name_and_nodes_are_not);
  ADD ("heads-that-repeat-are-numbered", test_heads_that_repeat_are_numbered);
  ADD ("other-heads-keep-variables-and-drop-what-they-do-not-need",
       test_other_heads_keep_variables_and_drop_what_they_do_not_need);
  ADD ("needed-are-those-that-a-head-depends-on", test_needed_are_those_that_a_head_depends_on);
  g_test_add_func ("/engine/graph/graph/needed-later-are-states-that-a-head-depends-on",
                   test_needed_later_are_states_that_a_head_depends_on);
  ADD ("statistics-are-written-in-training-only", test_statistics_are_written_in_training_only);
  ADD ("a-copy-reads-the-inputs-that-it-is-given", test_a_copy_reads_the_inputs_that_it_is_given);
#undef ADD
  g_test_add_func ("/engine/graph/graph/attributes-that-do-not-parse-are-refused",
                   test_attributes_that_do_not_parse_are_refused);
  g_test_add_func ("/engine/graph/graph/roles-follow-from-operands",
                   test_roles_follow_from_operands);
  g_test_add_func ("/engine/graph/graph/an-unknown-operator-is-refused",
                   test_an_unknown_operator_is_refused);
  g_test_add_func ("/engine/graph/graph/every-graph-has-an-id-of-its-own",
                   test_every_graph_has_an_id_of_its_own);

  g_test_add_func ("/engine/graph/graph/arguments-are-listed-depth-first-from-the-heads",
                   test_arguments_are_listed_depth_first_from_the_heads);
  return g_test_run ();
}
