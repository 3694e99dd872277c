/* loop-gradient.c — emitting the backward node of a loop, and its types.
 *
 * The backward node's body is the forward body extended by its gradients.  It runs once for every
 * step that was made, the last first.  Each time it recomputes the step's forward values from the
 * recorded states, with the same step number, so that random numbers repeat.  Gradients of states
 * are passed from step to step, gradients of captured values are summed.
 *
 * Variables of that body: the variables of the forward body, then a gradient for each of its heads.
 * Heads: the heads of the forward body, then the gradients of the variables in `gradients`. Start
 * at hyb_loop_differentiate().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/subgraph-types.h"
#include "engine/base/error.h"
#include "engine/control/loop.h"
#include "engine/gradient/backward.h"
#include "engine/gradient/flow.h"

#include <string.h>

/* --- Emitting the node --- */

/* Whether a node reads a marked value through an input that gradients flow through. */
static gboolean
has_marked_input (const guint8 *marked, const HybValueId *values, guint n, const HybOp *op)
{
  for (guint i = 0; i < n; i++)
    if (marked[values[i]] && hyb_flow_input_is_open (op, i))
      return TRUE;
  return FALSE;
}

/* Marks the values of the body that depend on active variables. */
static void
mark_reached (const HybGraph *body, const gboolean *active, guint8 *marked)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);

  for (guint v = 0; v < n; v++)
    if (active[v])
      marked[hyb_graph_get_node (body, variables[v])->first_output] = TRUE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode *node = hyb_graph_get_node (body, id);

      if (!(node->op->flags & HYB_OP_NO_GRADIENT) &&
          has_marked_input (marked, hyb_graph_get_inputs (body, id), node->n_inputs, node->op))
        memset (marked + node->first_output, TRUE, node->n_outputs);
    }
}

/* Finds the variables whose gradients the backward node computes: variables that need one, and
 * states through which such gradients pass.  Counters are not among them, so they need not be
 * differentiable.  Returns the number of active variables. */
static guint
find_active (const HybLoop *loop, HybGrad *grad, gboolean *active)
{
  HybGraph          *body = hyb_grad_body (grad, loop->body);
  g_autofree guint8 *marked = g_new0 (guint8, MAX (hyb_graph_n_values (body), 1));
  guint              n_heads;
  const HybValueId  *heads = hyb_graph_get_heads (body, &n_heads);
  gboolean           found = TRUE;
  guint              n_active = 0;

  for (guint v = 0; v < loop->n_variables; v++)
    active[v] = hyb_grad_needs_input (grad, loop->variable[v].input);
  while (found)
    {
      found = FALSE;
      mark_reached (body, active, marked);
      for (guint k = 0; k < loop->n_states; k++)
        if (marked[heads[loop->n_out_data + k]] && !active[loop->state[k]])
          active[loop->state[k]] = found = TRUE;
    }
  for (guint v = 0; v < loop->n_variables; v++)
    n_active += active[v];
  return n_active;
}

/* The body extended by the gradients of n variables.  (transfer full); NULL, and the gradient
 * refused, if it has none. */
static HybGraph *
differentiate_body (HybGrad *grad, HybGraph *body, guint n, const guint *variables)
{
  g_autofree HybNodeId *wrt = g_new (HybNodeId, MAX (n, 1));
  g_autoptr (GError) error = NULL;
  guint            n_variables;
  const HybNodeId *ids = hyb_graph_get_variables (body, &n_variables);
  HybGraph        *gradient;

  for (guint i = 0; i < n; i++)
    wrt[i] = ids[variables[i]];
  gradient = hyb_graph_with_gradients (body, n, wrt, &error);
  if (!gradient)
    hyb_grad_refuse (grad, "in its body: %s", error->message);
  return gradient;
}

/* Collects the inputs of the backward node (see loop.h), and the outputs that have an incoming
 * gradient in heads. */
static void
collect_inputs (const HybLoop *loop, HybGrad *grad, GArray *inputs, GArray *heads)
{
  guint      n_heads = loop->n_out_data + loop->n_states;
  guint      first_recorded = n_heads + 1;
  HybValueId count;

  for (guint h = 0; h < n_heads; h++)
    if (hyb_grad_has_incoming (grad, h))
      {
        HybValueId value = hyb_grad_incoming (grad, h);

        g_array_append_val (heads, h);
        g_array_append_val (inputs, value);
      }
  for (guint o = first_recorded; o < first_recorded + loop->n_states; o++)
    {
      HybValueId value = hyb_grad_output (grad, o);

      g_array_append_val (inputs, value);
    }
  count = hyb_grad_output (grad, n_heads);
  g_array_append_val (inputs, count);
  for (guint i = 0; i < loop->n_inputs; i++)
    {
      HybValueId value = hyb_grad_input (grad, i);

      g_array_append_val (inputs, value);
    }
}

