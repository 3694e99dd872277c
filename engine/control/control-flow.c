/* control-flow.c — planning and running the bodies of loops and conditions, and helpers for their
 * gradients.  Start at hyb_subgraph_plan() and hyb_subgraph_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/control-flow.h"

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/exec/plan-bodies.h"
#include "engine/graph/builder.h"

#include <string.h>

gboolean
hyb_subgraph_plan (HybSubgraph   *body,
                   const HybCall *call,
                   const HybType *variables,
                   gsize         *workspace,
                   GError       **error)
{
  HybGraph      *graph = call->body[body->index];
  HybPlanOptions options = { .training = call->training, .bind_outputs = !body->allocates_heads };

  if (call->plan_options && call->on_device)
    {
      options.gpu = call->plan_options->gpu;
      options.values_on_gpu = TRUE;
    }
  if (call->plan_options)
    {
      options.optimise = call->plan_options->optimise;
      options.without = call->plan_options->without;
      options.memory_limit = call->plan_options->memory_limit;
    }

  body->id = hyb_graph_get_id (graph);
  body->plan = hyb_plan_new (body->graph ? body->graph : graph, variables, &options, error);
  if (!body->plan)
    return FALSE;
  if (hyb_plan_is_dynamic (body->plan))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL, NULL,
                         "shapes inside its subgraph are known only while running, although those "
                         "around it are known while planning");

  if (call->on_device)
    {
      if (!call->on_device->plans)
        call->on_device->plans = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_plan_unref);
      g_ptr_array_add (call->on_device->plans, hyb_plan_ref (body->plan));
      call->on_device->n_steps += hyb_plan_n_device_steps (body->plan);
    }
  body->frame = hyb_control_take_host (call, workspace, hyb_frame_size (body->plan));
  body->memory = hyb_workspace_take (workspace, hyb_plan_get_memory (body->plan));
  return TRUE;
}

gsize
hyb_control_take_host (const HybCall *call, gsize *workspace, gsize bytes)
{
  return hyb_workspace_take (call->on_device ? &call->on_device->host_bytes : workspace, bytes);
}

void
hyb_subgraph_clear (HybSubgraph *body)
{
  g_clear_pointer (&body->plan, hyb_plan_unref);
  g_clear_pointer (&body->graph, hyb_graph_unref);
}

HybFrame *
hyb_subgraph_start (const HybSubgraph *body, const HybRun *run)
{
  char     *workspace = run->workspace;
  HybFrame *frame =
      hyb_frame_init (hyb_control_host (run) + body->frame, body->plan, workspace + body->memory);

  if (run->device)
    hyb_frame_set_mirror (frame, run->device->mirror + body->memory);
  return frame;
}

HybRun
hyb_subgraph_context (const HybRun *run, gint64 step)
{
  HybRun context = {
    .training = run->training,
    .seed = run->seed,
    .step = run->step,
    .depth = (guint16) (run->depth + 1),
    .number = run->number,
    .probe = run->probe,
    .cancellable = run->cancellable,
    .fault = run->fault,
    .memory = run->memory,
    .device = run->device,
    .seed_there = run->seed_there,
  };

  /* Step 0 of step 0 is 0, so the first steps of nested loops draw the same random numbers as
   * without loops. */
  if (step != HYB_UNKNOWN)
    context.step =
        (run->step == 0 ? 0 : hyb_random_mix (run->step, run->depth) << 32) | (guint32) step;
  return context;
}

void
hyb_subgraph_notify_probe (const HybRun *context, guint32 graph, guint32 index, gboolean begins)
{
  const HybProbe *probe = context->probe;
  HybSpan         span = {
            .kind = HYB_SPAN_BRANCH,
            .id = index,
            .graph = graph,
            .depth = context->depth,
            .run = context->number,
            .step = (guint32) context->step,
  };

  if (!probe)
    return;
  if (begins && probe->begin)
    probe->begin (probe->data, &span);
  else if (!begins && probe->end)
    probe->end (probe->data, &span);
}

gboolean
hyb_subgraph_run (const HybSubgraph *body, HybFrame *frame, const HybRun *run, gint64 step)
{
  HybRun   context = hyb_subgraph_context (run, step);
  gboolean is_done;

  hyb_subgraph_notify_probe (&context, body->id, body->index, TRUE);
  is_done = hyb_frame_run (frame, &context);
  hyb_subgraph_notify_probe (&context, body->id, body->index, FALSE);
  return is_done;
}

HybTensor *
hyb_subgraph_unshare (HybTensor *result, HybTensor *const *inputs, guint n_inputs, GError **error)
{
  for (guint i = 0; i < n_inputs; i++)
    if (inputs[i] == result)
      {
        HybTensor *copy = hyb_tensor_new (hyb_tensor_get_type (result), error);

        if (copy && hyb_tensor_get_bytes (result) > 0)
          memcpy (hyb_tensor_get_data (copy), hyb_tensor_get_data (result),
                  hyb_tensor_get_bytes (result));
        return copy;
      }
  return hyb_tensor_ref (result);
}

