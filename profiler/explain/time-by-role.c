/* time-by-role.c — see time-by-role.h.
 *
 * Captures have the nodes of a model under their names.  Start at prof_time_by_role().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/time-by-role.h"

#include "engine/variants/roles/counterparts.h"
#include "profiler/summary/origins.h"

#include <math.h>

/* Gives the nodes of a row their place in by_name, as its number + 1. */
static void
add_nodes (GHashTable *by_name, HybGraph *graph, const GArray *nodes, guint row)
{
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_insert (by_name,
                         (gpointer) hyb_graph_get_node (graph, g_array_index (nodes, HybNodeId, i))
                             ->name,
                         GUINT_TO_POINTER (row + 1));
}

/* The last row is for nodes without a counterpart. */
static void
list_rows (const ProfRoleSide *sides,
           const GPtrArray    *counterparts,
           GArray             *rows,
           GHashTable        **by_name)
{
  ProfRoleTime rest = { 0 };

  for (guint i = 0; i < counterparts->len; i++)
    {
      const HybCounterpart *found = counterparts->pdata[i];
      const GArray         *nodes[] = { found->a, found->b };
      ProfRoleTime          row = { .role = found->role };

      for (guint side = 0; side < 2; side++)
        {
          row.n[side] = nodes[side]->len;
          row.node[side] =
              hyb_graph_get_node (sides[side].graph, g_array_index (nodes[side], HybNodeId, 0))
                  ->name;
          add_nodes (by_name[side], sides[side].graph, nodes[side], i);
        }
      g_array_append_val (rows, row);
    }
  g_array_append_val (rows, rest);
}

static void
add_times (const ProfRoleSide *sides, guint side, GHashTable *by_name, GArray *rows)
{
  const ProfCapture *capture = sides[side].capture;
  g_autoptr (ProfOrigins) origins = prof_origins_new (capture, sides[side].summary);

  for (guint i = 0; i < sides[side].summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (sides[side].summary->node, ProfNodeSum, i);
      guint              n, row = 0;
      const ProfOrigin  *all = prof_origins_of (origins, sum->row, &n);

      for (guint o = 0; o < n && row == 0; o++)
        row = GPOINTER_TO_UINT (
            g_hash_table_lookup (by_name,
                                 prof_capture_get_string (capture,
                                                          prof_capture_get_node (capture, all[o].of)
                                                              ->name)));
      if (n == 0)
        continue;
      if (row == 0)
        {
          row = rows->len;
          g_array_index (rows, ProfRoleTime, row - 1).n[side]++;
        }
      g_array_index (rows, ProfRoleTime, row - 1).seconds[side] += sum->self;
    }
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const ProfRoleTime *x = a, *y = b;
  double              more = fabs (x->seconds[0] - x->seconds[1]);
  double              less = fabs (y->seconds[0] - y->seconds[1]);

  return more != less ? (more < less ? 1 : -1) : 0;
}

GArray *
prof_time_by_role (const ProfRoleSide sides[2], const GPtrArray *counterparts)
{
  GArray     *rows = g_array_new (FALSE, FALSE, sizeof (ProfRoleTime));
  GHashTable *by_name[2];

  for (guint side = 0; side < 2; side++)
    by_name[side] = g_hash_table_new (g_str_hash, g_str_equal);
  list_rows (sides, counterparts, rows, by_name);
  for (guint side = 0; side < 2; side++)
    {
      add_times (sides, side, by_name[side], rows);
      g_hash_table_unref (by_name[side]);
    }
  for (guint i = rows->len; i-- > 0;)
    if (g_array_index (rows, ProfRoleTime, i).seconds[0] <= 0 &&
        g_array_index (rows, ProfRoleTime, i).seconds[1] <= 0)
      g_array_remove_index (rows, i);
  g_array_sort (rows, compare_rows);
  return rows;
}
