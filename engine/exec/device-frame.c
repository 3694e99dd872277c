/* device-frame.c — runs a plan on a device: launches twins, and copies for the steps of the host.
 *
 * The block of the plan exists twice, on the device and on the host; plan-device.c lists the copies
 * between them.  The host waits only where it reads or writes bytes of a copy.  Start with
 * hyb_device_frame_run() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/device-frame.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/exec/device-values-private.h"
#include "engine/exec/plan-private.h"
#include "engine/imperative/convert.h"

#include <stdlib.h>
#include <string.h>

/* The host's block is pinned up to this size, because pinned memory is taken from all programs. */
#define MAX_PINNED ((gsize) 256 << 20)
/* Values that a message about memory names. */
#define MAX_LISTED 3

struct _HybDeviceFrame
{
  HybPlan        *plan;
  HybGpu         *gpu;
  char           *memory; /* the block on the device; NULL: not taken */
  char           *mirror; /* the block on the host */
  gboolean        is_pinned;
  gpointer       *constants; /* by constant, on the device */
  gpointer       *slots;     /* operands of all steps, where each step is computed */
  HybDeviceCounts counts;
};

/* What one run needs. */
typedef struct
{
  HybDeviceFrame  *frame;
  HybDeviceValues *values;
  gboolean         is_copying; /* a copy may not have ended */
  gboolean is_watched; /* wait after every step, so that times and errors are of that step */
  GError **error;
} DeviceRun;

HybDeviceFrame *
hyb_device_frame_new (HybPlan *plan)
{
  HybDeviceFrame *frame = g_new0 (HybDeviceFrame, 1);

  frame->plan = hyb_plan_ref (plan);
  frame->gpu = plan->device->gpu;
  frame->constants = g_new0 (gpointer, MAX (plan->constants->len, 1));
  frame->slots = g_new0 (gpointer, MAX (plan->n_slots, 1));
  return frame;
}

void
hyb_device_frame_give (HybDeviceFrame *frame)
{
  hyb_device_pool_give (frame->gpu->memory, frame->memory);
  if (frame->is_pinned)
    hyb_device_pool_give (frame->gpu->pinned, frame->mirror);
  else
    free (frame->mirror);
  frame->memory = frame->mirror = NULL;
}

void
hyb_device_frame_free (HybDeviceFrame *frame)
{
  if (!frame)
    return;

  hyb_device_frame_give (frame);
  for (guint i = 0; i < frame->plan->constants->len; i++)
    hyb_device_pool_give (frame->gpu->memory, frame->constants[i]);
  g_free (frame->constants);
  g_free (frame->slots);
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
  const HybDevicePlan *device = frame->plan->device;

  return (HybDeviceSteps){ device->n_steps - device->n_host_steps, device->n_host_steps };
}

gsize
hyb_device_frame_get_bytes (const HybDeviceFrame *frame)
{
  gsize bytes = frame->memory ? frame->plan->memory : 0;

  for (guint i = 0; i < frame->plan->constants->len; i++)
    if (frame->constants[i])
      bytes += hyb_tensor_get_bytes (g_ptr_array_index (frame->plan->constants, i));
  return bytes;
}

/* --- Memory --- */

/* The nodes with the largest outputs, as “name” 2.1 GiB, … (transfer full) */
static char *
list_largest (const HybPlan *plan)
{
  GString *text = g_string_new (NULL);
  gsize    below = G_MAXSIZE;

  for (guint n = 0; n < MAX_LISTED; n++)
    {
      HybNodeId most = HYB_NO_ID;
      gsize     most_bytes = 0;

      for (guint i = 0; i < plan->n_steps; i++)
        {
          const HybNode *node = hyb_graph_get_node (plan->graph, plan->steps[i].node);
          gsize          bytes = hyb_type_bytes (&plan->types[node->first_output]);

          if (bytes < below && bytes > most_bytes)
            {
              most = plan->steps[i].node;
              most_bytes = bytes;
            }
        }
      if (most == HYB_NO_ID)
        break;
      g_string_append_printf (text,
                              "%s“%s” %.4g MiB",
                              n > 0 ? ", " : "",
                              hyb_graph_get_node (plan->graph, most)->name,
                              (double) most_bytes / (1 << 20));
      below = most_bytes;
    }
  return g_string_free (text, FALSE);
}

static gboolean
refuse_memory (const HybDeviceFrame *frame, GError **error)
{
  HybDeviceFacts   facts = { 0 };
  g_autofree char *largest = list_largest (frame->plan);

  frame->gpu->backend->facts (frame->gpu->device, &facts);
  hyb_error_at (error,
                HYB_GRAPH_ERROR,
                HYB_GRAPH_ERROR_MEMORY,
                NULL,
                NULL,
                "the plan needs %.4g MiB, the GPU has %.4g MiB free; the largest: %s",
                (double) frame->plan->memory / (1 << 20),
                (double) facts.unused / (1 << 20),
                largest);
  return hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
}

