/* frame.c — runs a plan: resolves pointers once, then calls kernel after kernel.
 *
 * A frame holds one pointer for each operand of each step.  Binding fills the pointers that depend
 * on it; hyb_frame_run() is the loop in which all computing happens.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/device-run.h"
#include "engine/exec/plan-bodies.h"
#include "engine/imperative/convert.h"
#include "engine/op/run-private.h"

#include <string.h>

struct _HybFrame
{
  const HybPlan *plan;
  char          *memory;
  gpointer      *slots;     /* operands of all steps */
  gpointer      *variables; /* as bound */
  gpointer      *heads;     /* as bound */
  HybDeviceView *view;      /* of a body on a device; else NULL */
};

static gsize
align_up (gsize bytes)
{
  return (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
}

/* The bytes that a frame allocates for a device: its view, addresses on the host, and host memory
 * for the bodies of its steps. */
static gsize
view_size (const HybPlan *plan)
{
  gsize n_pointers = (gsize) plan->n_slots + plan->n_variables + plan->n_heads;

  return align_up (align_up (sizeof (HybDeviceView)) + n_pointers * sizeof (gpointer)) +
         plan->device->host_bytes;
}

gsize
hyb_frame_size (const HybPlan *plan)
{
  g_return_val_if_fail (plan, 0);

  gsize n_pointers = (gsize) plan->n_slots + plan->n_variables + plan->n_heads;
  gsize size = align_up (align_up (sizeof (HybFrame)) + n_pointers * sizeof (gpointer));

  return plan->device ? size + view_size (plan) : size;
}

/* The address of a place, or NULL if its variable, head or memory is not bound yet. */
static gpointer
find_place (const HybFrame *frame, const HybPlace *place)
{
  const HybPlan *plan = frame->plan;
  char          *base = NULL;

  switch (place->kind)
    {
    case HYB_PLACE_NONE:
      return NULL;
    case HYB_PLACE_BLOCK:
      return frame->memory + place->offset;
    case HYB_PLACE_CONSTANT:
      base = hyb_tensor_get_data (g_ptr_array_index (plan->constants, place->index));
      break;
    case HYB_PLACE_VARIABLE:
      base = frame->variables[place->index];
      break;
    case HYB_PLACE_HEAD:
      base = frame->heads[place->index];
      break;
    }
  return base ? base + place->offset : NULL;
}

/* --- On a device --- */

/* Makes the view behind the frame. */
static void
init_view (HybFrame *frame)
{
  const HybPlan *plan = frame->plan;
  gsize          n_pointers = (gsize) plan->n_slots + plan->n_variables + plan->n_heads;
  char          *begin =
      (char *) frame + align_up (align_up (sizeof (HybFrame)) + n_pointers * sizeof (gpointer));
  gpointer *host_slots = (gpointer *) (gpointer) (begin + align_up (sizeof (HybDeviceView)));

  frame->view = (HybDeviceView *) (gpointer) begin;
  *frame->view = (HybDeviceView){
    .plan = plan,
    .memory = frame->memory,
    .host = begin + view_size (plan) - plan->device->host_bytes,
    .slots = frame->slots,
    .host_slots = host_slots,
    .variables = frame->variables,
    .host_variables = host_slots + plan->n_slots,
    .heads = frame->heads,
    .host_heads = host_slots + plan->n_slots + plan->n_variables,
  };
}

void
hyb_frame_set_mirror (HybFrame *frame, gpointer mirror)
{
  const HybPlan       *plan = frame->plan;
  const HybDevicePlan *device = plan->device;
  HybDeviceView       *view = frame->view;

  view->mirror = mirror;
  for (guint i = 0; i < plan->n_variables; i++)
    view->host_variables[i] =
        device->variable_mirror[i] != G_MAXSIZE ? view->mirror + device->variable_mirror[i] : NULL;
  for (guint i = 0; i < plan->n_heads; i++)
    view->host_heads[i] =
        device->head_mirror[i] != G_MAXSIZE ? view->mirror + device->head_mirror[i] : NULL;
  for (guint i = 0; i < plan->n_slots; i++)
    view->host_slots[i] = hyb_device_view_find_host (view, &plan->slots[i]);
}

/* hyb_frame_run() for a body on a device.  Apart from it, so that the loop over the steps of the processor
 * keeps its registers. */
static gboolean G_GNUC_NO_INLINE
run_on_device (HybFrame *frame, HybRun *run)
{
  const HybPlan       *plan = frame->plan;
  const HybRunDevice  *device = run->device;
  const HybDeviceView *view = frame->view;

  if (!hyb_device_run_steps (device->data, view, run))
    return FALSE;
  for (guint i = 0; i < plan->n_copies; i++)
    {
      const HybCopy *copy = &plan->copies[i];
      gpointer       from = find_place (frame, &copy->from);

      if (copy->bytes > 0 && from != frame->heads[copy->head])
        device->functions->copy (device->data, frame->heads[copy->head], from, copy->bytes);
    }
  return TRUE;
}

HybFrame *
hyb_frame_init (gpointer storage, const HybPlan *plan, gpointer memory)
{
  HybFrame *frame = storage;

  g_return_val_if_fail (plan, NULL);
  g_return_val_if_fail (!plan->is_dynamic, NULL);

  frame->plan = plan;
  frame->memory = memory;
  frame->slots = (gpointer *) (gpointer) ((char *) storage + align_up (sizeof (HybFrame)));
  frame->variables = frame->slots + plan->n_slots;
  frame->heads = frame->variables + plan->n_variables;
  frame->view = NULL;
  memset (frame->variables, 0, (plan->n_variables + plan->n_heads) * sizeof (gpointer));
  if (plan->device)
    init_view (frame);

  for (guint i = 0; i < plan->n_slots; i++)
    frame->slots[i] = find_place (frame, &plan->slots[i]);
  return frame;
}

static void
patch (HybFrame *frame, const HybPatch *patches, const guint *first, guint index, gpointer data)
{
  for (guint i = first[index]; i < first[index + 1]; i++)
    frame->slots[patches[i].slot] = data ? (char *) data + patches[i].offset : NULL;
}

void
hyb_frame_bind_variable (HybFrame *frame, guint variable, gconstpointer data)
{
  g_return_if_fail (frame);

  const HybPlan *plan = frame->plan;

  g_return_if_fail (variable < plan->n_variables);

  frame->variables[variable] = (gpointer) data;
  patch (frame, plan->variable_patches, plan->variable_first, variable, (gpointer) data);
}

void
hyb_frame_bind_head (HybFrame *frame, guint head, gpointer data)
{
  g_return_if_fail (frame);

  const HybPlan *plan = frame->plan;

  g_return_if_fail (plan->binds_outputs && head < plan->n_heads);

  frame->heads[head] = data;
  patch (frame, plan->head_patches, plan->head_first, head, data);
}

gpointer
hyb_frame_get_head (HybFrame *frame, guint head)
{
  g_return_val_if_fail (frame, NULL);

  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (frame->plan->graph, &n_heads);

  g_return_val_if_fail (head < n_heads, NULL);

  if (frame->plan->binds_outputs)
    return frame->heads[head];
  return find_place (frame, &frame->plan->places[heads[head]]);
}

static gboolean
is_bound (const HybFrame *frame)
{
  const HybPlan *plan = frame->plan;

  for (guint i = 0; i < plan->n_variables; i++)
    if (!frame->variables[i] && plan->variable_first[i] < plan->variable_first[i + 1])
      return FALSE;
  for (guint i = 0; i < plan->n_heads; i++)
    if (!frame->heads[i] && plan->binds_outputs)
      return FALSE;
  for (guint i = 0; i < plan->n_copies; i++)
    if (!find_place (frame, &plan->copies[i].from))
      return FALSE;
  return TRUE;
}

static inline void
run_step (const HybFrame *frame, const HybStep *step, HybRun *run)
{
  run->input = (gconstpointer *) (frame->slots + step->first_slot);
  run->output = frame->slots + step->first_slot + step->call.n_inputs;
  run->workspace = frame->memory + step->workspace;
  run->key = step->key;

  if (G_UNLIKELY (step->converts))
    hyb_convert_forward (step->outer, &step->call, run);
  else
    step->call.op->forward (&step->call, run);
}

/* Notes the node at which the run stops, if its kernel reported values and no node within it did. */
static void
note_node (const HybFrame *frame, const HybStep *step, const HybRun *run)
{
  if (run->fault && run->fault->is_set && !run->fault->graph)
    {
      run->fault->graph = frame->plan->graph;
      run->fault->node = step->node;
    }
}

static gboolean
run_watched (const HybFrame *frame, HybRun *run)
{
  const HybPlan  *plan = frame->plan;
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
      if (hyb_run_has_stopped (run))
        return FALSE;
      span.id = plan->steps[i].node;
      run->span = &span;
      if (probe->begin)
        probe->begin (probe->data, &span);
      run_step (frame, &plan->steps[i], run);
      note_node (frame, &plan->steps[i], run);
      if (probe->end)
        probe->end (probe->data, &span);
    }
  return TRUE;
}

