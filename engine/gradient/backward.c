/* backward.c — extends a graph with the nodes that compute its gradients.
 *
 * Three linear walks: forwards, to mark the values that depend on the requested variables;
 * backwards, to mark those on which a head depends; then a copy of the graph, followed by the
 * gradient functions of its nodes in reverse order.  Nodes keep their ids in the copy.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/backward.h"

#include "engine/base/error.h"
#include "engine/gradient/flow.h"
#include "engine/gradient/gradient.h"

static gboolean
lets_gradients_through (const HybNode *node)
{
  return !hyb_node_is_variable (node) && !(node->op->flags & HYB_OP_NO_GRADIENT);
}

static gboolean
any_output (const guint8 *marked, const HybNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (marked[node->first_output + i])
      return TRUE;

  return FALSE;
}

static void
mark_required (HybFlow *flow, guint n_wrt, const HybNodeId *wrt)
{
  for (guint i = 0; i < n_wrt; i++)
    flow->is_required[hyb_graph_get_node (flow->graph, wrt[i])->first_output] = TRUE;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (flow->graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (flow->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (flow->graph, id);
      gboolean          is_required = FALSE;

      if (!lets_gradients_through (node))
        continue;

      for (guint i = 0; i < node->n_inputs && !is_required; i++)
        is_required = hyb_flow_input_is_open (node->op, i) && flow->is_required[inputs[i]];

      for (guint i = 0; is_required && i < node->n_outputs; i++)
        flow->is_required[node->first_output + i] = TRUE;
    }
}

static void
mark_reached (HybFlow *flow)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (flow->graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    flow->reached[heads[i]] = TRUE;

  for (HybNodeId id = hyb_graph_n_nodes (flow->graph); id-- > 0;)
    {
      const HybNode    *node = hyb_graph_get_node (flow->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (flow->graph, id);

      if (!lets_gradients_through (node) || !any_output (flow->is_required, node) ||
          !any_output (flow->reached, node))
        continue;

      for (guint i = 0; i < node->n_inputs; i++)
        if (hyb_flow_input_is_open (node->op, i) && flow->is_required[inputs[i]])
          flow->reached[inputs[i]] = TRUE;
    }
}

/* Replaces a node by its recording form, which has extra outputs that its gradient needs. */
static HybNodeId
copy_recording (HybFlow *flow, HybNodeId id, const HybValueId *inputs)
{
  const HybNode *node = hyb_graph_get_node (flow->graph, id);
  HybNodeSpec    spec = {
       .op = hyb_op_find (node->op->recording),
       .type = node->type, /* displayed as the node that it replaces */
       .name = node->name,
       .attributes = node->attributes,
       .params = hyb_params_ref (node->params),
       .n_inputs = node->n_inputs,
       .inputs = inputs,
       .n_bodies = node->n_bodies,
       .bodies = hyb_graph_get_bodies (flow->graph, id),
       .key = node->key,
       .origin_plus_one = node->origin + 1,
       .line = node->line,
  };

  if (!spec.op)
    {
      hyb_error_at (&flow->error, HYB_OP_ERROR, HYB_OP_ERROR_GRADIENT, NULL, NULL,
                    "node “%s”: to differentiate operator %s, operator %s is needed, which does "
                    "not exist",
                    node->name, node->type, node->op->recording);
      hyb_params_unref (spec.params);
      return HYB_NO_ID;
    }

  return hyb_builder_add (flow->builder, &spec, &flow->error);
}

static gboolean
copy_node (HybFlow *flow, HybNodeId id, GArray *room)
{
  const HybNode    *node = hyb_graph_get_node (flow->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (flow->graph, id);
  HybValueId       *mapped;
  HybValueId        first;

  g_array_set_size (room, node->n_inputs);
  mapped = (gpointer) room->data;
  for (guint i = 0; i < node->n_inputs; i++)
    mapped[i] = flow->value[inputs[i]];

  if (node->op->recording && any_output (flow->is_required, node) &&
      any_output (flow->reached, node))
    {
      HybNodeId copy = copy_recording (flow, id, mapped);

      if (copy == HYB_NO_ID)
        return FALSE;
      first = hyb_builder_output (flow->builder, copy, 0);
    }
  else
    first = hyb_builder_copy (flow->builder, flow->graph, id, mapped);

  for (guint i = 0; i < node->n_outputs; i++)
    flow->value[node->first_output + i] = first + i;

  return TRUE;
}

static gboolean
copy_forward (HybFlow *flow)
{
  g_autoptr (GArray) room = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  guint n_nodes = hyb_graph_n_nodes (flow->graph);
  gsize n_values = 0;

  hyb_builder_set_legacy_shapes (flow->builder, hyb_graph_has_legacy_shapes (flow->graph));

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      if (!copy_node (flow, id, room))
        return FALSE;
      n_values += hyb_builder_get_node (flow->builder, id)->n_outputs;
    }

  flow->at = g_new0 (HybArrivals, n_values);

  return TRUE;
}

/* A graph that already contains gradients has variables of such names. */
static char *
new_variable_name (HybGraph *graph, const char *head)
{
  char *name = g_strconcat (head, "_head_gradient", NULL);

  for (guint i = 2; hyb_graph_find_variable (graph, name) != HYB_NO_ID; i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s_head_gradient_%u", head, i);
    }

  return name;
}

