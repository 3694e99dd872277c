/* test-batching.c — recurrent graphs whose products are taken together or hoisted, and
 * whose gates are fused, whose weights are laid out first: the same numbers, fewer products,
 * the same bytes whatever the mode once that is left out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "engine/rnn/cell.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define STEPS  12
#define BATCH  3
#define HIDDEN 5

typedef enum
{
  FORM_UNROLLED,
  FORM_BATCH_MAJOR,
  FORM_FOREACH,
  N_FORMS,
} Form;

static const char *const form_names[] = { "unrolled", "unrolled with batch first", "foreach" };

static HybGraph *
trace (Form form, const char *kind, GPtrArray *parameters)
{
  HybCellOptions options = { .hidden = HIDDEN, .input_size = HIDDEN, .prefix = "cell_" };
  g_autoptr (HybBlock) cell = strcmp (kind, "lstm") == 0  ? hyb_lstm_cell_new (&options)
                              : strcmp (kind, "gru") == 0 ? hyb_gru_cell_new (&options)
                                                          : hyb_rnn_cell_new (&options);
  g_autoptr (HybF) F = hyb_f_new_trace (TRUE);
  g_autoptr (GPtrArray) all = hyb_block_collect_parameters (cell);
  g_autoptr (GError) error = NULL;
  HybValue *data = hyb_value_variable (F, "data", NULL);
  HybValue *states[2] = { NULL, NULL };
  guint     n_states = hyb_cell_n_states (cell);
  HybValue *output;
  HybGraph *graph;

  for (guint i = 0; i < n_states; i++)
    states[i] = hyb_value_variable (F, i == 0 ? "state0" : "state1", NULL);
  if (form == FORM_FOREACH)
    output = hyb_item (F, hyb_foreach_cell (F, cell, data, hyb_list (F, n_states, states)), 0);
  else
    output = hyb_unroll (F, cell, NULL, .length = STEPS, .inputs = data,
                         .begin_state = hyb_list (F, n_states, states),
                         .layout = form == FORM_UNROLLED ? "TNC" : "NTC", .merge = HYB_MERGE_YES);
  graph = hyb_f_finish (F, output, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (parameters, g_strdup (hyb_parameter_get_name (all->pdata[i])));
  return graph;
}

static HybGraph *
differentiate (HybGraph *graph, GPtrArray *parameters)
{
  g_autofree HybNodeId *wrt = g_new (HybNodeId, parameters->len);
  g_autoptr (GError) error = NULL;
  HybGraph *both;

  for (guint i = 0; i < parameters->len; i++)
    wrt[i] = hyb_graph_find_variable (graph, parameters->pdata[i]);
  both = hyb_graph_with_gradients (graph, parameters->len, wrt, &error);
  g_assert_no_error (error);
  return both;
}

/* Every variable by its name: shapes follow from what it is. */
static void
bind (HybExecutor *executor, HybGraph *graph, Form form, gint64 n_gates)
{
  const HybNodeId *variables;
  guint            n;

  variables = hyb_graph_get_variables (graph, &n);
  for (guint v = 0; v < n; v++)
    {
      const char *name = hyb_graph_get_node (graph, variables[v])->name;
      HybShape    sequence = form == FORM_BATCH_MAJOR ? hyb_shape_3d (BATCH, STEPS, HIDDEN)
                                                      : hyb_shape_3d (STEPS, BATCH, HIDDEN);
      HybShape shape = g_str_has_suffix (name, "weight")  ? hyb_shape_2d (n_gates * HIDDEN, HIDDEN)
                       : g_str_has_suffix (name, "bias")  ? hyb_shape_1d (n_gates * HIDDEN)
                       : g_str_has_prefix (name, "state") ? hyb_shape_2d (BATCH, HIDDEN)
                                                          : sequence;
      HybType  type = { shape, HYB_F32 };
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);
      float *values = hyb_tensor_get_data (tensor);

      for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
        values[i] = (float) sin (0.7 * (double) (i + 1) + (double) g_str_hash (name) * 1e-9);
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
    }
}

