/* test-static-runs.c — guarantees of planned models: a run allocates nothing, parameters that are folded
 * change no byte, and one export serves every length and batch size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"

#include "engine/gradient/backward.h"
#include "engine/open/open.h"
#include "tests/engine/count-allocations.h"
#include "tests/program.h"

#include <string.h>

static HybModel *
open_model (const char *name)
{
  g_autofree char *file = g_strconcat (name, "-symbol.json", NULL);
  g_autofree char *path = golden_path ("models", name, file, NULL);
  g_autoptr (GError) error = NULL;
  HybModel *model;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  model = hyb_model_open (path, NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  return model;
}

static GHashTable *
read_arrays (const char *name, const char *file)
{
  g_autofree char *path = golden_path ("models", name, file, NULL);
  g_autoptr (GError) error = NULL;
  GHashTable *arrays;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return golden_tensors_new ();
  arrays = golden_read_npz (path, &error);
  g_assert_no_error (error);
  return arrays;
}

static void
bind (HybExecutor *executor, const char *name, HybTensor *tensor)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_bind (executor, name, tensor, &error);
  g_assert_no_error (error);
}

static void
bind_parameters (HybExecutor *executor, HybModel *model)
{
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      if (hyb_graph_find_variable (hyb_model_get_graph (model), name) != HYB_NO_ID)
        bind (executor, name, hyb_model_get_parameter (model, name));
    }
}

static void
run (HybExecutor *executor)
{
  g_autoptr (GError) error = NULL;

  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
}

/* --- Allocations --- */

static HybGraph *
new_gradient_graph (const char *name, HybGraph *graph)
{
  g_autoptr (GHashTable) gradients = read_arrays (name, "gradient.npz");
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybGraph        *result;

  for (guint i = 0; i < n; i++)
    if (g_hash_table_contains (gradients, hyb_graph_get_node (graph, variables[i])->name))
      g_array_append_val (wrt, variables[i]);
  if (wrt->len == 0)
    return hyb_graph_ref (graph);

  result = hyb_graph_with_gradients (graph, wrt->len, (const HybNodeId *) wrt->data, &error);
  g_assert_no_error (error);
  return result;
}

/* Head gradients have the outputs' types. */
static void
bind_heads (HybExecutor *executor, const char *name, HybGraph *graph, HybGraph *forward)
{
  g_autoptr (GHashTable) outputs = read_arrays (name, "output.npz");
  g_auto (GStrv) names = hyb_graph_dup_output_names (forward);
  guint            n, n_forward;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  hyb_graph_get_variables (forward, &n_forward);
  for (guint i = n_forward; i < n; i++)
    {
      HybTensor *output = g_hash_table_lookup (outputs, names[i - n_forward]);

      if (output)
        bind (executor, hyb_graph_get_node (graph, variables[i])->name, output);
    }
}

static void
test_nothing_is_allocated (gconstpointer data)
{
  const char *name = data;
  g_autoptr (HybModel) model = open_model (name);
  g_autoptr (GHashTable) inputs = read_arrays (name, "input.npz");
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  GHashTableIter     iter;
  gpointer           key, tensor;
  gint               before, after;

  if (!COUNTS_ALLOCATIONS || !model || g_hash_table_size (inputs) == 0)
    {
      g_test_skip ("the sanitizer watches memory, or there are no numbers");
      return;
    }

  graph = new_gradient_graph (name, hyb_model_get_graph (model));
  executor = hyb_executor_new (graph, &options);
  bind_parameters (executor, model);
  g_hash_table_iter_init (&iter, inputs);
  while (g_hash_table_iter_next (&iter, &key, &tensor))
    bind (executor, key, tensor);
  bind_heads (executor, name, graph, hyb_model_get_graph (model));
  run (executor);
  if (hyb_plan_is_dynamic (hyb_executor_get_plan (executor)))
    {
      g_test_skip ("shapes show only while running");
      return;
    }

  run (executor);
  is_counting = TRUE;
  before = g_atomic_int_get (&n_allocations);
  for (int i = 0; i < 3; i++)
    hyb_executor_run (executor, NULL, NULL);
  after = g_atomic_int_get (&n_allocations);
  is_counting = FALSE;
  if (after != before)
    {
      g_test_message ("%s: %d allocations in 3 runs", name, after - before);
      g_test_fail ();
    }
}

/* --- What depends on parameters alone --- */

/* A run of the model whose plan has computed once what depends on parameters alone, or not; it has both runs
 * of its executor behind it.  (transfer full) */
static HybExecutor *
run_folded (HybModel *model, GHashTable *inputs, HybMode mode, gboolean is_folded)
{
  HybExecutorOptions options = { .mode = mode, .fold_parameters = is_folded, .same_bytes = TRUE };
  HybExecutor       *executor = hyb_executor_new (hyb_model_get_graph (model), &options);
  GHashTableIter     iter;
  gpointer           key, tensor;

  bind_parameters (executor, model);
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    hyb_executor_set_constant (executor, hyb_model_get_parameter_name (model, i), TRUE);
  g_hash_table_iter_init (&iter, inputs);
  while (g_hash_table_iter_next (&iter, &key, &tensor))
    bind (executor, key, tensor);
  run (executor);
  hyb_executor_set_seed (executor, 0);
  run (executor);
  return executor;
}

static gboolean
has_numbers (const char *name)
{
  g_autoptr (HybModel) model = open_model (name);
  g_autoptr (GHashTable) inputs = read_arrays (name, "input.npz");

  return model && g_hash_table_size (inputs) > 0;
}

