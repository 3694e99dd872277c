/* body-roles.c — the purpose of the bodies of a node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/body-roles.h"

gboolean
scope_body_is_condition (const HybNode *node, HybGraph *body, guint index)
{
  guint n_heads;

  if (node->n_bodies < 2)
    return FALSE;
  hyb_graph_get_heads (body, &n_heads);
  for (guint h = 0; h < n_heads; h++)
    if (node->op->body_result (node->params, index, h) != G_MAXUINT ||
        node->op->body_next (node->params, index, h) != G_MAXUINT)
      return FALSE;
  return TRUE;
}

gboolean
scope_is_read_in_bodies_only (HybGraph *graph, HybValueId value)
{
  guint             n_users, n_heads;
  const HybNodeId  *users = hyb_graph_get_users (graph, value, &n_users);
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    if (heads[i] == value)
      return FALSE;
  for (guint i = 0; i < n_users; i++)
    if (!hyb_graph_get_node (graph, users[i])->op->body_port)
      return FALSE;
  return n_users > 0;
}

gboolean
scope_is_unread_array (HybGraph *graph, HybNodeId variable)
{
  HybValueId        value = hyb_graph_get_node (graph, variable)->first_output;
  guint             n_users, n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  hyb_graph_get_users (graph, value, &n_users);
  for (guint i = 0; i < n_heads; i++)
    if (heads[i] == value)
      return FALSE;
  return n_users == 0 && hyb_graph_get_contents (graph, variable);
}