typedef struct
{
  GPtrArray *outputs; /* of HybTensor */
  guint      n_products;
  guint      n_loop_outputs; /* of the first loop */
} Result;

static guint
count_loop_outputs (const HybPlan *plan)
{
  HybGraph *graph = plan ? hyb_plan_get_graph (plan) : NULL;

  for (HybNodeId id = 0; graph && id < hyb_graph_n_nodes (graph); id++)
    if (hyb_graph_get_node (graph, id)->n_bodies > 0)
      return hyb_graph_get_node (graph, id)->n_outputs;
  return 0;
}

static guint
count_products (const HybPlan *plan)
{
  HybGraph *graph = plan ? hyb_plan_get_graph (plan) : NULL;
  guint     n = 0;

  for (HybNodeId id = 0; graph && id < hyb_graph_n_nodes (graph); id++)
    n += hyb_graph_get_node (graph, id)->op->category == HYB_CATEGORY_LINEAR;
  return n;
}

static Result
run (HybGraph *graph, Form form, gint64 n_gates, const HybExecutorOptions *options)
{
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, options);
  g_autoptr (GError) error = NULL;
  Result result = { g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref), 0, 0 };

  bind (executor, graph, form, n_gates);
  for (guint turn = 0; turn < 2; turn++)
    {
      hyb_executor_run (executor, NULL, &error);
      g_assert_no_error (error);
    }
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (result.outputs, hyb_tensor_copy (hyb_executor_get_output (executor, i)));
  result.n_products = count_products (hyb_executor_get_plan (executor));
  result.n_loop_outputs = count_loop_outputs (hyb_executor_get_plan (executor));
  return result;
}

/* tolerance 0: the same bytes. */
static void
compare (const Result *a, const Result *b, double tolerance)
{
  g_assert_cmpuint (a->outputs->len, ==, b->outputs->len);
  for (guint i = 0; i < a->outputs->len; i++)
    for (gint64 k = 0; k < hyb_tensor_get_size (a->outputs->pdata[i]); k++)
      {
        double x = hyb_tensor_get_value (a->outputs->pdata[i], k);
        double y = hyb_tensor_get_value (b->outputs->pdata[i], k);

        g_assert_cmpfloat (fabs (x - y), <=, tolerance * (1 + fabs (y)));
      }
}

static void
check (Form form, const char *kind, gint64 n_gates)
{
  static const char *const without[] = { "batch-products", "hoist-products", "pack-weights", NULL };
  HybExecutorOptions       all = { .mode = HYB_MODE_STATIC, .training = TRUE };
  HybExecutorOptions       less = { .mode = HYB_MODE_STATIC, .training = TRUE, .without = without };
  HybExecutorOptions       none = { .mode = HYB_MODE_HYBRID, .training = TRUE, .no_passes = TRUE };
  HybExecutorOptions       plain = { .mode = HYB_MODE_IMPERATIVE, .training = TRUE };
  g_autoptr (GPtrArray) parameters = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (HybGraph) forward = trace (form, kind, parameters);
  g_autoptr (HybGraph) graph = differentiate (forward, parameters);
  Result full = run (graph, form, n_gates, &all), half = run (graph, form, n_gates, &less);
  Result planned = run (graph, form, n_gates, &none), each = run (graph, form, n_gates, &plain);

  g_test_message ("%s %s: %u products instead of %u", kind, form_names[form], full.n_products,
                  half.n_products);
  compare (&full, &each, 2e-5);
  compare (&half, &each, 2e-5);
  compare (&planned, &each, 0);
  if (form == FORM_FOREACH)
    g_assert_cmpuint (full.n_products, >, half.n_products); /* what left the body */
  else
    g_assert_cmpuint (full.n_products, <=, half.n_products - 3 * (STEPS - 1));
  g_ptr_array_unref (full.outputs);
  g_ptr_array_unref (half.outputs);
  g_ptr_array_unref (planned.outputs);
  g_ptr_array_unref (each.outputs);
}

