/* loop-deferred.c — gradients of captured weights, computed once after the backward loop; see
 * loop-deferred.h.  Start at hyb_deferred_new() (which operators qualify) and hyb_deferred_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop-deferred.h"

#include "engine/analysis/infer-types.h"
#include "engine/control/device-steps.h"
#include "engine/imperative/convert.h"
#include "engine/op/phase.h"
#include "engine/op/rules.h"

#include <string.h>

/* Limit of the collected rows of one operator.  Beyond it the gradient is added up step by step. */
#define MAX_BYTES ((gsize) 512 << 20)

/* Whether a value of the body is a variable of the loop; sets *variable to its number. */
static gboolean
find_variable (const HybLoop *loop, HybGraph *body, HybValueId value, guint *variable)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);
  HybNodeId        producer = hyb_graph_get_producer (body, value);

  for (guint v = 0; v < loop->n_variables; v++)
    if (variables[v] == producer)
      {
        *variable = v;
        return TRUE;
      }
  return FALSE;
}

/* Whether the operator can be called directly: types are known, nothing is converted or prepared. */
static gboolean
is_simple (const HybDeferred *deferred)
{
  const HybOp *op = deferred->call.op;

  for (guint i = 0; i <= deferred->n_inputs; i++)
    if (!hyb_type_is_known (&deferred->type[i]))
      return FALSE;
  return op->forward && !op->prepare && deferred->call.n_outputs == 1 &&
         !hyb_convert_is_needed (&deferred->call);
}

/* Whether another operator collects the rows of this value, too; then they are shared. */
static gboolean
share_rows (HybDeferred *deferred, guint input, HybGraph *body, GPtrArray *others)
{
  HybValueId value = hyb_graph_get_inputs (body, deferred->node)[input];

  for (guint o = 0; o < others->len; o++)
    {
      const HybDeferred *other = others->pdata[o];
      const HybValueId  *inputs = hyb_graph_get_inputs (body, other->node);

      for (guint i = 0; i < other->n_inputs; i++)
        if (other->is_collected[i] && inputs[i] == value)
          {
            deferred->rows[input] = other->rows[i];
            deferred->row_bytes[input] = other->row_bytes[i];
            return TRUE;
          }
    }
  return FALSE;
}

/* Sorts the inputs into rows and captured variables.  FALSE if one is neither.  A device clears the
 * rows of steps that were not made, and therefore needs its own. */
static gboolean
describe_inputs (HybDeferred *deferred, const HybDeferredContext *context, HybGraph *body)
{
  const HybNode    *node = hyb_graph_get_node (body, deferred->node);
  const HybValueId *inputs = hyb_graph_get_inputs (body, deferred->node);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      guint                 *variable = &deferred->variable[i];
      gboolean               is_found = find_variable (context->loop, body, inputs[i], variable);
      const HybLoopVariable *found = is_found ? &context->loop->variable[*variable] : NULL;
      gboolean               in_order = found && (found->is_slice || found->state != HYB_LOOP_NONE);

      deferred->is_rows[i] = node->op->row_sum_inputs >> i & 1;
      if (deferred->is_rows[i] ? deferred->type[i].shape.rank < 1 : !found || in_order)
        return FALSE;
      deferred->is_variable[i] = !deferred->is_rows[i] || (in_order && !context->call->on_device);
      deferred->is_collected[i] =
          !deferred->is_variable[i] && !share_rows (deferred, i, body, context->others);
    }
  return TRUE;
}

/* The call with the rows of n_steps steps; types: room for the types of its operands. */
static void
scale_call (const HybDeferred *deferred, gint64 n_steps, HybType *types, HybCall *call)
{
  memcpy (types, deferred->type, sizeof (HybType) * (deferred->n_inputs + 1));
  for (guint i = 0; i < deferred->n_inputs; i++)
    if (deferred->is_rows[i])
      types[i].shape.dim[0] *= n_steps;
  *call = deferred->call;
  call->input = types;
  call->output = types + deferred->n_inputs;
}

/* Reserves workspace for the rows and the operator.  FALSE if the rows exceed MAX_BYTES. */
static gboolean
allocate_rows (HybDeferred *deferred, gint64 n_steps, gsize *workspace)
{
  HybType types[HYB_DEFERRED_MAX_OPERANDS + 1];
  HybCall call;
  gsize   total = 0;

  scale_call (deferred, n_steps, types, &call);
  for (guint i = 0; i < deferred->n_inputs; i++)
    {
      gsize bytes;

      if (!deferred->is_collected[i])
        continue;
      if (!hyb_shape_bytes (&types[i].shape, types[i].dtype, &bytes, NULL) ||
          bytes > MAX_BYTES - total)
        return FALSE;
      total += bytes;
    }

  for (guint i = 0; i < deferred->n_inputs; i++)
    if (deferred->is_collected[i])
      {
        deferred->row_bytes[i] = hyb_type_bytes (&deferred->type[i]);
        deferred->rows[i] =
            hyb_workspace_take (workspace, (gsize) n_steps * deferred->row_bytes[i]);
      }
  if (call.op->workspace)
    deferred->workspace = hyb_workspace_take (workspace, call.op->workspace (&call));
  return TRUE;
}

