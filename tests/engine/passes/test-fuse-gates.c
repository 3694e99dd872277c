/* test-fuse-gates.c — cells and their gradients become one node each, which computes the same bytes; cells of another
 * structure, and those of whose values something else is read, stay right.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/control.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "engine/rnn/cell.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define STEPS  4
#define BATCH  3
#define HIDDEN 7

typedef enum
{
  OUTPUTS,      /* the outputs of all steps */
  STATES,       /* the states of the last step besides */
  ONLY_FORWARD, /* no gradients */
  GATES,        /* the same, and the results of all activations are outputs */
  PRODUCTS,     /* the same, and all products are outputs */
} Shown;

static gint64
n_gates (gboolean is_lstm)
{
  return is_lstm ? 4 : 3;
}

static HybValue *
unroll (HybF *F, gboolean is_lstm, Shown shown)
{
  HybCellOptions options = { .hidden = HIDDEN, .input_size = HIDDEN, .prefix = "cell_" };
  g_autoptr (HybBlock) cell = is_lstm ? hyb_lstm_cell_new (&options) : hyb_gru_cell_new (&options);
  HybValue *data = hyb_value_variable (F, "data", NULL);
  HybValue *states[] = { hyb_value_variable (F, "state0", NULL),
                         is_lstm ? hyb_value_variable (F, "state1", NULL) : NULL };
  HybValue *begin = hyb_list (F, is_lstm ? 2 : 1, states), *end = NULL, *both[2];
  HybValue *outputs = hyb_unroll (F, cell, &end, .length = STEPS, .inputs = data,
                                  .begin_state = begin, .layout = "TNC", .merge = HYB_MERGE_YES);

  both[0] = outputs;
  both[1] = shown == STATES ? end : NULL;
  return shown == STATES ? hyb_list (F, 2, both) : outputs;
}

/* The graph with more outputs. */
static HybGraph *
show_more (HybGraph *graph, Shown shown)
{
  HybBuilder *builder = hyb_builder_new ();

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      HybValueId first = hyb_builder_copy (builder, graph, id, hyb_graph_get_inputs (graph, id));
      gboolean   is_product = g_str_equal (node->op->name, "elemwise_mul");
      gboolean   is_gate = g_str_equal (node->op->name, "sigmoid") ||
                         g_str_equal (node->op->name, "tanh") ||
                         g_str_equal (node->op->name, "Activation");

      if (shown == PRODUCTS ? is_product : is_gate)
        hyb_builder_add_head (builder, first);
    }
  return hyb_builder_freeze (builder);
}

static HybGraph *
trace (gboolean is_lstm, Shown shown)
{
  g_autoptr (HybF) F = hyb_f_new_trace (TRUE);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) forward = hyb_f_finish (F, unroll (F, is_lstm, shown), &error);
  HybGraph        *graph;
  const HybNodeId *variables;
  guint            n;

  g_assert_no_error (error);
  if (shown == ONLY_FORWARD)
    return g_steal_pointer (&forward);
  if (shown > ONLY_FORWARD)
    return show_more (forward, shown);
  variables = hyb_graph_get_variables (forward, &n);
  graph = hyb_graph_with_gradients (forward, n, variables, &error);
  g_assert_no_error (error);
  return graph;
}

static HybShape
shape_of (const char *name, gboolean is_lstm)
{
  gint64 rows = n_gates (is_lstm) * HIDDEN;

  if (g_str_has_suffix (name, "_head_gradient"))
    return g_str_has_prefix (name, "stack") ? hyb_shape_3d (STEPS, BATCH, HIDDEN)
                                            : hyb_shape_2d (BATCH, HIDDEN);
  return g_str_has_suffix (name, "weight") ? hyb_shape_2d (rows, HIDDEN)
         : g_str_has_suffix (name, "bias") ? hyb_shape_1d (rows)
         : strcmp (name, "data") == 0      ? hyb_shape_3d (STEPS, BATCH, HIDDEN)
                                           : hyb_shape_2d (BATCH, HIDDEN);
}

static HybExecutor *
run (HybGraph *graph, gboolean is_lstm, const HybExecutorOptions *options)
{
  HybExecutor     *executor = hyb_executor_new (graph, options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybType     type = { shape_of (name, is_lstm), HYB_F32 };
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) k,
                              0.8 * sin (0.7 * (double) (k + 1) + 3 * (double) (i + 1)));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
      g_assert_no_error (error);
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  return executor;
}

