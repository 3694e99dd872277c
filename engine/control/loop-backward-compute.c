/* loop-backward-compute.c — the way back through a loop whose types show only while
 * running.
 *
 * States of different shapes are not recorded: the loop is run once more, operator by
 * operator, and every step keeps its states; then the steps are gone through in
 * reverse, each with the types of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop.h"

#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"
#include "engine/imperative/imperative.h"
#include "engine/op/dimensions.h"

#include <string.h>

typedef struct
{
  const HybLoop               *loop;
  const HybLoopGradientParams *params;
  HybCall                     *call;
  const HybRun                *run;
  HybTensor *const            *inputs; /* of the forward node */
  HybTensor *const            *incoming;
  gint64                       length, n_steps;
  guint                        n_heads;  /* of the forward body */
  GPtrArray                   *captured; /* by variable: what stays the same */
  GPtrArray                   *steps;    /* of GPtrArray: the forward heads of each step */
  GPtrArray                   *dstates;  /* by state: as it comes back; NULL: zero */
  HybGraph                    *forward, *gradient;
  int                         *head; /* by gradient: head of the graph gradient; -1: zero */
} WayBack;

static GPtrArray *
tensors_new (guint n)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_set_size (tensors, (int) n);
  return tensors;
}

/* Swallows the tensor. */
static void
tensors_set (GPtrArray *tensors, guint index, HybTensor *tensor)
{
  HybTensor *old = tensors->pdata[index];

  tensors->pdata[index] = tensor;
  if (old)
    hyb_tensor_unref (old);
}

static HybTensor *
take_row (HybTensor *whole, gboolean legacy, gint64 step)
{
  const HybType *type = hyb_tensor_get_type (whole);
  HybType        row = { hyb_loop_row_shape (&type->shape, legacy), type->dtype };

  return hyb_tensor_new_view (whole, &row, (gsize) step * hyb_type_bytes (&row));
}

/* State k before a step. */
static HybTensor *
state_before (const WayBack *way, guint k, gint64 step)
{
  GPtrArray *heads;

  if (step == 0)
    return way->inputs[way->loop->variable[way->loop->state[k]].input];
  heads = way->steps->pdata[step - 1];
  return heads->pdata[way->loop->n_out_data + k];
}

/* The variables of the forward body; those behind them are NULL. */
static GPtrArray *
bind_forward (const WayBack *way, gint64 step)
{
  const HybLoop *loop = way->loop;
  GPtrArray     *variables = tensors_new (loop->n_variables + way->n_heads);

  for (guint v = 0; v < loop->n_variables; v++)
    {
      const HybLoopVariable *variable = &loop->variable[v];

      if (variable->is_slice)
        variables->pdata[v] =
            take_row (way->inputs[variable->input], way->call->legacy_shapes, step);
      else if (variable->state != HYB_LOOP_NOTHING)
        variables->pdata[v] = hyb_tensor_ref (state_before (way, variable->state, step));
      else
        variables->pdata[v] = hyb_tensor_ref (way->captured->pdata[v]);
    }
  return variables;
}

static gboolean
run_graph (const WayBack *way,
           HybGraph      *graph,
           gint64         step,
           GPtrArray     *variables,
           GPtrArray     *heads,
           GError       **error)
{
  HybRun context = hyb_subgraph_context (way->run, step);

  if (g_cancellable_set_error_if_cancelled (way->run->cancellable, error))
    return FALSE;
  return hyb_imperative_run (graph,
                             (HybTensor *const *) variables->pdata,
                             (HybTensor **) heads->pdata,
                             &context,
                             error);
}

static gboolean
repeat_forward (WayBack *way, GError **error)
{
  for (gint64 step = 0; step < way->n_steps; step++)
    {
      g_autoptr (GPtrArray) variables = bind_forward (way, step);
      GPtrArray *heads = tensors_new (way->n_heads);

      g_ptr_array_add (way->steps, heads);
      if (!run_graph (way, way->forward, step, variables, heads, error))
        return FALSE;
    }
  return TRUE;
}

