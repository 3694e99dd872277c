/* test-read-narrow.c — cells with weights of 16 and 8 bits: with few rows in a step, products read the weights as
 * they are, and compute what they compute of the same weights as floats; with more rows, in training, and where
 * the weights are small, they are converted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/exec/executor.h"
#include "engine/graph/builder.h"
#include "engine/kernels/matrix/narrow.h"
#include "engine/quantised/narrow-model.h"
#include "engine/rnn/cell.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define STEPS 5
/* 4 HIDDEN² floats exceed the first-level cache of 32 KiB, and a row ends in a part of a vector; all weights of
 * a layer with SMALL units do not. */
#define HIDDEN 49
#define SMALL  30

typedef enum
{
  FORM_UNROLLED,
  FORM_FOREACH,
  FORM_FUSED,
  N_FORMS,
} Form;

static const char *const form_names[N_FORMS] = { "unrolled", "foreach", "fused" };

static HybType
type_of (const char *name, gint64 hidden, gint64 batch)
{
  HybShape shape = g_str_has_suffix (name, "weight")  ? hyb_shape_2d (4 * hidden, hidden)
                   : g_str_has_suffix (name, "bias")  ? hyb_shape_1d (4 * hidden)
                   : g_str_equal (name, "parameters") ? hyb_shape_1d (8 * hidden * (hidden + 1))
                   : g_str_has_prefix (name, "state") ? hyb_shape_2d (batch, hidden)
                   : g_str_has_prefix (name, "first") ? hyb_shape_3d (1, batch, hidden)
                                                      : hyb_shape_3d (STEPS, batch, hidden);

  return (HybType){ shape, HYB_F32 };
}

static HybTensor *
make_tensor (const char *name, gint64 hidden, gint64 batch)
{
  HybType    type = type_of (name, hidden, batch);
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = 0.4f * (float) sin (0.7 * (double) i + (double) strlen (name));
  return tensor;
}

static HybGraph *
trace_cell (Form form, gint64 hidden)
{
  HybCellOptions options = { .hidden = hidden, .input_size = hidden, .prefix = "cell_" };
  g_autoptr (HybBlock) cell = hyb_lstm_cell_new (&options);
  g_autoptr (HybF) F = hyb_f_new_trace (TRUE);
  g_autoptr (GError) error = NULL;
  HybValue *data = hyb_value_variable (F, "data", NULL);
  HybValue *states[2] = { hyb_value_variable (F, "state0", NULL),
                          hyb_value_variable (F, "state1", NULL) };
  HybValue *output;
  HybGraph *graph;

  if (form == FORM_FOREACH)
    output = hyb_item (F, hyb_foreach_cell (F, cell, data, hyb_list (F, 2, states)), 0);
  else
    output = hyb_unroll (F, cell, NULL, .length = STEPS, .inputs = data,
                         .begin_state = hyb_list (F, 2, states), .layout = "TNC",
                         .merge = HYB_MERGE_YES);
  graph = hyb_f_finish (F, output, &error);
  g_assert_no_error (error);
  return graph;
}

static HybGraph *
make_fused (gint64 hidden)
{
  g_autofree char         *state_size = g_strdup_printf ("%" G_GINT64_FORMAT, hidden);
  static const char *const names[] = { "data", "parameters", "first_h", "first_c" };
  HybBuilder              *builder = hyb_builder_new ();
  HybValueId               inputs[4];
  g_autoptr (GError) error = NULL;
  HybValueId output;

  for (guint i = 0; i < 4; i++)
    inputs[i] = hyb_builder_add_variable (builder, names[i], NULL);
  output =
      hyb_builder_call (builder, "RNN",
                        &(HybNodeSpec){ .name = "rnn",
                                        .attributes =
                                            (const char *[]){ "mode", "lstm", "state_size",
                                                              state_size, "num_layers", "1", NULL },
                                        .n_inputs = 4,
                                        .inputs = inputs },
                        &error);
  g_assert_no_error (error);
  hyb_builder_add_head (builder, output);
  return hyb_builder_freeze (builder);
}

/* The cell with weights of this type.  (transfer full) */
static HybModel *
make_model (Form form, gint64 hidden, const char *type)
{
  g_autoptr (HybGraph) graph = form == FORM_FUSED ? make_fused (hidden) : trace_cell (form, hidden);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  HybNarrowReport  report;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybModel        *narrow;

  hyb_model_set_graph (model, graph);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      g_autoptr (HybTensor) tensor = make_tensor (name, hidden, 1);

      if (g_str_has_suffix (name, "weight") || g_str_has_suffix (name, "bias") ||
          g_str_equal (name, "parameters"))
        hyb_model_set_parameter (model, name, tensor);
    }
  narrow = hyb_narrow_model (model, hyb_narrow_type_find (type), &report, &error);
  g_assert_no_error (error);
  return narrow;
}

