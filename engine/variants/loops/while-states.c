/* while-states.c — initial states of a while_loop that MXNet can bind and differentiate.
 *
 * A constant of unknown batch size is computed from the inputs, since nothing behind the loop tells
 * MXNet its shape.  The backward pass of MXNet's while_loop gives wrong gradients for all inputs
 * unless the initial states need a gradient, so constants get zeros added that are computed from a
 * weight or from the inputs.  Start reading at hyb_while_initial_state().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/while-states.h"

#include "engine/graph/roles.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"

#define MAX_ANCESTORS 256

/* Whether a value of the old graph is a constant of shape (0, units), where 0 means that the batch
 * size is unknown. */
static gboolean
is_open_constant (const HybWhileStates *states, HybValueId old, gint64 *units)
{
  HybGraph      *graph = states->rebuild->from;
  const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, old));
  const char    *text = hyb_node_get_attribute (node, "shape");
  HybInts        shape = { 0 };
  gboolean       is_open;

  if (hyb_node_kind (node) != HYB_KIND_CONSTANT || !text || !hyb_params_parse_ints (text, &shape))
    return FALSE;
  is_open = shape.n == 2 && shape.value[0] <= 0 && shape.value[1] > 0;
  *units = is_open ? shape.value[1] : 0;
  g_free (shape.value);
  return is_open;
}

/* Whether the gradient of an old value reaches a variable. */
static gboolean
needs_gradient (HybGraph *graph, HybValueId value)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  g_array_append_val (todo, value);
  for (guint i = 0; i < todo->len && i < MAX_ANCESTORS; i++)
    {
      HybNodeId      id = hyb_graph_get_producer (graph, g_array_index (todo, HybValueId, i));
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (hyb_node_is_variable (node))
        return TRUE;
      /* MXNet computes the gradient of sign, which is zero. */
      if (!(node->op->flags & HYB_OP_NO_GRADIENT) || hyb_node_kind (node) == HYB_KIND_SIGN)
        g_array_append_vals (todo, hyb_graph_get_inputs (graph, id), node->n_inputs);
    }
  return todo->len > MAX_ANCESTORS;
}

/* The first slice of a value along axis 0, summed over these axes. */
static HybValueId
sum_first (HybRebuild *rebuild, HybValueId value, const char *axes)
{
  value = hyb_rebuild_unary (rebuild, "slice_axis", "first_row", value, "axis", "0", "begin", "0",
                             "end", "1", NULL);
  return hyb_rebuild_unary (rebuild, "sum", "batch", value, axes ? "axis" : NULL, axes, NULL);
}

/* Integers, such as a counter or a limit, have no gradient, and are not added to states of floats. */
static gboolean
may_be_float (const HybWhileStates *states, HybValueId old)
{
  const HybType *types = states->rebuild->types;

  return !types || types[old].dtype == HYB_DTYPE_UNKNOWN || hyb_dtype_is_float (types[old].dtype);
}

/* A weight that all steps read; HYB_NO_ID if there is none. */
static HybValueId
find_weight (const HybWhileStates *states)
{
  HybGraph *graph = states->rebuild->from;

  for (guint i = 0; i < states->captured->len; i++)
    {
      HybValueId old = g_array_index (states->captured, HybValueId, i);

      if (hyb_value_is_variable (graph, old) && may_be_float (states, old) &&
          hyb_graph_get_role (graph, hyb_graph_get_producer (graph, old), FALSE) ==
              HYB_ROLE_PARAMETER)
        return old;
    }
  return HYB_NO_ID;
}

/* The signs of finite or infinite numbers, which need a gradient although it is zero. */
static HybValueId
signs_of (HybRebuild *rebuild, HybValueId value)
{
  return hyb_rebuild_unary (rebuild, "sign", "sign", value, NULL);
}

/* A row (1, units) of finite numbers, which need a gradient if there is a weight. */
static HybValueId
make_row (const HybWhileStates *states, const char *units)
{
  HybRebuild       *rebuild = states->rebuild;
  HybValueId        weight = find_weight (states), value;
  g_autofree char  *shape = g_strdup_printf ("(1, %s)", units);
  const char *const ones[] = { "dtype", "float32", "shape", shape, NULL };

  if (weight == HYB_NO_ID)
    return hyb_rebuild_call (rebuild, &(HybRebuildCall){ "_ones", "row", 0, NULL, ones });
  value = signs_of (rebuild, sum_first (rebuild, hyb_rebuild_value (rebuild, weight), NULL));
  value = hyb_rebuild_unary (rebuild, "Reshape", "sign_row", value, "shape", "(1, 1)", NULL);
  return hyb_rebuild_unary (rebuild, "broadcast_axis", "row", value, "axis", "1", "size", units,
                            NULL);
}

/* Makes a constant of shape (batch, units), with the batch size of the inputs: the product of a
 * column of zeros and a row, both of which need a gradient. */
static HybValueId
make_constant (const HybWhileStates *states, HybValueId old, gint64 units)
{
  HybGraph        *graph = states->rebuild->from;
  const HybNode   *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, old));
  HybRebuild      *rebuild = states->rebuild;
  g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT, units);
  gboolean         is_one = node->op == hyb_op_find ("_ones");
  HybValueId       pair[2];
  HybValueId       value = signs_of (rebuild, sum_first (rebuild, states->data, "(0, 2)"));

  value = hyb_rebuild_unary (rebuild, "_mul_scalar", "begin", value, "scalar", "0", NULL);
  pair[0] = hyb_rebuild_unary (rebuild, "expand_dims", "begin_column", value, "axis", "1", NULL);
  pair[1] = make_row (states, size);
  value = hyb_rebuild_call (rebuild, &(HybRebuildCall){ "dot", node->name, 2, pair, NULL });
  if (!is_one && hyb_node_double (node, "value", 0) == 0)
    return value;
  return hyb_rebuild_unary (rebuild, "_plus_scalar", "begin_value", value, "scalar",
                            is_one ? "1" : hyb_node_get_attribute (node, "value"), NULL);
}

/* A zero of shape (1,) that needs a gradient; HYB_NO_ID if neither a weight nor an input does. */
static HybValueId
make_zero (const HybWhileStates *states)
{
  HybRebuild *rebuild = states->rebuild;
  HybValueId  source = find_weight (states), value;

  if (source != HYB_NO_ID)
    value = hyb_rebuild_value (rebuild, source);
  else if (states->one_input != HYB_NO_ID && may_be_float (states, states->one_input) &&
           needs_gradient (rebuild->from, states->one_input))
    value = states->data;
  else
    return HYB_NO_ID;
  value = signs_of (rebuild, sum_first (rebuild, value, NULL));
  return hyb_rebuild_unary (rebuild, "_mul_scalar", "zero", value, "scalar", "0", NULL);
}

HybValueId
hyb_while_initial_state (const HybWhileStates *states, HybValueId begin)
{
  HybValueId pair[2];
  gint64     units;

  if (is_open_constant (states, begin, &units))
    return make_constant (states, begin, units);
  pair[0] = hyb_rebuild_value (states->rebuild, begin);
  if (!may_be_float (states, begin) || needs_gradient (states->rebuild->from, begin))
    return pair[0];
  pair[1] = make_zero (states);
  if (pair[1] == HYB_NO_ID)
    return pair[0];
  return hyb_rebuild_call (states->rebuild,
                           &(HybRebuildCall){ "broadcast_add", "begin_state", 2, pair, NULL });
}
