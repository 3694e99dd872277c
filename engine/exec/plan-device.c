/* plan-device.c — gives every step its place, the device or the host, and lists the copies between.
 *
 * While going through the steps, a list of stale ranges says which bytes only one side has.  A step
 * that reads such bytes on the other side needs a copy.  Copies for several steps of the host in a
 * row are made before the first of them, so that the host waits once.  Start with
 * hyb_device_plan_finish().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan-bodies.h"
#include "engine/exec/plan-private.h"
#include "engine/graph/reach.h"

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
  GArray  *stale;   /* of Stale, disjoint */
  GArray  *batch;   /* of HybDeviceCopy: the copies before the current steps */
  guint8  *is_kept; /* by variable: a run writes it, and it stays on the device */
} Search;

HybDevicePlan *
hyb_device_plan_new (const HybPlanOptions *options, guint n_steps)
{
  HybDevicePlan *device = g_new0 (HybDevicePlan, 1);

  device->gpu = hyb_gpu_ref (options->gpu);
  device->is_body = options->values_on_gpu;
  device->n_steps = n_steps;
  device->steps = g_new0 (HybDeviceStep, n_steps + 1);
  device->copies = g_array_new (FALSE, FALSE, sizeof (HybDeviceCopy));
  return device;
}

static void
free_bodies (HybCallDevice *bodies)
{
  g_clear_pointer (&bodies->plans, g_ptr_array_unref);
  g_free (bodies);
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
      g_clear_pointer (&step->bodies, free_bodies);
      g_free (step->why);
    }
  g_free (device->variable_mirror);
  g_free (device->head_mirror);
  g_free (device->steps);
  g_array_unref (device->copies);
  g_free (device->reads_variable);
  g_free (device->reads_constant);
  g_free (device->has_head);
  hyb_gpu_unref (device->gpu);
  g_free (device);
}

/* --- Places of steps --- */

/* Why the device must not compute a fused chain, (transfer full): one of its members is excluded.  NULL if none
 * is.  Loops plan their bodies by themselves. */
static char *
find_member_reason (const HybGpu *gpu, const HybCall *call)
{
  HybDType dtype = hyb_gpu_type_of (call); /* members of a chain have the type of the chain */

  if (call->op->flags & HYB_OP_DEVICE_BODIES)
    return NULL;
  for (guint b = 0; b < call->n_bodies; b++)
    for (HybNodeId id = 0; id < hyb_graph_n_nodes (call->body[b]); id++)
      {
        const HybOp *op = hyb_graph_get_node (call->body[b], id)->op;
        const char  *reason = op ? hyb_gpu_why_type_excluded (gpu, op, dtype) : NULL;

        if (reason)
          return g_strdup_printf ("%s in it: %s", op->name, reason);
      }
  return NULL;
}

/* Why the device must not compute a merged node: a part of it is excluded.  NULL if none is. */
static const char *
find_part_reason (const HybGpu *gpu, const HybDeviceOp *twin, const HybCall *call)
{
  const char *reason = NULL;

  for (guint i = 0; twin->parts && twin->parts[i] && !reason; i++)
    reason = hyb_gpu_why_type_excluded (gpu, hyb_op_find (twin->parts[i]), hyb_gpu_type_of (call));
  return reason;
}

/* Half a sentence, (transfer full); NULL if the device can compute the call. */
static char *
find_reason (HybPlan *plan, guint index, gsize *workspace)
{
  HybDevicePlan     *device = plan->device;
  HybDeviceStep     *step = &device->steps[index];
  const HybCall     *call = &plan->steps[index].call;
  const HybDeviceOp *twin = hyb_gpu_find_twin (device->gpu, call->op);
  const char *reason = hyb_gpu_why_type_excluded (device->gpu, call->op, hyb_gpu_type_of (call));
  char       *member_reason;
  g_autoptr (GError) error = NULL;

  /* From the cheapest question to the dearest: type, operator, members of a fused operator, sizes,
   * and only then preparation. */
  if (reason)
    return g_strdup (reason);
  if (!twin)
    return g_strdup ("the GPU module does not compute this operator");
  member_reason = find_member_reason (device->gpu, call);
  if (member_reason)
    return member_reason;
  reason = find_part_reason (device->gpu, twin, call);
  if (!reason && twin->refuses)
    reason = twin->refuses (call);
  if (!reason)
    reason = hyb_device_plan_refuse_hidden (plan, index, twin);
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

  step->why = find_reason (plan, index, workspace);
  plan->device->n_host_steps += step->why != NULL;
  return !step->why;
}

void
hyb_device_plan_begin_bodies (HybPlan *plan, guint index)
{
  HybDeviceStep *step = &plan->device->steps[index];

  step->bodies = g_new0 (HybCallDevice, 1);
  plan->steps[index].call.on_device = step->bodies;
}

/* TRUE if bodies are worth running on the device: it computes steps of them, or they have none. */
static gboolean
bodies_suit_device (const HybCallDevice *bodies)
{
  guint n_host = 0;

  if (!bodies->plans)
    return FALSE;
  for (guint b = 0; b < bodies->plans->len; b++)
    n_host += hyb_plan_n_host_steps (g_ptr_array_index (bodies->plans, b));
  return bodies->n_steps > 0 || n_host == 0;
}

