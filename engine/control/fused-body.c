/* fused-body.c — reads the body of a fused layer as a sequence of operators.
 *
 * MXNet's passes put into a body: the operator that sums products, a BatchNorm, functions of one
 * element, and the sum with another input.  Start at hyb_fused_body_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/control/fused-body.h"

#include "engine/analysis/subgraph-types.h"

#include "engine/op/dimensions.h"

/* Functions that have no negative results; with an attribute that must have one of these values. */
static const struct
{
  const char *op, *attribute, *values[4];
} not_negative[] = {
  { "Activation", "act_type", { "relu", "sigmoid", "softrelu" } },
  { "clip", NULL, { NULL } },
  { "square", NULL, { NULL } },
  { "sqrt", NULL, { NULL } },
  { "exp", NULL, { NULL } },
  { "abs", NULL, { NULL } },
};

/* TRUE if an enumerated attribute of a node has one of these values. */
static gboolean
has_choice (const HybNode *node, const char *attribute, const char *const *values)
{
  const HybParam *param = hyb_params_find (node->op->params, attribute);
  gint64          choice = hyb_params_get_int (node->op->params, node->params, attribute, -1);

  return param && param->choices && choice >= 0 && g_strv_contains (values, param->choices[choice]);
}

HybDType
hyb_fused_body_result (const HybFusedBody *body)
{
  const HybNode           *last = body->n_steps > 0 ? body->step[body->n_steps - 1] : NULL;
  static const char *const leaky[] = { "leaky", NULL };

  if (!last || body->sum == body->n_steps - 1)
    return HYB_I8;
  for (guint i = 0; i < G_N_ELEMENTS (not_negative); i++)
    if (last->op == hyb_op_find (not_negative[i].op) &&
        (!not_negative[i].attribute ||
         has_choice (last, not_negative[i].attribute, not_negative[i].values)))
      return HYB_U8;
  /* MXNet takes a leaky rectifier after FullyConnected for a plain one here. */
  if (last->op == hyb_op_find ("LeakyReLU") && has_choice (last, "act_type", leaky) &&
      (body->first->op == hyb_op_find ("FullyConnected") ||
       hyb_params_get_double (last->op->params, last->params, "slope", 0.25) == 0))
    return HYB_U8;
  return HYB_I8;
}

/* The index of the variable that has this value; G_MAXUINT if a node computes the value. */
static guint
variable_of (const HybGraph *graph, HybValueId value)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (variables[i] == hyb_graph_get_producer (graph, value))
      return i;
  return G_MAXUINT;
}

static gboolean
refuse (const HybNode *node, const char *what, GError **error)
{
  return hyb_refuse_types (error, "The rest of the graph can be looked at",
                           "its subgraph cannot be computed on integers: “%s” (%s) %s", node->name,
                           node->type, what);
}

/* A step that reads the result before it and adds a variable. */
static gboolean
read_sum (HybFusedBody *body, const HybGraph *graph, HybNodeId id, guint other, GError **error)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  body->sum = body->n_steps;
  body->sum_input = variable_of (graph, hyb_graph_get_inputs (graph, id)[other]);
  if (!(node->op->flags & HYB_OP_SUM) && node->op != hyb_op_find ("broadcast_add"))
    return refuse (node, "has two inputs and is not a sum", error);
  return body->sum_input != G_MAXUINT || refuse (node, "adds a value that is not an input", error);
}

/* Adds a node that must read `value`, the result so far. */
static gboolean
read_step (HybFusedBody   *body,
           const HybGraph *graph,
           HybNodeId       id,
           HybValueId      value,
           GError        **error)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  guint             n = node->n_inputs;

  if (n == 0 || (inputs[0] != value && (n != 2 || inputs[1] != value)))
    return refuse (node, "does not follow the operator before it", error);
  if (node->op == hyb_op_find ("BatchNorm") && !body->norm && body->n_steps == 0)
    {
      body->norm = node;
      body->norm_input = variable_of (graph, inputs[1]);
      return body->norm_input + 4 <= body->n_variables ||
             refuse (node, "has other inputs than usual", error);
    }
  if (body->n_steps == HYB_FUSED_MAX_STEPS || n > 2)
    return refuse (node, "cannot follow here", error);
  if (n == 2 && !read_sum (body, graph, id, inputs[0] == value ? 1 : 0, error))
    return FALSE;
  body->step[body->n_steps++] = node;
  return TRUE;
}

gboolean
hyb_fused_body_read (HybFusedBody *body, const HybGraph *graph, GError **error)
{
  HybValueId        value = HYB_NO_ID;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  *body = (HybFusedBody){ .sum = G_MAXUINT, .n_variables = hyb_subgraph_n_variables (graph) };
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      if (hyb_node_is_variable (node))
        continue;
      if (!body->first)
        {
          for (guint i = 0; i < node->n_inputs; i++)
            if (variable_of (graph, inputs[i]) != i)
              return refuse (node, "does not read the inputs in their order", error);
          body->first = node;
        }
      else if (!read_step (body, graph, id, value, error))
        return FALSE;
      value = node->first_output;
    }
  if (body->first && n_heads == 1 && heads[0] == value)
    return TRUE;
  return hyb_refuse_types (error, NULL, "its subgraph does not return its last operator");
}
