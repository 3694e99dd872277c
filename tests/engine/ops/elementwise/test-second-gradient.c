/* test-second-gradient.c — tests of gradients of gradients against finite differences, and of the errors
 * for operators that cannot be differentiated twice.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/gradient-check.h"
#include "engine/base/error.h"
#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "engine/rnn/cell.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

#include <string.h>

#define MOST 8

/* A graph of one node of op with the variables a, b … as inputs. */
static HybGraph *
graph_of (const char *op, const char *attributes_text, guint n)
{
  HybBuilder *builder = hyb_builder_new ();
  g_auto (GStrv) attributes = op_attributes_from_text (attributes_text);
  g_autoptr (GError) error = NULL;
  HybValueId inputs[MOST], y;

  for (guint i = 0; i < n; i++)
    inputs[i] = hyb_builder_add_variable (builder, (char[]){ (char) ('a' + i), '\0' }, NULL);
  y = hyb_builder_call (builder, op,
                        &(HybNodeSpec){ .name = "y",
                                        .n_inputs = n,
                                        .inputs = inputs,
                                        .attributes = (const char *const *) attributes },
                        &error);
  g_assert_no_error (error);
  hyb_builder_add_head (builder, y);
  return hyb_builder_freeze (builder);
}

/* A graph whose only heads are the gradients of graph; its variables are those of graph, followed by
 * the head gradients. */
static HybGraph *
gradients_only (HybGraph *graph, guint n_wrt, const HybNodeId *wrt, GError **error)
{
  g_autoptr (HybGraph) both = hyb_graph_with_gradients (graph, n_wrt, wrt, error);
  HybBuilder       *builder;
  const HybValueId *heads;
  guint             n_heads, n_before;

  if (!both)
    return NULL;
  builder = hyb_builder_new ();
  g_autofree HybValueId *map = g_new (HybValueId, hyb_graph_n_values (both));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (both); id++)
    {
      const HybNode         *node = hyb_graph_get_node (both, id);
      g_autofree HybValueId *inputs = g_new (HybValueId, MAX (node->n_inputs, 1));
      HybValueId             first;

      for (guint k = 0; k < node->n_inputs; k++)
        inputs[k] = map[hyb_graph_get_inputs (both, id)[k]];
      first = hyb_builder_copy (builder, both, id, inputs);
      for (guint k = 0; k < node->n_outputs; k++)
        map[node->first_output + k] = first + k;
    }
  hyb_graph_get_heads (graph, &n_before);
  heads = hyb_graph_get_heads (both, &n_heads);
  for (guint i = n_before; i < n_heads; i++)
    hyb_builder_add_head (builder, map[heads[i]]);
  return hyb_builder_freeze (builder);
}

/* In the second differentiation the head gradients of the first are variables, too. */
static gboolean
check_graph (HybGraph *graph, HybTensor *const *variables, GError **error)
{
  guint            n, n_all;
  const HybNodeId *first = hyb_graph_get_variables (graph, &n);
  g_autoptr (HybGraph) gradients = gradients_only (graph, n, first, error);
  g_autofree HybTensor **all = NULL;
  const HybNodeId       *ids;

  gboolean right;

  if (!gradients)
    return FALSE;
  ids = hyb_graph_get_variables (gradients, &n_all);
  all = g_new0 (HybTensor *, n_all);
  for (guint i = 0; i < n; i++)
    all[i] = hyb_tensor_ref (variables[i]);
  for (guint i = n; i < n_all; i++)
    all[i] = hyb_tensor_ref (variables[i]);
  right = hyb_gradient_check (&(HybGradientCheck){ .graph = gradients,
                                                   .variables = all,
                                                   .n_wrt = n_all,
                                                   .wrt = ids,
                                                   .tolerance = 1e-4 },
                              error);
  for (guint i = 0; i < n_all; i++)
    hyb_tensor_unref (all[i]);
  return right;
}

typedef struct
{
  const char *op, *attributes;
  const char *types[4];
  const char *head; /* type of the output */
} Sample;