/* The gradient of a head of the forward body in a step. */
static HybTensor *
head_gradient (const WayBack *way, guint h, gint64 step, GError **error)
{
  GPtrArray *heads = way->steps->pdata[step];
  HybTensor *known = NULL;

  if (h >= way->loop->n_out_data)
    known = way->dstates->pdata[h - way->loop->n_out_data];
  else
    for (int i = 0; i < way->params->heads.n; i++)
      if (way->params->heads.value[i] == h)
        return take_row (way->incoming[i], FALSE, step);
  return known ? hyb_tensor_ref (known)
               : hyb_tensor_new_zeros (hyb_tensor_get_type (heads->pdata[h]), error);
}

static void
add_to (HybTensor *sum, HybTensor *part)
{
  hyb_subgraph_accumulate (hyb_tensor_get_dtype (sum),
                           hyb_tensor_get_size (sum),
                           hyb_tensor_get_data (part),
                           hyb_tensor_get_data (sum));
}

/* What a step gives: rows are written, states handed on, the rest adds up. */
static void
take_gradients (const WayBack *way, gint64 step, GPtrArray *heads, HybTensor **outputs)
{
  const HybLoop *loop = way->loop;

  for (guint k = 0; k < loop->n_states; k++)
    tensors_set (way->dstates, k, NULL);
  for (int g = 0; g < way->params->gradients.n; g++)
    {
      const HybLoopVariable *variable = &loop->variable[way->params->gradients.value[g]];
      HybTensor             *got = way->head[g] >= 0 ? heads->pdata[way->head[g]] : NULL;

      if (!got)
        continue;
      if (variable->is_slice)
        memcpy ((char *) hyb_tensor_get_data (outputs[g]) +
                    (gsize) step * hyb_tensor_get_bytes (got),
                hyb_tensor_get_data (got),
                hyb_tensor_get_bytes (got));
      else if (variable->state != HYB_LOOP_NOTHING)
        tensors_set (way->dstates, variable->state, hyb_tensor_ref (got));
      else
        add_to (outputs[g], got);
    }
}

static gboolean
go_back (const WayBack *way, HybTensor **outputs, GError **error)
{
  guint n_gradients = hyb_subgraph_n_heads (way->gradient);

  for (gint64 step = way->n_steps - 1; step >= 0; step--)
    {
      g_autoptr (GPtrArray) variables = bind_forward (way, step);
      g_autoptr (GPtrArray) heads = tensors_new (n_gradients);

      for (guint h = 0; h < way->n_heads; h++)
        {
          HybTensor *gradient = head_gradient (way, h, step, error);

          if (!gradient)
            return FALSE;
          variables->pdata[way->loop->n_variables + h] = gradient;
        }
      if (!run_graph (way, way->gradient, step, variables, heads, error))
        return FALSE;
      take_gradients (way, step, heads, outputs);
    }
  return TRUE;
}

/* Captured values; copies of those that the body writes, which it has done before. */
static void
collect_captured (WayBack *way)
{
  g_autofree guint8 *written = hyb_graph_find_written (way->call->body[0], way->run->training);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (way->call->body[0], &n);

  way->captured = tensors_new (way->loop->n_variables);
  for (guint v = 0; v < way->loop->n_variables; v++)
    {
      HybTensor *input = way->inputs[way->loop->variable[v].input];

      way->captured->pdata[v] =
          written[variables[v]] ? hyb_tensor_copy (input) : hyb_tensor_ref (input);
    }
}

/* The body twice: only what it gave, and only gradients of floats. */
static void
split_body (WayBack *way)
{
  guint                  n;
  const HybValueId      *heads = hyb_graph_get_heads (way->call->body[0], &n);
  g_autofree HybValueId *chosen = g_new (HybValueId, MAX (n, 1));
  guint                  n_chosen = 0;

  way->forward = hyb_graph_with_heads (way->call->body[0], way->n_heads, heads);
  way->head = g_new (int, (gsize) MAX (way->params->gradients.n, 1));
  for (int g = 0; g < way->params->gradients.n; g++)
    {
      guint input = way->loop->variable[way->params->gradients.value[g]].input;

      way->head[g] = -1;
      if (hyb_dtype_is_float (hyb_tensor_get_dtype (way->inputs[input])))
        {
          way->head[g] = (int) n_chosen;
          chosen[n_chosen++] = heads[way->n_heads + (guint) g];
        }
    }
  way->gradient = hyb_graph_with_heads (way->call->body[0], n_chosen, chosen);
}

