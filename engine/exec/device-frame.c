/* device-frame.c — the memory and addresses of the plan of a model on a device.
 *
 * The block of the plan exists twice, on the device and on the host; plan-device.c lists the copies
 * between them, device-run.c makes them.  The host waits only where it reads or writes bytes of a copy.
 * Start with hyb_device_frame_run() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/device-frame.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/exec/device-memory.h"
#include "engine/exec/device-replay.h"
#include "engine/exec/device-run.h"
#include "engine/exec/device-values-private.h"
#include "engine/exec/plan-bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The host's block is pinned up to this size, because pinned memory is taken from all programs. */
#define MAX_PINNED ((gsize) 256 << 20)

struct _HybDeviceFrame
{
  HybPlan          *plan;
  HybGpu           *gpu;
  HybDeviceView     view;
  gboolean          is_pinned;  /* view.mirror */
  gpointer          number;     /* HybDeviceRun.number */
  HybDeviceReplays *replays;    /* NULL: every run hands over its work step by step */
  HybQueue         *queue;      /* of the last run */
  gboolean          is_pending; /* the last run may not have ended */
  gboolean          is_watched; /* the last run waited after every step */
  HybNodeId         ended;      /* HybDeviceRun.ended of the last run */
  guint8           *is_brought; /* by head */
  HybDeviceCounts   counts;
  gboolean          is_timed; /* the queue is marked where a run begins and ends */
};

/* Marks of the queue. */
enum
{
  MARK_BEGIN,
  MARK_END,
};

HybDeviceFrame *
hyb_device_frame_new (HybPlan *plan, gboolean keeps_memory)
{
  HybDeviceFrame *frame = g_new0 (HybDeviceFrame, 1);

  frame->plan = hyb_plan_ref (plan);
  frame->gpu = plan->device->gpu;
  frame->view = (HybDeviceView){
    .plan = plan,
    .slots = g_new0 (gpointer, MAX (plan->n_slots, 1)),
    .variables = g_new0 (gpointer, MAX (plan->n_variables, 1)),
    .host_variables = g_new0 (gpointer, MAX (plan->n_variables, 1)),
    .constants = g_new0 (gpointer, MAX (plan->constants->len, 1)),
  };
  if (keeps_memory)
    frame->replays = hyb_device_replays_new (plan, frame->gpu);
  frame->is_brought = g_new0 (guint8, MAX (plan->n_heads, 1));
  frame->view.host_slots = frame->view.slots; /* each step is on one side */
  return frame;
}

void
hyb_device_frame_give (HybDeviceFrame *frame)
{
  HybDeviceView *view = &frame->view;

  if (frame->is_pending)
    frame->gpu->backend->finish (frame->queue, NULL, NULL);
  frame->is_pending = FALSE;
  hyb_device_pool_give (frame->gpu->memory, view->memory);
  hyb_device_pool_give (frame->gpu->pinned, frame->number);
  if (frame->is_pinned)
    hyb_device_pool_give (frame->gpu->pinned, view->mirror);
  else
    free (view->mirror);
  free (view->host);
  view->memory = view->mirror = view->host = NULL;
  frame->number = NULL;
}

void
hyb_device_frame_free (HybDeviceFrame *frame)
{
  if (!frame)
    return;

  hyb_device_frame_give (frame);
  hyb_device_replays_free (frame->replays);
  for (guint i = 0; i < frame->plan->constants->len; i++)
    hyb_device_pool_give (frame->gpu->memory, frame->view.constants[i]);
  g_free (frame->is_brought);
  g_free (frame->view.slots);
  g_free (frame->view.variables);
  g_free (frame->view.host_variables);
  g_free (frame->view.constants);
  hyb_plan_unref (frame->plan);
  g_free (frame);
}

HybDeviceCounts
hyb_device_frame_get_counts (const HybDeviceFrame *frame)
{
  return frame->counts;
}

HybDeviceSteps
hyb_device_frame_get_steps (const HybDeviceFrame *frame)
{
  return (HybDeviceSteps){ hyb_plan_n_device_steps (frame->plan),
                           hyb_plan_n_host_steps (frame->plan) };
}

