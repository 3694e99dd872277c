/* golden-run.c — runs graphs of the goldens and infers their shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/goldens/golden.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/device/gpu.h"
#include "engine/gradient/backward.h"
#include "engine/imperative/imperative.h"

#include <string.h>

const char *
golden_mode_name (HybMode mode)
{
  static const char *const names[] = {
    [HYB_MODE_IMPERATIVE] = "imperative", [HYB_MODE_HYBRID] = "hybrid", [HYB_MODE_STATIC] = "static"
  };

  return names[mode];
}

/* One tensor per variable of graph: copies of what stands by name (auxiliary states
 * are written, and other runs want the old ones), then the head gradients in order. */
static GPtrArray *
collect_variables (const GoldenRun *run, HybGraph *graph, GError **error)
{
  guint            n, n_forward;
  const HybNodeId *ids = hyb_graph_get_variables (graph, &n);
  g_autoptr (GPtrArray) variables =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  hyb_graph_get_variables (run->graph, &n_forward);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, ids[i])->name;
      HybTensor  *tensor = i < n_forward ? g_hash_table_lookup (run->tensors, name)
                                         : run->head_gradients->pdata[i - n_forward];

      if (!tensor)
        {
          hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                        "variable “%s” has no value", name);
          return NULL;
        }
      g_ptr_array_add (variables, hyb_tensor_copy (tensor));
    }

  return g_steal_pointer (&variables);
}

static GPtrArray *
run_imperative (const GoldenRun *run, HybGraph *graph, GPtrArray *variables, GError **error)
{
  g_autoptr (GPtrArray) heads = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  HybRun context = { .training = run->training, .seed = run->seed };
  guint  n;

  hyb_graph_get_heads (graph, &n);
  g_ptr_array_set_size (heads, (int) n);
  if (!hyb_imperative_run (graph, (HybTensor *const *) variables->pdata,
                           (HybTensor **) heads->pdata, &context, error))
    return NULL;

  return g_steal_pointer (&heads);
}

HybGpu *
golden_get_device (void)
{
  static HybGpu  *gpu;
  static gboolean is_opened;
  const char     *name = g_getenv ("HYB_TEST_DEVICE");
  g_autoptr (GError) error = NULL;

  if (!name || is_opened)
    return gpu;
  is_opened = TRUE;
  gpu = hyb_gpu_open (name, &error);
  if (!gpu && !strstr (error->message, "libnvrtc"))
    g_error ("%s", error->message);
  if (!gpu)
    g_test_message ("on the processor: %s", error->message);
  return gpu;
}

static GPtrArray *
run_planned (const GoldenRun *run, HybGraph *graph, GPtrArray *variables, GError **error)
{
  HybExecutorOptions options = {
    .mode = run->mode,
    .training = run->training,
    .seed = run->seed,
    .no_passes = run->no_passes,
    .gpu = golden_get_device (),
  };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GPtrArray) heads = NULL;
  guint            n;
  const HybNodeId *ids = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (!hyb_executor_bind (executor, hyb_graph_get_node (graph, ids[i])->name, variables->pdata[i],
                            error))
      return NULL;
  if (!hyb_executor_run (executor, NULL, error))
    return NULL;

  heads = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (heads, hyb_tensor_copy (hyb_executor_get_output (executor, i)));

  /* The executor replaces states that were written by new tensors. */
  for (guint i = 0; i < n; i++)
    {
      HybTensor *now = hyb_executor_get_bound (executor, hyb_graph_get_node (graph, ids[i])->name);

      hyb_tensor_ref (now);
      hyb_tensor_unref (variables->pdata[i]);
      variables->pdata[i] = now;
    }

  return g_steal_pointer (&heads);
}

static void
keep_states (HybGraph *graph, GPtrArray *variables, GHashTable *states)
{
  guint            n;
  const HybNodeId *ids = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_graph_is_auxiliary (graph, ids[i]))
      g_hash_table_insert (states, g_strdup (hyb_graph_get_node (graph, ids[i])->name),
                           hyb_tensor_ref (variables->pdata[i]));
}

GPtrArray *
golden_run (const GoldenRun *run, GHashTable *states, GError **error)
{
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GPtrArray) variables = NULL;
  GPtrArray *heads;

  if (run->head_gradients)
    graph = hyb_graph_with_gradients (run->graph, run->wrt->len, (const HybNodeId *) run->wrt->data,
                                      error);
  else
    graph = hyb_graph_ref (run->graph);
  if (graph)
    variables = collect_variables (run, graph, error);
  if (!variables)
    return NULL;

  if (run->mode == HYB_MODE_IMPERATIVE && !golden_get_device ())
    heads = run_imperative (run, graph, variables, error);
  else
    heads = run_planned (run, graph, variables, error);
  if (heads && states)
    keep_states (graph, variables, states);

  return heads;
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
      compare_shape (item->string, &types[hyb_graph_get_node (graph, id)->first_output].shape, item,
                     wrong);
  }
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("output %u", i);

      if (cJSON_GetArrayItem (outputs, (int) i))
        compare_shape (name, &types[heads[i]].shape, cJSON_GetArrayItem (outputs, (int) i), wrong);
    }
}
