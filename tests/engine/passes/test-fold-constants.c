/* test-fold-constants.c — what depends on parameters alone is computed once, and gives the same bytes.
 *
 * The model is a fused LSTM as Gluon exports it: its weights are joined in every run unless they are
 * folded.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/executor.h"
#include "engine/exec/plan-constants.h"
#include "engine/graph/builder.h"
#include "engine/passes/fold-constants.h"
#include "engine/quantised/narrow-model.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define STEPS        3
#define HIDDEN       40
#define N_PARAMETERS 4 /* of the layer, in this order in the joined vector */

static const char *const parameters[N_PARAMETERS] = {
  "l0_i2h_weight",
  "l0_h2h_weight",
  "l0_i2h_bias",
  "l0_h2h_bias",
};

static HybShape
shape_of (const char *name, gint64 batch)
{
  if (strstr (name, "weight"))
    return hyb_shape_2d (4 * HIDDEN, HIDDEN);
  if (strstr (name, "bias"))
    return hyb_shape_1d (4 * HIDDEN);
  if (strcmp (name, "data") == 0)
    return hyb_shape_3d (STEPS, batch, HIDDEN);
  return hyb_shape_3d (1, batch, HIDDEN);
}

static HybTensor *
make_tensor (const char *name, gint64 batch)
{
  HybType    type = { shape_of (name, batch), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = 0.4f * sinf ((float) (i * 37 + (gint64) strlen (name)));
  return tensor;
}

static HybValueId
call (HybBuilder *builder, const char *op, const HybNodeSpec *spec)
{
  g_autoptr (GError) error = NULL;
  HybValueId value = hyb_builder_call (builder, op, spec, &error);

  g_assert_no_error (error);
  return value;
}

/* (transfer full) */
static HybGraph *
make_fused (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  flat[N_PARAMETERS], inputs[4];

  inputs[0] = hyb_builder_add_variable (builder, "data", NULL);
  for (guint i = 0; i < N_PARAMETERS; i++)
    {
      g_autofree char *name = g_strconcat (parameters[i], "_flat", NULL);
      HybValueId       value = hyb_builder_add_variable (builder, parameters[i], NULL);

      flat[i] = call (builder, "Reshape",
                      &(HybNodeSpec){ .name = name,
                                      .attributes = (const char *[]){ "shape", "(-1,)", NULL },
                                      .n_inputs = 1,
                                      .inputs = &value });
    }
  inputs[1] =
      call (builder, "_rnn_param_concat",
            &(HybNodeSpec){ .name = "joined",
                            .attributes = (const char *[]){ "num_args", "4", "dim", "0", NULL },
                            .n_inputs = N_PARAMETERS,
                            .inputs = flat });
  inputs[2] = hyb_builder_add_variable (builder, "state", NULL);
  inputs[3] = hyb_builder_add_variable (builder, "state_cell", NULL);
  hyb_builder_add_head (builder,
                        call (builder, "RNN",
                              &(HybNodeSpec){ .name = "rnn",
                                              .attributes =
                                                  (const char *[]){ "mode", "lstm", "state_size",
                                                                    "40", "num_layers", "1", NULL },
                                              .n_inputs = 4,
                                              .inputs = inputs }));
  return hyb_builder_freeze (builder);
}

/* The layer with weights of this type; NULL: float32.  (transfer full) */
static HybModel *
make_model (const char *type)
{
  g_autoptr (HybGraph) graph = make_fused ();
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  HybNarrowReport report;
  HybModel       *narrow;

  hyb_model_set_graph (model, graph);
  for (guint i = 0; i < N_PARAMETERS; i++)
    {
      g_autoptr (HybTensor) tensor = make_tensor (parameters[i], 1);

      hyb_model_set_parameter (model, parameters[i], tensor);
    }
  if (!type)
    return g_steal_pointer (&model);
  narrow = hyb_narrow_model (model, hyb_narrow_type_find (type), &report, &error);
  g_assert_no_error (error);
  return narrow;
}

/* An executor of model with everything bound; its parameters may be folded.  (transfer full) */
static HybExecutor *
make_executor (HybModel *model, gint64 batch, const HybExecutorOptions *options)
{
  HybGraph    *graph = hyb_model_get_graph (model);
  HybExecutor *executor = hyb_executor_new (graph, options);
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *parameter = hyb_model_get_parameter (model, name);
      g_autoptr (HybTensor) tensor =
          parameter ? hyb_tensor_ref (parameter) : make_tensor (name, batch);

      hyb_executor_bind (executor, name, tensor, &error);
      g_assert_no_error (error);
      hyb_executor_set_constant (executor, name, parameter != NULL);
    }
  hyb_executor_prepare (executor, &error);
  g_assert_no_error (error);
  return executor;
}

static void
run (HybExecutor *executor)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
}

static void
assert_same_bytes (HybTensor *a, HybTensor *b)
{
  gsize size = hyb_tensor_get_bytes (a);

  g_assert_cmpmem (hyb_tensor_get_data (a), size, hyb_tensor_get_data (b),
                   hyb_tensor_get_bytes (b));
}