gboolean
hyb_device_frame_take (HybDeviceFrame *frame, GError **error)
{
  gsize bytes = frame->plan->memory;

  if (frame->memory)
    return TRUE;
  frame->memory = hyb_device_pool_take (frame->gpu->memory, bytes, NULL);
  if (!frame->memory)
    return refuse_memory (frame, error);
  frame->is_pinned = bytes <= MAX_PINNED;
  if (frame->is_pinned)
    frame->mirror = hyb_device_pool_take (frame->gpu->pinned, bytes, error);
  else if (posix_memalign ((void **) &frame->mirror, HYB_ALIGNMENT, bytes) != 0)
    frame->mirror = NULL;
  if (frame->mirror)
    return TRUE;
  hyb_device_frame_give (frame);
  if (!error || !*error)
    hyb_error_at (error,
                  HYB_GRAPH_ERROR,
                  HYB_GRAPH_ERROR_MEMORY,
                  NULL,
                  NULL,
                  "not enough memory of the host for a block of %.4g MiB",
                  (double) bytes / (1 << 20));
  return FALSE;
}

/* --- Addresses --- */

static char *
device_address (const HybDeviceFrame *frame, const HybDeviceValues *values, const HybPlace *place)
{
  char *base = NULL;

  switch (place->kind)
    {
    case HYB_PLACE_BLOCK:
      base = frame->memory;
      break;
    case HYB_PLACE_VARIABLE:
      base = values->values[place->index].memory;
      break;
    case HYB_PLACE_CONSTANT:
      base = frame->constants[place->index];
      break;
    case HYB_PLACE_HEAD: /* plans for a device do not bind heads */
    case HYB_PLACE_NONE:
      break;
    }
  return base ? base + place->offset : NULL;
}

static char *
host_address (const HybDeviceFrame *frame, const HybDeviceValues *values, const HybPlace *place)
{
  char      *base = NULL;
  HybTensor *tensor;

  switch (place->kind)
    {
    case HYB_PLACE_BLOCK:
      base = frame->mirror;
      break;
    case HYB_PLACE_VARIABLE:
      tensor = values->values[place->index].tensor;
      base = tensor ? hyb_tensor_get_data (tensor) : NULL;
      break;
    case HYB_PLACE_CONSTANT:
      base = hyb_tensor_get_data (g_ptr_array_index (frame->plan->constants, place->index));
      break;
    case HYB_PLACE_HEAD:
    case HYB_PLACE_NONE:
      break;
    }
  return base ? base + place->offset : NULL;
}

static void
resolve_slots (HybDeviceFrame *frame, const HybDeviceValues *values)
{
  const HybPlan *plan = frame->plan;

  for (guint i = 0; i < plan->n_steps; i++)
    {
      const HybStep *step = &plan->steps[i];
      gboolean       on_device = plan->device->steps[i].twin != NULL;

      for (guint k = 0; k < step->call.n_inputs + step->call.n_outputs; k++)
        {
          const HybPlace *place = &plan->slots[step->first_slot + k];

          frame->slots[step->first_slot + k] = on_device ? device_address (frame, values, place)
                                                         : host_address (frame, values, place);
        }
    }
}

/* --- Copies --- */

static void
count_copy (HybDeviceFrame *frame, gsize bytes)
{
  frame->counts.n_copies += bytes > 0;
  frame->counts.copied_bytes += bytes;
}

static gboolean
send_constant (DeviceRun *run, guint index)
{
  HybDeviceFrame *frame = run->frame;
  HybTensor      *tensor = g_ptr_array_index (frame->plan->constants, index);
  gsize           bytes = hyb_tensor_get_bytes (tensor);

  if (frame->constants[index])
    return TRUE;
  frame->constants[index] = hyb_device_pool_take (frame->gpu->memory, bytes, run->error);
  if (!frame->constants[index])
    return FALSE;
  if (bytes > 0)
    frame->gpu->backend->copy (run->values->queue,
                               frame->constants[index],
                               hyb_tensor_get_data (tensor),
                               bytes);
  count_copy (frame, bytes);
  return TRUE;
}

/* Sends what steps of the device read and the device does not have yet. */
static gboolean
send_values (DeviceRun *run)
{
  const HybPlan *plan = run->frame->plan;
  gsize          bytes;

  for (guint i = 0; i < plan->n_variables; i++)
    {
      if (!plan->device->reads_variable[i])
        continue;
      if (!hyb_device_values_send (run->values, i, &bytes, run->error))
        return FALSE;
      count_copy (run->frame, bytes);
    }
  for (guint i = 0; i < plan->constants->len; i++)
    if (plan->device->reads_constant[i] && !send_constant (run, i))
      return FALSE;
  run->is_copying = run->frame->counts.n_copies > 0;
  return TRUE;
}

