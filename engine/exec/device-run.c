/* device-run.c — runs the steps of a plan on a device, of the model and of bodies.
 *
 * Twins are launched; a step of the host waits for copies and computes on the host's block; a loop or
 * condition whose bodies are planned for the device gets addresses of the device, and runs them
 * through op/run-device.h.  Start with hyb_device_run_steps() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/device-run.h"
#include "engine/imperative/convert.h"

#include <string.h>

/* --- Addresses --- */

gpointer
hyb_device_view_find (const HybDeviceView *view, const HybPlace *place)
{
  char *base = NULL;

  switch (place->kind)
    {
    case HYB_PLACE_BLOCK:
      base = view->memory;
      break;
    case HYB_PLACE_VARIABLE:
      base = view->variables[place->index];
      break;
    case HYB_PLACE_HEAD:
      base = view->heads[place->index];
      break;
    case HYB_PLACE_CONSTANT:
      base = view->constants[place->index];
      break;
    case HYB_PLACE_NONE:
      break;
    }
  return base ? base + place->offset : NULL;
}

gpointer
hyb_device_view_find_host (const HybDeviceView *view, const HybPlace *place)
{
  char *base = NULL;

  switch (place->kind)
    {
    case HYB_PLACE_BLOCK:
      base = view->mirror;
      break;
    case HYB_PLACE_VARIABLE:
      base = view->host_variables[place->index];
      break;
    case HYB_PLACE_HEAD:
      base = view->host_heads[place->index];
      break;
    case HYB_PLACE_CONSTANT:
      base = hyb_tensor_get_data (g_ptr_array_index (view->plan->constants, place->index));
      break;
    case HYB_PLACE_NONE:
      break;
    }
  return base ? base + place->offset : NULL;
}

/* --- Waiting and copying --- */

void
hyb_device_run_count (HybDeviceRun *run, gsize bytes)
{
  run->counts.n_copies += bytes > 0;
  run->counts.copied_bytes += bytes;
}

/* Waits for the queue.  FALSE if something failed, which is then in run->error. */
static gboolean
wait_for_device (HybDeviceRun *run)
{
  run->is_copying = FALSE;
  run->n_waits++;
  if (run->error || !run->gpu->backend->finish (run->queue, &run->failed_key, &run->error))
    return FALSE;
  run->ended = run->handed;
  return TRUE;
}

void
hyb_device_run_copies (HybDeviceRun *run, const HybDeviceView *view, guint index)
{
  const HybDevicePlan *device = view->plan->device;
  guint last = index < device->n_steps ? device->steps[index + 1].first_copy : device->copies->len;

  for (guint i = device->steps[index].first_copy; i < last; i++)
    {
      const HybDeviceCopy *copy = &g_array_index (device->copies, HybDeviceCopy, i);
      gpointer             there = hyb_device_view_find (view, &copy->place);
      gpointer             here = hyb_device_view_find_host (view, &copy->place);

      run->gpu->backend->copy (run->queue, copy->to_device ? there : here,
                               copy->to_device ? here : there, copy->bytes);
      hyb_device_run_count (run, copy->bytes);
      run->is_copying = TRUE;
    }
}

/* --- Values of loops and conditions --- */

static void
copy_value (gpointer data, gpointer to, gconstpointer from, gsize bytes)
{
  HybDeviceRun *run = data;

  if (bytes > 0)
    run->gpu->backend->copy (run->queue, to, from, bytes);
  run->n_work++;
}

static void
clear_value (gpointer data, gpointer to, gsize bytes)
{
  HybDeviceRun *run = data;

  run->gpu->backend->clear (run->queue, to, bytes);
  run->n_work++;
}

static void
set_int (gpointer data, gint64 *to, gint64 value)
{
  HybDeviceRun *run = data;

  run->gpu->backend->set (run->queue, to, value);
  run->n_work += 2; /* two halves */
}

static void
read_value (gpointer data, gconstpointer from, gsize bytes, gpointer to)
{
  HybDeviceRun *run = data;

  run->gpu->backend->copy (run->queue, run->number, from, bytes);
  hyb_device_run_count (run, bytes);
  if (wait_for_device (run))
    memcpy (to, run->number, bytes);
  else
    memset (to, 0, bytes);
}

static const HybRunDeviceFunctions functions = {
  .copy = copy_value,
  .clear = clear_value,
  .set_int = set_int,
  .read = read_value,
};

/* --- Steps --- */