static void
check_bytes (const char *type, gint64 batch, HybMode mode)
{
  const HybExecutorOptions with = { .mode = mode, .fold_parameters = TRUE, .same_bytes = TRUE };
  const HybExecutorOptions without = { .mode = mode };
  g_autoptr (HybModel) model = make_model (type);
  g_autoptr (HybExecutor) folded = make_executor (model, batch, &with);
  g_autoptr (HybExecutor) plain = make_executor (model, batch, &without);
  g_autoptr (HybTensor) other = make_tensor ("data", batch);

  g_test_message ("%s, batch %d, mode %d", type ? type : "float32", (int) batch, mode);
  g_assert_cmpuint (hyb_plan_n_steps (hyb_executor_get_plan (folded)), <=,
                    hyb_plan_n_steps (hyb_executor_get_plan (plain)));
  run (folded);
  run (plain);
  assert_same_bytes (hyb_executor_get_output (folded, 0), hyb_executor_get_output (plain, 0));

  /* What is folded does not depend on the input. */
  memset (hyb_tensor_get_data (other), 0, hyb_tensor_get_bytes (other));
  g_assert_true (hyb_executor_bind (folded, "data", other, NULL));
  g_assert_true (hyb_executor_bind (plain, "data", other, NULL));
  run (folded);
  run (plain);
  assert_same_bytes (hyb_executor_get_output (folded, 0), hyb_executor_get_output (plain, 0));
}

static void
test_same_bytes (void)
{
  static const char *const types[] = { NULL, "float16", "bfloat16", "int8" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (gint64 batch = 1; batch <= 16; batch += 15) /* few rows read narrow weights as they are */
      {
        check_bytes (types[i], batch, HYB_MODE_STATIC);
        check_bytes (types[i], batch, HYB_MODE_HYBRID);
      }
}

/* Flags by value of the parameters of graph.  (transfer full) */
static guint8 *
flag_parameters (HybGraph *graph, HybModel *model)
{
  guint8          *flags = g_new0 (guint8, hyb_graph_n_values (graph));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);

      flags[node->first_output] = hyb_model_get_parameter (model, node->name) != NULL;
    }
  return flags;
}

/* What would be folded is found without folding, and has no step once it is. */
static void
test_found_before_folding (void)
{
  const HybExecutorOptions with = { .mode = HYB_MODE_STATIC, .fold_parameters = TRUE };
  const HybExecutorOptions without = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybModel) model = make_model (NULL);
  g_autoptr (HybExecutor) folded = make_executor (model, 2, &with);
  g_autoptr (HybExecutor) plain = make_executor (model, 2, &without);
  const HybPlan     *plan = hyb_executor_get_plan (plain);
  HybGraph          *graph = hyb_plan_get_graph (plan);
  g_autofree guint8 *given = flag_parameters (graph, model);
  g_autofree guint8 *none = g_new0 (guint8, hyb_graph_n_values (graph));
  g_autofree guint8 *found = hyb_fold_find (graph, hyb_plan_get_types (plan), given, FALSE);
  g_autofree guint8 *nothing = hyb_fold_find (graph, hyb_plan_get_types (plan), none, FALSE);
  gboolean           is_joined = FALSE;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      g_assert_false (nothing[id]);
      if (strcmp (node->type, "_rnn_param_concat") == 0)
        is_joined = found[id];
      if (strcmp (node->type, "RNN") == 0 || hyb_node_is_variable (node))
        g_assert_false (found[id]);
    }
  g_assert_true (is_joined);
  g_assert_cmpuint (hyb_plan_n_steps (hyb_executor_get_plan (folded)), <,
                    hyb_plan_n_steps (hyb_executor_get_plan (plain)));
}

static gsize
folded_bytes (HybExecutor *executor)
{
  HybTensor *bound[N_PARAMETERS + 1];

  for (guint i = 0; i < N_PARAMETERS; i++)
    bound[i] = hyb_executor_get_bound (executor, parameters[i]);
  bound[N_PARAMETERS] = NULL;
  return hyb_plan_get_folded_bytes (hyb_executor_get_plan (executor), bound, G_N_ELEMENTS (bound));
}

/* The joined weights take as much as the weights; without folding nothing is kept. */
static void
test_memory (void)
{
  const HybExecutorOptions with = { .mode = HYB_MODE_STATIC,
                                    .fold_parameters = TRUE,
                                    .same_bytes = TRUE };
  const HybExecutorOptions without = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybModel) model = make_model (NULL);
  g_autoptr (HybExecutor) folded = make_executor (model, 2, &with);
  g_autoptr (HybExecutor) plain = make_executor (model, 2, &without);
  gsize bytes = sizeof (float) * (2 * 4 * HIDDEN * HIDDEN + 2 * 4 * HIDDEN);

  g_assert_cmpuint (folded_bytes (folded), ==, bytes);
  g_assert_cmpuint (folded_bytes (plain), ==, 0);
}

/* Training changes parameters, so that nothing is folded though they are promised to stay. */
static void
test_training_folds_nothing (void)
{
  const HybExecutorOptions with = { .mode = HYB_MODE_STATIC,
                                    .fold_parameters = TRUE,
                                    .training = TRUE };
  const HybExecutorOptions without = { .mode = HYB_MODE_STATIC, .training = TRUE };
  g_autoptr (HybModel) model = make_model (NULL);
  g_autoptr (HybExecutor) folded = make_executor (model, 2, &with);
  g_autoptr (HybExecutor) plain = make_executor (model, 2, &without);

  g_assert_cmpuint (hyb_plan_n_steps (hyb_executor_get_plan (folded)), ==,
                    hyb_plan_n_steps (hyb_executor_get_plan (plain)));
  g_assert_cmpuint (folded_bytes (folded), ==, 0);
}

TEST_PROGRAM (test_fold_constants)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/fold-constants/gives-the-same-bytes", test_same_bytes);
  g_test_add_func ("/engine/passes/fold-constants/is-found-before-folding",
                   test_found_before_folding);
  g_test_add_func ("/engine/passes/fold-constants/memory-is-counted", test_memory);
  g_test_add_func ("/engine/passes/fold-constants/training-folds-nothing",
                   test_training_folds_nothing);
  return g_test_run ();
}