/* Adds one variable for each head, whose value is the gradient of that head. */
static void
add_head_gradients (HybFlow *flow)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (flow->graph, &n_heads);
  g_auto (GStrv) names = hyb_graph_dup_output_names (flow->graph);

  for (guint i = 0; i < n_heads; i++)
    {
      g_autofree char *name = new_variable_name (flow->graph, names[i]);
      HybValueId       variable = hyb_builder_add_variable (flow->builder, name, NULL);

      hyb_flow_arrive (flow, flow->value[heads[i]], variable);
    }
}

static gboolean
has_arrivals (HybGrad *grad)
{
  for (guint i = 0; i < grad->n_outputs; i++)
    if (hyb_grad_has_incoming (grad, i))
      return TRUE;

  return FALSE;
}

static void
refuse_missing (HybFlow *flow, const HybNode *node)
{
  gboolean is_opaque = node->op->flags & HYB_OP_OPAQUE;

  hyb_error_at (&flow->error, HYB_OP_ERROR,
                is_opaque ? HYB_OP_ERROR_UNKNOWN : HYB_OP_ERROR_GRADIENT, NULL,
                is_opaque ? "The graph can be looked at, but not differentiated"
                          : "Stop the gradient before it with BlockGrad, or request the gradients "
                            "of other variables",
                is_opaque ? "node “%s”: there is no operator called %s here"
                          : "node “%s”: no gradient is defined for operator %s",
                node->name, node->type);
}

static void
differentiate_node (HybFlow *flow, HybNodeId id)
{
  const HybNode         *built = hyb_builder_get_node (flow->builder, id);
  const HybOp           *op = built->op;
  g_autofree HybValueId *zeros = NULL;
  HybGrad                grad = {
                   .flow = flow,
                   .id = id,
                   .node = hyb_graph_get_node (flow->graph, id),
                   .params = built->params,
                   .first_output = hyb_builder_output (flow->builder, id, 0),
                   .n_outputs = built->n_outputs,
  };

  if (!lets_gradients_through (grad.node) || !any_output (flow->is_required, grad.node) ||
      !has_arrivals (&grad))
    return;

  /* A recording operator without its own gradient uses the gradient of the operator it replaces. */
  if (!op->gradient)
    op = grad.node->op;
  if (!op->gradient)
    {
      refuse_missing (flow, grad.node);
      return;
    }

  zeros = g_new (HybValueId, grad.n_outputs);
  for (guint i = 0; i < grad.n_outputs; i++)
    zeros[i] = HYB_NO_ID;
  grad.zeros = zeros;
  grad.op = op;

  op->gradient (&grad);
}

/* The gradient of one variable: the sum of incoming gradients, or zeros. */
static void
add_gradient_head (HybFlow *flow, HybNodeId wrt)
{
  HybValueId       variable = flow->value[hyb_graph_get_node (flow->graph, wrt)->first_output];
  HybValueId       gradient = hyb_flow_sum (flow, variable);
  g_autofree char *name = NULL;

  if (gradient == HYB_NO_ID && !flow->error)
    {
      name = g_strconcat (hyb_graph_get_node (flow->graph, wrt)->name, "_gradient", NULL);
      gradient = hyb_flow_emit (flow, wrt, "zeros_like",
                                &(HybNodeSpec){ .name = name, .n_inputs = 1, .inputs = &variable });
    }

  if (!flow->error)
    hyb_builder_add_head (flow->builder, gradient);
}

static void
flow_clear (HybFlow *flow)
{
  g_clear_pointer (&flow->builder, hyb_builder_free);
  g_clear_pointer (&flow->arrivals, g_array_unref);
  g_clear_error (&flow->error);
  g_free (flow->at);
  g_free (flow->value);
  g_free (flow->is_required);
  g_free (flow->reached);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybFlow, flow_clear)

static void
flow_init (HybFlow *flow, HybGraph *graph)
{
  guint n_values = hyb_graph_n_values (graph);

  *flow = (HybFlow){
    .graph = graph,
    .builder = hyb_builder_new (),
    .arrivals = g_array_new (FALSE, FALSE, sizeof (HybArrival)),
    .value = g_new (HybValueId, n_values),
    .is_required = g_new0 (guint8, n_values),
    .reached = g_new0 (guint8, n_values),
  };
}

HybGraph *
hyb_graph_with_gradients (HybGraph *graph, guint n_wrt, const HybNodeId *wrt, GError **error)
{
  g_auto (HybFlow) flow = { 0 };
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  for (guint i = 0; i < n_wrt; i++)
    g_return_val_if_fail (wrt[i] < hyb_graph_n_nodes (graph) &&
                              hyb_node_is_variable (hyb_graph_get_node (graph, wrt[i])),
                          NULL);

  flow_init (&flow, graph);
  mark_required (&flow, n_wrt, wrt);
  mark_reached (&flow);

  if (copy_forward (&flow))
    {
      for (guint i = 0; i < n_heads; i++)
        hyb_builder_add_head (flow.builder, flow.value[heads[i]]);
      add_head_gradients (&flow);
      for (HybNodeId id = hyb_graph_n_nodes (graph); id-- > 0 && !flow.error;)
        differentiate_node (&flow, id);
      for (guint i = 0; i < n_wrt; i++)
        add_gradient_head (&flow, wrt[i]);
    }

  if (flow.error)
    {
      g_propagate_error (error, g_steal_pointer (&flow.error));
      return NULL;
    }

  return hyb_builder_freeze (g_steal_pointer (&flow.builder));
}
