/* cond-gradient.c — the operator _backward_cond, the gradient of _cond: the gradient of the branch
 * that ran.
 *
 * Bodies: the two branches, each extended by gradients of its variables (gradient/backward.h).
 * Inputs: gradients of the outputs listed in `heads`; which branch ran; the inputs of _cond.
 * Outputs: gradients of the inputs listed in `gradients`, zero for inputs that the branch does not
 * use.  hyb_cond_differentiate() emits the node, gradient_forward() runs it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/control/cond-gradient.h"
#include "engine/control/cond-params.h"
#include "engine/control/control-flow.h"
#include "engine/control/device-steps.h"
#include "engine/gradient/backward.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/builder.h"
#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"
#include "engine/op/phase.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

#define N_BRANCHES 2

typedef struct
{
  HybCondParams forward;
  HybInts       heads;
  HybInts       gradients;
} GradientParams;

static const HybParam gradient_params[] = {
  HYB_COND_FIELDS,
  { HYB_FIELD (GradientParams, heads), HYB_PARAM_INTS, NULL,
    .doc = "outputs of the condition that have an incoming gradient" },
  { HYB_FIELD (GradientParams, gradients), HYB_PARAM_INTS, NULL,
    .doc = "inputs of the condition to differentiate by" },
  { 0 },
};

/* --- Emitting the node --- */

/* The branch (0: then, 1: else) extended by gradients of those of its variables whose inputs need
 * one.  NULL, and the gradient refused, if it has none. */
static HybGraph *
differentiate_branch (HybGrad *grad, guint branch)
{
  const HybCondParams *params = hyb_grad_params (grad);
  const HybInts       *locations = hyb_cond_locations (params, HYB_COND_THEN + branch);
  HybGraph            *body = hyb_grad_body (grad, HYB_COND_THEN + branch);
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);
  HybGraph        *gradient;

  for (guint v = 0; v < MIN (n, (guint) locations->n); v++)
    if (hyb_grad_needs_input (grad, (guint) locations->value[v]))
      g_array_append_val (wrt, variables[v]);
  gradient = hyb_graph_with_gradients (body, wrt->len, (gconstpointer) wrt->data, &error);
  if (!gradient)
    hyb_grad_refuse (grad, "in its %s: %s", hyb_cond_body_names[HYB_COND_THEN + branch],
                     error->message);
  return gradient;
}

void
hyb_cond_differentiate (HybGrad *grad)
{
  const HybCondParams *params = hyb_grad_params (grad);
  guint                n_visible = (guint) params->num_outputs;
  guint                n_inputs = hyb_grad_n_inputs (grad);
  g_autoptr (HybGraph) then_gradient = differentiate_branch (grad, 0);
  g_autoptr (HybGraph) else_gradient = then_gradient ? differentiate_branch (grad, 1) : NULL;
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) needed = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree HybValueId *inputs = g_new (HybValueId, n_visible + 1 + n_inputs);
  g_autofree char       *heads_text = NULL;
  g_autofree char       *needed_text = NULL;
  g_auto (GStrv) attributes = NULL;
  HybValueId first;
  guint      n = 0;

  if (!else_gradient)
    return;
  /* Inputs: the incoming gradients, the number of the branch that ran, and the inputs of _cond. */
  for (guint h = 0; h < n_visible; h++)
    if (hyb_grad_has_incoming (grad, h))
      {
        g_array_append_val (heads, h);
        inputs[n++] = hyb_grad_incoming (grad, h);
      }
  inputs[n++] = hyb_grad_output (grad, n_visible);
  for (guint i = 0; i < n_inputs; i++)
    {
      inputs[n++] = hyb_grad_input (grad, i);
      if (hyb_grad_needs_input (grad, i))
        g_array_append_val (needed, i);
    }

  heads_text = hyb_control_format_ints (heads->len, (gconstpointer) heads->data);
  needed_text = hyb_control_format_ints (needed->len, (gconstpointer) needed->data);
  attributes = hyb_control_attributes (hyb_cond_params, params, "heads", heads_text, "gradients",
                                       needed_text, NULL);
  first = hyb_grad_emit_bodies (grad, "_backward_cond",
                                &(HybNodeSpec){ .attributes = (const char *const *) attributes,
                                                .n_inputs = n,
                                                .inputs = inputs,
                                                .n_bodies = 2,
                                                .bodies = (HybGraph *const[]){ then_gradient,
                                                                               else_gradient } });
  for (guint i = 0; i < needed->len; i++)
    hyb_grad_set_input (grad, g_array_index (needed, guint, i),
                        first == HYB_NO_ID ? HYB_NO_ID : first + i);
}

/* --- Types --- */

/* By variable of a branch: the input of _cond that feeds it. */
static const HybInts *
branch_locations (const GradientParams *params, guint branch)
{
  return hyb_cond_locations (&params->forward, HYB_COND_THEN + branch);
}

