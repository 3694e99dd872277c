/* cond.c — _cond: one of two bodies, chosen by a third; and its gradient.
 *
 * Bodies: predicate, then, else.  Outputs: those of the branch taken, and hidden
 * which one that was, for the gradient.  Where the branches give different shapes,
 * types show only while running.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/control/cond.h"
#include "engine/imperative/imperative.h"
#include "engine/op/rules.h"

#include <string.h>

const HybParam hyb_cond_params[] = {
  HYB_COND_FIELDS,
  { 0 },
};

enum
{
  BODY_PREDICATE,
  BODY_THEN,
  BODY_ELSE,
  N_BODIES,
};

static const char *const body_names[] = { "predicate", "then branch", "else branch" };

static const HybInts *
locations_of (const HybCondParams *params, guint body)
{
  return body == BODY_PREDICATE ? &params->cond_input_locs
         : body == BODY_THEN    ? &params->then_input_locs
                                : &params->else_input_locs;
}

gboolean
hyb_cond_check (gconstpointer values, GError **error)
{
  const HybCondParams *params = values;

  for (guint b = 0; b < N_BODIES; b++)
    {
      const HybInts *locations = locations_of (params, b);
      gboolean       is_good = locations->n >= 0;

      for (int i = 0; i < locations->n; i++)
        is_good &= locations->value[i] >= 0 && locations->value[i] < params->num_args - 3;
      if (!is_good)
        return hyb_error_at (error,
                             HYB_OP_ERROR,
                             HYB_OP_ERROR_ATTRIBUTE,
                             NULL,
                             NULL,
                             "inputs of the %s must lie between 0 and %d",
                             body_names[b],
                             (int) params->num_args - 4);
    }
  return TRUE;
}

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
  const HybInts *locations = locations_of (values, body);

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
  return body == BODY_PREDICATE ? G_MAXUINT : head;
}

static const char *const cond_bodies[] = { "predicate", "then", "else" };

/* --- Types --- */