/* Zeros, to be filled; the gradient of a state is what comes back in the end. */
static gboolean
make_outputs (const WayBack *way, HybTensor **outputs, GError **error)
{
  for (int g = 0; g < way->params->gradients.n; g++)
    {
      guint input = way->loop->variable[way->params->gradients.value[g]].input;

      outputs[g] = hyb_tensor_new_zeros (hyb_tensor_get_type (way->inputs[input]), error);
      if (!outputs[g])
        return FALSE;
    }
  return TRUE;
}

static void
finish_states (const WayBack *way, HybTensor **outputs)
{
  for (int g = 0; g < way->params->gradients.n; g++)
    {
      guint      k = way->loop->variable[way->params->gradients.value[g]].state;
      HybTensor *final = k != HYB_LOOP_NOTHING ? way->dstates->pdata[k] : NULL;

      if (!final || way->head[g] < 0)
        continue;
      hyb_tensor_unref (outputs[g]);
      outputs[g] = hyb_tensor_ref (final);
    }
}

static void
way_back_clear (WayBack *way)
{
  g_clear_pointer (&way->captured, g_ptr_array_unref);
  g_clear_pointer (&way->steps, g_ptr_array_unref);
  g_clear_pointer (&way->dstates, g_ptr_array_unref);
  g_clear_pointer (&way->forward, hyb_graph_unref);
  g_clear_pointer (&way->gradient, hyb_graph_unref);
  g_clear_pointer (&way->head, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WayBack, way_back_clear)

/* What is read row by row must have a row for every step. */
static gboolean
check_inputs (const WayBack *way, HybLoopSections sections, GError **error)
{
  const HybLoop *loop = way->loop;
  HybType        one = { hyb_shape_1d (1), HYB_I64 };

  if (!hyb_control_expect (way->call, sections.count, &one, error))
    return FALSE;
  for (guint i = 0; i < way->call->n_inputs; i++)
    {
      gboolean is_sliced =
          i < (guint) way->params->heads.n && way->params->heads.value[i] < loop->n_out_data;
      const HybShape *shape = &way->call->input[i].shape;

      for (guint v = 0; v < loop->n_variables; v++)
        is_sliced |= loop->variable[v].is_slice && i == sections.inputs + loop->variable[v].input;
      if (is_sliced && (shape->rank < 1 || shape->dim[0] < way->n_steps))
        return hyb_refuse_types (error,
                                 NULL,
                                 "input %u has not a row for each of %" G_GINT64_FORMAT " steps",
                                 i,
                                 way->n_steps);
    }
  return TRUE;
}

gboolean
hyb_loop_gradient_compute (const HybLoop               *loop,
                           const HybLoopGradientParams *params,
                           HybCall                     *call,
                           const HybRun                *run,
                           HybTensor *const            *inputs,
                           HybTensor                  **outputs,
                           GError                     **error)
{
  HybLoopSections sections = hyb_loop_sections (loop, params);
  HybType         count = { hyb_shape_1d (1), HYB_I64 };
  g_auto (WayBack) way = {
    .loop = loop,
    .params = params,
    .call = call,
    .run = run,
    .inputs = inputs + sections.inputs,
    .incoming = inputs,
    .n_heads = loop->n_out_data + loop->n_states,
    .steps = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref),
    .dstates = tensors_new (loop->n_states),
  };

  if (hyb_tensor_get_bytes (inputs[sections.count]) >= sizeof (gint64))
    way.n_steps = *(const gint64 *) hyb_tensor_get_data (inputs[sections.count]);
  if (!check_inputs (&way, sections, error))
    return FALSE;

  collect_captured (&way);
  split_body (&way);
  for (int i = 0; i < params->heads.n; i++)
    if (params->heads.value[i] >= loop->n_out_data)
      way.dstates->pdata[params->heads.value[i] - loop->n_out_data] = hyb_tensor_ref (inputs[i]);

  outputs[params->gradients.n] = hyb_tensor_new_zeros (&count, error);
  if (!outputs[params->gradients.n] || !make_outputs (&way, outputs, error) ||
      !repeat_forward (&way, error) || !go_back (&way, outputs, error))
    return FALSE;
  finish_states (&way, outputs);
  return TRUE;
}
