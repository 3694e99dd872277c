/* loop-backward.c — planning and running the backward node of a loop whose types are all known.
 *
 * loop-gradient.c describes its body.  A step binds recorded states, slices and incoming gradients
 * to the body; gradients of states alternate between two buffers, gradients of captured values are
 * added to their output or deferred (loop-deferred.h).
 * Start at hyb_loop_gradient_prepare() and hyb_loop_gradient_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/device-steps.h"
#include "engine/control/loop-deferred.h"

#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"
#include "engine/op/phase.h"

/* --- Planning --- */

/* A gradient that the node computes. */
typedef struct
{
  guint        variable; /* of the body, whose gradient it is */
  int          head;     /* of the graph that runs; −1: the gradient of an integer, zero */
  gsize        bytes;    /* in one step */
  gint64       size;     /* elements in one step */
  HybDType     dtype;
  HybDeferred *deferred; /* computed after the loop; NULL: in every step */
  gsize        scratch;  /* workspace: one step's, before it is added; two for a state */
  HybSubgraph *sum;      /* adds one step's on a device; else NULL */
} OutgoingGradient;

typedef struct
{
  HybLoop           loop;
  HybLoopSections   sections;
  HybSubgraph       body;
  gint64            length;     /* maximum number of steps */
  gsize            *row_bytes;  /* by variable: bytes in one step */
  gsize            *head_bytes; /* by head of the forward body */
  int              *incoming; /* by head of the forward body: input with its gradient; −1: zero */
  int              *out_of_variable; /* by variable: its index in `out`; −1 if none */
  guint             n_gradients;
  OutgoingGradient *out;
  gsize            *private_copy; /* by variable that the body writes: workspace for a copy */
  guint8           *written;      /* by variable: whether the body writes it (moving averages) */
  gsize             zeros, zeros_bytes; /* workspace: the gradient of heads without one */
  gsize             captured;           /* memory of the host: pointers, by variable */
  gsize             workspace;
} BackwardPlan;

static void
backward_plan_free (BackwardPlan *plan)
{
  hyb_subgraph_clear (&plan->body);
  hyb_loop_clear (&plan->loop);
  for (guint g = 0; g < plan->n_gradients; g++)
    {
      hyb_deferred_free (plan->out[g].deferred);
      hyb_device_step_free (plan->out[g].sum);
    }
  g_free (plan->row_bytes);
  g_free (plan->head_bytes);
  g_free (plan->incoming);
  g_free (plan->out_of_variable);
  g_free (plan->out);
  g_free (plan->private_copy);
  g_free (plan->written);
  g_free (plan);
}

void
hyb_loop_gradient_release (HybCall *call)
{
  g_clear_pointer ((BackwardPlan **) &call->prepared, backward_plan_free);
}

/* Types of the body's variables.  (transfer full); NULL and an error. */
static HybType *
infer_variables (const BackwardPlan *plan, HybCall *call, GError **error)
{
  const HybLoop      *loop = &plan->loop;
  g_autofree HybType *forward = g_new (HybType, MAX (loop->n_variables, 1));

  hyb_loop_variable_types (loop, call->input + plan->sections.inputs, call->legacy_shapes, forward);
  return hyb_subgraph_gradient_types (call->body[0], forward, loop->n_out_data + loop->n_states,
                                      call->training, error);
}

/* Fills plan->out and chooses the heads of the graph to run: the gradients of float variables or,
 * for deferred ones, the rows to collect. */