static void
test_folding_gives_the_same_bytes (gconstpointer data)
{
  g_autoptr (HybModel) model = open_model (data);
  g_autoptr (GHashTable) inputs = read_arrays (data, "input.npz");

  g_assert_nonnull (model);
  for (HybMode mode = HYB_MODE_HYBRID; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (HybExecutor) plain = run_folded (model, inputs, mode, FALSE);
      g_autoptr (HybExecutor) folded = run_folded (model, inputs, mode, TRUE);

      for (guint i = 0; i < hyb_executor_n_outputs (plain); i++)
        {
          HybTensor *a = hyb_executor_get_output (plain, i);
          HybTensor *b = hyb_executor_get_output (folded, i);

          g_assert_cmpmem (hyb_tensor_get_data (a), hyb_tensor_get_bytes (a),
                           hyb_tensor_get_data (b), hyb_tensor_get_bytes (b));
        }
    }
}

/* --- Lengths --- */

static HybTensor *
new_rows (gint64 steps, gint64 batch, gint64 width)
{
  HybType    type = { hyb_shape_3d (steps, batch, width), HYB_F32 };
  HybTensor *tensor;

  if (steps == 0)
    type.shape = hyb_shape_2d (batch, width);
  tensor = hyb_tensor_new_zeros (&type, NULL);
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = (float) ((i * 37 + 11) % 23) / 23.f - .5f;
  return tensor;
}

/* One step of a sequence, as a sequence of length one or (rank 2) as a state. */
static HybTensor *
take_step (HybTensor *rows, gint64 step, gboolean as_state)
{
  const HybShape *shape = hyb_tensor_get_shape (rows);
  HybType         type = { *shape, HYB_F32 };
  gsize           bytes = hyb_tensor_get_bytes (rows) / (gsize) shape->dim[0];
  HybTensor      *result;

  type.shape.dim[0] = 1;
  if (as_state)
    type.shape = hyb_shape_2d (shape->dim[1], shape->dim[2]);
  result = hyb_tensor_new (&type, NULL);
  memcpy (hyb_tensor_get_data (result),
          (const char *) hyb_tensor_get_data (rows) + (gsize) step * bytes, bytes);
  return result;
}

static void
bind_step (HybExecutor *executor, const char *name, HybTensor *rows, gint64 step, gboolean state)
{
  g_autoptr (HybTensor) tensor = take_step (rows, step, state);

  bind (executor, name, tensor);
}

/* All steps at once against one after the other, handing states on by hand. */
static void
compare_length (HybExecutor *executor, HybExecutor *stepper, gint64 steps, gint64 batch)
{
  g_autoptr (HybTensor) data = new_rows (steps, batch, 3);
  g_autoptr (HybTensor) h = new_rows (0, batch, 4);
  g_autoptr (HybTensor) c = new_rows (0, batch, 4);
  const GoldenTolerance tolerance = { 1e-5, 1e-6, 0 };

  bind (executor, "data0", data);
  bind (executor, "data1", h);
  bind (executor, "data2", c);
  run (executor);
  bind (stepper, "data1", h);
  bind (stepper, "data2", c);
  for (gint64 step = 0; step < steps; step++)
    {
      bind_step (stepper, "data0", data, step, FALSE);
      run (stepper);
      for (guint o = 0; o < 3; o++)
        {
          g_autoptr (HybTensor) row =
              take_step (hyb_executor_get_output (executor, o), step, FALSE);
          g_autofree char *wrong =
              golden_compare (row, hyb_executor_get_output (stepper, o), &tolerance);

          g_assert_cmpstr (wrong, ==, NULL);
        }
      bind_step (stepper, "data1", hyb_executor_get_output (stepper, 1), 0, TRUE);
      bind_step (stepper, "data2", hyb_executor_get_output (stepper, 2), 0, TRUE);
    }
}

static void
test_one_export_serves_every_length (void)
{
  static const gint64 lengths[] = { 7, 1, 100, 7 }, batches[] = { 1, 3 };
  g_autoptr (HybModel) model = open_model ("foreachrnn-lstm");

  g_assert_nonnull (model);
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      HybExecutorOptions options = { .mode = mode };
      g_autoptr (HybExecutor) executor = hyb_executor_new (hyb_model_get_graph (model), &options);
      g_autoptr (HybExecutor) stepper = hyb_executor_new (hyb_model_get_graph (model), &options);

      bind_parameters (executor, model);
      bind_parameters (stepper, model);
      for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
        for (guint j = 0; j < G_N_ELEMENTS (batches); j++)
          compare_length (executor, stepper, lengths[i], batches[j]);
    }
}

TEST_PROGRAM (test_static_runs)
{
  g_auto (GStrv) models = NULL;

  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/goldens/static-runs/one-export-serves-every-length",
                   test_one_export_serves_every_length);
  models = golden_list ("models", NULL);
  for (guint i = 0; models[i]; i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/engine/goldens/static-runs/allocate-nothing/%s", models[i]);

      g_autofree char *folded =
          g_strdup_printf ("/engine/goldens/static-runs/fold-to-the-same-bytes/%s", models[i]);

      g_test_add_data_func_full (path, g_strdup (models[i]), test_nothing_is_allocated, g_free);
      if (has_numbers (models[i]))
        g_test_add_data_func_full (folded, g_strdup (models[i]), test_folding_gives_the_same_bytes,
                                   g_free);
    }

  return g_test_run ();
}
