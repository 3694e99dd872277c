/* counted-loop.c — recognises and writes the counter of a while_loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/counted-loop.h"

#include "engine/graph/builder.h"
#include "engine/variants/node-kind.h"

#include <math.h>

double
hyb_constant_number (HybGraph *graph, HybValueId value)
{
  static const char *const names[] = { "_zeros", "_ones" };
  const HybNode           *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value));

  if (hyb_node_kind (node) != HYB_KIND_CONSTANT)
    return NAN;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (node->op == hyb_op_find (names[i]))
      return i;
  return hyb_node_double (node, "value", NAN);
}

/* The input of the node that a condition compares with *limit; G_MAXUINT if it does something else.
 */
static guint
find_compared_input (const HybNode *node, HybGraph *condition, double *limit)
{
  guint             n_heads, n;
  const HybValueId *heads = hyb_graph_get_heads (condition, &n_heads);
  const HybNodeId  *variables = hyb_graph_get_variables (condition, &n);
  HybNodeId         id = hyb_graph_get_producer (condition, heads[0]);
  HybValueId        counter;

  if (n_heads != 1 || hyb_node_kind (hyb_graph_get_node (condition, id)) != HYB_KIND_LESSER_SCALAR)
    return G_MAXUINT;
  *limit = hyb_node_double (hyb_graph_get_node (condition, id), "scalar", NAN);
  counter = hyb_graph_get_inputs (condition, id)[0];
  for (guint v = 0; v < n; v++)
    if (hyb_graph_get_node (condition, variables[v])->first_output == counter)
      return node->op->body_variable (node->params, node->n_inputs, 0, v);
  return G_MAXUINT;
}

gboolean
hyb_count_loop (HybGraph *graph, HybNodeId id, HybCountedLoop *counted)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  HybGraph         *body = hyb_graph_get_bodies (graph, id)[1];
  const HybInts    *places = hyb_node_ints (node, "func_var_locs");
  guint             n, n_out = (guint) hyb_node_int (node, "num_out_data", 0);
  const HybNodeId  *variables = hyb_graph_get_variables (body, &n);
  const HybValueId *heads = hyb_graph_get_heads (body, &n);
  double            limit = NAN, n_steps;
  guint compared = find_compared_input (node, hyb_graph_get_bodies (graph, id)[0], &limit);

  for (counted->state = 0; places && counted->state < (guint) places->n; counted->state++)
    {
      guint          v = (guint) places->value[counted->state];
      HybNodeId      maker;
      const HybNode *plus;

      /* Only the state that the condition compares with a constant can be the counter. */
      if (node->op->body_variable (node->params, node->n_inputs, 1, v) != compared)
        continue;
      counted->next = heads[n_out + counted->state];
      maker = hyb_graph_get_producer (body, counted->next);
      plus = hyb_graph_get_node (body, maker);
      counted->begin = hyb_constant_number (graph, hyb_graph_get_inputs (graph, id)[compared]);
      n_steps =
          fmin (ceil (limit - counted->begin), (double) hyb_node_int (node, "max_iterations", 0));
      /* The loop is counted if each step adds 1 to that state, from a known begin, and the number
       * of steps is neither 0 nor too large to be real; !(…) also refuses NaN. */
      if (hyb_node_kind (plus) != HYB_KIND_PLUS_SCALAR ||
          hyb_node_double (plus, "scalar", 0) != 1 ||
          hyb_graph_get_inputs (body, maker)[0] !=
              hyb_graph_get_node (body, variables[v])->first_output ||
          !(n_steps >= 1 && n_steps <= 1e6))
        return FALSE;
      counted->n_steps = (guint) n_steps;
      return TRUE;
    }
  return FALSE;
}

gboolean
hyb_counter_is_read (HybGraph *body, const HybValueId *values, HybValueId counter, HybValueId next)
{
  guint             n, n_heads, n_next = 0;
  const HybNodeId  *users = hyb_graph_get_users (body, counter, &n);
  const HybValueId *heads = hyb_graph_get_heads (body, &n_heads);

  for (guint i = 0; i < n; i++)
    {
      HybValueId made = hyb_graph_get_node (body, users[i])->first_output;

      if (made != next && values[made] == HYB_NO_ID)
        return TRUE;
    }
  for (guint i = 0; i < n_heads; i++)
    {
      if (heads[i] == counter)
        return TRUE;
      n_next += heads[i] == next;
    }
  hyb_graph_get_users (body, next, &n);
  return n_next > 1 || n > 0;
}

HybGraph *
hyb_counter_condition (guint n_steps, GError **error)
{
  HybBuilder       *builder = hyb_builder_new ();
  HybValueId        counter = hyb_builder_add_variable (builder, "step-0", NULL);
  g_autofree char  *limit = g_strdup_printf ("%u", n_steps);
  const char *const attributes[] = { "scalar", limit, NULL };
  HybValueId        continues = hyb_builder_call (builder, "_lesser_scalar",
                                                  &(HybNodeSpec){ .name = "goes_on",
                                                                  .n_inputs = 1,
                                                                  .inputs = &counter,
                                                                  .attributes = attributes },
                                                  error);

  if (continues == HYB_NO_ID)
    {
      hyb_builder_free (builder);
      return NULL;
    }
  hyb_builder_add_head (builder, continues);
  return hyb_builder_freeze (builder);
}