/* One body as far as its inputs are known; what it learns goes back to them. */
static gboolean
infer_body (HybCall *call, guint b, HybType *heads, gboolean *complete, GError **error)
{
  const HybCondParams *params = call->params;
  const HybInts       *locations = locations_of (params, b);
  guint                n = (guint) locations->n;
  g_autofree HybType  *variables = g_new (HybType, MAX (n, 1));

  if (!hyb_subgraph_check (call->body[b],
                           n,
                           b == BODY_PREDICATE ? 1 : (guint) params->num_outputs,
                           body_names[b],
                           error))
    return FALSE;
  for (guint v = 0; v < n; v++)
    variables[v] = call->input[locations->value[v]];
  if (!hyb_subgraph_infer (call->body[b], variables, heads, call->training, complete, error))
    {
      g_prefix_error (error, "in its %s: ", body_names[b]);
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

static gboolean
infer_predicate (HybCall *call, GError **error)
{
  HybType head = HYB_TYPE_UNKNOWN;

  if (!infer_body (call, BODY_PREDICATE, &head, NULL, error))
    return FALSE;
  if (hyb_shape_is_known (&head.shape) && hyb_shape_size (&head.shape) != 1)
    {
      g_autofree char *shape = hyb_shape_to_string (&head.shape);

      return hyb_error_at (error,
                           HYB_GRAPH_ERROR,
                           HYB_GRAPH_ERROR_TYPES,
                           NULL,
                           NULL,
                           "its predicate must have one element, but its shape is %s",
                           shape);
    }
  return TRUE;
}

static gboolean
all_known (const HybType *types, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!hyb_type_is_known (&types[i]))
      return FALSE;
  return TRUE;
}

/* A branch that cannot tell its types itself is asked whether it could give these. */
static void
ask_branch (HybCall *call, guint b, HybType *heads, const HybType *wanted)
{
  const HybCondParams *params = call->params;
  guint                n = (guint) params->num_outputs;
  g_autofree HybType  *answer = g_memdup2 (wanted, sizeof (HybType) * n);

  if (!all_known (heads, n) && infer_body (call, b, answer, NULL, NULL))
    memcpy (heads, answer, sizeof (HybType) * n);
}

static gboolean
cond_infer (HybCall *call, GError **error)
{
  const HybCondParams *params = call->params;
  guint                n = (guint) params->num_outputs;
  g_autofree HybType  *yes = g_new (HybType, n);
  g_autofree HybType  *no = g_new (HybType, n);
  HybShape             one = hyb_shape_1d (1);
  gboolean             complete[2];
  gboolean agree = TRUE; /* else types show only while running, and so does which branch ran */

  /* Nothing to learn, and planning will find a contradiction. */
  if (all_known (call->input, call->n_inputs) && all_known (call->output, call->n_outputs))
    return TRUE;

  for (guint o = 0; o < n; o++)
    yes[o] = no[o] = HYB_TYPE_UNKNOWN;
  if (!hyb_dtype_assign (&call->output[n].dtype, HYB_I64, error) ||
      !infer_predicate (call, error) || !infer_body (call, BODY_THEN, yes, &complete[0], error) ||
      !infer_body (call, BODY_ELSE, no, &complete[1], error))
    return FALSE;

  ask_branch (call, BODY_THEN, yes, no);
  ask_branch (call, BODY_ELSE, no, yes);

  /* Shapes inside that nothing determines show only while running. */
  if (!(complete[0] && complete[1]) && all_known (call->input, call->n_inputs))
    return TRUE;
  for (guint o = 0; o < n; o++)
    {
      if (yes[o].dtype == no[o].dtype &&
          !hyb_dtype_assign (&call->output[o].dtype, yes[o].dtype, error))
        return FALSE;
      if (!hyb_type_is_known (&yes[o]) || !hyb_shape_equal (&yes[o].shape, &no[o].shape))
        agree = FALSE;
      else if (!hyb_shape_assign (&call->output[o].shape, &yes[o].shape, error))
        return FALSE;
    }
  if (agree && !hyb_shape_assign (&call->output[n].shape, &one, error))
    return FALSE;
  return TRUE;
}

/* --- Planning and running --- */

typedef struct
{
  HybSubgraph body[N_BODIES];
  HybDType    predicate_dtype;
  gsize       workspace;
} CondPlan;

static void
cond_release (HybCall *call)
{
  CondPlan *plan = g_steal_pointer (&call->prepared);

  for (guint b = 0; plan && b < N_BODIES; b++)
    hyb_subgraph_clear (&plan->body[b]);
  g_free (plan);
}

static gboolean
check_heads (const HybSubgraph *branch, const HybCall *call, GError **error)
{
  for (guint o = 0; o + 1 < call->n_outputs; o++)
    {
      const HybType   *got = hyb_plan_get_head_type (branch->plan, o);
      g_autofree char *got_text = NULL;
      g_autofree char *want_text = NULL;

      if (got->dtype == call->output[o].dtype &&
          hyb_shape_equal (&got->shape, &call->output[o].shape))
        continue;
      got_text = hyb_type_to_string (got);
      want_text = hyb_type_to_string (&call->output[o]);
      return hyb_error_at (error,
                           HYB_GRAPH_ERROR,
                           HYB_GRAPH_ERROR_TYPES,
                           NULL,
                           NULL,
                           "its %s makes output %u %s where %s is needed",
                           body_names[branch->index],
                           o,
                           got_text,
                           want_text);
    }
  return TRUE;
}

/* Both branches use the same workspace: only one of them runs. */
static gboolean
prepare (HybCall *call, gboolean records, GError **error)
{
  CondPlan *plan = call->prepared = g_new0 (CondPlan, 1);
  gsize     first = 0;

  for (guint b = 0; b < N_BODIES; b++)
    {
      const HybInts      *locations = locations_of (call->params, b);
      g_autofree HybType *variables = g_new (HybType, MAX (locations->n, 1));
      gsize               end = b == BODY_PREDICATE ? 0 : first;

      for (int v = 0; v < locations->n; v++)
        variables[v] = call->input[locations->value[v]];
      plan->body[b] = (HybSubgraph){ .index = b, .holds_heads = b == BODY_PREDICATE };
      if (records)
        plan->body[b].graph = hyb_subgraph_recording (call->body[b]);
      if (!hyb_subgraph_plan (&plan->body[b], call, variables, &end, error))
        {
          g_prefix_error (error, "in its %s: ", body_names[b]);
          cond_release (call);
          return FALSE;
        }
      if (b != BODY_PREDICATE && !check_heads (&plan->body[b], call, error))
        {
          cond_release (call);
          return FALSE;
        }
      plan->workspace = MAX (plan->workspace, end);
      if (b == BODY_PREDICATE)
        first = end;
    }
  plan->predicate_dtype = hyb_plan_get_head_type (plan->body[BODY_PREDICATE].plan, 0)->dtype;
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

static HybFrame *
start_body (const HybCall *call, const HybRun *run, guint b)
{
  const CondPlan *plan = call->prepared;
  const HybInts  *locations = locations_of (call->params, b);
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
  HybFrame       *frame = start_body (call, run, BODY_PREDICATE);
  gboolean        is_true;

  if (!hyb_subgraph_run (&plan->body[BODY_PREDICATE], frame, run, HYB_UNKNOWN))
    return;
  is_true = hyb_dtype_get_double (hyb_frame_get_head (frame, 0), plan->predicate_dtype, 0) != 0;
  *(gint64 *) run->output[n] = is_true;

  frame = start_body (call, run, is_true ? BODY_THEN : BODY_ELSE);
  for (guint o = 0; o < n; o++)
    hyb_frame_bind_head (frame, o, run->output[o]);
  hyb_subgraph_run (&plan->body[is_true ? BODY_THEN : BODY_ELSE], frame, run, HYB_UNKNOWN);
}

static gboolean
compute_body (const HybCall    *call,
              const HybRun     *run,
              guint             b,
              HybTensor *const *inputs,
              HybTensor       **heads,
              GError          **error)
{
  const HybInts         *locations = locations_of (call->params, b);
  g_autofree HybTensor **variables = g_new (HybTensor *, MAX (locations->n, 1));
  HybRun                 context = hyb_subgraph_context (run, HYB_UNKNOWN);
  guint32                graph = hyb_graph_get_id (call->body[b]);
  gboolean               is_done;

  for (int v = 0; v < locations->n; v++)
    variables[v] = inputs[locations->value[v]];
  hyb_subgraph_tell (&context, graph, b, TRUE);
  is_done = hyb_imperative_run (call->body[b], variables, heads, &context, error);
  hyb_subgraph_tell (&context, graph, b, FALSE);
  if (!is_done)
    g_prefix_error (error, "in its %s: ", body_names[b]);
  return is_done;
}

static gboolean
cond_compute (HybCall          *call,
              const HybRun     *run,
              HybTensor *const *inputs,
              HybTensor       **outputs,
              GError          **error)
{
  guint   n = call->n_outputs - 1;
  HybType type = { hyb_shape_1d (1), HYB_I64 };
  g_autoptr (HybTensor) predicate = NULL;
  gint64 is_true;

  if (!compute_body (call, run, BODY_PREDICATE, inputs, &predicate, error))
    return FALSE;
  if (hyb_tensor_get_size (predicate) != 1)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_TYPES,
                         NULL,
                         NULL,
                         "its predicate must have one element, not %" G_GINT64_FORMAT,
                         hyb_tensor_get_size (predicate));

  is_true = hyb_tensor_get_value (predicate, 0) != 0;
  outputs[n] = hyb_tensor_new (&type, error);
  if (!outputs[n])
    return FALSE;
  *(gint64 *) hyb_tensor_get_data (outputs[n]) = is_true;
  if (!compute_body (call, run, is_true ? BODY_THEN : BODY_ELSE, inputs, outputs, error))
    return FALSE;
  for (guint o = 0; o < n; o++)
    {
      g_autoptr (HybTensor) head = outputs[o];

      outputs[o] = hyb_subgraph_result (head, inputs, call->n_inputs, error);
      if (!outputs[o])
        return FALSE;
    }
  return TRUE;
}

/* As the dearer branch. */
static void
cond_cost (const HybCall *call, HybCost *cost)
{
  HybCost dearest = { 0 };

  *cost = (HybCost){ 0 };
  for (guint b = 0; b < N_BODIES; b++)
    {
      const HybInts      *locations = locations_of (call->params, b);
      g_autofree HybType *variables = g_new (HybType, MAX (locations->n, 1));
      HybCost             own = { 0 };

      for (int v = 0; v < locations->n; v++)
        variables[v] = call->input[locations->value[v]];
      hyb_subgraph_add_cost (call->body[b],
                             variables,
                             call->training,
                             1,
                             b == BODY_PREDICATE ? cost : &own);
      if (own.flops > dearest.flops || own.bytes_written > dearest.bytes_written)
        dearest = own;
    }
  cost->flops += dearest.flops;
  cost->bytes_read += dearest.bytes_read;
  cost->bytes_written += dearest.bytes_written;
}

const HybOp hyb_ops_cond[] = {
  {
      .name = "_cond",
      .doc = "Runs one of two bodies, as a third says.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM,
      .params = hyb_cond_params,
      .params_size = sizeof (HybCondParams),
      .arity = cond_arity,
      .n_visible = cond_n_visible,
      .check = hyb_cond_check,
      .n_bodies = N_BODIES,
      .body_variable = cond_body_variable,
      .bodies = cond_bodies,
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
      .doc = "_cond whose bodies write what they write only on the way to a gradient.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_INTERNAL,
      .params = hyb_cond_params,
      .params_size = sizeof (HybCondParams),
      .arity = cond_arity,
      .n_visible = cond_n_visible,
      .check = hyb_cond_check,
      .n_bodies = N_BODIES,
      .body_variable = cond_body_variable,
      .bodies = cond_bodies,
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
