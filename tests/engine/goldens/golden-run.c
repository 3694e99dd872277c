/* golden-run.c — running graphs of goldens and inferring their shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"

#include "engine/autograd/backward.h"
#include "engine/passes/infer-types.h"

const char *
golden_mode_name (HybMode mode)
{
  static const char *const names[] = {
    [HYB_MODE_IMPERATIVE] = "imperative", [HYB_MODE_HYBRID] = "hybrid", [HYB_MODE_STATIC] = "static"
  };

  return names[mode];
}

/* Binds a copy: auxiliary states are written, and other runs want the old ones. */
static gboolean
bind_variables (const GoldenRun *run, HybExecutor *executor, GError **error)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (run->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (run->graph, variables[i])->name;
      HybTensor  *tensor = g_hash_table_lookup (run->tensors, name);
      g_autoptr (HybTensor) copy = tensor ? hyb_tensor_copy (tensor) : NULL;

      if (copy && !hyb_executor_bind (executor, name, copy, error))
        return FALSE;
    }

  return TRUE;
}

/* The variables behind those of the forward graph are the head gradients, in order. */
static gboolean
bind_head_gradients (const GoldenRun *run, HybGraph *graph, HybExecutor *executor, GError **error)
{
  guint            n, n_forward;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  hyb_graph_get_variables (run->graph, &n_forward);
  for (guint i = n_forward; i < n; i++)
    if (!hyb_executor_bind (executor,
                            hyb_graph_get_node (graph, variables[i])->name,
                            run->head_gradients->pdata[i - n_forward],
                            error))
      return FALSE;

  return TRUE;
}

static void
keep_states (const GoldenRun *run, HybExecutor *executor, GHashTable *states)
{
  guint            n;
  const HybNodeId *auxiliary = hyb_graph_get_auxiliary (run->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (run->graph, auxiliary[i])->name;
      HybTensor  *state = hyb_executor_get_bound (executor, name);

      if (state)
        g_hash_table_insert (states, g_strdup (name), hyb_tensor_copy (state));
    }
}

GPtrArray *
golden_run (const GoldenRun *run, GHashTable *states, GError **error)
{
  HybExecutorOptions options = { .mode = run->mode, .training = run->training, .seed = run->seed };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  GPtrArray *outputs;

  if (run->head_gradients)
    graph = hyb_graph_with_gradients (run->graph,
                                      run->wrt->len,
                                      (const HybNodeId *) run->wrt->data,
                                      error);
  else
    graph = hyb_graph_ref (run->graph);
  if (!graph)
    return NULL;

  executor = hyb_executor_new (graph, &options);
  if (!bind_variables (run, executor, error) ||
      (run->head_gradients && !bind_head_gradients (run, graph, executor, error)) ||
      !hyb_executor_run (executor, NULL, error))
    return NULL;

  outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (outputs, hyb_tensor_copy (hyb_executor_get_output (executor, i)));
  if (states)
    keep_states (run, executor, states);

  return outputs;
}

static HybShape
shape_from_json (const cJSON *list)
{
  HybShape     shape = { .rank = 0 };
  const cJSON *item;

  cJSON_ArrayForEach (item, list) shape.dim[shape.rank++] = (gint64) item->valuedouble;

  return shape;
}

static void
compare_shape (const char *what, const HybShape *got, const cJSON *list, GString *wrong)
{
  HybShape want = shape_from_json (list);

  if (!hyb_shape_equal (got, &want))
    {
      g_autofree char *got_text = hyb_shape_to_string (got);
      g_autofree char *want_text = hyb_shape_to_string (&want);

      g_string_append_printf (wrong, "inference: %s is %s, not %s\n", what, got_text, want_text);
    }
}

void
golden_check_shapes (HybGraph    *graph,
                     const cJSON *given,
                     const cJSON *arguments,
                     const cJSON *outputs,
                     GString     *wrong)
{
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));
  g_autoptr (GError) error = NULL;
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);
  const cJSON      *item;

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  cJSON_ArrayForEach (item, given)
  {
    HybNodeId id = hyb_graph_find_variable (graph, item->string);

    if (id != HYB_NO_ID)
      types[hyb_graph_get_node (graph, id)->first_output].shape = shape_from_json (item);
  }

  if (!hyb_infer_types (graph, types, NULL, FALSE, &error))
    {
      g_string_append_printf (wrong, "inference fails: %s\n", error->message);
      return;
    }

  cJSON_ArrayForEach (item, arguments)
  {
    HybNodeId id = hyb_graph_find_variable (graph, item->string);

    if (id != HYB_NO_ID)
      compare_shape (item->string,
                     &types[hyb_graph_get_node (graph, id)->first_output].shape,
                     item,
                     wrong);
  }
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("output %u", i);

      if (cJSON_GetArrayItem (outputs, (int) i))
        compare_shape (name, &types[heads[i]].shape, cJSON_GetArrayItem (outputs, (int) i), wrong);
    }
}