static guint
count_gates (HybGraph *graph)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += g_str_has_suffix (hyb_graph_get_node (graph, id)->type, "_gates");
  return n;
}

/* Fused or not, every element goes through the same operations. */
static void
check_gates (Form form, const char *kind, gint64 n_gates)
{
  static const char *const without[] = { "fuse-gates", NULL };
  HybExecutorOptions       all = { .mode = HYB_MODE_STATIC };
  HybExecutorOptions       less = { .mode = HYB_MODE_STATIC, .without = without };
  g_autoptr (GPtrArray) parameters = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (HybGraph) graph = trace (form, kind, parameters);
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &all);
  g_autoptr (GError) error = NULL;
  Result fused = run (graph, form, n_gates, &all), apart = run (graph, form, n_gates, &less);

  compare (&fused, &apart, 0);
  bind (executor, graph, form, n_gates);
  g_assert_true (hyb_executor_prepare (executor, &error));
  if (form != FORM_FOREACH)
    g_assert_cmpuint (count_gates (hyb_plan_get_graph (hyb_executor_get_plan (executor))), ==,
                      STEPS);
  g_ptr_array_unref (fused.outputs);
  g_ptr_array_unref (apart.outputs);
}

static guint
count_nodes (const HybPlan *plan, const char *type)
{
  g_autofree char *text = hyb_plan_print (plan);
  g_autofree char *wanted = g_strconcat ("  ", type, " “", NULL);
  guint            n = 0;

  for (const char *at = text; (at = strstr (at, wanted)) != NULL; at++)
    n++;
  return n;
}

/* The products of all steps read one weight in panels, which is made in every run, or, if
 * the weight is said to stay, while planning. */
static void
check_panels (gboolean constant, const char *const *without, guint n_panels, guint n_products)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC,
                                 .without = without,
                                 .fold_parameters = TRUE };
  g_autoptr (GPtrArray) parameters = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (HybGraph) graph = trace (FORM_UNROLLED, "lstm", parameters);
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;

  bind (executor, graph, FORM_UNROLLED, 4);
  for (guint i = 0; i < parameters->len; i++)
    hyb_executor_set_constant (executor, parameters->pdata[i], constant);
  g_assert_true (hyb_executor_prepare (executor, &error));
  g_assert_cmpuint (count_nodes (hyb_executor_get_plan (executor), "_weight_panels"), ==, n_panels);
  g_assert_cmpuint (count_nodes (hyb_executor_get_plan (executor), "_panel_product"), ==,
                    n_products);
}

static void
test_panels (void)
{
  /* Constant, the weight of the inputs is worth it too, though it is multiplied once. */
  check_panels (FALSE, NULL, 1, STEPS);
  check_panels (TRUE, NULL, 0, STEPS + 1);
  check_panels (TRUE, (const char *[]){ "keep-panels", NULL }, 2, STEPS + 1);
  check_panels (TRUE, (const char *[]){ "pack-weights", NULL }, 0, 0);
}

/* The product with W_h is kept, and gives the same bytes as if it were made again. */
static void
check_kept (const char *kind, gint64 n_gates)
{
  static const char *const without[] = { "keep-products", NULL };
  HybExecutorOptions       all = { .mode = HYB_MODE_STATIC, .training = TRUE };
  HybExecutorOptions       less = { .mode = HYB_MODE_STATIC, .training = TRUE, .without = without };
  g_autoptr (GPtrArray) parameters = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (HybGraph) forward = trace (FORM_FOREACH, kind, parameters);
  g_autoptr (HybGraph) graph = differentiate (forward, parameters);
  Result kept = run (graph, FORM_FOREACH, n_gates, &all);
  Result again = run (graph, FORM_FOREACH, n_gates, &less);

  compare (&kept, &again, 0);
  g_assert_cmpuint (kept.n_loop_outputs, ==, again.n_loop_outputs + 1);
  g_ptr_array_unref (kept.outputs);
  g_ptr_array_unref (again.outputs);
}