static gboolean
choose_heads (BackwardPlan                *plan,
              HybCall                     *call,
              const HybLoopGradientParams *params,
              const HybType               *variables,
              GError                     **error)
{
  guint               n_heads;
  const HybValueId   *heads = hyb_graph_get_heads (call->body[0], &n_heads);
  guint               first = plan->loop.n_out_data + plan->loop.n_states;
  g_autofree HybType *types =
      hyb_subgraph_value_types (call->body[0], variables, call->training, error);
  g_autofree HybValueId *chosen = g_new (HybValueId, n_heads * HYB_DEFERRED_MAX_OPERANDS + 1);
  guint                  n_chosen = 0;
  g_autoptr (GPtrArray) others = g_ptr_array_new ();

  if (!types)
    return FALSE;
  plan->n_gradients = (guint) params->gradients.n;
  plan->out = g_new0 (OutgoingGradient, MAX (plan->n_gradients, 1));
  for (guint g = 0; g < plan->n_gradients; g++)
    {
      guint                  v = (guint) params->gradients.value[g];
      const HybLoopVariable *variable = &plan->loop.variable[v];
      const HybType         *type = &variables[v];
      OutgoingGradient      *out = &plan->out[g];

      *out = (OutgoingGradient){
        .variable = v,
        .head = hyb_dtype_is_float (type->dtype) ? (int) n_chosen : -1,
        .bytes = hyb_type_bytes (type),
        .size = hyb_shape_size (&type->shape),
        .dtype = type->dtype,
      };
      plan->out_of_variable[v] = (int) g;
      if (out->head < 0)
        continue;
      /* Only gradients of captured values are sums over the steps, which one product may compute afterwards. */
      if (!variable->is_slice && variable->state == HYB_LOOP_NONE)
        out->deferred = hyb_deferred_new (&(HybDeferredContext){ &plan->loop, call, types,
                                                                 plan->length, others },
                                          heads[first + g], &plan->workspace);
      if (!out->deferred)
        {
          chosen[n_chosen++] = heads[first + g];
          continue;
        }
      n_chosen += hyb_deferred_get_heads (out->deferred, call->body[0], chosen + n_chosen);
      g_ptr_array_add (others, out->deferred);
    }
  plan->body.graph = hyb_graph_with_heads (call->body[0], n_chosen, chosen);
  return TRUE;
}

/* Computes the sizes of a step's operands and reserves workspace for them. */
static void
allocate_workspace (BackwardPlan *plan, const HybCall *call, const HybType *variables)
{
  const HybLoop     *loop = &plan->loop;
  guint              n_heads = loop->n_out_data + loop->n_states;
  g_autofree guint8 *written = hyb_graph_find_written (plan->body.graph, call->training);
  guint              n;
  const HybNodeId   *ids = hyb_graph_get_variables (plan->body.graph, &n);

  for (guint v = 0; v < loop->n_variables; v++)
    {
      plan->row_bytes[v] = hyb_type_bytes (&variables[v]);
      plan->written[v] = written[ids[v]];
      if (plan->written[v])
        plan->private_copy[v] = hyb_workspace_take (&plan->workspace, plan->row_bytes[v]);
    }
  for (guint h = 0; h < n_heads; h++)
    {
      plan->head_bytes[h] = hyb_type_bytes (&variables[loop->n_variables + h]);
      plan->zeros_bytes = MAX (plan->zeros_bytes, plan->head_bytes[h]);
    }
  plan->zeros = hyb_workspace_take (&plan->workspace, plan->zeros_bytes);
  plan->captured =
      hyb_control_take_host (call, &plan->workspace, loop->n_variables * sizeof (gpointer));
  for (guint g = 0; g < plan->n_gradients; g++)
    {
      const HybLoopVariable *variable = &loop->variable[plan->out[g].variable];

      if (plan->out[g].deferred)
        continue;
      plan->out[g].scratch =
          hyb_workspace_take (&plan->workspace, variable->is_slice ? 0 : plan->out[g].bytes);
      if (variable->state != HYB_LOOP_NONE)
        hyb_workspace_take (&plan->workspace, plan->out[g].bytes);
    }
}

/* Whether every step adds its part of a gradient to the output. */
static gboolean
is_added (const BackwardPlan *plan, const OutgoingGradient *out)
{
  const HybLoopVariable *variable = &plan->loop.variable[out->variable];

  return !variable->is_slice && variable->state == HYB_LOOP_NONE && out->head >= 0 &&
         !out->deferred;
}

static gboolean
plan_sums (BackwardPlan *plan, const HybCall *call, GError **error)
{
  for (guint g = 0; g < plan->n_gradients; g++)
    {
      OutgoingGradient *out = &plan->out[g];
      HybType           type = { hyb_shape_1d (out->size), out->dtype };

      if (is_added (plan, out) &&
          !hyb_device_sum_plan (&out->sum, call, &type, &plan->workspace, error))
        return FALSE;
    }
  return TRUE;
}

/* Checks the inputs against the body: gradients like the outputs of the loop, recorded states, one
 * number of steps, slices with a row per step, and all inputs of the sizes that the body reads.  The
 * last also finds dimensions of 0 that legacy models use for unknown ones. */