static gboolean
check_sample (const Sample *sample, GError **error)
{
  HybTensor *variables[MOST] = { NULL };
  guint      n = 0;
  gboolean   right;
  g_autoptr (HybGraph) graph = NULL;

  for (; n < G_N_ELEMENTS (sample->types) && sample->types[n]; n++)
    variables[n] = op_tensor_from_text (sample->types[n], n);
  variables[n] = op_tensor_from_text (sample->head, n);
  graph = graph_of (sample->op, sample->attributes, n);
  right = check_graph (graph, variables, error);
  for (guint i = 0; i <= n; i++)
    hyb_tensor_unref (variables[i]);
  return right;
}

#define ONE(op)                                            \
  {                                                        \
    op, NULL, { "f64[2,3] 0.2..0.8" }, "f64[2,3] 0.5..1.5" \
  }
#define SCALAR(op, text)                                   \
  {                                                        \
    op, text, { "f64[2,3] 0.2..0.8" }, "f64[2,3] 0.5..1.5" \
  }
#define TWO(op)                                                               \
  {                                                                           \
    op, NULL, { "f64[2,3] 0.4..1.4", "f64[2,3] 0.5..1.5" }, "f64[2,3] 0.5..2" \
  }
#define BROADCAST(op)                                                         \
  {                                                                           \
    op, NULL, { "f64[2,3] 0.4..1.4", "f64[1,3] 0.5..1.5" }, "f64[2,3] 0.5..2" \
  }

static const Sample samples[] = {
  ONE ("abs"),
  ONE ("arccos"),
  ONE ("arcsin"),
  ONE ("arcsinh"),
  ONE ("arctan"),
  ONE ("arctanh"),
  ONE ("cbrt"),
  ONE ("cos"),
  ONE ("cosh"),
  ONE ("erf"),
  ONE ("exp"),
  ONE ("expm1"),
  ONE ("hard_sigmoid"),
  ONE ("log"),
  ONE ("log10"),
  ONE ("log1p"),
  ONE ("log2"),
  ONE ("negative"),
  ONE ("reciprocal"),
  ONE ("relu"),
  ONE ("rsqrt"),
  ONE ("sigmoid"),
  ONE ("sin"),
  ONE ("sinh"),
  ONE ("softsign"),
  ONE ("sqrt"),
  ONE ("square"),
  ONE ("tan"),
  ONE ("tanh"),
  SCALAR ("Activation", "act_type=relu"),
  SCALAR ("Activation", "act_type=sigmoid"),
  SCALAR ("Activation", "act_type=softrelu"),
  SCALAR ("Activation", "act_type=softsign"),
  SCALAR ("Activation", "act_type=tanh"),
  SCALAR ("clip", "a_min=0 a_max=1"),
  SCALAR ("_maximum_scalar", "scalar=0.5"),
  SCALAR ("_minimum_scalar", "scalar=0.5"),
  SCALAR ("_power_scalar", "scalar=3.5"),
  SCALAR ("_rdiv_scalar", "scalar=2"),
  SCALAR ("_rpower_scalar", "scalar=2"),
  SCALAR ("_mul_scalar", "scalar=3"),
  TWO ("elemwise_mul"),
  TWO ("elemwise_div"),
  TWO ("_maximum"),
  TWO ("_minimum"),
  BROADCAST ("broadcast_add"),
  BROADCAST ("broadcast_sub"),
  BROADCAST ("broadcast_mul"),
  BROADCAST ("broadcast_div"),
  { "softmax", NULL, { "f64[2,3]" }, "f64[2,3]" },
  { "softmax", "axis=0 temperature=2", { "f64[2,3]" }, "f64[2,3]" },
  { "log_softmax", NULL, { "f64[2,3]" }, "f64[2,3]" },
  { "log_softmax", "temperature=2", { "f64[2,3]" }, "f64[2,3]" },
  { "sum", "axis=1", { "f64[2,3]" }, "f64[2]" },
  { "mean", "axis=0", { "f64[2,3]" }, "f64[3]" },
  { "dot", NULL, { "f64[2,3]", "f64[3,4]" }, "f64[2,4]" },
  { "dot", "transpose_a=True", { "f64[3,2]", "f64[3,4]" }, "f64[2,4]" },
  { "dot", "transpose_b=True", { "f64[2,3]", "f64[4,3]" }, "f64[2,4]" },
  { "batch_dot", NULL, { "f64[2,2,3]", "f64[2,3,2]" }, "f64[2,2,2]" },
  { "FullyConnected", "num_hidden=4", { "f64[2,3]", "f64[4,3]", "f64[4]" }, "f64[2,4]" },
  { "FullyConnected",
    "num_hidden=4 no_bias=True flatten=False",
    { "f64[2,2,3]", "f64[4,3]" },
    "f64[2,2,4]" },
  { "Concat", "num_args=2 dim=1", { "f64[2,3]", "f64[2,1]" }, "f64[2,4]" },
  { "stack", "num_args=2", { "f64[2,3]", "f64[2,3]" }, "f64[2,2,3]" },
};

