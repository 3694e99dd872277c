/* plan-hidden.c — hidden outputs whose size and contents are a device's own, such as the reserve space of
 * recurrent layers.
 *
 * Only twins can read such an output, so the step that writes it is computed by the device only if all
 * that read it can be, and the other way round.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan-private.h"

#include "engine/base/error.h"
#include "engine/exec/plan-memory.h"

static HybValueId
last_output (const HybPlan *plan, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (plan->graph, id);

  return node->first_output + node->n_outputs - 1;
}

/* The step of a node before step number end; NULL if it has none. */
static const HybDeviceStep *
find_step (const HybPlan *plan, HybNodeId id, guint end)
{
  guint begin = 0, all = end;

  while (begin < end)
    {
      guint middle = begin + (end - begin) / 2;

      if (plan->steps[middle].node < id)
        begin = middle + 1;
      else
        end = middle;
    }
  return begin < all && plan->steps[begin].node == id ? &plan->device->steps[begin] : NULL;
}

static gboolean
reads (const HybPlan *plan, HybNodeId id, HybValueId value)
{
  const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (plan->graph, id)->n_inputs; i++)
    if (inputs[i] == value)
      return TRUE;
  return FALSE;
}

/* TRUE if every node that reads the output has a twin for that, with elements of this type. */
static gboolean
has_readers (const HybPlan *plan, HybNodeId writer, HybDType dtype)
{
  HybGpu    *gpu = plan->device->gpu;
  HybValueId value = last_output (plan, writer);

  for (HybNodeId id = writer + 1; id < hyb_graph_n_nodes (plan->graph); id++)
    {
      const HybOp       *op = hyb_graph_get_node (plan->graph, id)->op;
      const HybDeviceOp *twin;

      if (!reads (plan, id, value))
        continue;
      twin = hyb_gpu_find_twin (gpu, op);
      if (!twin || !twin->hidden_input || hyb_gpu_why_type_excluded (gpu, op, dtype))
        return FALSE;
    }
  return TRUE;
}

const char *
hyb_device_plan_refuse_hidden (const HybPlan *plan, guint index, const HybDeviceOp *twin)
{
  const HybStep       *step = &plan->steps[index];
  const HybDeviceStep *writer;
  HybValueId           value;

  if (twin->hidden_bytes && plan->places[last_output (plan, step->node)].kind != HYB_PLACE_BLOCK)
    return "what it keeps for its gradient leaves the plan";
  if (twin->hidden_bytes && !has_readers (plan, step->node, hyb_gpu_type_of (&step->call)))
    return "the host computes its gradient";
  if (!twin->hidden_input)
    return NULL;
  value = hyb_graph_get_inputs (plan->graph, step->node)[twin->hidden_input (&step->call)];
  writer = find_step (plan, hyb_graph_get_producer (plan->graph, value), index);
  return writer && writer->twin && writer->twin->hidden_bytes
             ? NULL
             : "the host computes the operator whose gradient this is";
}

gboolean
hyb_device_plan_check_host (const HybPlan *plan, guint index, GError **error)
{
  const HybStep    *step = &plan->steps[index];
  const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, step->node);

  for (guint i = 0; i < step->call.n_inputs; i++)
    {
      HybNodeId            id = hyb_graph_get_producer (plan->graph, inputs[i]);
      const HybDeviceStep *writer = find_step (plan, id, index);

      if (writer && writer->twin && writer->twin->hidden_bytes &&
          inputs[i] == last_output (plan, id))
        return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                             "the GPU keeps values for this gradient, but cannot compute it: %s",
                             plan->device->steps[index].why);
    }
  return TRUE;
}

void
hyb_device_plan_size_hidden (const HybPlan *plan, GArray *intervals)
{
  for (guint i = 0; i < plan->n_steps; i++)
    {
      const HybDeviceStep *step = &plan->device->steps[i];
      HybInterval         *interval;

      if (!step->twin || !step->twin->hidden_bytes)
        continue;
      interval = &g_array_index (intervals, HybInterval,
                                 plan->places[last_output (plan, plan->steps[i].node)].index);
      interval->bytes = MAX (interval->bytes, step->twin->hidden_bytes (step->prepared));
    }
}
