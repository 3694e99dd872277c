/* plan-device.c — gives every step its place, the device or the host, and lists the copies between.
 *
 * While going through the steps, a list of stale ranges says which bytes only one side has.  A step
 * that reads such bytes on the other side needs a copy.  Copies for several steps of the host in a
 * row are made before the first of them, so that the host waits once.  Start with
 * hyb_device_plan_find_copies().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan-private.h"

/* Bytes that only one side has. */
typedef struct
{
  HybPlaceKind kind;
  guint32      index; /* of the variable; 0 in the block */
  gsize        begin, end;
  gboolean     on_device; /* else on the host */
} Stale;

typedef struct
{
  HybPlan *plan;
  GArray  *stale; /* of Stale, disjoint */
  GArray  *batch; /* of HybDeviceCopy: the copies before the current steps */
} Search;

HybDevicePlan *
hyb_device_plan_new (HybGpu *gpu, guint n_steps)
{
  HybDevicePlan *device = g_new0 (HybDevicePlan, 1);

  device->gpu = hyb_gpu_ref (gpu);
  device->n_steps = n_steps;
  device->steps = g_new0 (HybDeviceStep, n_steps + 1);
  device->copies = g_array_new (FALSE, FALSE, sizeof (HybDeviceCopy));
  return device;
}

void
hyb_device_plan_free (HybDevicePlan *device)
{
  if (!device)
    return;

  for (guint i = 0; i < device->n_steps; i++)
    {
      HybDeviceStep *step = &device->steps[i];

      if (step->twin && step->twin->release)
        step->twin->release (step->prepared);
      g_free (step->why);
    }
  g_free (device->steps);
  g_array_unref (device->copies);
  g_free (device->reads_variable);
  g_free (device->reads_constant);
  hyb_gpu_unref (device->gpu);
  g_free (device);
}

/* --- Places of steps --- */

/* Half a sentence, (transfer full); NULL if the device can compute the call. */
static char *
find_reason (HybDevicePlan *device, guint index, const HybCall *call, gsize *workspace)
{
  HybDeviceStep     *step = &device->steps[index];
  const HybDeviceOp *twin = hyb_gpu_find_twin (device->gpu, call->op);
  const char        *reason;
  g_autoptr (GError) error = NULL;

  if (!twin)
    return g_strdup ("the GPU module does not compute this operator");
  reason = twin->refuses ? twin->refuses (call) : NULL;
  if (reason)
    return g_strdup (reason);

  *workspace = 0;
  step->prepared =
      twin->prepare ? twin->prepare (device->gpu->device, call, workspace, &error) : NULL;
  if (error)
    {
      g_info ("%s: %s", call->op->name, error->message);
      return g_strdup (error->message);
    }
  step->twin = twin;
  return NULL;
}

gboolean
hyb_device_plan_add_step (HybPlan *plan, guint index, gsize *workspace)
{
  HybDeviceStep *step = &plan->device->steps[index];

  step->why = find_reason (plan->device, index, &plan->steps[index].call, workspace);
  plan->device->n_host_steps += step->why != NULL;
  return !step->why;
}

/* --- Copies --- */

static void
add_copy (Search *search, const Stale *range)
{
  HybDeviceCopy copy = { .to_device = !range->on_device,
                         .place = { range->kind, range->index, range->begin },
                         .bytes = range->end - range->begin };

  g_array_append_val (search->batch, copy);
}

/* Removes bytes begin … end of a place from the stale ranges that only the side on_device has, and
 * copies them to the other side if wanted. */
static void
refresh (Search *search, const HybPlace *place, gsize bytes, gboolean on_device, gboolean copies)
{
  gsize begin = place->offset, end = begin + bytes;

  for (guint i = search->stale->len; i-- > 0;)
    {
      Stale range = g_array_index (search->stale, Stale, i);
      Stale part = range;

      if (range.kind != place->kind || range.index != place->index ||
          range.on_device != on_device || range.end <= begin || range.begin >= end)
        continue;
      g_array_remove_index_fast (search->stale, i);
      part.end = begin;
      if (range.begin < begin)
        g_array_append_val (search->stale, part);
      part.begin = end;
      part.end = range.end;
      if (range.end > end)
        g_array_append_val (search->stale, part);
      part.begin = MAX (range.begin, begin);
      part.end = MIN (range.end, end);
      if (copies)
        add_copy (search, &part);
    }
}

/* The block is one space; its places carry no number. */
static HybPlace
space_of (const HybPlace *place)
{
  HybPlace space = *place;

  if (space.kind == HYB_PLACE_BLOCK)
    space.index = 0;
  return space;
}