/* Index of _cond's first input, behind the incoming gradients and the number of the branch. */
static guint
first_input (const GradientParams *params)
{
  return (guint) params->heads.n + 1;
}

/* Index of the output that is the gradient of an input of _cond; −1 if none is. */
static int
find_output (const GradientParams *params, gint64 input)
{
  for (int g = 0; g < params->gradients.n; g++)
    if (params->gradients.value[g] == input)
      return g;
  return -1;
}

static gboolean
is_in_range (const HybInts *ints, gint64 end)
{
  gboolean is_valid = ints->n >= 0;

  for (int i = 0; i < ints->n; i++)
    is_valid &= ints->value[i] >= 0 && ints->value[i] < end;
  return is_valid;
}

static gboolean
gradient_check (gconstpointer values, GError **error)
{
  const GradientParams *params = values;

  if (!hyb_cond_check (&params->forward, error))
    return FALSE;
  return (is_in_range (&params->heads, params->forward.num_outputs) &&
          is_in_range (&params->gradients, params->forward.num_args - 3)) ||
         hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                       "heads and gradients must name outputs and inputs of the condition");
}

static void
gradient_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const GradientParams *params = values;

  *n_inputs = first_input (params) + (guint) params->forward.num_args - 3;
  *n_outputs = (guint) params->gradients.n;
}

/* No input feeds a branch directly: the branch runs on copies of the arrays that it writes. */
static guint
gradient_body_variable (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  return G_MAXUINT;
}

static gboolean
gradient_infer (HybCall *call, GError **error)
{
  const GradientParams *params = call->params;

  for (int g = 0; g < params->gradients.n; g++)
    {
      HybType *input = &call->input[first_input (params) + (guint) params->gradients.value[g]];

      if (!hyb_shape_unify (&input->shape, &call->output[g].shape, error) ||
          !hyb_dtype_unify (&input->dtype, &call->output[g].dtype, error))
        return FALSE;
    }
  return TRUE;
}

/* --- Planning --- */

/* The gradient of a variable of a branch.  Several variables may be fed by one input, whose
 * gradient is then the sum of theirs. */
typedef struct
{
  guint        output;
  gboolean     accumulates; /* computed in scratch, then added to the result of another variable */
  gsize        scratch;
  HybSubgraph *sum; /* adds it on a device; else NULL */
} OutgoingGradient;

typedef struct
{
  HybSubgraph body;
  gboolean matches_incoming; /* the incoming gradients have its heads' shapes; otherwise the other
                         * branch ran */
  GArray  *out;              /* of OutgoingGradient, by head of body.graph */
  guint    n_forward;        /* variables of the branch itself */
  gsize
      *private_copy; /* by variable that the branch writes: workspace for a copy; else G_MAXSIZE */
} Branch;

typedef struct
{
  Branch branch[N_BRANCHES];
  gsize  zeros, zeros_bytes;
  gsize  workspace;
} GradientPlan;

static void
gradient_release (HybCall *call)
{
  GradientPlan *plan = g_steal_pointer (&call->prepared);

  for (guint b = 0; plan && b < N_BRANCHES; b++)
    {
      hyb_subgraph_clear (&plan->branch[b].body);
      for (guint i = 0; plan->branch[b].out && i < plan->branch[b].out->len; i++)
        hyb_device_step_free (g_array_index (plan->branch[b].out, OutgoingGradient, i).sum);
      g_clear_pointer (&plan->branch[b].out, g_array_unref);
      g_free (plan->branch[b].private_copy);
    }
  g_free (plan);
}

/* Sets branch->out and the graph to run, whose heads are the gradients of float variables.
 * Gradients of integers stay zero. */
static void
choose_heads (Branch        *branch,
              const HybCall *call,
              guint          b,
              const HybType *variables,
              gsize         *workspace)
{
  const GradientParams *params = call->params;
  const HybInts        *locations = branch_locations (params, b);
  guint                 n_heads;
  const HybValueId     *heads = hyb_graph_get_heads (call->body[b], &n_heads);
  guint                 head = (guint) params->forward.num_outputs;
  g_autofree guint8    *written = g_new0 (guint8, MAX (call->n_outputs, 1));
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  branch->out = g_array_new (FALSE, FALSE, sizeof (OutgoingGradient));
  for (int v = 0; v < locations->n; v++)
    {
      int              g = find_output (params, locations->value[v]);
      OutgoingGradient out = { .output = (guint) g };

      if (g < 0 || head >= n_heads)
        continue;
      if (hyb_dtype_is_float (variables[v].dtype))
        {
          out.accumulates = written[g];
          out.scratch =
              out.accumulates ? hyb_workspace_take (workspace, hyb_type_bytes (&variables[v])) : 0;
          written[g] = TRUE;
          g_array_append_val (chosen, heads[head]);
          g_array_append_val (branch->out, out);
        }
      head++;
    }
  branch->body.graph =
      hyb_graph_with_heads (call->body[b], chosen->len, (gconstpointer) chosen->data);
}

