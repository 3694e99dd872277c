/* repeats.c — finds nodes in the body of a backward loop that the body of its forward loop has too.
 *
 * A node of the backward pass has the loop that it differentiates as its origin, and its body begins
 * with a copy of that loop's body, whose nodes keep their names.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/repeats.h"

/* The row of the node that has the graph of a row as a body; PROF_NONE if there is none. */
static guint32
owner_of (const ProfCapture *capture, guint32 row)
{
  guint32 graph = prof_capture_get_node (capture, row)->graph;
  guint32 owner = graph < prof_capture_n_graphs (capture)
                      ? prof_capture_get_graph (capture, graph)->parent
                      : PROF_NONE;

  return owner < prof_capture_n_nodes (capture) ? owner : PROF_NONE;
}

static gint64 *
make_key (guint32 owner, ProfText name)
{
  gint64 *key = g_new (gint64, 1);

  *key = (gint64) ((guint64) owner << 32 | name);
  return key;
}

gboolean *
prof_find_repeats (const ProfCapture *capture, const guint32 *by_row)
{
  guint     n = prof_capture_n_nodes (capture);
  gboolean *repeats = g_new0 (gboolean, MAX (n, 1));
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint32 row = 0; row < n; row++)
    if (owner_of (capture, row) != PROF_NONE)
      g_hash_table_add (known, make_key (owner_of (capture, row),
                                         prof_capture_get_node (capture, row)->name));
  for (guint32 row = 0; row < n; row++)
    {
      guint32 owner = by_row[row] != PROF_NONE ? owner_of (capture, row) : PROF_NONE;
      guint32 loop =
          owner != PROF_NONE ? prof_capture_get_node (capture, owner)->origin : PROF_NONE;
      g_autofree gint64 *key = make_key (loop, prof_capture_get_node (capture, row)->name);

      /* A loop that a pass has replaced does not run itself. */
      repeats[row] = loop < n && loop != owner && by_row[loop] != PROF_NONE &&
                     g_hash_table_contains (known, key);
    }
  return repeats;
}
