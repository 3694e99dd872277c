/* bodies.c — names of the bodies of loops and branches, and paths to steps of nested loops.
 *
 * Start at scope_bodies_of_graph().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/bodies.h"

static void
body_free (gpointer data)
{
  ScopeBody *body = data;

  g_free (body->name);
  g_free (body);
}

/* A loop's body has a variable that changes in every step: a slice of the data or a state. */
static gboolean
is_loop (HybGraph *graph, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  for (guint b = 0; node->op->body_port && b < node->n_bodies; b++)
    {
      guint n;

      hyb_graph_get_variables (hyb_graph_get_bodies (graph, id)[b], &n);
      for (guint v = 0; v < n; v++)
        {
          HybPortKind port = node->op->body_port (node->params, node->n_inputs, b, v);

          if (port == HYB_PORT_DATA || port == HYB_PORT_STATE)
            return TRUE;
        }
    }
  return FALSE;
}

static void
add_bodies (GHashTable *bodies, HybGraph *graph, const char *path)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      for (guint b = 0; b < node->n_bodies; b++)
        {
          HybGraph        *inner = hyb_graph_get_bodies (graph, id)[b];
          gboolean         is_single = node->n_bodies == 1 || !node->op->body_names;
          ScopeBody       *body;
          g_autofree char *inside = NULL;

          if (g_hash_table_contains (bodies, inner))
            continue;
          body = g_new0 (ScopeBody, 1);
          body->outer = graph;
          body->is_loop = is_loop (graph, id);
          body->name = g_strconcat (path, node->name, is_single ? "" : "/",
                                    is_single ? "" : node->op->body_names[b], NULL);
          g_hash_table_insert (bodies, inner, body);
          inside = g_strconcat (body->name, "/", NULL);
          add_bodies (bodies, inner, inside);
        }
    }
}

GHashTable *
scope_bodies_of_graph (HybGraph *graph)
{
  GHashTable *bodies = g_hash_table_new_full (NULL, NULL, NULL, body_free);

  add_bodies (bodies, graph, "");
  return bodies;
}

char *
scope_step_path_to_string (const ScopeStepPath *path)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < path->n; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? "." : "", path->step[i]);
  return g_string_free (text, FALSE);
}

int
scope_step_path_compare (const ScopeStepPath *a, const ScopeStepPath *b)
{
  for (guint i = 0; i < MIN (a->n, b->n); i++)
    if (a->step[i] != b->step[i])
      return a->step[i] < b->step[i] ? -1 : 1;
  return 0;
}