/* What a run computed, and what its plan has. */
typedef struct
{
  HybTensor *output;
  guint      n_narrow; /* operators that read narrow weights */
  guint      n_casts;  /* conversions */
} Result;

static guint
count_nodes (HybGraph *graph, const char *type)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      n += g_str_has_prefix (node->type, type);
      for (guint b = 0; b < node->n_bodies; b++)
        n += count_nodes (bodies[b], type);
    }
  return n;
}

static Result
run (HybModel *model, gint64 hidden, gint64 batch, const HybExecutorOptions *options)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, options);
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybGraph        *planned;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *parameter = hyb_model_get_parameter (model, name);
      g_autoptr (HybTensor) tensor =
          parameter ? hyb_tensor_ref (parameter) : make_tensor (name, hidden, batch);

      hyb_executor_bind (executor, name, tensor, &error);
      g_assert_no_error (error);
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  planned = hyb_plan_get_graph (hyb_executor_get_plan (executor));
  return (Result){ .output = hyb_tensor_copy (hyb_executor_get_output (executor, 0)),
                   .n_narrow = count_nodes (planned, "_narrow"),
                   .n_casts =
                       count_nodes (planned, "Cast") + count_nodes (planned, "_hybridscope") };
}

static void
compare (const Result *a, const Result *b, double tolerance)
{
  g_assert_cmpint (hyb_tensor_get_size (a->output), ==, hyb_tensor_get_size (b->output));
  for (gint64 i = 0; i < hyb_tensor_get_size (a->output); i++)
    g_assert_cmpfloat (fabs (hyb_tensor_get_value (a->output, i) -
                             hyb_tensor_get_value (b->output, i)),
                       <=, tolerance);
}

/* Checks whether a product with `batch` rows reads narrow weights, and that it computes what converted weights do. */
static void
check_rows (HybModel *model, gint64 batch, gboolean is_narrow)
{
  static const char *const without[] = { "read-narrow", NULL };
  Result result = run (model, HIDDEN, batch, &(HybExecutorOptions){ .mode = HYB_MODE_STATIC });
  Result converted = run (model, HIDDEN, batch,
                          &(HybExecutorOptions){ .mode = HYB_MODE_STATIC, .without = without });

  g_test_message ("%d rows: %u narrow operators", (int) batch, result.n_narrow);
  g_assert_cmpint (result.n_narrow > 0, ==, is_narrow);
  g_assert_cmpuint (converted.n_narrow, ==, 0);
  compare (&result, &converted, 1e-5);
  hyb_tensor_unref (result.output);
  hyb_tensor_unref (converted.output);
}

static void
check_form (Form form, const char *type)
{
  const HybExecutorOptions with = { .mode = HYB_MODE_STATIC };
  const HybExecutorOptions training = { .mode = HYB_MODE_STATIC, .training = TRUE };
  g_autoptr (HybModel) model = make_model (form, HIDDEN, type);
  g_autoptr (HybModel) small = make_model (form, SMALL, type);
  Result one = run (model, HIDDEN, 1, &with), again = run (model, HIDDEN, 1, &with);
  Result trained = run (model, HIDDEN, 1, &training), cached = run (small, SMALL, 1, &with);

  g_test_message ("%s %s: %u narrow operators", type, form_names[form], one.n_narrow);
  g_assert_cmpuint (one.n_narrow, >, 0);
  /* The biases of RNN are part of its half floats. */
  g_assert_cmpuint (one.n_casts, ==, form == FORM_FUSED && !g_str_equal (type, "int8"));
  g_assert_cmpuint (cached.n_narrow + trained.n_narrow, ==, 0);
  compare (&one, &again, 0);
  compare (&one, &trained, 1e-5);
  hyb_tensor_unref (one.output);
  hyb_tensor_unref (again.output);
  hyb_tensor_unref (trained.output);
  hyb_tensor_unref (cached.output);
  check_rows (model, 1, TRUE);
  check_rows (model, 3, TRUE);
  check_rows (model, HYB_NARROW_FEW_ROWS, TRUE);
  check_rows (model, HYB_NARROW_FEW_ROWS + 1, FALSE);
}

static void
test_form (gconstpointer form)
{
  static const char *const types[] = { "float16", "bfloat16", "int8" };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    check_form ((Form) GPOINTER_TO_UINT (form), types[t]);
}

TEST_PROGRAM (test_read_narrow)
{
  g_test_init (&argc, &argv, NULL);
  for (guint form = 0; form < N_FORMS; form++)
    {
      g_autofree char *path = g_strconcat ("/engine/passes/read-narrow/", form_names[form], NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (form), test_form);
    }
  return g_test_run ();
}
