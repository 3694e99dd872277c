/* cond.c — the operator _cond, which runs one of two branches as its predicate decides.
 *
 * Bodies: predicate, then, else (cond-params.h).  Outputs: the outputs of the branch that ran, and,
 * hidden, its number (1 or 0) for the gradient.  If the branches have outputs of different shapes,
 * types are known only while running, and cond_compute() runs the node, else cond_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/control/cond-gradient.h"
#include "engine/control/cond-params.h"
#include "engine/control/control-flow.h"
#include "engine/imperative/imperative.h"
#include "engine/op/rules.h"

#include <string.h>

static void
cond_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const HybCondParams *params = values;

  *n_inputs = (guint) params->num_args - 3;
  *n_outputs = (guint) params->num_outputs + 1;
}

static guint
cond_n_visible (gconstpointer values)
{
  const HybCondParams *params = values;

  return (guint) params->num_outputs;
}

static guint
cond_body_variable (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  const HybInts *locations = hyb_cond_locations (values, body);

  return variable < (guint) MAX (locations->n, 0) ? (guint) locations->value[variable] : G_MAXUINT;
}

static HybPortKind
cond_body_port (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  return HYB_PORT_VALUE;
}

static guint
cond_body_next (gconstpointer values, guint body, guint head)
{
  return G_MAXUINT;
}

static guint
cond_body_result (gconstpointer values, guint body, guint head)
{
  return body == HYB_COND_PREDICATE ? G_MAXUINT : head;
}

static const char *const cond_bodies[] = { "predicate", "then", "else" };

/* --- Types --- */

/* Infers the heads of a body from the inputs that are known, and inputs from the body.
 * complete: as in hyb_subgraph_infer(). */
static gboolean
infer_body (HybCall *call, guint b, HybType *heads, gboolean *complete, GError **error)
{
  const HybCondParams *params = call->params;
  const HybInts       *locations = hyb_cond_locations (params, b);
  guint                n = (guint) locations->n;
  g_autofree HybType  *variables = g_new (HybType, MAX (n, 1));

  if (!hyb_subgraph_check (call->body[b], n,
                           b == HYB_COND_PREDICATE ? 1 : (guint) params->num_outputs,
                           hyb_cond_body_names[b], error))
    return FALSE;
  for (guint v = 0; v < n; v++)
    variables[v] = call->input[locations->value[v]];
  if (!hyb_subgraph_infer (call->body[b],
                           &(HybSubgraphTypes){ .variables = variables,
                                                .heads = heads,
                                                .training = call->training,
                                                .complete = complete },
                           error))
    {
      g_prefix_error (error, "in its %s: ", hyb_cond_body_names[b]);
      return FALSE;
    }
  for (guint v = 0; v < n; v++)
    {
      HybType *input = &call->input[locations->value[v]];

      if (!hyb_shape_assign (&input->shape, &variables[v].shape, error) ||
          !hyb_dtype_assign (&input->dtype, variables[v].dtype, error))
        return FALSE;
    }
  return TRUE;
}

/* The predicate must have one element, as far as its shape is known. */
static gboolean
infer_predicate (HybCall *call, GError **error)
{
  HybType head = HYB_TYPE_UNKNOWN;

  if (!infer_body (call, HYB_COND_PREDICATE, &head, NULL, error))
    return FALSE;
  if (hyb_shape_is_known (&head.shape) && hyb_shape_size (&head.shape) != 1)
    {
      g_autofree char *shape = hyb_shape_to_string (&head.shape);

      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                           "its predicate must have one element, but its shape is %s", shape);
    }
  return TRUE;
}

/* If some heads of a branch are unknown, infers the branch again with the heads of the other
 * branch, and uses the result unless that contradicts it. */
static void
complete_branch_types (HybCall *call, guint b, HybType *heads, const HybType *other)
{
  const HybCondParams *params = call->params;
  guint                n = (guint) params->num_outputs;
  g_autofree HybType  *inferred = g_memdup2 (other, sizeof (HybType) * n);

  if (!hyb_types_are_known (heads, n) && infer_body (call, b, inferred, NULL, NULL))
    memcpy (heads, inferred, sizeof (HybType) * n);
}

