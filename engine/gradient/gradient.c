/* gradient.c — the interface of an operator's gradient function: reading values, adding nodes.
 *
 * After the first failure every function returns HYB_NO_ID and adds nothing, so that gradient
 * functions need no checks; backward.c reports the failure.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/gradient.h"

#include "engine/base/error.h"
#include "engine/gradient/flow.h"

#include <stdarg.h>

/* More gradients of one value than this are added up immediately, so that a weight used in 2000
 * unrolled steps keeps a few gradients alive instead of 2000. */
#define MAX_WAITING 8

gboolean
hyb_flow_input_is_open (const HybOp *op, guint index)
{
  return !hyb_op_writes_input (op, index) &&
         (index >= 32 || !(op->constant_inputs & (1u << index)));
}

static HybValueId
flow_add (HybFlow *flow, const HybNodeSpec *spec)
{
  HybNodeId id;

  if (flow->error)
    return HYB_NO_ID;

  id = hyb_builder_add (flow->builder, spec, &flow->error);
  return id == HYB_NO_ID ? HYB_NO_ID : hyb_builder_output (flow->builder, id, 0);
}

static const HybOp *
flow_find_op (HybFlow *flow, const HybNode *node, const char *name)
{
  const HybOp *op = hyb_op_find (name);

  if (!op && !flow->error)
    hyb_error_at (&flow->error, HYB_OP_ERROR, HYB_OP_ERROR_GRADIENT, NULL, NULL,
                  "node “%s”: the gradient of operator %s needs operator %s, which does not exist",
                  node->name, node->type, name);

  return op;
}

HybValueId
hyb_flow_emit (HybFlow *flow, HybNodeId near, const char *op, const HybNodeSpec *spec)
{
  const HybNode *node = hyb_graph_get_node (flow->graph, near);
  HybNodeSpec    full = *spec;

  full.op = flow_find_op (flow, node, op);
  full.key = node->key;
  full.origin_plus_one = node->origin + 1;
  full.line = node->line;
  return flow_add (flow, &full);
}

/* The gradients that arrived at a value, in order. */
static guint32 *
list_arrivals (HybFlow *flow, const HybArrivals *at)
{
  guint32 *values = g_new (guint32, at->count);
  guint    n = 0;

  for (guint32 i = at->first; i != 0;)
    {
      const HybArrival *arrival = &g_array_index (flow->arrivals, HybArrival, i - 1);

      values[n++] = arrival->value;
      i = arrival->next;
    }

  return values;
}

HybValueId
hyb_flow_sum (HybFlow *flow, HybValueId target)
{
  HybArrivals        *at = &flow->at[target];
  g_autofree guint32 *values = NULL;
  g_autofree char    *name = NULL;
  g_autofree char    *count = g_strdup_printf ("%u", at->count);
  const char         *attributes[] = { "num_args", count, NULL };
  HybNodeId           producer;
  HybValueId          sum;

  if (at->count == 0)
    return HYB_NO_ID;

  values = list_arrivals (flow, at);
  if (at->count == 1)
    return values[0];

  producer = hyb_builder_get_producer (flow->builder, target);
  name = g_strconcat (hyb_graph_get_node (flow->graph, producer)->name, "_gradient_sum", NULL);
  if (at->count == 2)
    sum = hyb_flow_emit (flow, producer, "elemwise_add",
                         &(HybNodeSpec){ .name = name, .n_inputs = 2, .inputs = values });
  else
    sum = hyb_flow_emit (flow, producer, "add_n",
                         &(HybNodeSpec){ .name = name,
                                         .attributes = attributes,
                                         .n_inputs = at->count,
                                         .inputs = values });

  *at = (HybArrivals){ 0 };
  if (sum != HYB_NO_ID)
    hyb_flow_arrive (flow, target, sum);

  return sum;
}

void
hyb_flow_arrive (HybFlow *flow, HybValueId target, HybValueId value)
{
  HybArrivals *at = &flow->at[target];
  HybArrival   arrival = { .value = value };

  if (flow->error)
    return;

  g_array_append_val (flow->arrivals, arrival);
  if (at->last)
    g_array_index (flow->arrivals, HybArrival, at->last - 1).next = flow->arrivals->len;
  else
    at->first = flow->arrivals->len;
  at->last = flow->arrivals->len;
  at->count++;

  if (at->count == MAX_WAITING)
    hyb_flow_sum (flow, target);
}

guint
hyb_grad_n_inputs (HybGrad *grad)
{
  g_return_val_if_fail (grad, 0);
  return grad->node->n_inputs;
}

guint
hyb_grad_n_outputs (HybGrad *grad)
{
  g_return_val_if_fail (grad, 0);
  return grad->n_outputs;
}

gconstpointer
hyb_grad_params (HybGrad *grad)
{
  g_return_val_if_fail (grad, NULL);
  return grad->params;
}

HybValueId
hyb_grad_input (HybGrad *grad, guint index)
{
  g_return_val_if_fail (grad, HYB_NO_ID);
  g_return_val_if_fail (index < grad->node->n_inputs, HYB_NO_ID);

  return grad->flow->value[hyb_graph_get_inputs (grad->flow->graph, grad->id)[index]];
}

HybValueId
hyb_grad_output (HybGrad *grad, guint index)
{
  g_return_val_if_fail (grad, HYB_NO_ID);
  g_return_val_if_fail (index < grad->n_outputs, HYB_NO_ID);

  return grad->first_output + index;
}

