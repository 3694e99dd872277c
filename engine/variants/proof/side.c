/* side.c — runs one of two models that are compared.
 *
 * Start at hyb_proof_side_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/side.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/random.h"
#include "engine/gradient/backward.h"
#include "engine/variants/proof/trial-graph.h"

void
hyb_proof_side_clear (HybProofSide *side)
{
  for (guint p = 0; p < HYB_N_PRECISIONS; p++)
    {
      g_clear_pointer (&side->graph[p], hyb_graph_unref);
      g_clear_pointer (&side->backward[p], hyb_graph_unref);
      for (guint i = 0; i < G_N_ELEMENTS (side->executor[p]); i++)
        g_clear_pointer (&side->executor[p][i], hyb_executor_free);
    }
  g_clear_pointer (&side->doubles, hyb_tensor_list_unref);
  g_clear_pointer (&side->coverage, hyb_coverage_free);
  g_clear_pointer (&side->outputs, g_ptr_array_unref);
  g_clear_pointer (&side->wrt, g_array_unref);
  g_clear_pointer (&side->states, g_hash_table_unref);
  g_clear_pointer (&side->gradients, g_hash_table_unref);
  g_clear_pointer (&side->work, g_free);
}

/* --- Graphs --- */

/* The graph with gradients; NULL if they cannot be computed.  (transfer full) */
static HybGraph *
add_gradients (HybGraph *graph)
{
  guint            n;
  const HybNodeId *arguments = hyb_graph_get_arguments (graph, &n);

  return hyb_graph_with_gradients (graph, n, arguments, NULL);
}

void
hyb_proof_side_init (HybProofSide             *side,
                     HybModel                 *model,
                     const HybExecutorOptions *run,
                     HybDraws                  draws)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  HybGraph        *copy = NULL;
  guint            n;
  const HybNodeId *arguments = hyb_graph_get_arguments (graph, &n);

  *side = (HybProofSide){ .model = model, .run = *run };
  side->wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_array_append_vals (side->wrt, arguments, n);
  hyb_graph_get_heads (graph, &side->n_heads);
  if (draws == HYB_DRAWS_BY_NAME || draws == HYB_DRAWS_BY_ORDER)
    copy = hyb_trial_graph (graph, &(HybTrialGraph){ .draws = draws });
  side->graph[HYB_PRECISION_OWN] = copy ? copy : hyb_graph_ref (graph);
  side->backward[HYB_PRECISION_OWN] = add_gradients (side->graph[HYB_PRECISION_OWN]);
  side->covered = HYB_PRECISION_OWN;
  side->coverage = hyb_coverage_new (side->graph[HYB_PRECISION_OWN], model);
}

/* The tensor in float64 if it has float32, else itself.  (transfer full) */
static HybTensor *
to_double (HybTensor *tensor)
{
  return hyb_tensor_get_dtype (tensor) == HYB_F32 ? hyb_tensor_convert (tensor, HYB_F64)
                                                  : hyb_tensor_ref (tensor);
}

static void
convert_parameters (HybProofSide *side)
{
  side->doubles = hyb_tensor_list_new ();
  for (guint i = 0; i < hyb_model_n_parameters (side->model); i++)
    {
      const char *name = hyb_model_get_parameter_name (side->model, i);
      g_autoptr (HybTensor) tensor = to_double (hyb_model_get_parameter (side->model, name));

      if (tensor)
        hyb_tensor_list_set (side->doubles, name, tensor);
    }
}

/* Whether the graph computes in float64 throughout with these inputs. */
static gboolean
stays_double (const HybProofSide *side, HybGraph *graph, HybTensorList *inputs)
{
  g_autofree HybType *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_tensor_list_find (inputs, node->name);

      if (!tensor)
        tensor = hyb_model_get_parameter (side->model, node->name);
      if (!tensor)
        continue;
      types[node->first_output] = *hyb_tensor_get_type (tensor);
      if (types[node->first_output].dtype == HYB_F32)
        types[node->first_output].dtype = HYB_F64;
    }
  return hyb_infer_types (graph, types, NULL, side->run.training, NULL) &&
         hyb_graph_is_double (graph, types);
}

gboolean
hyb_proof_side_can_be_double (const HybProofSide *side)
{
  return !hyb_graph_get_dialect (side->graph[HYB_PRECISION_OWN]);
}

gboolean
hyb_proof_side_make_double (HybProofSide *side, HybTensorList *inputs)
{
  HybGraph *graph = side->graph[HYB_PRECISION_OWN];
  g_autoptr (HybGraph) copy = NULL;

  if (!hyb_proof_side_can_be_double (side))
    return FALSE;
  copy = hyb_trial_graph (graph, &(HybTrialGraph){ .is_double = TRUE, .draws = HYB_DRAWS_NONE });
  if (!copy || !stays_double (side, copy, inputs))
    return FALSE;
  side->graph[HYB_PRECISION_DOUBLE] = g_steal_pointer (&copy);
  if (side->backward[HYB_PRECISION_OWN])
    side->backward[HYB_PRECISION_DOUBLE] = add_gradients (side->graph[HYB_PRECISION_DOUBLE]);
  side->covered = HYB_PRECISION_DOUBLE;
  hyb_coverage_free (side->coverage);
  side->coverage = hyb_coverage_new (side->graph[HYB_PRECISION_DOUBLE], side->model);
  convert_parameters (side);
  return TRUE;
}

/* --- Runs --- */