gboolean
hyb_device_plan_end_bodies (HybPlan *plan, guint index, gboolean is_done, const GError *error)
{
  HybDevicePlan *device = plan->device;
  HybDeviceStep *step = &device->steps[index];

  if (is_done && bodies_suit_device (step->bodies))
    {
      g_clear_pointer (&step->why, g_free);
      device->n_host_steps--;
      device->host_bytes = MAX (device->host_bytes, step->bodies->host_bytes);
      return TRUE;
    }
  g_free (step->why);
  step->why = g_strdup (error ? error->message : "the GPU module computes no operator of its body");
  g_clear_pointer (&step->bodies, free_bodies);
  plan->steps[index].call.on_device = NULL;
  return FALSE;
}

/* Counts the steps on one side, including steps of bodies. */
static guint
count_steps (const HybPlan *plan, gboolean on_device)
{
  const HybDevicePlan *device = plan->device;
  guint                n = 0;

  if (!device)
    return on_device ? 0 : plan->n_steps;
  for (guint i = 0; i < plan->n_steps; i++)
    {
      const HybCallDevice *bodies = device->steps[i].bodies;

      if (!bodies)
        n += hyb_device_step_is_there (&device->steps[i]) == on_device;
      for (guint b = 0; bodies && b < bodies->plans->len; b++)
        n += count_steps (g_ptr_array_index (bodies->plans, b), on_device);
    }
  return n;
}

guint
hyb_plan_n_device_steps (const HybPlan *plan)
{
  return count_steps (plan, TRUE);
}

guint
hyb_plan_n_host_steps (const HybPlan *plan)
{
  return count_steps (plan, FALSE);
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

/* Removes bytes begin … end of a place from the stale ranges that only the side on_device has,
 * and copies them to the other side on request. */
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

  refresh (search, &place, hyb_type_bytes (hyb_plan_type (plan, value)), !on_device, TRUE);
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
  gsize    bytes = hyb_type_bytes (hyb_plan_type (plan, value));
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
  HybGraph          *graph = search->plan->graph;
  const HybNode     *node = hyb_graph_get_node (graph, step->node);
  const HybValueId  *inputs = hyb_graph_get_inputs (graph, step->node);
  g_autofree guint8 *written =
      hyb_graph_find_written_inputs (graph, step->node, search->plan->training);

  for (guint i = 0; i < node->n_inputs; i++)
    read_value (search, inputs[i], on_device);
  for (guint i = 0; i < node->n_inputs; i++)
    if (written[i] || hyb_op_writes_input (node->op, i))
      write_value (search, inputs[i], on_device);
  for (guint i = 0; i < node->n_outputs; i++)
    write_value (search, node->first_output + i, on_device);
}

/* TRUE if only this side has some of the bytes of a value. */
static gboolean
is_stale (const Search *search, HybValueId value, gboolean on_device)
{
  HybPlace place = space_of (&search->plan->places[value]);
  gsize    end = place.offset + hyb_type_bytes (hyb_plan_type (search->plan, value));

  for (guint i = 0; i < search->stale->len; i++)
    {
      const Stale *range = &g_array_index (search->stale, Stale, i);

      if (range->kind == place.kind && range->index == place.index &&
          range->on_device == on_device && range->end > place.offset && range->begin < end)
        return TRUE;
    }
  return FALSE;
}

/* After the last step the variables that were written go to the host, or to the device if they are kept there.
 * A head stays on the device until somebody reads it, unless it lies in a variable or partly on the host. */
static void
search_results (Search *search)
{
  HybPlan          *plan = search->plan;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    {
      gboolean stays = plan->places[heads[i]].kind == HYB_PLACE_BLOCK &&
                       is_stale (search, heads[i], TRUE) && !is_stale (search, heads[i], FALSE);

      plan->device->has_head[i] = stays;
      if (!stays)
        read_value (search, heads[i], FALSE);
    }
  for (guint i = 0; i < plan->n_variables; i++)
    refresh (search, &(HybPlace){ HYB_PLACE_VARIABLE, i, 0 }, G_MAXSIZE, !search->is_kept[i], TRUE);
}

static gsize
variable_bytes (const HybPlan *plan, guint index)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (plan->graph, &n);

  return hyb_type_bytes (
      hyb_plan_type (plan, hyb_graph_get_node (plan->graph, variables[index])->first_output));
}

static gsize
head_bytes (const HybPlan *plan, guint index)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n);

  return hyb_type_bytes (hyb_plan_type (plan, heads[index]));
}

/* Before the first step only the device has the variables of a body, and the variables that are kept there. */
static void
search_variables (Search *search)
{
  HybDevicePlan *device = search->plan->device;

  for (guint i = 0; i < search->plan->n_variables; i++)
    {
      Stale range = { .kind = HYB_PLACE_VARIABLE, .index = i, .on_device = TRUE };

      if (!device->is_body && !search->is_kept[i])
        continue;
      device->reads_variable[i] |= search->is_kept[i];
      range.end = variable_bytes (search->plan, i);
      if (range.end > 0)
        g_array_append_val (search->stale, range);
    }
}