/* The copies before step number index; those after the last step have the number n_steps. */
static void
copy_before (DeviceRun *run, guint index)
{
  const HybDevicePlan *device = run->frame->plan->device;
  guint last = index < device->n_steps ? device->steps[index + 1].first_copy : device->copies->len;

  for (guint i = device->steps[index].first_copy; i < last; i++)
    {
      const HybDeviceCopy *copy = &g_array_index (device->copies, HybDeviceCopy, i);
      char                *there = device_address (run->frame, run->values, &copy->place);
      char                *here = host_address (run->frame, run->values, &copy->place);

      run->frame->gpu->backend->copy (run->values->queue,
                                      copy->to_device ? there : here,
                                      copy->to_device ? here : there,
                                      copy->bytes);
      count_copy (run->frame, copy->bytes);
      run->is_copying = TRUE;
    }
}

/* --- Steps --- */

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

static gboolean
wait (DeviceRun *run)
{
  guint32 key = 0;

  run->is_copying = FALSE;
  if (run->frame->gpu->backend->finish (run->values->queue, &key, run->error))
    return TRUE;
  prefix_step (run->frame->plan, key, run->error);
  hyb_error_add_remedy (run->error, HYB_REMEDY_DEVICE, NULL);
  return FALSE;
}

static gboolean
run_step (DeviceRun *device_run, guint index, HybRun *run)
{
  HybDeviceFrame      *frame = device_run->frame;
  const HybStep       *step = &frame->plan->steps[index];
  const HybDeviceStep *device = &frame->plan->device->steps[index];

  run->input = (gconstpointer *) (frame->slots + step->first_slot);
  run->output = frame->slots + step->first_slot + step->call.n_inputs;
  run->workspace = (device->twin ? frame->memory : frame->mirror) + step->workspace;
  run->key = step->key;

  frame->gpu->backend->begin (device_run->values->queue, step->key);
  copy_before (device_run, index);
  if (device->twin)
    {
      device->twin->launch (device_run->values->queue, &step->call, run, device->prepared);
      return !device_run->is_watched || wait (device_run);
    }
  if (device_run->is_copying && !wait (device_run))
    return FALSE;
  if (step->converts)
    hyb_convert_forward (&step->outer, &step->call, run);
  else
    step->call.op->forward (&step->call, run);
  if (run->fault && run->fault->is_set && !run->fault->graph)
    {
      run->fault->graph = frame->plan->graph;
      run->fault->node = step->node;
    }
  return TRUE;
}

static gboolean
run_steps (DeviceRun *device_run, HybRun *run)
{
  const HybPlan  *plan = device_run->frame->plan;
  const HybProbe *probe = run->probe;
  HybSpan         span = { .kind = HYB_SPAN_NODE,
                           .graph = hyb_graph_get_id (plan->graph),
                           .depth = run->depth,
                           .run = run->number,
                           .step = (guint32) run->step,
                           .in = plan->graph,
                           .plan = plan };

  for (guint i = 0; i < plan->n_steps; i++)
    {
      gboolean is_done;

      if (hyb_run_is_stopped (run))
        return FALSE;
      span.id = plan->steps[i].node;
      span.device = plan->device->steps[i].twin != NULL;
      run->span = probe ? &span : NULL;
      if (probe && probe->begin)
        probe->begin (probe->data, &span);
      is_done = run_step (device_run, i, run);
      if (probe && probe->end)
        probe->end (probe->data, &span);
      if (!is_done)
        return FALSE;
    }
  return !hyb_run_is_stopped (run);
}

static void
fill_outputs (const DeviceRun *run, HybTensor *const *outputs)
{
  const HybPlan    *plan = run->frame->plan;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    {
      const char *from = host_address (run->frame, run->values, &plan->places[heads[i]]);
      gsize       bytes = hyb_tensor_get_bytes (outputs[i]);

      if (bytes > 0)
        memcpy (hyb_tensor_get_data (outputs[i]), from, bytes);
    }
}

gboolean
hyb_device_frame_run (HybDeviceFrame   *frame,
                      HybDeviceValues  *values,
                      const HybRun     *context,
                      HybTensor *const *outputs,
                      GError          **error)
{
  HybRun    run = *context;
  DeviceRun device_run = { .frame = frame,
                           .values = values,
                           .is_watched = run.probe || g_getenv ("HYB_GPU_STEP"),
                           .error = error };
  gboolean  is_done;

  frame->counts = (HybDeviceCounts){ 0 };
  run.training = frame->plan->training;
  if (!send_values (&device_run))
    return wait (&device_run) && FALSE;
  resolve_slots (frame, values);
  is_done = run_steps (&device_run, &run);
  if (is_done)
    copy_before (&device_run, frame->plan->n_steps);
  if (error && *error)
    return FALSE;
  if (!wait (&device_run) || !is_done)
    return FALSE;
  fill_outputs (&device_run, outputs);
  return TRUE;
}