/* The plan of a graph, whose outputs are those without the pass, bit for bit. */
static HybExecutor *
run_both (HybGraph *graph, gboolean is_lstm)
{
  const char        *without[] = { "fuse-gates", NULL };
  HybExecutorOptions left_out = { .mode = HYB_MODE_STATIC, .training = TRUE, .without = without };
  HybExecutorOptions planned = { .mode = HYB_MODE_STATIC, .training = TRUE };
  g_autoptr (HybExecutor) plain = run (graph, is_lstm, &left_out);
  HybExecutor *fused = run (graph, is_lstm, &planned);

  g_assert_cmpuint (op_count_planned (plain, "_recording_lstm_gates") +
                        op_count_planned (plain, "_lstm_gates"),
                    ==, 0);
  for (guint head = 0; head < hyb_executor_n_outputs (plain); head++)
    {
      HybTensor *a = hyb_executor_get_output (fused, head);
      HybTensor *b = hyb_executor_get_output (plain, head);

      g_assert_cmpmem (hyb_tensor_get_data (a), hyb_tensor_get_bytes (a), hyb_tensor_get_data (b),
                       hyb_tensor_get_bytes (b));
    }
  return fused;
}

static void
test_training (gconstpointer data)
{
  gboolean    is_lstm = GPOINTER_TO_INT (data);
  const char *recording = is_lstm ? "_recording_lstm_gates" : "_recording_gru_gates";
  const char *backward = is_lstm ? "_backward_lstm_gates" : "_backward_gru_gates";

  for (Shown shown = OUTPUTS; shown <= STATES; shown++)
    {
      g_autoptr (HybGraph) graph = trace (is_lstm, shown);
      g_autoptr (HybExecutor) executor = run_both (graph, is_lstm);

      g_assert_cmpuint (op_count_planned (executor, recording), ==, STEPS);
      g_assert_cmpuint (op_count_planned (executor, backward), ==, STEPS);
      g_assert_cmpuint (op_count_planned (executor, "_backward_sigmoid"), ==, 0);
      g_assert_cmpuint (op_count_planned (executor, "_backward_Activation"), ==, 0);
      g_assert_cmpuint (op_count_planned (executor, "elemwise_mul"), ==, 0);
    }
}

/* Without a backward pass nothing is kept. */
static void
test_inference (gconstpointer data)
{
  gboolean is_lstm = GPOINTER_TO_INT (data);
  g_autoptr (HybGraph) graph = trace (is_lstm, ONLY_FORWARD);
  g_autoptr (HybExecutor) executor = run_both (graph, is_lstm);

  g_assert_cmpuint (op_count_planned (executor, is_lstm ? "_lstm_gates" : "_gru_gates"), ==, STEPS);
}

/* Results of activations are written besides; cells of which other values are read are computed as they are. */
static void
test_shown (gconstpointer data)
{
  gboolean    is_lstm = GPOINTER_TO_INT (data);
  const char *recording = is_lstm ? "_recording_lstm_gates" : "_recording_gru_gates";
  g_autoptr (HybGraph) gates = trace (is_lstm, GATES);
  g_autoptr (HybExecutor) kept = run_both (gates, is_lstm);
  g_autoptr (HybGraph) products = trace (is_lstm, PRODUCTS);
  g_autoptr (HybExecutor) plain = run_both (products, is_lstm);

  g_assert_cmpuint (op_count_planned (kept, recording), ==, STEPS);
  g_assert_cmpuint (op_count_planned (plain, recording), ==, 0);
  g_assert_cmpuint (op_count_planned (plain, is_lstm ? "_lstm_gates" : "_gru_gates"), ==, 0);
}

TEST_PROGRAM (test_fuse_gates)
{
  static const char *const cells[] = { "gru", "lstm" };

  g_test_init (&argc, &argv, NULL);

  for (int i = 0; i < 2; i++)
    {
      g_autofree char *training =
          g_strdup_printf ("/engine/passes/fuse-gates/%s-and-its-gradient-are-one-node-each",
                           cells[i]);
      g_autofree char *inference =
          g_strdup_printf ("/engine/passes/fuse-gates/%s-without-a-gradient-keeps-nothing",
                           cells[i]);
      g_autofree char *shown =
          g_strdup_printf ("/engine/passes/fuse-gates/%s-whose-values-are-outputs-shows-them",
                           cells[i]);

      g_test_add_data_func (training, GINT_TO_POINTER (i), test_training);
      g_test_add_data_func (inference, GINT_TO_POINTER (i), test_inference);
      g_test_add_data_func (shown, GINT_TO_POINTER (i), test_shown);
    }
  return g_test_run ();
}