#undef ONE
#undef SCALAR
#undef TWO
#undef BROADCAST

static void
test_samples (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!check_sample (&samples[i], &error))
        {
          g_test_message ("%s %s: %s", samples[i].op,
                          samples[i].attributes ? samples[i].attributes : "", error->message);
          g_test_fail ();
        }
    }
}

/* --- Cells over three steps --- */

static void
check_cell (HybBlock *cell, guint n_states)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor *variables[MOST + 2] = { NULL };
  HybValue  *begin[2], *y;
  guint      n;
  HybNodeId  x;

  for (guint i = 0; i < n_states; i++)
    begin[i] = hyb_value_variable (F, hyb_f_text (F, "s%u", i), NULL);
  y = hyb_unroll (F, cell, NULL, .length = 3, .inputs = hyb_value_variable (F, "x", NULL),
                  .begin_state = hyb_list (F, n_states, begin), .merge = HYB_MERGE_YES);
  graph = hyb_f_finish (F, y, &error);
  g_assert_no_error (error);

  const HybNodeId *ids = hyb_graph_get_variables (graph, &n);
  x = hyb_graph_find_variable (graph, "x");
  for (guint i = 0; i < n; i++)
    {
      const char      *name = hyb_graph_get_node (graph, ids[i])->name;
      guint            gates = n_states == 2 ? 4 : strstr (name, "gru") ? 3 : 1;
      g_autofree char *type = ids[i] == x      ? g_strdup ("f64[2,3,2]")
                              : name[0] == 's' ? g_strdup ("f64[2,2]")
                              : g_str_has_suffix (name, "_weight")
                                  ? g_strdup_printf ("f64[%u,2]", 2 * gates)
                                  : g_strdup_printf ("f64[%u]", 2 * gates);

      variables[i] = op_tensor_from_text (type, i);
    }
  variables[n] = op_tensor_from_text ("f64[2,3,2]", n);
  check_graph (graph, variables, &error);
  g_assert_no_error (error);
  for (guint i = 0; i <= n; i++)
    hyb_tensor_unref (variables[i]);
}

static void
test_unrolled_cells (void)
{
  g_autoptr (HybBlock) plain = hyb_rnn_cell (.hidden = 2);
  g_autoptr (HybBlock) lstm = hyb_lstm_cell (.hidden = 2);
  g_autoptr (HybBlock) gru = hyb_gru_cell (.hidden = 2);

  check_cell (plain, 1);
  check_cell (lstm, 2);
  check_cell (gru, 1);
}

static void
test_others_are_refused_by_name (void)
{
  g_autoptr (GError) error = NULL;
  const Sample maximum = { "max", "axis=1", { "f64[2,3]" }, "f64[2]" };
  const Sample gamma = { "gamma", NULL, { "f64[2,3] 1..2" }, "f64[2,3]" };

  g_assert_false (check_sample (&maximum, &error));
  g_assert_error (error, HYB_OP_ERROR, HYB_OP_ERROR_GRADIENT);
  g_assert_nonnull (strstr (error->message, "_backward_max"));
  g_clear_error (&error);
  g_assert_false (check_sample (&gamma, &error));
  g_assert_nonnull (strstr (error->message, "_backward_gamma"));
}

TEST_PROGRAM (test_second_gradient)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/autograd/second-gradient/samples", test_samples);
  g_test_add_func ("/engine/autograd/second-gradient/unrolled-cells", test_unrolled_cells);
  g_test_add_func ("/engine/autograd/second-gradient/others-are-refused-by-name",
                   test_others_are_refused_by_name);
  return g_test_run ();
}