/* Plans the sums of gradients that come from several variables. */
static gboolean
plan_sums (Branch *branch, const HybCall *call, gsize *workspace, GError **error)
{
  for (guint i = 0; i < branch->out->len; i++)
    {
      OutgoingGradient *out = &g_array_index (branch->out, OutgoingGradient, i);

      if (out->accumulates &&
          !hyb_device_sum_plan (&out->sum, call, &call->output[out->output], workspace, error))
        return FALSE;
    }
  return TRUE;
}

/* Reserves workspace for copies of the variables that the branch writes. */
static void
allocate_copies (Branch *branch, gboolean training, const HybType *variables, gsize *workspace)
{
  g_autofree guint8 *written = hyb_graph_find_written (branch->body.graph, training);
  guint              n;
  const HybNodeId   *ids = hyb_graph_get_variables (branch->body.graph, &n);

  branch->private_copy = g_new (gsize, MAX (branch->n_forward, 1));
  for (guint v = 0; v < branch->n_forward; v++)
    branch->private_copy[v] = written[ids[v]]
                                  ? hyb_workspace_take (workspace, hyb_type_bytes (&variables[v]))
                                  : G_MAXSIZE;
}

/* FALSE and an error unless the incoming gradients have the types of the branch's heads.  Those of
 * the branch that did not run may differ. */
static gboolean
check_incoming (const HybCall *call, const HybType *heads, GError **error)
{
  const GradientParams *params = call->params;

  for (int i = 0; i < params->heads.n; i++)
    if (!hyb_control_check_input (call, (guint) i, &heads[params->heads.value[i]], error))
      return FALSE;
  return TRUE;
}

static gboolean
plan_branch (GradientPlan *plan, HybCall *call, guint b, gsize *workspace, GError **error)
{
  const GradientParams *params = call->params;
  const HybInts        *locations = branch_locations (params, b);
  Branch               *branch = &plan->branch[b];
  guint                 n_heads = (guint) params->forward.num_outputs;
  g_autofree HybType   *forward = g_new (HybType, MAX (locations->n, 1));
  g_autofree HybType   *variables = NULL;

  branch->n_forward = (guint) locations->n;
  for (int v = 0; v < locations->n; v++)
    forward[v] = call->input[first_input (params) + (guint) locations->value[v]];
  if (hyb_subgraph_n_variables (call->body[b]) != branch->n_forward + n_heads)
    return hyb_subgraph_check (call->body[b], branch->n_forward + n_heads, 0, "branch", error);
  variables = hyb_subgraph_gradient_types (call->body[b], forward, n_heads, call->training, error);
  if (!variables)
    return FALSE;
  branch->matches_incoming = check_incoming (call, variables + branch->n_forward, NULL);
  if (b == N_BRANCHES - 1 && !branch->matches_incoming && !plan->branch[0].matches_incoming)
    return check_incoming (call, variables + branch->n_forward, error);

  choose_heads (branch, call, b, variables, workspace);
  if (!plan_sums (branch, call, workspace, error))
    return FALSE;
  allocate_copies (branch, call->training, variables, workspace);
  for (guint h = 0; h < n_heads; h++)
    plan->zeros_bytes = MAX (plan->zeros_bytes, hyb_type_bytes (&variables[branch->n_forward + h]));
  branch->body.index = b;
  return hyb_subgraph_plan (&branch->body, call, variables, workspace, error);
}

static gboolean
gradient_prepare (HybCall *call, GError **error)
{
  GradientPlan         *plan = call->prepared = g_new0 (GradientPlan, 1);
  const GradientParams *params = call->params;
  HybType               choice = { hyb_shape_1d (1), HYB_I64 };

  if (!hyb_control_check_input (call, (guint) params->heads.n, &choice, error))
    {
      gradient_release (call);
      return FALSE;
    }
  for (guint b = 0; b < N_BRANCHES; b++)
    {
      gsize end = 0;

      if (!plan_branch (plan, call, b, &end, error))
        {
          gradient_release (call);
          return FALSE;
        }
      plan->workspace = MAX (plan->workspace, end);
    }
  plan->zeros = hyb_workspace_take (&plan->workspace, plan->zeros_bytes);
  return TRUE;
}

static gsize
gradient_workspace (const HybCall *call)
{
  const GradientPlan *plan = call->prepared;

  return plan->workspace;
}

/* --- Running --- */

/* Where a gradient is written. */
static gpointer
gradient_address (const HybRun *run, const OutgoingGradient *out)
{
  return out->accumulates ? (char *) run->workspace + out->scratch : run->output[out->output];
}