/* After the last step of a body the device has its heads and the variables that were written. */
static void
search_results_of_body (Search *search)
{
  HybPlan          *plan = search->plan;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    read_value (search, heads[i], TRUE);
  for (guint i = 0; i < plan->n_variables; i++)
    refresh (search, &(HybPlace){ HYB_PLACE_VARIABLE, i, 0 }, G_MAXSIZE, FALSE, TRUE);
}

/* (transfer full) */
static guint8 *
find_kept (const HybPlan *plan)
{
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (plan->graph, &n);
  g_autofree guint8 *written = hyb_graph_find_written (plan->graph, plan->training);
  guint8            *kept = g_new0 (guint8, MAX (n, 1));

  for (guint i = 0; i < n && plan->options->kept; i++)
    kept[i] = plan->options->kept[i] && written[variables[i]];
  return kept;
}

static void
find_copies (HybPlan *plan)
{
  HybDevicePlan     *device = plan->device;
  g_autofree guint8 *kept = find_kept (plan);
  Search             search = { plan, g_array_new (FALSE, FALSE, sizeof (Stale)),
                                g_array_new (FALSE, FALSE, sizeof (HybDeviceCopy)), kept };

  device->reads_variable = g_new0 (guint8, MAX (plan->n_variables, 1));
  device->reads_constant = g_new0 (guint8, MAX (plan->constants->len, 1));
  device->has_head = g_new0 (guint8, MAX (plan->n_heads, 1));
  search_variables (&search);
  for (guint i = 0; i < plan->n_steps;)
    {
      gboolean on_device = hyb_device_step_is_there (&device->steps[i]);
      guint    first = i;
      guint    first_copy = device->copies->len;

      /* Steps that follow one another on the same side form a batch, with all their copies before
       * the first of them, where copies of adjacent bytes become one. */
      do
        search_step (&search, &plan->steps[i++], on_device);
      while (i < plan->n_steps && hyb_device_step_is_there (&device->steps[i]) == on_device);
      flush (&search);
      device->steps[first].first_copy = first_copy;
      for (guint k = first + 1; k < i; k++)
        device->steps[k].first_copy = device->copies->len;
    }
  device->steps[plan->n_steps].first_copy = device->copies->len;
  /* The end of the run is one more batch, for results that the other side has computed. */
  if (device->is_body)
    search_results_of_body (&search);
  else
    search_results (&search);
  flush (&search);
  g_array_unref (search.stale);
  g_array_unref (search.batch);
}

/* --- Bodies --- */

/* Reserves room behind the block of the host for the variables and heads of a body that steps of the
 * host touch. */
static void
place_mirrors (HybPlan *plan)
{
  HybDevicePlan *device = plan->device;

  device->variable_mirror = g_new (gsize, MAX (plan->n_variables, 1));
  device->head_mirror = g_new (gsize, MAX (plan->n_heads, 1));
  /* G_MAXSIZE marks a variable or head that no step of the host touches. */
  for (guint i = 0; i < plan->n_variables; i++)
    device->variable_mirror[i] = G_MAXSIZE;
  for (guint i = 0; i < plan->n_heads; i++)
    device->head_mirror[i] = G_MAXSIZE;
  for (guint i = 0; i < plan->n_steps; i++)
    {
      const HybStep *step = &plan->steps[i];

      if (hyb_device_step_is_there (&device->steps[i]))
        continue;
      for (guint k = 0; k < step->call.n_inputs + step->call.n_outputs; k++)
        {
          const HybPlace *place = &plan->slots[step->first_slot + k];
          guint           n = place->index;

          if (place->kind == HYB_PLACE_VARIABLE && device->variable_mirror[n] == G_MAXSIZE)
            device->variable_mirror[n] =
                hyb_workspace_take (&plan->memory, variable_bytes (plan, n));
          if (place->kind == HYB_PLACE_HEAD && device->head_mirror[n] == G_MAXSIZE)
            device->head_mirror[n] = hyb_workspace_take (&plan->memory, head_bytes (plan, n));
        }
    }
}

/* TRUE if the device draws random numbers for the step. */
static gboolean
draws (const HybPlan *plan, guint index)
{
  const HybDeviceStep *step = &plan->device->steps[index];

  for (guint b = 0; step->bodies && b < step->bodies->plans->len; b++)
    if (((const HybPlan *) g_ptr_array_index (step->bodies->plans, b))->device->draws)
      return TRUE;
  return step->twin && plan->steps[index].call.op->flags & HYB_OP_RANDOM;
}

void
hyb_device_plan_finish (HybPlan *plan)
{
  for (guint i = 0; i < plan->n_steps; i++)
    plan->device->draws |= draws (plan, i);
  find_copies (plan);
  if (plan->device->is_body)
    place_mirrors (plan);
}
