/* cond-gradient.c — the gradient of _cond: that of the branch which ran.
 *
 * Bodies: the two branches, each followed by gradients of its variables.  Inputs
 * that the branch does not use get zeros. 
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/control/cond.h"
#include "engine/gradient/backward.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"
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
  { HYB_FIELD (GradientParams, heads),
    HYB_PARAM_INTS,
    NULL,
    .doc = "outputs whose gradients come in" },
  { HYB_FIELD (GradientParams, gradients),
    HYB_PARAM_INTS,
    NULL,
    .doc = "inputs whose gradients go out" },
  { 0 },
};

/* --- Making the node --- */

/* The branch followed by gradients of those of its variables that are wanted inputs. */
static HybGraph *
differentiate_branch (HybGrad *grad, guint branch)
{
  const HybCondParams *params = hyb_grad_params (grad);
  const HybInts *locations = branch == 0 ? &params->then_input_locs : &params->else_input_locs;
  HybGraph      *body = hyb_grad_body (grad, branch + 1);
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);
  HybGraph        *gradient;

  for (guint v = 0; v < MIN (n, (guint) locations->n); v++)
    if (hyb_grad_wants (grad, (guint) locations->value[v]))
      g_array_append_val (wrt, variables[v]);
  gradient = hyb_graph_with_gradients (body, wrt->len, (const HybNodeId *) wrt->data, &error);
  if (!gradient)
    hyb_grad_refuse (grad, "in its %s branch: %s", branch == 0 ? "then" : "else", error->message);
  return gradient;
}

/* _backward_cond: incoming gradients, which branch ran, the inputs. */
void
hyb_cond_differentiate (HybGrad *grad)
{
  const HybCondParams *params = hyb_grad_params (grad);
  guint                n_visible = (guint) params->num_outputs;
  guint                n_inputs = hyb_grad_n_inputs (grad);
  g_autoptr (HybGraph) yes = differentiate_branch (grad, 0);
  g_autoptr (HybGraph) no = yes ? differentiate_branch (grad, 1) : NULL;
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree HybValueId *inputs = g_new (HybValueId, n_visible + 1 + n_inputs);
  g_autofree char       *heads_text = NULL;
  g_autofree char       *wanted_text = NULL;
  g_auto (GStrv) attributes = NULL;
  HybValueId first;
  guint      n = 0;

  if (!no)
    return;
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
      if (hyb_grad_wants (grad, i))
        g_array_append_val (wanted, i);
    }

  heads_text = hyb_control_ints (heads->len, (const guint *) heads->data);
  wanted_text = hyb_control_ints (wanted->len, (const guint *) wanted->data);
  attributes = hyb_control_attributes (hyb_cond_params,
                                       params,
                                       "heads",
                                       heads_text,
                                       "gradients",
                                       wanted_text,
                                       NULL);
  first = hyb_grad_emit_bodies (grad,
                                "_backward_cond",
                                (const char *const *) attributes,
                                n,
                                inputs,
                                2,
                                (HybGraph *const[]){ yes, no });
  for (guint i = 0; i < wanted->len; i++)
    hyb_grad_set_input (grad,
                        g_array_index (wanted, guint, i),
                        first == HYB_NO_ID ? HYB_NO_ID : first + i);
}

/* --- Types --- */

static const HybInts *
branch_locations (const GradientParams *params, guint branch)
{
  return branch == 0 ? &params->forward.then_input_locs : &params->forward.else_input_locs;
}

/* The forward node's inputs come after the gradients and the number of the branch. */
static guint
first_input (const GradientParams *params)
{
  return (guint) params->heads.n + 1;
}

/* Which of the outputs is the gradient of an input of the forward node; -1: none. */
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
  gboolean is_good = ints->n >= 0;

  for (int i = 0; i < ints->n; i++)
    is_good &= ints->value[i] >= 0 && ints->value[i] < end;
  return is_good;
}

static gboolean
gradient_check (gconstpointer values, GError **error)
{
  const GradientParams *params = values;

  if (!hyb_cond_check (&params->forward, error))
    return FALSE;
  return (is_in_range (&params->heads, params->forward.num_outputs) &&
          is_in_range (&params->gradients, params->forward.num_args - 3)) ||
         hyb_error_at (error,
                       HYB_OP_ERROR,
                       HYB_OP_ERROR_ATTRIBUTE,
                       NULL,
                       NULL,
                       "heads and gradients must name outputs and inputs of the condition");
}

static void
gradient_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const GradientParams *params = values;

  *n_inputs = first_input (params) + (guint) params->forward.num_args - 3;
  *n_outputs = (guint) params->gradients.n;
}

static guint
gradient_body_variable (gconstpointer values, guint n_inputs, guint body, guint variable)
{
  return G_MAXUINT; /* what a branch writes is a copy of its own */
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

/* A gradient of a variable of a branch.  An input may be several of them. */
typedef struct
{
  guint    output;
  gboolean adds; /* to what an earlier one has written; then it lies in scratch first */
  gsize    scratch;
} Outgoing;

typedef struct
{
  HybSubgraph body;
  gboolean    fits; /* what comes in is of its heads' shapes: else it is not the one that ran */
  GArray     *out;  /* of Outgoing, by head of graph */
  guint       n_forward;
  gsize *private; /* by variable: room for a copy; G_MAXSIZE: the branch does not write it */
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
      g_clear_pointer (&plan->branch[b].out, g_array_unref);
      g_free (plan->branch[b].private);
    }
  g_free (plan);
}