/* Waits after a step that is watched; an error gets its node, if that is in a body. */
static gboolean
watch (HybDeviceRun *device_run, const HybDeviceView *view, const HybStep *step)
{
  const HybNode *node = hyb_graph_get_node (view->plan->graph, step->node);
  gboolean       had_error = device_run->error != NULL;

  if (!device_run->is_watched || wait_for_device (device_run))
    return TRUE;
  if (view->plan->device->is_body && !had_error)
    g_prefix_error (&device_run->error, "node “%s” (%s): ", node->name, node->type);
  return FALSE;
}

static gboolean
run_bodies (HybDeviceRun *device_run, const HybDeviceView *view, const HybStep *step, HybRun *run)
{
  HybRunDevice device = { .functions = &functions,
                          .data = device_run,
                          .host = view->host,
                          .mirror = view->mirror ? view->mirror + step->workspace : NULL };

  run->device = &device;
  step->call.op->forward (&step->call, run);
  run->device = NULL;
  return !device_run->error;
}

static gboolean
run_on_host (HybDeviceRun *device_run, const HybDeviceView *view, const HybStep *step, HybRun *run)
{
  if (device_run->is_copying && !wait_for_device (device_run))
    return FALSE;
  if (step->converts)
    hyb_convert_forward (step->outer, &step->call, run);
  else
    step->call.op->forward (&step->call, run);
  return TRUE;
}

/* Hands the step to its twin. */
static gboolean
launch (HybDeviceRun *device_run, const HybDeviceView *view, guint index, HybRun *run)
{
  const HybStep       *step = &view->plan->steps[index];
  const HybDeviceStep *device = &view->plan->device->steps[index];

  device_run->n_work++;
  device_run->n_waits += device->twin->waits && device->twin->waits (&step->call);
  device->twin->launch (device_run->queue, &step->call, run, device->prepared);
  if (!view->plan->device->is_body)
    device_run->handed = step->node;
  return watch (device_run, view, step);
}

/* Runs one step, after its copies.  A value that a twin or the host reports gets the node. */
static gboolean
run_step (HybDeviceRun *device_run, const HybDeviceView *view, guint index, HybRun *run)
{
  const HybStep       *step = &view->plan->steps[index];
  const HybDeviceStep *device = &view->plan->device->steps[index];
  gboolean             is_there = hyb_device_step_is_there (device);
  gpointer            *slots = (is_there ? view->slots : view->host_slots) + step->first_slot;
  gboolean             is_done;

  run->input = (gconstpointer *) slots;
  run->output = slots + step->call.n_inputs;
  run->workspace = (is_there ? view->memory : view->mirror) + step->workspace;
  run->key = step->key;
  run->device = NULL;

  if (!view->plan->device->is_body)
    device_run->gpu->backend->begin (device_run->queue, step->key);
  if (device->twin)
    is_done = launch (device_run, view, index, run);
  else if (device->bodies)
    is_done = run_bodies (device_run, view, step, run);
  else
    is_done = run_on_host (device_run, view, step, run);
  if (!view->plan->device->is_body)
    device_run->handed = step->node;
  if (run->fault && run->fault->is_set && !run->fault->graph)
    {
      run->fault->graph = view->plan->graph;
      run->fault->node = step->node;
    }
  return is_done;
}

gboolean
hyb_device_run_observed_step (HybDeviceRun        *device_run,
                              const HybDeviceView *view,
                              guint                index,
                              gboolean             with_copies,
                              HybRun              *run)
{
  const HybPlan  *plan = view->plan;
  const HybProbe *probe = run->probe;
  HybSpan         span = { .kind = HYB_SPAN_NODE,
                           .id = plan->steps[index].node,
                           .device = hyb_device_step_is_there (&plan->device->steps[index]),
                           .graph = hyb_graph_get_id (plan->graph),
                           .depth = run->depth,
                           .run = run->number,
                           .step = (guint32) run->step,
                           .in = plan->graph,
                           .plan = plan };
  gboolean        is_done;

  run->span = probe ? &span : NULL;
  if (probe && probe->begin)
    probe->begin (probe->data, &span);
  if (with_copies)
    hyb_device_run_copies (device_run, view, index);
  is_done = run_step (device_run, view, index, run);
  if (probe && probe->end)
    probe->end (probe->data, &span);
  run->span = NULL;
  return is_done;
}

gboolean
hyb_device_run_steps (HybDeviceRun *device_run, const HybDeviceView *view, HybRun *run)
{
  const HybPlan *plan = view->plan;

  for (guint i = 0; i < plan->n_steps; i++)
    if (hyb_run_is_stopped (run) || !hyb_device_run_observed_step (device_run, view, i, TRUE, run))
      return FALSE;
  if (hyb_run_is_stopped (run))
    return FALSE;
  hyb_device_run_copies (device_run, view, plan->n_steps);
  return TRUE;
}