static HybTensor *
find_value (const HybProofSide *side,
            HybPrecision        precision,
            HybTensorList      *inputs,
            const char         *name)
{
  HybTensor *tensor = hyb_tensor_list_find (inputs, name);

  if (tensor)
    return precision == HYB_PRECISION_DOUBLE ? to_double (tensor) : hyb_tensor_ref (tensor);
  tensor = precision == HYB_PRECISION_DOUBLE ? hyb_tensor_list_find (side->doubles, name)
                                             : hyb_model_get_parameter (side->model, name);
  return tensor ? hyb_tensor_ref (tensor) : NULL;
}

/* Binds the variables, and the gradients of heads, which are the last variables, in the order of the heads. */
static gboolean
bind_values (const HybProofSide *side,
             HybExecutor        *executor,
             HybPrecision        precision,
             HybTensorList      *inputs,
             GPtrArray          *heads)
{
  HybGraph        *graph = heads ? side->backward[precision] : side->graph[precision];
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      guint       first = n - (heads ? heads->len : 0);
      g_autoptr (HybTensor) tensor = i >= first ? hyb_tensor_ref (heads->pdata[i - first])
                                                : find_value (side, precision, inputs, name);

      if (tensor && !hyb_executor_bind (executor, name, tensor, NULL))
        return FALSE;
    }
  return TRUE;
}

static void
store_states (HybProofSide *side, HybGraph *graph, HybExecutor *executor)
{
  guint            n;
  const HybNodeId *states = hyb_graph_get_auxiliary (graph, &n);

  g_clear_pointer (&side->states, g_hash_table_unref);
  side->states =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, states[i])->name;
      HybTensor  *tensor = hyb_executor_get_bound (executor, name);

      if (tensor)
        g_hash_table_insert (side->states, g_strdup (name), hyb_tensor_ref (tensor));
    }
}

/* The gradients stand behind the heads of the model. */
static void
store_gradients (HybProofSide *side)
{
  HybGraph *graph = hyb_model_get_graph (side->model);

  g_clear_pointer (&side->gradients, g_hash_table_unref);
  side->gradients =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < side->wrt->len; i++)
    {
      const char *name = hyb_graph_get_node (graph, g_array_index (side->wrt, HybNodeId, i))->name;

      g_hash_table_insert (side->gradients, g_strdup (name),
                           hyb_tensor_ref (side->outputs->pdata[side->n_heads + i]));
    }
}

static gboolean
run_executor (HybProofSide *side, HybExecutor *executor, HybGraph *graph, GError **error)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  hyb_coverage_limit_steps (side->coverage, side->is_limited ? cancellable : NULL);
  if (!hyb_executor_run (executor, cancellable, error) || !hyb_executor_finish (executor, error))
    return FALSE;
  /* A run in float64 is one of the processor. */
  if (side->run.gpu)
    {
      char *work = hyb_executor_dup_device_work (executor);

      if (work)
        g_free (side->work);
      side->work = work ? work : side->work;
    }
  g_clear_pointer (&side->outputs, g_ptr_array_unref);
  side->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (side->outputs, hyb_tensor_ref (hyb_executor_get_output (executor, i)));
  store_states (side, graph, executor);
  return TRUE;
}

/* The executor of a graph, which keeps its plans from run to run.  Every run draws the same numbers. */
static HybExecutor *
find_executor (HybProofSide *side, HybPrecision precision, gboolean backward)
{
  HybExecutor      **executor = &side->executor[precision][backward];
  HybExecutorOptions options = side->run;

  if (precision == HYB_PRECISION_DOUBLE)
    options.gpu = NULL;
  if (!*executor)
    *executor =
        hyb_executor_new (backward ? side->backward[precision] : side->graph[precision], &options);
  hyb_executor_set_seed (*executor, options.seed);
  hyb_executor_set_probe (*executor, side->is_limited && !options.gpu
                                         ? hyb_coverage_get_counter (side->coverage)
                                         : NULL);
  return *executor;
}

gboolean
hyb_proof_side_run (HybProofSide  *side,
                    HybPrecision   precision,
                    HybTensorList *inputs,
                    GPtrArray     *heads,
                    GError       **error)
{
  HybGraph    *graph = heads ? side->backward[precision] : side->graph[precision];
  HybExecutor *executor = find_executor (side, precision, heads != NULL);

  if (!bind_values (side, executor, precision, inputs, heads) ||
      !run_executor (side, executor, graph, error))
    return FALSE;
  if (heads)
    store_gradients (side);
  return TRUE;
}

gboolean
hyb_proof_side_run_covered (HybProofSide *side, HybTensorList *inputs, GError **error)
{
  HybExecutorOptions options = side->run;
  HybGraph          *graph = side->graph[side->covered];
  g_autoptr (HybExecutor) executor = NULL;

  options.mode = HYB_MODE_IMPERATIVE;
  options.gpu = NULL;
  executor = hyb_executor_new (graph, &options);
  hyb_executor_set_probe (executor, hyb_coverage_get_probe (side->coverage));
  if (!bind_values (side, executor, side->covered, inputs, NULL) ||
      !run_executor (side, executor, graph, error))
    return FALSE;
  hyb_coverage_add_inputs (side->coverage, inputs);
  return TRUE;
}

GPtrArray *
hyb_proof_side_new_heads (const HybProofSide *side, guint64 seed)
{
  GPtrArray *heads = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < side->n_heads; i++)
    {
      HybTensor *head = hyb_tensor_new (hyb_tensor_get_type (side->outputs->pdata[i]), NULL);

      for (gint64 k = 0; k < hyb_tensor_get_size (head); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (head), hyb_tensor_get_dtype (head), (gsize) k,
                              2 * hyb_random_uniform (seed + i, (guint64) k) - 1);
      g_ptr_array_add (heads, head);
    }
  return heads;
}
