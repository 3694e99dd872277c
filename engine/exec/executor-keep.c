/* executor-keep.c — variables that stay on a GPU from run to run, such as weights in training.
 *
 * They are constant variables of device-values.h that the steps of a plan nevertheless write; the plan marks
 * their values as held by the device only (plan-device.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/executor-keep.h"

#include "engine/exec/executor-private.h"

void
hyb_executor_keep (HybExecutor *executor, const char *name)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (executor->graph, &n);

  for (guint i = 0; i < n && executor->options.gpu; i++)
    if (g_strcmp0 (hyb_graph_get_node (executor->graph, variables[i])->name, name) == 0)
      executor->bindings[i].is_kept = TRUE;
}

gboolean
hyb_executor_fetch_kept (HybExecutor *executor, GError **error)
{
  gsize bytes = 0;

  if (!executor->on_device)
    return TRUE;
  for (guint i = 0; i < executor->n_variables; i++)
    {
      const HybBinding *binding = &executor->bindings[i];

      if (binding->is_kept && binding->is_written && binding->tensor)
        bytes += hyb_device_values_fetch (executor->on_device, i, binding->tensor);
    }
  if (bytes == 0)
    return TRUE;
  /* The last run has recorded the step that failed. */
  return hyb_executor_bring (executor, 0, 0, error) &&
         hyb_device_values_wait (executor->on_device, error);
}

void
hyb_executor_renew_kept (HybExecutor *executor)
{
  for (guint i = 0; i < executor->n_variables && executor->on_device; i++)
    if (executor->bindings[i].is_kept)
      hyb_device_values_forget (executor->on_device, i);
}

gboolean
hyb_executor_read_outputs (HybExecutor *executor, guint first, guint n, GError **error)
{
  return hyb_executor_bring (executor, first, n, error);
}

void
hyb_executor_send_ahead (HybExecutor *executor, GHashTable *tensors)
{
  guint                  n_all, n = 0;
  const HybNodeId       *variables = hyb_graph_get_variables (executor->graph, &n_all);
  g_autofree guint      *indices = g_new (guint, MAX (n_all, 1));
  g_autofree HybTensor **found = g_new (HybTensor *, MAX (n_all, 1));

  for (guint i = 0; i < n_all && executor->on_device; i++)
    {
      const char *name = hyb_graph_get_node (executor->graph, variables[i])->name;
      HybTensor  *tensor = g_hash_table_lookup (tensors, name);

      if (!tensor)
        continue;
      indices[n] = i;
      found[n++] = tensor;
    }
  if (n > 0 && !hyb_device_values_send_ahead (executor->on_device, n, indices, found))
    g_info ("nothing is sent ahead: there is no memory for it");
}