static gboolean
run_unwatched (const HybFrame *frame, HybRun *run)
{
  const HybPlan *plan = frame->plan;

  for (guint i = 0; i < plan->n_steps; i++)
    {
      if (hyb_run_has_stopped (run))
        return FALSE;
      run_step (frame, &plan->steps[i], run);
      note_node (frame, &plan->steps[i], run);
    }
  return TRUE;
}

gboolean
hyb_frame_run (HybFrame *frame, const HybRun *context)
{
  g_return_val_if_fail (frame, FALSE);

  const HybPlan *plan = frame->plan;
  HybRun         run = *context;

  g_return_val_if_fail (is_bound (frame), FALSE);

  run.training = plan->training;
  if (frame->view)
    return run_on_device (frame, &run);
  if (!(run.probe ? run_watched (frame, &run) : run_unwatched (frame, &run)))
    return FALSE;
  if (hyb_run_has_stopped (&run))
    return FALSE; /* a loop may have stopped before its end */

  for (guint i = 0; i < plan->n_copies; i++)
    {
      const HybCopy *copy = &plan->copies[i];
      gpointer       from = find_place (frame, &copy->from);

      if (copy->bytes > 0 && from != frame->heads[copy->head])
        memmove (frame->heads[copy->head], from, copy->bytes);
    }
  return TRUE;
}