/* The recording form of a node if that writes states (itself or in its bodies), else NULL. */
static const HybOp *
find_recording_form (const HybGraph *graph, HybNodeId id)
{
  const HybNode   *node = hyb_graph_get_node (graph, id);
  HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
  const HybOp     *recording = node->op->recording ? hyb_op_find (node->op->recording) : NULL;
  guint            n_written = recording && recording->mutates != 0 ? 1 : 0;

  for (guint b = 0; b < node->n_bodies && n_written == 0; b++)
    hyb_graph_get_auxiliary (bodies[b], &n_written);
  return n_written > 0 ? recording : NULL;
}

/* Copies a node, in its recording form if that writes states; returns its first output. */
static HybValueId
copy_as_recording (HybBuilder       *builder,
                   const HybGraph   *graph,
                   HybNodeId         id,
                   const HybValueId *inputs)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  const HybOp   *recording = find_recording_form (graph, id);
  HybNodeSpec    spec = {
       .op = recording,
       .name = node->name,
       .attributes = node->attributes,
       .params = recording ? hyb_params_ref (node->params) : NULL,
       .n_inputs = node->n_inputs,
       .inputs = inputs,
       .n_bodies = node->n_bodies,
       .bodies = hyb_graph_get_bodies (graph, id),
       .key = node->key,
       .origin_plus_one = node->origin + 1,
       .line = node->line,
  };

  if (!recording)
    return hyb_builder_copy (builder, graph, id, inputs);
  return hyb_builder_output (builder, hyb_builder_add (builder, &spec, NULL), 0);
}

HybGraph *
hyb_subgraph_recording (HybGraph *body)
{
  guint                  n_nodes = hyb_graph_n_nodes (body);
  guint                  n_heads, n_written;
  const HybValueId      *heads = hyb_graph_get_heads (body, &n_heads);
  g_autofree HybValueId *moved = g_new0 (HybValueId, MAX (hyb_graph_n_values (body), 1));
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybBuilder *builder;

  hyb_graph_get_auxiliary (body, &n_written);
  if (n_written == 0)
    return NULL;

  builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (body));
  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode    *node = hyb_graph_get_node (body, id);
      const HybValueId *old = hyb_graph_get_inputs (body, id);
      HybValueId        first;

      g_array_set_size (inputs, 0);
      for (guint i = 0; i < node->n_inputs; i++)
        g_array_append_val (inputs, moved[old[i]]);
      first = copy_as_recording (builder, body, id, (gconstpointer) inputs->data);
      for (guint i = 0; i < node->n_outputs; i++)
        moved[node->first_output + i] = first + i;
    }
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, moved[heads[i]]);
  return hyb_builder_freeze (builder);
}

void
hyb_subgraph_accumulate (HybDType dtype, gint64 n, gconstpointer from, gpointer to)
{
  if (dtype == HYB_F32)
    {
      const float *x = from;
      float       *sum = to;

      for (gint64 i = 0; i < n; i++)
        sum[i] += x[i];
    }
  else
    for (gint64 i = 0; i < n; i++)
      hyb_dtype_set_double (to, dtype, (gsize) i,
                            hyb_dtype_get_double (to, dtype, (gsize) i) +
                                hyb_dtype_get_double (from, dtype, (gsize) i));
}

char **
hyb_control_attributes (const HybParam *table, gconstpointer params, ...)
{
  GPtrArray  *texts = g_ptr_array_new ();
  const char *text;
  va_list     list;

  for (const HybParam *param = table; param->name != NULL; param++)
    {
      g_ptr_array_add (texts, g_strdup (param->name));
      g_ptr_array_add (texts, hyb_param_to_string (param, params));
    }
  va_start (list, params);
  while ((text = va_arg (list, const char *)) != NULL)
    g_ptr_array_add (texts, g_strdup (text));
  va_end (list);
  g_ptr_array_add (texts, NULL);
  return (char **) g_ptr_array_free (texts, FALSE);
}

char *
hyb_control_format_ints (guint n, const guint *values)
{
  GString *text = g_string_new ("(");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, i > 0 ? ", %u" : "%u", values[i]);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

gboolean
hyb_control_check_head (const HybType *got,
                        const HybType *want,
                        const char    *body,
                        guint          output,
                        GError       **error)
{
  g_autofree char *got_text = NULL;
  g_autofree char *want_text = NULL;

  if (got->dtype == want->dtype && hyb_shape_equal (&got->shape, &want->shape))
    return TRUE;

  got_text = hyb_type_to_string (got);
  want_text = hyb_type_to_string (want);
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                       "output %u of its %s is %s but must be %s", output, body, got_text,
                       want_text);
}

gboolean
hyb_control_check_input (const HybCall *call, guint input, const HybType *want, GError **error)
{
  const HybType   *got = &call->input[input];
  g_autofree char *got_text = NULL;
  g_autofree char *want_text = NULL;

  if (hyb_shape_equal (&got->shape, &want->shape) && hyb_type_bytes (got) >= hyb_type_bytes (want))
    return TRUE;

  got_text = hyb_type_to_string (got);
  want_text = hyb_type_to_string (want);
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                       "input %u is %s but the body of the node needs %s", input, got_text,
                       want_text);
}