static gboolean
cond_infer (HybCall *call, GError **error)
{
  const HybCondParams *params = call->params;
  guint                n = (guint) params->num_outputs;
  g_autofree HybType  *then_heads = g_new (HybType, n);
  g_autofree HybType  *else_heads = g_new (HybType, n);
  HybShape             one = hyb_shape_1d (1);
  gboolean             complete[2];
  gboolean             agree = TRUE; /* else types are known only while running */

  /* Nothing to infer; hyb_subgraph_plan() finds contradictions. */
  if (hyb_types_are_known (call->input, call->n_inputs) &&
      hyb_types_are_known (call->output, call->n_outputs))
    return TRUE;

  for (guint o = 0; o < n; o++)
    then_heads[o] = else_heads[o] = HYB_TYPE_UNKNOWN;
  if (!hyb_dtype_assign (&call->output[n].dtype, HYB_I64, error) ||
      !infer_predicate (call, error) ||
      !infer_body (call, HYB_COND_THEN, then_heads, &complete[0], error) ||
      !infer_body (call, HYB_COND_ELSE, else_heads, &complete[1], error))
    return FALSE;

  complete_branch_types (call, HYB_COND_THEN, then_heads, else_heads);
  complete_branch_types (call, HYB_COND_ELSE, else_heads, then_heads);

  /* Shapes inside a branch that nothing determines are known only while running. */
  if (!(complete[0] && complete[1]) && hyb_types_are_known (call->input, call->n_inputs))
    return TRUE;
  for (guint o = 0; o < n; o++)
    {
      if (then_heads[o].dtype == else_heads[o].dtype &&
          !hyb_dtype_assign (&call->output[o].dtype, then_heads[o].dtype, error))
        return FALSE;
      if (!hyb_type_is_known (&then_heads[o]) ||
          !hyb_shape_equal (&then_heads[o].shape, &else_heads[o].shape))
        agree = FALSE;
      else if (!hyb_shape_assign (&call->output[o].shape, &then_heads[o].shape, error))
        return FALSE;
    }
  if (agree && !hyb_shape_assign (&call->output[n].shape, &one, error))
    return FALSE;
  return TRUE;
}

/* --- Planning and running --- */

typedef struct
{
  HybSubgraph body[HYB_COND_N_BODIES];
  HybDType    predicate_dtype;
  gsize       workspace;
} CondPlan;

static void
cond_release (HybCall *call)
{
  CondPlan *plan = g_steal_pointer (&call->prepared);

  for (guint b = 0; plan && b < HYB_COND_N_BODIES; b++)
    hyb_subgraph_clear (&plan->body[b]);
  g_free (plan);
}

/* The outputs of a branch must have the types of the node's. */
static gboolean
check_heads (const HybSubgraph *branch, const HybCall *call, GError **error)
{
  for (guint o = 0; o + 1 < call->n_outputs; o++)
    if (!hyb_control_check_head (hyb_plan_get_head_type (branch->plan, o), &call->output[o],
                                 hyb_cond_body_names[branch->index], o, error))
      return FALSE;
  return TRUE;
}

/* Plans the three bodies.  Both branches share their workspace, as only one of them runs. */
static gboolean
prepare (HybCall *call, gboolean records, GError **error)
{
  CondPlan *plan = call->prepared = g_new0 (CondPlan, 1);
  gsize     branches_start = 0;

  for (guint b = 0; b < HYB_COND_N_BODIES; b++)
    {
      const HybInts      *locations = hyb_cond_locations (call->params, b);
      g_autofree HybType *variables = g_new (HybType, MAX (locations->n, 1));
      gsize               end = b == HYB_COND_PREDICATE ? 0 : branches_start;

      for (int v = 0; v < locations->n; v++)
        variables[v] = call->input[locations->value[v]];
      plan->body[b] = (HybSubgraph){ .index = b, .allocates_heads = b == HYB_COND_PREDICATE };
      if (records)
        plan->body[b].graph = hyb_subgraph_recording (call->body[b]);
      if (!hyb_subgraph_plan (&plan->body[b], call, variables, &end, error))
        {
          g_prefix_error (error, "in its %s: ", hyb_cond_body_names[b]);
          cond_release (call);
          return FALSE;
        }
      if (b != HYB_COND_PREDICATE && !check_heads (&plan->body[b], call, error))
        {
          cond_release (call);
          return FALSE;
        }
      plan->workspace = MAX (plan->workspace, end);
      if (b == HYB_COND_PREDICATE)
        branches_start = end;
    }
  plan->predicate_dtype = hyb_plan_get_head_type (plan->body[HYB_COND_PREDICATE].plan, 0)->dtype;
  return TRUE;
}