static void
read_value (Search *search, HybValueId value, gboolean on_device)
{
  HybPlan *plan = search->plan;
  HybPlace place = space_of (&plan->places[value]);

  refresh (search, &place, hyb_type_bytes (&plan->types[value]), !on_device, TRUE);
  if (on_device && place.kind == HYB_PLACE_VARIABLE)
    plan->device->reads_variable[place.index] = TRUE;
  if (on_device && place.kind == HYB_PLACE_CONSTANT)
    plan->device->reads_constant[place.index] = TRUE;
}

static void
write_value (Search *search, HybValueId value, gboolean on_device)
{
  HybPlan *plan = search->plan;
  HybPlace place = space_of (&plan->places[value]);
  gsize    bytes = hyb_type_bytes (&plan->types[value]);
  Stale    range = { place.kind, place.index, place.offset, place.offset + bytes, on_device };

  refresh (search, &place, bytes, TRUE, FALSE);
  refresh (search, &place, bytes, FALSE, FALSE);
  if (bytes > 0 && place.kind != HYB_PLACE_NONE)
    g_array_append_val (search->stale, range);
}

static int
compare_copies (gconstpointer a, gconstpointer b)
{
  const HybDeviceCopy *x = a, *y = b;

  if (x->to_device != y->to_device)
    return x->to_device ? 1 : -1;
  if (x->place.kind != y->place.kind)
    return x->place.kind < y->place.kind ? -1 : 1;
  if (x->place.index != y->place.index)
    return x->place.index < y->place.index ? -1 : 1;
  return x->place.offset < y->place.offset ? -1 : x->place.offset > y->place.offset;
}

/* Appends the batch to the plan's copies; those side by side become one. */
static void
flush (Search *search)
{
  GArray *copies = search->plan->device->copies;

  g_array_sort (search->batch, compare_copies);
  for (guint i = 0; i < search->batch->len; i++)
    {
      HybDeviceCopy  copy = g_array_index (search->batch, HybDeviceCopy, i);
      HybDeviceCopy *last = i > 0 ? &g_array_index (copies, HybDeviceCopy, copies->len - 1) : NULL;

      if (last && last->to_device == copy.to_device && last->place.kind == copy.place.kind &&
          last->place.index == copy.place.index &&
          last->place.offset + last->bytes == copy.place.offset)
        last->bytes += copy.bytes;
      else
        g_array_append_val (copies, copy);
    }
  g_array_set_size (search->batch, 0);
}

static void
search_step (Search *search, const HybStep *step, gboolean on_device)
{
  HybGraph         *graph = search->plan->graph;
  const HybNode    *node = hyb_graph_get_node (graph, step->node);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, step->node);

  for (guint i = 0; i < node->n_inputs; i++)
    read_value (search, inputs[i], on_device);
  for (guint i = 0; i < node->n_inputs; i++)
    if (hyb_op_writes_input (node->op, i))
      write_value (search, inputs[i], on_device);
  for (guint i = 0; i < node->n_outputs; i++)
    write_value (search, node->first_output + i, on_device);
}

/* After the last step the host reads the heads and the variables that were written. */
static void
search_results (Search *search)
{
  HybPlan          *plan = search->plan;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    read_value (search, heads[i], FALSE);
  for (guint i = 0; i < plan->n_variables; i++)
    refresh (search, &(HybPlace){ HYB_PLACE_VARIABLE, i, 0 }, G_MAXSIZE, TRUE, TRUE);
}

void
hyb_device_plan_find_copies (HybPlan *plan)
{
  HybDevicePlan *device = plan->device;
  Search         search = { plan,
                            g_array_new (FALSE, FALSE, sizeof (Stale)),
                            g_array_new (FALSE, FALSE, sizeof (HybDeviceCopy)) };

  device->reads_variable = g_new0 (guint8, MAX (plan->n_variables, 1));
  device->reads_constant = g_new0 (guint8, MAX (plan->constants->len, 1));
  for (guint i = 0; i < plan->n_steps;)
    {
      gboolean on_device = device->steps[i].twin != NULL;
      guint    first = i;
      guint    first_copy = device->copies->len;

      do
        search_step (&search, &plan->steps[i++], on_device);
      while (i < plan->n_steps && (device->steps[i].twin != NULL) == on_device);
      flush (&search);
      device->steps[first].first_copy = first_copy;
      for (guint k = first + 1; k < i; k++)
        device->steps[k].first_copy = device->copies->len;
    }
  device->steps[plan->n_steps].first_copy = device->copies->len;
  search_results (&search);
  flush (&search);
  g_array_unref (search.stale);
  g_array_unref (search.batch);
}
