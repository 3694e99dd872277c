/* plan-print.c — a plan as text, for `hscope info --passes`, tests and bug reports.
 *
 * First the changes by each pass, then one line a step with the places of its operands.  The steps of
 * bodies that are planned for a device follow their step, indented.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/plan-private.h"
#include "engine/passes/pipeline.h"

static void
print_place (GString *text, const HybPlan *plan, HybValueId value)
{
  const HybPlace  *place = &plan->places[value];
  g_autofree char *type = hyb_type_to_string (hyb_plan_type (plan, value));

  g_string_append (text, type);
  switch (place->kind)
    {
    case HYB_PLACE_NONE:
      g_string_append (text, " nowhere");
      return;
    case HYB_PLACE_BLOCK:
      g_string_append_printf (text, " @%" G_GSIZE_FORMAT, place->offset);
      return;
    case HYB_PLACE_VARIABLE:
      g_string_append_printf (text, " variable %u", place->index);
      break;
    case HYB_PLACE_HEAD:
      g_string_append_printf (text, " head %u", place->index);
      break;
    case HYB_PLACE_CONSTANT:
      g_string_append_printf (text, " constant %u", place->index);
      break;
    }
  if (place->offset > 0)
    g_string_append_printf (text, " +%" G_GSIZE_FORMAT, place->offset);
}

static void
print_passes (GString *text, const HybPlan *plan)
{
  for (guint i = 0; i < plan->reports->len; i++)
    {
      const HybPassReport *report = &g_array_index (plan->reports, HybPassReport, i);

      g_string_append_printf (text, "pass %s: ", report->pass->name);
      if (report->nodes_before != report->nodes_after)
        g_string_append_printf (text, "%u of %u nodes left", report->nodes_after,
                                report->nodes_before);
      else if (report->folded > 0)
        g_string_append_printf (text, "%u values computed", report->folded);
      else
        g_string_append (text, "nothing to change");
      g_string_append_c (text, '\n');
    }
}

/* TRUE if an output is stored where an input is. */
static gboolean
is_in_place (const HybPlan *plan, HybNodeId id)
{
  const HybNode  *node = hyb_graph_get_node (plan->graph, id);
  const HybPlace *output = &plan->places[node->first_output];
  const HybPlace *input;

  if (node->n_inputs == 0)
    return FALSE;
  input = &plan->places[hyb_graph_get_inputs (plan->graph, id)[0]];
  return input->kind == output->kind && input->offset == output->offset &&
         (input->kind == HYB_PLACE_BLOCK || input->index == output->index);
}

static gboolean
is_on_device (const HybPlan *plan, const HybStep *step)
{
  return plan->device && plan->device->steps[step - plan->steps].twin;
}

static void
print_where (GString *text, const HybDeviceStep *step)
{
  if (step->why)
    g_string_append_printf (text, ", on the host: %s", step->why);
  else
    g_string_append (text, ", on the GPU");
}

static void
print_copy (GString *text, const HybDeviceCopy *copy)
{
  g_string_append_printf (text, "  copy  %" G_GSIZE_FORMAT " bytes to the %s, ", copy->bytes,
                          copy->to_device ? "GPU" : "host");
  if (copy->place.kind == HYB_PLACE_BLOCK)
    g_string_append_printf (text, "@%" G_GSIZE_FORMAT "\n", copy->place.offset);
  else
    g_string_append_printf (text, "%s %u\n",
                            copy->place.kind == HYB_PLACE_HEAD ? "head" : "variable",
                            copy->place.index);
}

/* The copies before a step; those after the last step if index is the number of steps. */
static void
print_copies (GString *text, const HybDevicePlan *device, guint index)
{
  guint last = device->copies->len;

  if (index < device->n_steps)
    last = device->steps[index + 1].first_copy;
  for (guint i = device->steps[index].first_copy; i < last; i++)
    print_copy (text, &g_array_index (device->copies, HybDeviceCopy, i));
}

static void
print_device (GString *text, const HybDevicePlan *device)
{
  gsize bytes = 0;

  for (guint i = 0; i < device->copies->len; i++)
    bytes += g_array_index (device->copies, HybDeviceCopy, i).bytes;
  g_string_append_printf (text,
                          "%u steps on the GPU, %u on the host; %u copies of %" G_GSIZE_FORMAT
                          " bytes between steps and after them\n",
                          device->n_steps - device->n_host_steps, device->n_host_steps,
                          device->copies->len, bytes);
  if (!device->is_body)
    g_string_append_printf (text, "%s\n", hyb_gpu_describe_math (device->gpu));
}