static gboolean
cond_prepare (HybCall *call, GError **error)
{
  return prepare (call, FALSE, error);
}

static gboolean
recording_prepare (HybCall *call, GError **error)
{
  return prepare (call, TRUE, error);
}

static gsize
cond_workspace (const HybCall *call)
{
  const CondPlan *plan = call->prepared;

  return plan->workspace;
}

/* A frame of a body whose variables are bound to the inputs of the node. */
static HybFrame *
start_body (const HybCall *call, const HybRun *run, guint b)
{
  const CondPlan *plan = call->prepared;
  const HybInts  *locations = hyb_cond_locations (call->params, b);
  HybFrame       *frame = hyb_subgraph_start (&plan->body[b], run);

  for (int v = 0; v < locations->n; v++)
    hyb_frame_bind_variable (frame, (guint) v, run->input[locations->value[v]]);
  return frame;
}

static void
cond_forward (const HybCall *call, const HybRun *run)
{
  const CondPlan *plan = call->prepared;
  guint           n = call->n_outputs - 1;
  HybFrame       *frame = start_body (call, run, HYB_COND_PREDICATE);
  gboolean        is_true;

  if (!hyb_subgraph_run (&plan->body[HYB_COND_PREDICATE], frame, run, HYB_UNKNOWN))
    return;
  is_true = hyb_run_get_double (run, hyb_frame_get_head (frame, 0), plan->predicate_dtype) != 0;
  hyb_run_set_int (run, run->output[n], is_true);

  frame = start_body (call, run, is_true ? HYB_COND_THEN : HYB_COND_ELSE);
  for (guint o = 0; o < n; o++)
    hyb_frame_bind_head (frame, o, run->output[o]);
  hyb_subgraph_run (&plan->body[is_true ? HYB_COND_THEN : HYB_COND_ELSE], frame, run, HYB_UNKNOWN);
}

/* Runs a body operator by operator; heads: (transfer full) tensors. */
static gboolean
compute_body (const HybComputeArgs *args, guint b, HybTensor **heads, GError **error)
{
  HybGraph              *body = args->call->body[b];
  const HybInts         *locations = hyb_cond_locations (args->call->params, b);
  g_autofree HybTensor **variables = g_new (HybTensor *, MAX (locations->n, 1));
  HybRun                 context = hyb_subgraph_context (args->run, HYB_UNKNOWN);
  gboolean               is_done;

  for (int v = 0; v < locations->n; v++)
    variables[v] = args->inputs[locations->value[v]];
  hyb_subgraph_notify_probe (&context, hyb_graph_get_id (body), b, TRUE);
  is_done = hyb_imperative_run (body, variables, heads, &context, error);
  hyb_subgraph_notify_probe (&context, hyb_graph_get_id (body), b, FALSE);
  if (!is_done)
    g_prefix_error (error, "in its %s: ", hyb_cond_body_names[b]);
  return is_done;
}