static void
test_kept (void)
{
  check_kept ("lstm", 4);
  check_kept ("gru", 3);
  check_kept ("rnn", 1);
}

static HybTensor *
ones (HybShape shape)
{
  HybType type = { shape, HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new_zeros (&type, &error);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = 1;
  return tensor;
}

/* What the fused layer does with its weights can be read in the plan; expected NULL: nothing. */
static void
check_note (gboolean constant, const char *const *without, const char *expected)
{
  static const char *const names[] = { "data", "parameters", "state" };
  HybShape                 shapes[] = { hyb_shape_3d (STEPS, BATCH, HIDDEN),
                                        hyb_shape_1d (3 * HIDDEN * (2 * HIDDEN + 2)),
                                        hyb_shape_3d (1, BATCH, HIDDEN) };
  HybExecutorOptions       options = { .mode = HYB_MODE_STATIC,
                                       .without = without,
                                       .fold_parameters = TRUE };
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  HybValueId       inputs[3];
  HybNodeId        id;

  for (guint i = 0; i < 3; i++)
    inputs[i] = hyb_builder_add_variable (builder, names[i], NULL);
  id = hyb_builder_add (builder,
                        &(HybNodeSpec){ .op = hyb_op_find ("RNN"),
                                        .name = "rnn",
                                        .attributes =
                                            (const char *[]){ "state_size", "5", "num_layers", "1",
                                                              "mode", "gru", NULL },
                                        .n_inputs = 3,
                                        .inputs = inputs },
                        &error);
  g_assert_no_error (error);
  hyb_builder_add_head (builder, hyb_builder_output (builder, id, 0));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  executor = hyb_executor_new (graph, &options);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (HybTensor) tensor = ones (shapes[i]);

      g_assert_true (hyb_executor_bind (executor, names[i], tensor, &error));
    }
  hyb_executor_set_constant (executor, "parameters", constant);
  hyb_executor_prepare (executor, &error);
  g_assert_no_error (error);
  text = hyb_plan_print (hyb_executor_get_plan (executor));
  g_assert_true ((strstr (text, expected ? expected : "in panels") != NULL) == (expected != NULL));
}

static void
test_notes (void)
{
  check_note (TRUE, NULL, ", weights in panels, kept, ");
  check_note (FALSE, NULL, ", weights in panels, ");
  check_note (TRUE, (const char *[]){ "keep-panels", NULL }, ", weights in panels, ");
  check_note (TRUE, (const char *[]){ "pack-weights", NULL }, NULL);
}

static void
test_gates (void)
{
  for (Form form = 0; form < N_FORMS; form++)
    {
      check_gates (form, "lstm", 4);
      check_gates (form, "gru", 3);
    }
}

static void
test_unrolled (void)
{
  check (FORM_UNROLLED, "lstm", 4);
  check (FORM_UNROLLED, "gru", 3);
  check (FORM_UNROLLED, "rnn", 1);
}

static void
test_batch_major (void)
{
  check (FORM_BATCH_MAJOR, "lstm", 4);
}

static void
test_foreach (void)
{
  check (FORM_FOREACH, "lstm", 4);
  check (FORM_FOREACH, "gru", 3);
  check (FORM_FOREACH, "rnn", 1);
}

TEST_PROGRAM (test_batching)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/batching/unrolled-steps-share-their-products", test_unrolled);
  g_test_add_func ("/engine/passes/batching/steps-need-not-be-neighbours", test_batch_major);
  g_test_add_func ("/engine/passes/batching/loops-get-their-inputs-multiplied", test_foreach);
  g_test_add_func ("/engine/passes/batching/fused-gates-give-the-same-bytes", test_gates);

  g_test_add_func ("/engine/passes/batching/weights-are-laid-out-once", test_panels);

  g_test_add_func ("/engine/passes/batching/a-plan-says-what-layers-do-with-weights", test_notes);

  g_test_add_func ("/engine/passes/batching/loops-keep-products-for-the-way-back", test_kept);

  return g_test_run ();
}