gsize
hyb_device_frame_get_bytes (const HybDeviceFrame *frame)
{
  gsize bytes = frame->view.memory ? frame->plan->memory : 0;

  for (guint i = 0; i < frame->plan->constants->len; i++)
    if (frame->view.constants[i])
      bytes += hyb_tensor_get_bytes (g_ptr_array_index (frame->plan->constants, i));
  return bytes;
}

void
hyb_device_frame_set_timed (HybDeviceFrame *frame, gboolean is_timed)
{
  frame->is_timed = is_timed;
}

double
hyb_device_frame_get_seconds (HybDeviceFrame *frame)
{
  return frame->is_timed && frame->queue && !frame->is_pending
             ? frame->gpu->backend->between (frame->queue, MARK_BEGIN, MARK_END)
             : NAN;
}

static void
mark (const HybDeviceFrame *frame, guint at)
{
  if (frame->is_timed)
    frame->gpu->backend->mark (frame->queue, at);
}

/* --- Memory --- */

/* Memory of the host, aligned; NULL without enough of it. */
static gpointer
take_host (gsize bytes)
{
  gpointer memory = NULL;

  return posix_memalign (&memory, HYB_ALIGNMENT, MAX (bytes, 1)) == 0 ? memory : NULL;
}

/* Allocates the memory of the host: the block, and the memory of loops and conditions. */
static gboolean
take_mirror (HybDeviceFrame *frame, GError **error)
{
  gsize          bytes = frame->plan->memory;
  gsize          for_bodies = frame->plan->device->host_bytes;
  HybDeviceView *view = &frame->view;

  frame->is_pinned = bytes <= MAX_PINNED;
  view->mirror = frame->is_pinned ? hyb_device_pool_take (frame->gpu->pinned, bytes, error)
                                  : take_host (bytes);
  if (!view->mirror)
    return FALSE;
  if (for_bodies == 0)
    return TRUE;
  view->host = take_host (for_bodies);
  frame->number = hyb_device_pool_take (frame->gpu->pinned, sizeof (gint64), error);
  return view->host && frame->number;
}

gboolean
hyb_device_frame_take (HybDeviceFrame *frame, GError **error)
{
  gsize bytes = frame->plan->memory;

  if (frame->view.memory)
    return TRUE;
  frame->view.memory = hyb_device_pool_take (frame->gpu->memory, bytes, NULL);
  if (!frame->view.memory)
    return hyb_device_refuse_memory (frame->plan, 0, error);
  if (take_mirror (frame, error))
    return TRUE;
  hyb_device_frame_give (frame);
  if (!error || !*error)
    hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                  "not enough memory of the host for a block of %.4g MiB",
                  (double) bytes / (1 << 20));
  return FALSE;
}

/* --- Addresses --- */

static void
resolve_slots (HybDeviceFrame *frame, const HybDeviceValues *values)
{
  const HybPlan *plan = frame->plan;
  HybDeviceView *view = &frame->view;

  for (guint i = 0; i < plan->n_variables; i++)
    {
      HybTensor *tensor = values->values[i].tensor;

      view->variables[i] = hyb_device_values_find (values, i);
      view->host_variables[i] = tensor ? hyb_tensor_get_data (tensor) : NULL;
    }
  for (guint i = 0; i < plan->n_steps; i++)
    {
      const HybStep *step = &plan->steps[i];
      gboolean       is_there = hyb_device_step_is_there (&plan->device->steps[i]);

      for (guint k = 0; k < step->call.n_inputs + step->call.n_outputs; k++)
        {
          const HybPlace *place = &plan->slots[step->first_slot + k];

          view->slots[step->first_slot + k] = is_there ? hyb_device_view_find (view, place)
                                                       : hyb_device_view_find_host (view, place);
        }
    }
}

/* --- Running --- */

static gboolean
send_constant (HybDeviceFrame *frame, HybDeviceRun *run, guint index)
{
  gpointer  *constants = frame->view.constants;
  HybTensor *tensor = g_ptr_array_index (frame->plan->constants, index);
  gsize      bytes = hyb_tensor_get_bytes (tensor);

  if (constants[index])
    return TRUE;
  constants[index] = hyb_device_pool_take (frame->gpu->memory, bytes, NULL);
  if (!constants[index])
    return hyb_device_refuse_memory (frame->plan, hyb_device_frame_get_bytes (frame), &run->error);
  if (bytes > 0)
    frame->gpu->backend->copy (run->queue, constants[index], hyb_tensor_get_data (tensor), bytes);
  hyb_device_run_count (run, bytes);
  return TRUE;
}