/* Plans the operator for a device: with the rows of as many steps as the loop can make. */
static gboolean
plan_on_device (HybDeferred *deferred, const HybDeferredContext *context, gsize *workspace)
{
  HybType types[HYB_DEFERRED_MAX_OPERANDS + 1];
  HybCall call;

  if (!context->call->on_device)
    return TRUE;
  scale_call (deferred, context->n_steps, types, &call);
  deferred->on_device =
      hyb_device_step_plan (context->call, deferred->node, call.input, call.output, workspace);
  return deferred->on_device != NULL;
}

void
hyb_deferred_free (HybDeferred *deferred)
{
  if (!deferred)
    return;
  hyb_device_step_free (deferred->on_device);
  g_free (deferred);
}

HybDeferred *
hyb_deferred_new (const HybDeferredContext *context, HybValueId head, gsize *workspace)
{
  HybGraph               *body = context->call->body[0];
  g_autofree HybDeferred *deferred = g_new0 (HybDeferred, 1);
  const HybNode          *node;
  guint                   n_users;

  deferred->node = hyb_graph_get_producer (body, head);
  node = hyb_graph_get_node (body, deferred->node);
  deferred->n_inputs = node->n_inputs;
  deferred->n_steps = context->n_steps;
  deferred->phase =
      (HybPhase){ .name = node->name, .type = node->type, .category = node->op->category };
  hyb_graph_get_users (body, head, &n_users);
  if (node->op->row_sum_inputs == 0 || n_users > 0 || node->n_inputs > HYB_DEFERRED_MAX_OPERANDS)
    return NULL;

  hyb_call_init (&deferred->call, body, deferred->node, context->types, deferred->type);
  deferred->call.training = context->call->training;
  if (node->n_outputs != 1 || !is_simple (deferred) || !describe_inputs (deferred, context, body) ||
      !allocate_rows (deferred, context->n_steps, workspace) ||
      !plan_on_device (deferred, context, workspace))
    return NULL;
  return g_steal_pointer (&deferred);
}

guint
hyb_deferred_get_heads (const HybDeferred *deferred, HybGraph *body, HybValueId *heads)
{
  const HybValueId *inputs = hyb_graph_get_inputs (body, deferred->node);
  guint             n = 0;

  for (guint i = 0; i < deferred->n_inputs; i++)
    if (deferred->is_collected[i])
      heads[n++] = inputs[i];
  return n;
}

void
hyb_deferred_bind (const HybDeferred *deferred,
                   const HybRun      *run,
                   HybFrame          *frame,
                   guint              first,
                   gint64             step)
{
  for (guint i = 0; i < deferred->n_inputs; i++)
    if (deferred->is_collected[i])
      hyb_frame_bind_head (frame, first++,
                           (char *) run->workspace + deferred->rows[i] +
                               (gsize) step * deferred->row_bytes[i]);
}

/* Rows of steps that were not made are zero, so that they add nothing. */
static void
run_on_device (const HybDeferred *deferred,
               const HybRun      *run,
               gconstpointer     *variables,
               gint64             n_steps,
               gpointer           output)
{
  gconstpointer inputs[HYB_DEFERRED_MAX_OPERANDS];

  for (guint i = 0; i < deferred->n_inputs; i++)
    {
      char *rows = (char *) run->workspace + deferred->rows[i];

      inputs[i] = deferred->is_variable[i] ? variables[deferred->variable[i]] : rows;
      if (!deferred->is_variable[i])
        hyb_run_clear (run, rows + (gsize) n_steps * deferred->row_bytes[i],
                       (gsize) (deferred->n_steps - n_steps) * deferred->row_bytes[i]);
    }
  hyb_device_step_run (deferred->on_device, run, inputs, output);
}

void
hyb_deferred_run (const HybDeferred *deferred,
                  const HybRun      *run,
                  gconstpointer     *variables,
                  gint64             n_steps,
                  gpointer           output)
{
  HybType       types[HYB_DEFERRED_MAX_OPERANDS + 1];
  gconstpointer inputs[HYB_DEFERRED_MAX_OPERANDS];
  HybRun        context = hyb_subgraph_context (run, 0);
  HybCost       cost = { 0 };
  HybCall       call;

  if (deferred->on_device)
    {
      run_on_device (deferred, run, variables, n_steps, output);
      return;
    }
  scale_call (deferred, n_steps, types, &call);
  for (guint i = 0; i < deferred->n_inputs; i++)
    inputs[i] = deferred->is_variable[i] ? variables[deferred->variable[i]]
                                         : (char *) run->workspace + deferred->rows[i];
  context.input = inputs;
  context.output = &output;
  context.workspace = (char *) run->workspace + deferred->workspace;
  hyb_phase_begin (run, &deferred->phase);
  call.op->forward (&call, &context);
  if (run->span)
    hyb_rule_cost (&call, &cost);
  hyb_phase_end (run, &deferred->phase, cost);
}