/* Heads of float variables; those of integers stay zero. */
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

  branch->out = g_array_new (FALSE, FALSE, sizeof (Outgoing));
  for (int v = 0; v < locations->n; v++)
    {
      int      g = find_output (params, locations->value[v]);
      Outgoing out = { .output = (guint) g };

      if (g < 0 || head >= n_heads)
        continue;
      if (hyb_dtype_is_float (variables[v].dtype))
        {
          out.adds = written[g];
          out.scratch =
              out.adds ? hyb_workspace_take (workspace, hyb_type_bytes (&variables[v])) : 0;
          written[g] = TRUE;
          g_array_append_val (chosen, heads[head]);
          g_array_append_val (branch->out, out);
        }
      head++;
    }
  branch->body.graph =
      hyb_graph_with_heads (call->body[b], chosen->len, (const HybValueId *) chosen->data);
}

static void
place_private (Branch *branch, gboolean training, const HybType *variables, gsize *workspace)
{
  g_autofree guint8 *written = hyb_graph_find_written (branch->body.graph, training);
  guint              n;
  const HybNodeId   *ids = hyb_graph_get_variables (branch->body.graph, &n);

  branch->private = g_new (gsize, MAX (branch->n_forward, 1));
  for (guint v = 0; v < branch->n_forward; v++)
    branch->private[v] = written[ids[v]]
                             ? hyb_workspace_take (workspace, hyb_type_bytes (&variables[v]))
                             : G_MAXSIZE;
}

/* Whether what comes in is what the branch gives.  Another may give something else. */
static gboolean
is_as_given (const HybCall *call, const HybType *heads, GError **error)
{
  const GradientParams *params = call->params;

  for (int i = 0; i < params->heads.n; i++)
    if (!hyb_control_expect (call, (guint) i, &heads[params->heads.value[i]], error))
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
  branch->fits = is_as_given (call, variables + branch->n_forward, NULL);
  if (b == N_BRANCHES - 1 && !branch->fits && !plan->branch[0].fits)
    return is_as_given (call, variables + branch->n_forward, error);

  choose_heads (branch, call, b, variables, workspace);
  place_private (branch, call->training, variables, workspace);
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

  if (!hyb_control_expect (call, (guint) params->heads.n, &choice, error))
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

static gpointer
outgoing_place (const HybRun *run, const Outgoing *out)
{
  return out->adds ? (char *) run->workspace + out->scratch : run->output[out->output];
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

      if (branch->private[v] != G_MAXSIZE)
        {
          gpointer copy = (char *) run->workspace + branch->private[v];

          memcpy (copy, data, hyb_type_bytes (&call->input[input]));
          data = copy;
        }
      hyb_frame_bind_variable (frame, v, data);
    }
  for (guint h = 0; h < (guint) params->forward.num_outputs; h++)
    hyb_frame_bind_variable (frame, branch->n_forward + h, (char *) run->workspace + plan->zeros);
  for (int i = 0; i < params->heads.n; i++)
    hyb_frame_bind_variable (frame,
                             branch->n_forward + (guint) params->heads.value[i],
                             run->input[i]);
  for (guint i = 0; i < branch->out->len; i++)
    hyb_frame_bind_head (frame, i, outgoing_place (run, &g_array_index (branch->out, Outgoing, i)));
}

static void
gradient_forward (const HybCall *call, const HybRun *run)
{
  const GradientParams *params = call->params;
  const GradientPlan   *plan = call->prepared;
  guint                 b = *(const gint64 *) run->input[params->heads.n] != 0 ? 0 : 1;
  const Branch         *branch = &plan->branch[b];
  HybFrame             *frame = hyb_subgraph_start (&branch->body, run);

  for (guint g = 0; g < call->n_outputs; g++)
    memset (run->output[g], 0, hyb_type_bytes (&call->output[g]));
  memset ((char *) run->workspace + plan->zeros, 0, plan->zeros_bytes);
  if (branch->out->len == 0 || !branch->fits)
    return;

  bind_branch (call, run, b, frame);
  if (!hyb_subgraph_run (&branch->body, frame, run, HYB_UNKNOWN))
    return;
  for (guint i = 0; i < branch->out->len; i++)
    {
      const Outgoing *out = &g_array_index (branch->out, Outgoing, i);
      const HybType  *type = &call->output[out->output];

      if (out->adds)
        hyb_subgraph_accumulate (type->dtype,
                                 hyb_shape_size (&type->shape),
                                 outgoing_place (run, out),
                                 run->output[out->output]);
    }
}

/* As the dearer branch: the bodies hold the forward part too. */
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
      HybCost             own = { 0 };

      for (guint v = 0; v < n; v++)
        variables[v] = v < (guint) locations->n
                           ? call->input[first_input (params) + (guint) locations->value[v]]
                           : HYB_TYPE_UNKNOWN;
      hyb_subgraph_add_cost (call->body[b], variables, call->training, 1, &own);
      if (own.flops >= cost->flops)
        *cost = own;
    }
}

const HybOp hyb_ops_cond_gradient[] = {
  {
      .name = "_backward_cond",
      .doc = "Gradients of _cond: those of the branch that ran.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_TRAINING_DEPENDENT | HYB_OP_RANDOM | HYB_OP_INTERNAL,
      .params = gradient_params,
      .params_size = sizeof (GradientParams),
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