static void
bind_branch (const HybCall *call, const HybRun *run, guint b, HybFrame *frame)
{
  const GradientParams *params = call->params;
  const GradientPlan   *plan = call->prepared;
  const Branch         *branch = &plan->branch[b];
  const HybInts        *locations = branch_locations (params, b);

  for (guint v = 0; v < branch->n_forward; v++)
    {
      guint         input = first_input (params) + (guint) locations->value[v];
      gconstpointer data = run->input[input];

      if (branch->private_copy[v] != G_MAXSIZE)
        {
          gpointer copy = (char *) run->workspace + branch->private_copy[v];

          hyb_run_copy (run, copy, data, hyb_type_bytes (&call->input[input]));
          data = copy;
        }
      hyb_frame_bind_variable (frame, v, data);
    }
  for (guint h = 0; h < (guint) params->forward.num_outputs; h++)
    hyb_frame_bind_variable (frame, branch->n_forward + h, (char *) run->workspace + plan->zeros);
  for (int i = 0; i < params->heads.n; i++)
    hyb_frame_bind_variable (frame, branch->n_forward + (guint) params->heads.value[i],
                             run->input[i]);
  for (guint i = 0; i < branch->out->len; i++)
    hyb_frame_bind_head (frame, i,
                         gradient_address (run, &g_array_index (branch->out, OutgoingGradient, i)));
}

static void
gradient_forward (const HybCall *call, const HybRun *run)
{
  const GradientParams *params = call->params;
  const GradientPlan   *plan = call->prepared;
  guint                 b = hyb_run_get_int (run, run->input[params->heads.n]) != 0 ? 0 : 1;
  const Branch         *branch = &plan->branch[b];
  HybFrame             *frame = hyb_subgraph_start (&branch->body, run);

  for (guint g = 0; g < call->n_outputs; g++)
    hyb_run_clear (run, run->output[g], hyb_type_bytes (&call->output[g]));
  hyb_run_clear (run, (char *) run->workspace + plan->zeros, plan->zeros_bytes);
  if (branch->out->len == 0 || !branch->matches_incoming)
    return;

  bind_branch (call, run, b, frame);
  if (!hyb_subgraph_run (&branch->body, frame, run, HYB_UNKNOWN))
    return;
  for (guint i = 0; i < branch->out->len; i++)
    {
      const OutgoingGradient *out = &g_array_index (branch->out, OutgoingGradient, i);
      const HybType          *type = &call->output[out->output];

      double bytes = (double) hyb_type_bytes (type);

      if (!out->accumulates)
        continue;
      hyb_phase_begin (run, &hyb_phase_sums);
      if (out->sum)
        hyb_device_sum_run (out->sum, run, gradient_address (run, out), run->output[out->output]);
      else
        hyb_subgraph_accumulate (type->dtype, hyb_shape_size (&type->shape),
                                 gradient_address (run, out), run->output[out->output]);
      hyb_phase_end (run, &hyb_phase_sums,
                     (HybCost){ (double) hyb_shape_size (&type->shape), 2 * bytes, bytes });
    }
}

/* The more expensive branch.  The bodies include the forward computation. */
static void
gradient_cost (const HybCall *call, HybCost *cost)
{
  const GradientParams *params = call->params;

  *cost = (HybCost){ 0 };
  for (guint b = 0; b < N_BRANCHES; b++)
    {
      const HybInts      *locations = branch_locations (params, b);
      guint               n = hyb_subgraph_n_variables (call->body[b]);
      g_autofree HybType *variables = g_new (HybType, MAX (n, 1));
      HybCost             branch_cost = { 0 };

      for (guint v = 0; v < n; v++)
        variables[v] = v < (guint) locations->n
                           ? call->input[first_input (params) + (guint) locations->value[v]]
                           : HYB_TYPE_UNKNOWN;
      hyb_subgraph_add_cost (call->body[b], variables, call->training, 1, &branch_cost);
      if (branch_cost.flops >= cost->flops)
        *cost = branch_cost;
    }
}

const HybOp hyb_ops_cond_gradient[] = {
  {
      .name = "_backward_cond",
      .doc = "Gradients of _cond, computed by the branch that ran.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_INTERNAL | HYB_OP_DEVICE_BODIES,
      HYB_PARAMS (gradient_params, GradientParams),
      .arity = gradient_arity,
      .check = gradient_check,
      .n_bodies = N_BRANCHES,
      .body_variable = gradient_body_variable,
      .infer_shape = gradient_infer,
      .infer_dtype = hyb_rule_dtype_free,
      .dtypes = HYB_DTYPES_ALL,
      .forward = gradient_forward,
      .workspace = gradient_workspace,
      .prepare = gradient_prepare,
      .release = gradient_release,
      .cost = gradient_cost,
  },
  { 0 },
};