static gboolean
check_inputs (const BackwardPlan          *plan,
              const HybCall               *call,
              const HybLoopGradientParams *params,
              const HybType               *variables,
              GError                     **error)
{
  const HybLoop *loop = &plan->loop;
  HybType        want = { hyb_shape_1d (1), HYB_I64 };

  if (!hyb_control_check_input (call, plan->sections.n_steps, &want, error))
    return FALSE;
  for (int i = 0; i < params->heads.n; i++)
    {
      guint h = (guint) params->heads.value[i];

      want = variables[loop->n_variables + h];
      if (h < loop->n_out_data)
        want.shape = hyb_loop_stacked_shape (plan->length, &want.shape);
      if (!hyb_control_check_input (call, (guint) i, &want, error))
        return FALSE;
    }
  for (guint k = 0; k < loop->n_states; k++)
    {
      want = variables[loop->state[k]];
      want.shape = hyb_loop_stacked_shape (plan->length, &want.shape);
      if (!hyb_control_check_input (call, plan->sections.states + k, &want, error))
        return FALSE;
    }
  for (guint v = 0; v < loop->n_variables; v++)
    {
      guint  input = plan->sections.inputs + loop->variable[v].input;
      gint64 rows = loop->variable[v].is_slice ? plan->length : 1;

      want = call->input[input];
      if (loop->variable[v].is_slice)
        want.shape.dim[0] = plan->length;
      /* Compares sizes, as a row of one element may have the shape () or (1,). */
      if (hyb_shape_size (&want.shape) != rows * hyb_shape_size (&variables[v].shape))
        want.shape = loop->variable[v].is_slice ? hyb_loop_stacked_shape (rows, &variables[v].shape)
                                                : variables[v].shape;
      if (!hyb_control_check_input (call, input, &want, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_loop_gradient_prepare (HybLoop                     *given,
                           const HybLoopGradientParams *params,
                           HybCall                     *call,
                           GError                     **error)
{
  BackwardPlan       *plan = g_new0 (BackwardPlan, 1);
  const HybLoop      *loop = &plan->loop;
  g_autofree HybType *variables = NULL;
  guint               n_heads;

  plan->loop = *given;
  *given = (HybLoop){ 0 };
  call->prepared = plan;
  plan->sections = hyb_loop_sections (loop, params);
  plan->length = hyb_loop_length (loop, call->input + plan->sections.inputs);
  n_heads = loop->n_out_data + loop->n_states;
  plan->row_bytes = g_new0 (gsize, MAX (loop->n_variables, 1));
  plan->private_copy = g_new0 (gsize, MAX (loop->n_variables, 1));
  plan->written = g_new0 (guint8, MAX (loop->n_variables, 1));
  plan->out_of_variable = g_new (int, MAX (loop->n_variables, 1));
  plan->head_bytes = g_new0 (gsize, MAX (n_heads, 1));
  plan->incoming = g_new (int, MAX (n_heads, 1));
  for (guint v = 0; v < loop->n_variables; v++)
    plan->out_of_variable[v] = -1;
  for (guint h = 0; h < n_heads; h++)
    plan->incoming[h] = -1;
  for (int i = 0; i < params->heads.n; i++)
    plan->incoming[params->heads.value[i]] = i;

  variables = infer_variables (plan, call, error);
  if (!variables || !check_inputs (plan, call, params, variables, error) ||
      !choose_heads (plan, call, params, variables, error) ||
      !hyb_subgraph_plan (&plan->body, call, variables, &plan->workspace, error) ||
      !plan_sums (plan, call, error))
    {
      hyb_loop_gradient_release (call);
      return FALSE;
    }
  allocate_workspace (plan, call, variables);
  return TRUE;
}

gsize
hyb_loop_gradient_workspace (const HybCall *call)
{
  const BackwardPlan *plan = call->prepared;

  return plan->workspace;
}

/* --- BackwardPass --- */

typedef struct
{
  const BackwardPlan *plan;
  const HybRun       *run;
  HybFrame           *frame;
  gconstpointer      *captured; /* by variable */
  gint64              n_steps;  /* made by the forward pass */
} BackwardPass;

static gpointer
in_workspace (const BackwardPass *pass, gsize offset)
{
  return (char *) pass->run->workspace + offset;
}

/* The data of the forward node's input that feeds a variable. */
static gconstpointer
forward_input (const BackwardPass *pass, guint v)
{
  const BackwardPlan *plan = pass->plan;

  return pass->run->input[plan->sections.inputs + plan->loop.variable[v].input];
}

/* Where the body writes a gradient in a step.  A state's alternates between two buffers and ends in
 * the output at step 0.  A captured value's goes to the output in the last step, which comes first,
 * and to scratch in the others, from where it is added. */
static gpointer
gradient_address (const BackwardPass *pass, guint g, gint64 step)
{
  const OutgoingGradient *out = &pass->plan->out[g];
  const HybLoopVariable  *variable = &pass->plan->loop.variable[out->variable];
  char                   *output = pass->run->output[g];

  if (variable->is_slice)
    return output + (gsize) step * out->bytes;
  if (variable->state != HYB_LOOP_NONE)
    return step == 0 ? output
                     : in_workspace (pass, out->scratch +
                                               (step & 1 ? hyb_control_align (out->bytes) : 0));
  return step == pass->n_steps - 1 ? output : in_workspace (pass, out->scratch);
}

/* The gradient of a head of the forward body in a step: the incoming one or, for a state, the one
 * that the step after it computed. */
static gconstpointer
head_gradient (const BackwardPass *pass, guint h, gint64 step)
{
  const BackwardPlan *plan = pass->plan;
  const HybLoop      *loop = &plan->loop;
  int                 incoming = plan->incoming[h];
  int                 g;

  if (h < loop->n_out_data)
    return incoming < 0
               ? in_workspace (pass, plan->zeros)
               : (const char *) pass->run->input[incoming] + (gsize) step * plan->head_bytes[h];

  g = plan->out_of_variable[loop->state[h - loop->n_out_data]];
  if (step < pass->n_steps - 1)
    return g >= 0 && plan->out[g].head >= 0 ? gradient_address (pass, (guint) g, step + 1)
                                            : in_workspace (pass, plan->zeros);
  return incoming < 0 ? in_workspace (pass, plan->zeros) : pass->run->input[incoming];
}

/* Binds the variables that are the same in all steps, or copies of the ones that the body
 * writes.  The others are bound here too and overridden by bind_step(). */
static void
bind_captured (const BackwardPass *pass)
{
  const BackwardPlan *plan = pass->plan;

  for (guint v = 0; v < plan->loop.n_variables; v++)
    if (plan->written[v])
      {
        hyb_run_copy (pass->run, in_workspace (pass, plan->private_copy[v]),
                      forward_input (pass, v), plan->row_bytes[v]);
        hyb_frame_bind_variable (pass->frame, v, in_workspace (pass, plan->private_copy[v]));
      }
    else
      hyb_frame_bind_variable (pass->frame, v, forward_input (pass, v));
}

/* Binds slices, recorded states, gradients of heads and the outputs of a step. */
static void
bind_step (const BackwardPass *pass, gint64 step)
{
  const BackwardPlan *plan = pass->plan;
  const HybLoop      *loop = &plan->loop;

  for (guint v = 0; v < loop->n_variables; v++)
    {
      gsize offset = (gsize) step * plan->row_bytes[v];
      guint k = loop->variable[v].state;

      if (loop->variable[v].is_slice)
        hyb_frame_bind_variable (pass->frame, v, (const char *) forward_input (pass, v) + offset);
      else if (k != HYB_LOOP_NONE)
        hyb_frame_bind_variable (pass->frame, v,
                                 (const char *) pass->run->input[plan->sections.states + k] +
                                     offset);
    }
  for (guint h = 0; h < loop->n_out_data + loop->n_states; h++)
    hyb_frame_bind_variable (pass->frame, loop->n_variables + h, head_gradient (pass, h, step));
  for (guint g = 0; g < plan->n_gradients; g++)
    if (plan->out[g].deferred)
      hyb_deferred_bind (plan->out[g].deferred, pass->run, pass->frame, (guint) plan->out[g].head,
                         step);
    else if (plan->out[g].head >= 0)
      hyb_frame_bind_head (pass->frame, (guint) plan->out[g].head,
                           gradient_address (pass, g, step));
}

/* Adds the gradients of captured values of a step to the outputs. */
static void
accumulate (const BackwardPass *pass, gint64 step)
{
  HybCost cost = { 0 };
  guint   first = 0, n = pass->plan->n_gradients;

  while (first < n && !is_added (pass->plan, &pass->plan->out[first]))
    first++;
  if (first == n || step == pass->n_steps - 1)
    return;
  hyb_phase_begin (pass->run, &hyb_phase_sums);
  for (guint g = first; g < n; g++)
    if (is_added (pass->plan, &pass->plan->out[g]))
      {
        const OutgoingGradient *out = &pass->plan->out[g];

        if (out->sum)
          hyb_device_sum_run (out->sum, pass->run, gradient_address (pass, g, step),
                              pass->run->output[g]);
        else
          hyb_subgraph_accumulate (out->dtype, out->size, gradient_address (pass, g, step),
                                   pass->run->output[g]);
        cost.flops += (double) out->size;
        cost.bytes_read += 2 * (double) out->bytes;
        cost.bytes_written += (double) out->bytes;
      }
  hyb_phase_end (pass->run, &hyb_phase_sums, cost);
}

/* Writes the gradients of integers, which are zero, and all gradients of a loop that made no
 * step: an initial state gets the incoming gradient of the final state, the others are zero. */
static void
write_gradients_without_steps (const BackwardPass *pass)
{
  const BackwardPlan *plan = pass->plan;

  for (guint g = 0; g < plan->n_gradients; g++)
    {
      const OutgoingGradient *out = &plan->out[g];
      const HybLoopVariable  *variable = &plan->loop.variable[out->variable];
      gsize                   rows = variable->is_slice ? (gsize) plan->length : 1;
      int                     incoming = variable->state == HYB_LOOP_NONE
                                             ? -1
                                             : plan->incoming[plan->loop.n_out_data + variable->state];

      if (pass->n_steps > 0 && out->head >= 0)
        continue;
      if (out->head >= 0 && incoming >= 0)
        hyb_run_copy (pass->run, pass->run->output[g], pass->run->input[incoming], out->bytes);
      else
        hyb_run_clear (pass->run, pass->run->output[g], rows * out->bytes);
    }
}

static void
run_deferred (const BackwardPass *pass)
{
  const BackwardPlan *plan = pass->plan;

  for (guint v = 0; v < plan->loop.n_variables; v++)
    {
      guint k = plan->loop.variable[v].state;

      pass->captured[v] = k == HYB_LOOP_NONE ? forward_input (pass, v)
                                             : pass->run->input[plan->sections.states + k];
    }
  for (guint g = 0; g < plan->n_gradients; g++)
    if (plan->out[g].deferred)
      hyb_deferred_run (plan->out[g].deferred, pass->run, pass->captured, pass->n_steps,
                        pass->run->output[g]);
}

void
hyb_loop_gradient_forward (const HybCall *call, const HybRun *run)
{
  const BackwardPlan *plan = call->prepared;
  BackwardPass        pass = { .plan = plan, .run = run, .n_steps = plan->length };

  /* Only a condition makes a loop shorter; a device is not waited for without need. */
  if (!run->device || plan->loop.condition != HYB_LOOP_NONE)
    pass.n_steps =
        CLAMP (hyb_run_get_int (run, run->input[plan->sections.n_steps]), 0, plan->length);
  write_gradients_without_steps (&pass);
  if (pass.n_steps == 0)
    return;

  pass.frame = hyb_subgraph_start (&plan->body, run);
  pass.captured = (gconstpointer *) (gpointer) (hyb_control_host (run) + plan->captured);
  hyb_run_clear (run, in_workspace (&pass, plan->zeros), plan->zeros_bytes);
  bind_captured (&pass);
  for (gint64 step = pass.n_steps - 1; step >= 0; step--)
    {
      bind_step (&pass, step);
      if (!hyb_subgraph_run (&plan->body, pass.frame, run, step))
        return;
      accumulate (&pass, step);
    }
  run_deferred (&pass);
}

void
hyb_loop_gradient_cost (const HybLoop               *loop,
                        const HybLoopGradientParams *params,
                        const HybCall               *call,
                        HybCost                     *cost)
{
  HybLoopSections     sections = hyb_loop_sections (loop, params);
  guint               n_heads = loop->n_out_data + loop->n_states;
  g_autofree HybType *variables = g_new (HybType, loop->n_variables + n_heads + 1);
  gint64              length = hyb_loop_length (loop, call->input + sections.inputs);

  hyb_loop_variable_types (loop, call->input + sections.inputs, call->legacy_shapes, variables);
  for (guint h = 0; h < n_heads; h++)
    variables[loop->n_variables + h] = HYB_TYPE_UNKNOWN;
  *cost = (HybCost){ 0 };
  hyb_subgraph_add_cost (call->body[0], variables, call->training, (double) MAX (length, 0), cost);
}