static gboolean
cond_compute (HybCall          *call,
              const HybRun     *run,
              HybTensor *const *inputs,
              HybTensor       **outputs,
              GError          **error)
{
  HybComputeArgs args = { call, run, inputs, outputs };
  guint          n = call->n_outputs - 1;
  HybType        type = { hyb_shape_1d (1), HYB_I64 };
  g_autoptr (HybTensor) predicate = NULL;
  gint64 is_true;

  if (!compute_body (&args, HYB_COND_PREDICATE, &predicate, error))
    return FALSE;
  if (hyb_tensor_get_size (predicate) != 1)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                         "its predicate must have one element, not %" G_GINT64_FORMAT,
                         hyb_tensor_get_size (predicate));

  is_true = hyb_tensor_get_value (predicate, 0) != 0;
  outputs[n] = hyb_tensor_new (&type, error);
  if (!outputs[n])
    return FALSE;
  *(gint64 *) hyb_tensor_get_data (outputs[n]) = is_true;
  if (!compute_body (&args, is_true ? HYB_COND_THEN : HYB_COND_ELSE, outputs, error))
    return FALSE;
  for (guint o = 0; o < n; o++)
    {
      g_autoptr (HybTensor) head = outputs[o];

      outputs[o] = hyb_subgraph_unshare (head, inputs, call->n_inputs, error);
      if (!outputs[o])
        return FALSE;
    }
  return TRUE;
}

/* The predicate and the more expensive branch. */
static void
cond_cost (const HybCall *call, HybCost *cost)
{
  HybCost most_expensive = { 0 };

  *cost = (HybCost){ 0 };
  for (guint b = 0; b < HYB_COND_N_BODIES; b++)
    {
      const HybInts      *locations = hyb_cond_locations (call->params, b);
      g_autofree HybType *variables = g_new (HybType, MAX (locations->n, 1));
      HybCost             branch_cost = { 0 };

      for (int v = 0; v < locations->n; v++)
        variables[v] = call->input[locations->value[v]];
      hyb_subgraph_add_cost (call->body[b], variables, call->training, 1,
                             b == HYB_COND_PREDICATE ? cost : &branch_cost);
      if (branch_cost.flops > most_expensive.flops ||
          branch_cost.bytes_written > most_expensive.bytes_written)
        most_expensive = branch_cost;
    }
  cost->flops += most_expensive.flops;
  cost->bytes_read += most_expensive.bytes_read;
  cost->bytes_written += most_expensive.bytes_written;
}

const HybOp hyb_ops_cond[] = {
  {
      .name = "_cond",
      .doc = "Runs one of two branches, as its predicate decides.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_DEVICE_BODIES,
      HYB_PARAMS (hyb_cond_params, HybCondParams),
      .arity = cond_arity,
      .n_visible = cond_n_visible,
      .check = hyb_cond_check,
      .n_bodies = HYB_COND_N_BODIES,
      .body_variable = cond_body_variable,
      .body_names = cond_bodies,
      .body_port = cond_body_port,
      .body_next = cond_body_next,
      .body_result = cond_body_result,
      .infer_shape = cond_infer,
      .infer_dtype = hyb_rule_dtype_free,
      .dtypes = HYB_DTYPES_ALL,
      .forward = cond_forward,
      .workspace = cond_workspace,
      .prepare = cond_prepare,
      .release = cond_release,
      .compute = cond_compute,
      .gradient = hyb_cond_differentiate,
      .recording = "_cond_recording",
      .cost = cond_cost,
  },
  {
      .name = "_cond_recording",
      .doc = "_cond whose branches also update moving averages, for training.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_INTERNAL | HYB_OP_DEVICE_BODIES,
      HYB_PARAMS (hyb_cond_params, HybCondParams),
      .arity = cond_arity,
      .n_visible = cond_n_visible,
      .check = hyb_cond_check,
      .n_bodies = HYB_COND_N_BODIES,
      .body_variable = cond_body_variable,
      .body_names = cond_bodies,
      .body_port = cond_body_port,
      .body_next = cond_body_next,
      .body_result = cond_body_result,
      .infer_shape = cond_infer,
      .infer_dtype = hyb_rule_dtype_free,
      .dtypes = HYB_DTYPES_ALL,
      .forward = cond_forward,
      .workspace = cond_workspace,
      .prepare = recording_prepare,
      .release = cond_release,
      .compute = cond_compute,
      .gradient = hyb_cond_differentiate,
      .cost = cond_cost,
  },
  { 0 },
};
