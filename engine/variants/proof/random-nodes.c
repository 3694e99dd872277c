/* random-nodes.c — lists the nodes that draw random numbers and compares the lists of two graphs.
 *
 * Start at hyb_draws_compare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/random-nodes.h"

#include "engine/variants/node-kind.h"

#include <string.h>

gboolean
hyb_node_draws (const HybNode *node)
{
  const char *type = hyb_node_get_attribute (node, "act_type");

  if (!(node->op->flags & HYB_OP_RANDOM) || node->n_bodies > 0)
    return FALSE;
  if (hyb_params_find (node->op->params, "p") && hyb_node_double (node, "p", 1) <= 0)
    return FALSE;
  if (hyb_node_kind (node) == HYB_KIND_RNN)
    return hyb_node_int (node, "num_layers", 1) > 1;
  if (node->op == hyb_op_find ("LeakyReLU"))
    return type && strcmp (type, "rrelu") == 0;
  return TRUE;
}

static void
collect (HybGraph *graph, GPtrArray *nodes)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (hyb_node_draws (node))
        g_ptr_array_add (nodes, (gpointer) node);
      for (guint b = 0; b < node->n_bodies; b++)
        collect (hyb_graph_get_bodies (graph, id)[b], nodes);
    }
}

static gboolean
draw_alike (const HybNode *a, const HybNode *b)
{
  return a->op == b->op && hyb_params_equal (a->op->params, a->params, b->params);
}

/* The only node of this name; NULL if there is none, or several. */
static const HybNode *
find_name (GPtrArray *nodes, const char *name)
{
  const HybNode *found = NULL;

  for (guint i = 0; i < nodes->len; i++)
    if (strcmp (((const HybNode *) nodes->pdata[i])->name, name) == 0)
      {
        if (found)
          return NULL;
        found = nodes->pdata[i];
      }
  return found;
}

HybDraws
hyb_draws_compare (HybGraph *a, HybGraph *b, char **difference)
{
  g_autoptr (GPtrArray) first = g_ptr_array_new ();
  g_autoptr (GPtrArray) second = g_ptr_array_new ();
  gboolean by_name = TRUE;

  collect (a, first);
  collect (b, second);
  if (first->len != second->len)
    {
      if (difference)
        *difference = g_strdup_printf ("the first model has %u nodes that draw random numbers, and "
                                       "the second has %u",
                                       first->len, second->len);
      return HYB_DRAWS_OTHERWISE;
    }
  /* 1. By name: seeds are given to nodes of equal names, in any order. */
  for (guint i = 0; i < first->len; i++)
    {
      const HybNode *other = find_name (second, ((const HybNode *) first->pdata[i])->name);

      by_name &= other && draw_alike (first->pdata[i], other);
    }
  /* 2. Else by order: the nth node of both models must draw alike. */
  for (guint i = 0; i < first->len && !by_name; i++)
    if (!draw_alike (first->pdata[i], second->pdata[i]))
      {
        if (difference)
          *difference = g_strdup_printf ("“%s” and “%s” draw random numbers in different ways",
                                         ((const HybNode *) first->pdata[i])->name,
                                         ((const HybNode *) second->pdata[i])->name);
        return HYB_DRAWS_OTHERWISE;
      }
  return first->len == 0 ? HYB_DRAWS_NONE : by_name ? HYB_DRAWS_BY_NAME : HYB_DRAWS_BY_ORDER;
}