const char *
hyb_plan_get_step_note (const HybPlan *plan, guint step, HybNodeId *node)
{
  const HybStep *of;

  g_return_val_if_fail (plan && node && step < plan->n_steps, NULL);
  of = &plan->steps[step];
  *node = of->node;
  return of->call.op->note && !is_on_device (plan, of) ? of->call.op->note (&of->call) : NULL;
}

static void
print_node (GString *text, const HybPlan *plan, HybNodeId id, const HybStep *step)
{
  const HybNode    *node = hyb_graph_get_node (plan->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, id);
  const char *note = step ? hyb_plan_get_step_note (plan, (guint) (step - plan->steps), &id) : NULL;

  if (step)
    g_string_append_printf (text, "%6u  ", (guint) (step - plan->steps));
  else
    g_string_append (text, "  view  ");
  g_string_append_printf (text, "%s “%s” (", node->type, node->name);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      print_place (text, plan, inputs[i]);
    }
  g_string_append (text, ") → ");
  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      print_place (text, plan, node->first_output + i);
    }
  if (step && is_in_place (plan, id))
    g_string_append (text, ", in place");
  if (step && step->converts)
    g_string_append (text, ", converting");
  if (note)
    g_string_append_printf (text, ", %s", note);
  if (step && step->workspace_bytes > 0)
    g_string_append_printf (text, ", workspace %" G_GSIZE_FORMAT " @%" G_GSIZE_FORMAT,
                            step->workspace_bytes, step->workspace);
  if (step && plan->device)
    print_where (text, &plan->device->steps[step - plan->steps]);
  g_string_append_c (text, '\n');
}

static gboolean
is_alias (const HybPlan *plan, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (plan->graph, id);

  if (hyb_node_is_variable (node) || node->n_outputs == 0)
    return FALSE;
  return plan->places[node->first_output].kind != HYB_PLACE_NONE &&
         plan->places[node->first_output].kind != HYB_PLACE_CONSTANT;
}

static void print_steps (GString *text, const HybPlan *plan);

static void
print_bodies (GString *text, const HybCallDevice *bodies)
{
  for (guint b = 0; b < bodies->plans->len; b++)
    {
      g_autoptr (GString) inner = g_string_new (NULL);
      g_auto (GStrv) lines = NULL;

      print_steps (inner, g_ptr_array_index (bodies->plans, b));
      lines = g_strsplit (inner->str, "\n", -1);
      for (guint i = 0; lines[i] && lines[i + 1]; i++)
        g_string_append_printf (text, "        %s\n", lines[i]);
    }
}

static void
print_steps (GString *text, const HybPlan *plan)
{
  guint step = 0;

  g_string_append_printf (text, "%u steps, %" G_GSIZE_FORMAT " bytes, %u constants\n",
                          plan->n_steps, plan->memory, plan->constants->len);
  if (plan->device)
    print_device (text, plan->device);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (plan->graph); id++)
    {
      if (step < plan->n_steps && plan->steps[step].node == id)
        {
          if (plan->device)
            print_copies (text, plan->device, step);
          print_node (text, plan, id, &plan->steps[step]);
          if (plan->device && plan->device->steps[step].bodies)
            print_bodies (text, plan->device->steps[step].bodies);
          step++;
        }
      else if (is_alias (plan, id))
        print_node (text, plan, id, NULL);
    }
  if (plan->device)
    print_copies (text, plan->device, plan->n_steps);
  for (guint i = 0; i < plan->n_copies; i++)
    g_string_append_printf (text, "  copy  %" G_GSIZE_FORMAT " bytes to head %u\n",
                            plan->copies[i].bytes, plan->copies[i].head);
}

/* The outputs that a run leaves on the device. */
static void
print_heads (GString *text, const HybPlan *plan)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n);

  for (guint i = 0; i < n; i++)
    if (plan->device->has_head[i])
      g_string_append_printf (text,
                              "  head %u, %" G_GSIZE_FORMAT
                              " bytes, stays on the GPU until it is read\n",
                              i, hyb_type_bytes (hyb_plan_type (plan, heads[i])));
}

char *
hyb_plan_print (const HybPlan *plan)
{
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (plan, NULL);
  print_passes (text, plan);
  if (plan->is_dynamic)
    g_string_append (text, "some shapes show only while running: operator by operator\n");
  else
    print_steps (text, plan);
  if (plan->device)
    print_heads (text, plan);
  return g_string_free (text, FALSE);
}