/* Sends values that steps of the device read and the device does not have yet. */
static gboolean
send_values (HybDeviceFrame *frame, HybDeviceValues *values, HybDeviceRun *run)
{
  const HybPlan *plan = frame->plan;
  HybSentBytes   sent;
  gsize          bytes;
  guint          n_staged;

  sent = hyb_device_values_send_staged (values);
  hyb_device_run_count (run, sent.now);
  hyb_device_run_count (run, sent.ahead);
  n_staged = run->counts.n_copies;

  for (guint i = 0; i < plan->n_variables; i++)
    {
      if (!plan->device->reads_variable[i])
        continue;
      if (!hyb_device_values_send (values, i, &bytes, NULL))
        return hyb_device_refuse_memory (frame->plan,
                                         hyb_device_frame_get_bytes (frame) +
                                             hyb_device_values_get_bytes (values),
                                         &run->error);
      hyb_device_run_count (run, bytes);
    }
  for (guint i = 0; i < plan->constants->len; i++)
    if (plan->device->reads_constant[i] && !send_constant (frame, run, i))
      return FALSE;
  run->is_copying = run->counts.n_copies > n_staged; /* from memory that is not ours */
  return TRUE;
}

/* Puts the node of the first failed step before the error. */
static void
prefix_step (const HybPlan *plan, guint32 key, GError **error)
{
  for (guint i = 0; i < plan->n_steps; i++)
    if (plan->steps[i].key == key)
      {
        const HybNode *node = hyb_graph_get_node (plan->graph, plan->steps[i].node);

        g_prefix_error (error, "node “%s” (%s): ", node->name, node->type);
        return;
      }
}

/* Appends the last node known to be correct, and how to find the faulty one. */
static void
append_advice (const HybDeviceFrame *frame, GError *error)
{
  g_autoptr (GString) text = g_string_new (error->message);

  if (frame->ended != HYB_NO_ID)
    {
      const HybNode *node = hyb_graph_get_node (frame->plan->graph, frame->ended);

      g_string_append_printf (text, ". The last node known to have ended is “%s” (%s)", node->name,
                              node->type);
    }
  if (!frame->is_watched)
    g_string_append (text, ". Run again with HYB_GPU_STEP=1 to wait after every operator");
  g_free (error->message);
  error->message = g_strdup (text->str);
}

/* Reports an error of the queue.  error: (transfer full). */
static void
explain (const HybDeviceFrame *frame, guint32 key, GError *error, GError **to)
{
  prefix_step (frame->plan, key, &error);
  append_advice (frame, error);
  hyb_error_add_remedy (&error, HYB_REMEDY_DEVICE, NULL);
  g_propagate_error (to, error);
}

gboolean
hyb_device_frame_stage (HybDeviceFrame  *frame,
                        HybDeviceValues *values,
                        const HybRun    *context,
                        GError         **error)
{
  const HybDevicePlan *device = frame->plan->device;

  if (hyb_device_values_stage (values, device->reads_variable,
                               device->draws ? &context->seed : NULL, error))
    return TRUE;
  return hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
}

gboolean
hyb_device_frame_wait (HybDeviceFrame *frame, GError **error)
{
  GError *failure = NULL;
  guint32 key = 0;

  if (!frame->is_pending)
    return TRUE;
  frame->is_pending = FALSE;
  if (frame->gpu->backend->finish (frame->queue, &key, &failure))
    return TRUE;
  explain (frame, key, failure, error);
  return FALSE;
}

/* TRUE if the host reads something when the last step has ended. */
static gboolean
must_wait (const HybDeviceFrame *frame, gboolean has_sent_tensors, const HybDeviceRun *run)
{
  const HybDevicePlan *device = frame->plan->device;

  return run->is_watched || has_sent_tensors ||
         device->steps[device->n_steps].first_copy < device->copies->len;
}