void
hyb_loop_differentiate (const HybLoop  *loop,
                        HybGrad        *grad,
                        const char     *backward,
                        const HybParam *forward_table)
{
  g_autofree gboolean *active = g_new0 (gboolean, MAX (loop->n_variables, 1));
  g_autofree guint    *variables = g_new (guint, MAX (loop->n_variables, 1));
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (HybGraph) gradient = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *heads_text = NULL;
  g_autofree char *gradients_text = NULL;
  g_auto (GStrv) attributes = NULL;
  guint      n = 0;
  HybValueId first;

  /* Types may not have been inferred yet, which checks this, too. */
  if (!hyb_subgraph_check (hyb_grad_body (grad, loop->body), loop->n_variables,
                           loop->n_out_data + loop->n_states, "body", &error))
    {
      hyb_grad_refuse (grad, "%s", error->message);
      return;
    }
  if (find_active (loop, grad, active) == 0)
    return;
  for (guint v = 0; v < loop->n_variables; v++)
    if (active[v])
      variables[n++] = v;
  gradient = differentiate_body (grad, hyb_grad_body (grad, loop->body), n, variables);
  if (!gradient)
    return;

  collect_inputs (loop, grad, inputs, heads);
  heads_text = hyb_control_format_ints (heads->len, (gconstpointer) heads->data);
  gradients_text = hyb_control_format_ints (n, variables);
  attributes = hyb_control_attributes (forward_table, hyb_grad_params (grad), "heads", heads_text,
                                       "gradients", gradients_text, NULL);
  first = hyb_grad_emit_bodies (grad, backward,
                                &(HybNodeSpec){ .attributes = (const char *const *) attributes,
                                                .n_inputs = inputs->len,
                                                .inputs = (gconstpointer) inputs->data,
                                                .n_bodies = 1,
                                                .bodies = &gradient });
  for (guint i = 0; i < n; i++)
    hyb_grad_set_input (grad, loop->variable[variables[i]].input,
                        first == HYB_NO_ID ? HYB_NO_ID : first + i);
}

/* --- Types --- */

void
hyb_loop_gradient_arity (const HybLoop               *loop,
                         const HybLoopGradientParams *params,
                         guint                       *n_inputs,
                         guint                       *n_outputs)
{
  *n_inputs = (guint) MAX (params->heads.n, 0) + loop->n_states + 1 + loop->n_inputs;
  *n_outputs = (guint) MAX (params->gradients.n, 0) + 1;
}

HybLoopSections
hyb_loop_sections (const HybLoop *loop, const HybLoopGradientParams *params)
{
  guint states = (guint) MAX (params->heads.n, 0);
  guint n_steps = states + loop->n_states;

  return (HybLoopSections){ states, n_steps, n_steps + 1 };
}

static gboolean
is_in_range (const HybInts *ints, guint end)
{
  for (int i = 0; i < ints->n; i++)
    if (ints->value[i] < 0 || ints->value[i] >= end)
      return FALSE;
  return ints->n >= 0;
}

/* Whether the states were recorded, which they are unless their types change from step to step. */
static gboolean
are_recorded (const HybLoop *loop, const HybCall *call, const HybLoopSections *sections)
{
  gint64 length = hyb_loop_length (loop, call->input + sections->inputs);

  for (guint k = 0; k < loop->n_states; k++)
    {
      const HybType *recorded = &call->input[sections->states + k];
      const HybType *state = &call->input[sections->inputs + loop->variable[loop->state[k]].input];
      HybShape       shape = hyb_loop_stacked_shape (length, &state->shape);

      if (!hyb_type_is_known (recorded) || recorded->dtype != state->dtype ||
          !hyb_shape_equal (&recorded->shape, &shape))
        return FALSE;
    }
  return TRUE;
}

/* Every gradient has the type of the input it belongs to.  The last output has no reader; its shape
 * stays unknown if the states were not recorded, so that hyb_loop_gradient_compute() runs. */
gboolean
hyb_loop_gradient_infer (const HybLoop               *loop,
                         const HybLoopGradientParams *params,
                         HybCall                     *call,
                         GError                     **error)
{
  HybLoopSections sections = hyb_loop_sections (loop, params);
  guint           n_heads = loop->n_out_data + loop->n_states;
  HybShape        one = hyb_shape_1d (1);

  if (!is_in_range (&params->heads, n_heads) ||
      !is_in_range (&params->gradients, loop->n_variables))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                         "heads and gradients must name outputs and variables of the loop");
  if (!hyb_subgraph_check (call->body[0], loop->n_variables + n_heads,
                           n_heads + (guint) params->gradients.n, "body", error))
    return FALSE;

  for (int g = 0; g < params->gradients.n; g++)
    {
      HybType *input =
          &call->input[sections.inputs + loop->variable[params->gradients.value[g]].input];

      if (!hyb_shape_unify (&input->shape, &call->output[g].shape, error) ||
          !hyb_dtype_unify (&input->dtype, &call->output[g].dtype, error))
        return FALSE;
    }
  return hyb_dtype_assign (&call->output[params->gradients.n].dtype, HYB_I64, error) &&
         (!are_recorded (loop, call, &sections) ||
          hyb_shape_assign (&call->output[params->gradients.n].shape, &one, error));
}
