/* executor-outputs.c — the state of an executor's last run; outputs on a GPU come back when they
 * are read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/executor-private.h"

#include <string.h>

gboolean
hyb_executor_bring (HybExecutor *executor, guint first, guint n, GError **error)
{
  HybEntry *entry = executor->unread;
  gboolean  is_done;

  if (!entry)
    return TRUE;
  is_done = hyb_device_frame_bring (entry->on_device, first, n, entry->outputs, error);
  if (!hyb_device_frame_is_read (entry->on_device))
    return is_done;
  executor->unread = NULL;
  if (executor->options.mode != HYB_MODE_STATIC)
    hyb_device_frame_give (entry->on_device);
  return is_done;
}

gboolean
hyb_executor_finish (HybExecutor *executor, GError **error)
{
  g_return_val_if_fail (executor, FALSE);
  return hyb_executor_bring (executor, 0, executor->n_outputs, error);
}

guint
hyb_executor_n_outputs (HybExecutor *executor)
{
  g_return_val_if_fail (executor, 0);
  return executor->n_outputs;
}

HybTensor *
hyb_executor_get_output (HybExecutor *executor, guint index)
{
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (executor, NULL);
  g_return_val_if_fail (index < executor->n_outputs, NULL);
  if (!hyb_executor_bring (executor, index, 1, &error))
    g_warning ("output %u is zero: %s", index, error->message);
  return executor->outputs[index];
}

HybTensor *
hyb_executor_find_output (HybExecutor *executor, const char *name)
{
  g_auto (GStrv) names = NULL;

  g_return_val_if_fail (executor && name, NULL);
  names = hyb_graph_dup_output_names (executor->graph);
  for (guint i = 0; names[i]; i++)
    if (strcmp (names[i], name) == 0)
      return hyb_executor_get_output (executor, i);
  return NULL;
}

const HybPlan *
hyb_executor_get_plan (HybExecutor *executor)
{
  g_return_val_if_fail (executor, NULL);
  return executor->current ? executor->current->plan : NULL;
}

guint64
hyb_executor_n_runs (HybExecutor *executor)
{
  g_return_val_if_fail (executor, 0);
  return executor->n_runs;
}

gsize
hyb_executor_get_peak_bytes (HybExecutor *executor)
{
  g_return_val_if_fail (executor, 0);
  return executor->peak_bytes;
}