gboolean
hyb_device_frame_run (HybDeviceFrame  *frame,
                      HybDeviceValues *values,
                      const HybRun    *context,
                      GError         **error)
{
  HybRun       run = *context;
  HybDeviceRun device_run = { .gpu = frame->gpu,
                              .queue = values->queue,
                              .number = frame->number,
                              .handed = HYB_NO_ID,
                              .ended = HYB_NO_ID,
                              .is_watched = (run.probe && !run.probe->follows_device) ||
                                            g_getenv ("HYB_GPU_STEP") };
  gboolean     is_done, has_sent_tensors;

  run.training = frame->plan->training;
  frame->queue = values->queue;
  frame->is_pending = TRUE;
  frame->is_watched = device_run.is_watched;
  memset (frame->is_brought, 0, frame->plan->n_heads);
  mark (frame, MARK_BEGIN);
  if (!send_values (frame, values, &device_run))
    {
      frame->gpu->backend->finish (values->queue, NULL, NULL);
      frame->is_pending = FALSE;
      g_propagate_error (error, device_run.error);
      return FALSE;
    }
  has_sent_tensors = device_run.is_copying;
  run.seed_there = hyb_device_values_find_seed (values);
  resolve_slots (frame, values);
  is_done = frame->replays && !device_run.is_watched
                ? hyb_device_replays_run (frame->replays, &device_run, &frame->view, &run)
                : hyb_device_run_steps (&device_run, &frame->view, &run);
  frame->counts = device_run.counts;
  frame->ended = device_run.ended;
  mark (frame, MARK_END);
  if (device_run.error)
    {
      frame->is_pending = FALSE;
      explain (frame, device_run.failed_key, device_run.error, error);
      return FALSE;
    }
  if (is_done && !must_wait (frame, has_sent_tensors, &device_run))
    return TRUE;
  return hyb_device_frame_wait (frame, error) && is_done;
}

/* --- Outputs --- */

/* Copies heads to the host that are not there yet; adjacent heads in one copy. */
static void
copy_heads (HybDeviceFrame *frame, guint first, guint n)
{
  const HybPlan    *plan = frame->plan;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  for (guint i = first; i < first + n; i++)
    {
      HybPlace place = plan->places[heads[i]];
      gsize    bytes = hyb_type_bytes (hyb_plan_type (plan, heads[i]));

      if (frame->is_brought[i] || !plan->device->has_head[i] || bytes == 0)
        continue;
      for (; i + 1 < first + n && !frame->is_brought[i + 1] && plan->device->has_head[i + 1] &&
             plan->places[heads[i + 1]].offset == place.offset + bytes;
           i++)
        bytes += hyb_type_bytes (hyb_plan_type (plan, heads[i + 1]));
      frame->gpu->backend->copy (frame->queue, hyb_device_view_find_host (&frame->view, &place),
                                 hyb_device_view_find (&frame->view, &place), bytes);
      frame->counts.n_copies++;
      frame->counts.copied_bytes += bytes;
      frame->is_pending = TRUE;
    }
  if (frame->is_pending)
    mark (frame, MARK_END);
}

gboolean
hyb_device_frame_bring (HybDeviceFrame   *frame,
                        guint             first,
                        guint             n,
                        HybTensor *const *outputs,
                        GError          **error)
{
  const HybPlan    *plan = frame->plan;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);
  gboolean          is_done;

  copy_heads (frame, first, n);
  is_done = hyb_device_frame_wait (frame, error);
  for (guint i = first; i < first + n; i++)
    {
      gsize bytes = hyb_tensor_get_bytes (outputs[i]);

      if (frame->is_brought[i] || bytes == 0)
        continue;
      if (is_done)
        memcpy (hyb_tensor_get_data (outputs[i]),
                hyb_device_view_find_host (&frame->view, &plan->places[heads[i]]), bytes);
      else
        memset (hyb_tensor_get_data (outputs[i]), 0, bytes);
    }
  memset (frame->is_brought + first, TRUE, n);
  return is_done;
}

gboolean
hyb_device_frame_is_read (const HybDeviceFrame *frame)
{
  for (guint i = 0; i < frame->plan->n_heads; i++)
    if (!frame->is_brought[i])
      return FALSE;
  return TRUE;
}
