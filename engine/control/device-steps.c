/* device-steps.c — single operators that a loop or condition computes itself, planned for a device:
 * each is a graph of one node, with a plan of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/control/device-steps.h"

#include "engine/graph/builder.h"

/* Adds n variables to a graph.  (transfer full) */
static HybValueId *
add_variables (HybBuilder *builder, guint n)
{
  HybValueId *variables = g_new (HybValueId, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("input%u", i);

      variables[i] = hyb_builder_add_variable (builder, name, NULL);
    }
  return variables;
}

/* Plans a graph as a body of call.  (transfer full); NULL and an error. */
static HybSubgraph *
plan_graph (HybGraph      *graph /* (transfer full) */,
            const HybCall *call,
            const HybType *inputs,
            gsize         *workspace,
            GError       **error)
{
  HybSubgraph *step = g_new0 (HybSubgraph, 1);

  step->graph = graph;
  if (hyb_subgraph_plan (step, call, inputs, workspace, error))
    return step;
  hyb_device_step_free (step);
  return NULL;
}

void
hyb_device_step_free (HybSubgraph *step)
{
  if (!step)
    return;
  hyb_subgraph_clear (step);
  g_free (step);
}

/* --- Sums --- */

gboolean
hyb_device_sum_plan (HybSubgraph  **sum,
                     const HybCall *call,
                     const HybType *type,
                     gsize         *workspace,
                     GError       **error)
{
  HybBuilder            *builder;
  g_autofree HybValueId *variables = NULL;
  HybValueId             value;

  *sum = NULL;
  if (!call->on_device || hyb_type_bytes (type) == 0)
    return TRUE;
  builder = hyb_builder_new ();
  variables = add_variables (builder, 2);
  value =
      hyb_builder_call (builder, "elemwise_add",
                        &(HybNodeSpec){ .name = "sum", .n_inputs = 2, .inputs = variables }, NULL);
  hyb_builder_add_head (builder, value);
  *sum = plan_graph (hyb_builder_freeze (builder), call, (const HybType[]){ *type, *type },
                     workspace, error);
  return *sum != NULL;
}

void
hyb_device_sum_run (const HybSubgraph *sum, const HybRun *run, gconstpointer from, gpointer to)
{
  hyb_device_step_run (sum, run, (gconstpointer[]){ to, from }, to);
}

/* --- Operators of a body --- */

HybSubgraph *
hyb_device_step_plan (const HybCall *call,
                      HybNodeId      node,
                      const HybType *inputs,
                      const HybType *output,
                      gsize         *workspace)
{
  HybGraph              *body = call->body[0];
  HybBuilder            *builder = hyb_builder_new ();
  g_autofree HybValueId *variables =
      add_variables (builder, hyb_graph_get_node (body, node)->n_inputs);
  HybSubgraph   *step;
  const HybType *head;

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (body));
  hyb_builder_add_head (builder, hyb_builder_copy (builder, body, node, variables));
  step = plan_graph (hyb_builder_freeze (builder), call, inputs, workspace, NULL);
  if (!step)
    return NULL;
  head = hyb_plan_get_head_type (step->plan, 0);
  if (head->dtype == output->dtype && hyb_shape_equal (&head->shape, &output->shape))
    return step;
  hyb_device_step_free (step);
  return NULL;
}

void
hyb_device_step_run (const HybSubgraph *step,
                     const HybRun      *run,
                     gconstpointer     *inputs,
                     gpointer           output)
{
  HybRun    context = hyb_subgraph_context (run, HYB_UNKNOWN);
  HybFrame *frame = hyb_subgraph_start (step, run);
  guint     n = hyb_plan_n_variables (step->plan);

  context.probe = NULL; /* the graph is not one that an observer has seen */
  for (guint i = 0; i < n; i++)
    hyb_frame_bind_variable (frame, i, inputs[i]);
  hyb_frame_bind_head (frame, 0, output);
  hyb_frame_run (frame, &context);
}
