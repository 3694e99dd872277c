/* executor-device.c — one run of an executor on a GPU.
 *
 * Parameters are sent when another tensor is bound, all other variables in every run; outputs come
 * back when they are read (executor-outputs.c).  In static mode the memory stays; else it goes back to the
 * pool when all outputs were read, or when another entry runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/exec/executor-private.h"
#include "engine/imperative/imperative.h"

#include <math.h>

/* New tensors in every run, or the same ones in static mode. */
static gboolean
make_outputs (HybExecutor *executor, HybEntry *entry, GError **error)
{
  for (guint i = 0; i < executor->n_outputs; i++)
    {
      if (executor->options.mode != HYB_MODE_STATIC)
        g_clear_pointer (&entry->outputs[i], hyb_tensor_unref);
      if (entry->outputs[i])
        continue;
      entry->outputs[i] = hyb_tensor_new_zeros (hyb_plan_get_head_type (entry->plan, i), error);
      if (!entry->outputs[i])
        return FALSE;
    }
  return TRUE;
}

static gboolean
make_memory (HybExecutor *executor, HybEntry *entry, GError **error)
{
  if (!executor->on_device)
    executor->on_device =
        hyb_device_values_new (executor->options.gpu, executor->n_variables, error);
  if (!executor->on_device)
    return FALSE;
  if (!entry->on_device)
    {
      entry->on_device =
          hyb_device_frame_new (entry->plan, executor->options.mode == HYB_MODE_STATIC);
      hyb_device_frame_set_timed (entry->on_device, executor->options.times_device);
    }
  return hyb_device_frame_take (entry->on_device, error) && make_outputs (executor, entry, error);
}

static void
bind_variables (HybExecutor *executor)
{
  for (guint i = 0; i < executor->n_variables; i++)
    {
      const HybBinding *binding = &executor->bindings[i];

      hyb_device_values_bind (executor->on_device, i, executor->inputs[i],
                              binding->is_kept || (binding->is_constant && !binding->is_written));
    }
}

static gboolean
explain (const HybRun *context, GError **error)
{
  if (error && *error)
    return FALSE;
  if (context->fault->is_set)
    return hyb_imperative_refuse (context->fault, error);
  if (!g_cancellable_set_error_if_cancelled (context->cancellable, error))
    hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                  "the run stopped before its end");
  return FALSE;
}

/* Waits for the last run.  Its outputs are lost unless they were read. */
static gboolean
end_last_run (HybExecutor *executor, GError **error)
{
  HybEntry *last = executor->unread;
  gboolean  is_done;

  executor->unread = NULL;
  if (!last)
    return TRUE;
  is_done = hyb_device_frame_wait (last->on_device, error);
  if (last != executor->current && executor->options.mode != HYB_MODE_STATIC)
    hyb_device_frame_give (last->on_device);
  return is_done;
}

gboolean
hyb_executor_run_device (HybExecutor *executor, const HybRun *context, GError **error)
{
  HybEntry *entry = executor->current;
  g_autoptr (GError) failure = NULL;
  gsize    bytes;
  gboolean is_done;

  if (!make_memory (executor, entry, error))
    return FALSE;
  bind_variables (executor);
  if (!hyb_device_frame_stage (entry->on_device, executor->on_device, context, error) ||
      !end_last_run (executor, error))
    return FALSE;
  is_done = hyb_device_frame_run (entry->on_device, executor->on_device, context, &failure);
  bytes = hyb_device_frame_get_bytes (entry->on_device) +
          hyb_device_values_get_bytes (executor->on_device);
  hyb_executor_account (executor, 1, (gint64) bytes - (gint64) executor->live_bytes);
  if (!is_done && executor->options.mode != HYB_MODE_STATIC)
    hyb_device_frame_give (entry->on_device);
  if (failure)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (!is_done)
    return explain (context, error);
  for (guint i = 0; i < executor->n_outputs; i++)
    hyb_executor_set_output (executor, i, hyb_tensor_ref (entry->outputs[i]));
  executor->unread = entry;
  return TRUE;
}

double
hyb_executor_get_device_seconds (HybExecutor *executor)
{
  g_return_val_if_fail (executor, 0);

  HybEntry *entry = executor->current;

  return entry && entry->on_device ? hyb_device_frame_get_seconds (entry->on_device) : NAN;
}

char *
hyb_executor_dup_device_work (HybExecutor *executor)
{
  g_return_val_if_fail (executor, NULL);

  HybEntry       *entry = executor->current;
  HybDeviceCounts counts;
  HybDeviceSteps  steps;
  GString        *text;

  if (!executor->options.gpu || !entry)
    return NULL;
  if (!entry->on_device)
    return g_strdup (
        "The processor computed all steps, because some shapes show only while running.");
  counts = hyb_device_frame_get_counts (entry->on_device);
  steps = hyb_device_frame_get_steps (entry->on_device);
  text = g_string_new (NULL);
  g_string_printf (text, "The GPU computed %u of %u steps; %u %s between host and GPU, %.4g MiB.",
                   steps.n_device, steps.n_device + steps.n_host, counts.n_copies,
                   counts.n_copies == 1 ? "copy" : "copies",
                   (double) counts.copied_bytes / (1 << 20));
  if (counts.n_replays > 0)
    g_string_append_printf (text, " Recorded stretches of steps that were replayed: %u.",
                            counts.n_replays);
  return g_string_free (text, FALSE);
}