gboolean
hyb_grad_has_incoming (HybGrad *grad, guint index)
{
  g_return_val_if_fail (grad, FALSE);
  g_return_val_if_fail (index < grad->n_outputs, FALSE);

  return grad->flow->at[grad->first_output + index].count > 0;
}

HybValueId
hyb_grad_incoming (HybGrad *grad, guint index)
{
  g_return_val_if_fail (grad, HYB_NO_ID);
  g_return_val_if_fail (index < grad->n_outputs, HYB_NO_ID);

  if (hyb_grad_has_incoming (grad, index))
    return hyb_flow_sum (grad->flow, grad->first_output + index);

  if (grad->zeros[index] == HYB_NO_ID)
    grad->zeros[index] = hyb_grad_emit (grad, "zeros_like", grad->first_output + index, HYB_NO_ID);

  return grad->zeros[index];
}

gboolean
hyb_grad_needs_input (HybGrad *grad, guint index)
{
  g_return_val_if_fail (grad, FALSE);
  g_return_val_if_fail (index < grad->node->n_inputs, FALSE);

  return hyb_flow_input_is_open (grad->node->op, index) &&
         grad->flow->is_required[hyb_graph_get_inputs (grad->flow->graph, grad->id)[index]];
}

/* Adds a node.  Missing members of spec are taken from the node being differentiated. */
static HybValueId
grad_add (HybGrad *grad, const char *op, HybNodeSpec spec)
{
  g_autofree char *name = NULL;

  if (!grad->flow->error)
    spec.op = flow_find_op (grad->flow, grad->node, op);
  if (!spec.op)
    {
      hyb_params_unref (spec.params);
      return HYB_NO_ID;
    }

  g_assert (!spec.params || spec.op->params == grad->node->op->params);

  if (grad->n_emitted == 0)
    name = g_strconcat (grad->node->name, "_backward", NULL);
  else
    name = g_strdup_printf ("%s_backward%u", grad->node->name, grad->n_emitted);
  grad->n_emitted++;

  spec.name = name;
  spec.key = grad->node->key;
  spec.origin_plus_one = grad->node->origin + 1;
  spec.line = grad->node->line;

  return flow_add (grad->flow, &spec);
}

HybValueId
hyb_grad_emit (HybGrad *grad, const char *op, ...)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybValueId input;
  va_list    list;

  g_return_val_if_fail (grad, HYB_NO_ID);
  va_start (list, op);
  while ((input = va_arg (list, HybValueId)) != HYB_NO_ID)
    g_array_append_val (inputs, input);
  va_end (list);

  return hyb_grad_emit_with (grad, op, NULL, inputs->len, (gconstpointer) inputs->data);
}

HybValueId
hyb_grad_emit_with (HybGrad           *grad,
                    const char        *op,
                    const char *const *attributes,
                    guint              n_inputs,
                    const HybValueId  *inputs)
{
  g_return_val_if_fail (grad, HYB_NO_ID);
  return hyb_grad_emit_bodies (grad, op,
                               &(HybNodeSpec){ .attributes = attributes,
                                               .n_inputs = n_inputs,
                                               .inputs = inputs });
}

HybValueId
hyb_grad_emit_same (HybGrad *grad, const char *op, guint n_inputs, const HybValueId *inputs)
{
  g_return_val_if_fail (grad, HYB_NO_ID);

  const HybNode *node = grad->node;

  return grad_add (grad, op,
                   (HybNodeSpec){
                       .attributes = node->attributes,
                       .params = hyb_params_ref (node->params),
                       .n_inputs = n_inputs,
                       .inputs = inputs,
                       .n_bodies = node->n_bodies,
                       .bodies = hyb_graph_get_bodies (grad->flow->graph, grad->id),
                   });
}

HybValueId
hyb_grad_emit_bodies (HybGrad *grad, const char *op, const HybNodeSpec *spec)
{
  g_return_val_if_fail (grad, HYB_NO_ID);
  return grad_add (grad, op, *spec);
}

HybValueId
hyb_grad_emit_scalar (HybGrad *grad, const char *op, HybValueId x, double scalar)
{
  char        spelled[G_ASCII_DTOSTR_BUF_SIZE];
  const char *attributes[] = { "scalar", spelled, NULL };

  g_return_val_if_fail (grad, HYB_NO_ID);
  g_ascii_dtostr (spelled, sizeof spelled, scalar);

  return hyb_grad_emit_with (grad, op, attributes, 1, &x);
}

HybGraph *
hyb_grad_body (HybGrad *grad, guint index)
{
  g_return_val_if_fail (grad, NULL);
  g_return_val_if_fail (index < grad->node->n_bodies, NULL);

  return hyb_graph_get_bodies (grad->flow->graph, grad->id)[index];
}

void
hyb_grad_set_input (HybGrad *grad, guint index, HybValueId value)
{
  g_return_if_fail (grad);
  g_return_if_fail (index < grad->node->n_inputs);
  g_return_if_fail (value != HYB_NO_ID || grad->flow->error);

  /* This gradient is not needed; the pass drop-dead removes the node. */
  if (!hyb_grad_needs_input (grad, index))
    return;

  hyb_flow_arrive (grad->flow, hyb_grad_input (grad, index), value);
}

void
hyb_grad_refuse (HybGrad *grad, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list          list;

  g_return_if_fail (grad);
  if (grad->flow->error)
    return;

  va_start (list, format);
  message = g_strdup_vprintf (format, list);
  va_end (list);

  hyb_error_at (&grad->flow->error, HYB_OP_ERROR, HYB_OP_ERROR_GRADIENT, NULL, NULL,
                "node “%s”, operator %s: %s", grad->node->name, grad->node->type, message);
}
