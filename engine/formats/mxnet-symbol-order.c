/* mxnet-symbol-order.c — sorts records so that inputs come before the nodes that use them.
 *
 * MXNet writes files in that order, but other tools may not.  A cycle is refused with the names of
 * its nodes.  Start at hyb_symbol_sort().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol-private.h"

#define MAX_NAMED 8 /* nodes of a cycle that the message names */

static gboolean
is_sorted (const SymbolGraph *graph)
{
  for (guint n = 0; n < graph->nodes->len; n++)
    {
      const SymbolNode *node = hyb_symbol_node (graph, n);

      for (guint i = 0; i < node->n_entries; i++)
        if (g_array_index (graph->entries, SymbolEntry, node->first_entry + i).node >= n)
          return FALSE;
    }

  return TRUE;
}

/* path: nodes, each an input of the one before it; again: a node in path that is an input of the
 * last one. */
static gboolean
refuse_cycle (SymbolReader *reader, const SymbolGraph *graph, const GArray *path, guint32 again)
{
  GString *names = g_string_new (NULL);
  guint    first = path->len;
  guint    n;

  while (first > 0 && g_array_index (path, guint32, first - 1) != again)
    first--;
  first = MAX (first, 1) - 1;
  n = path->len - first;

  for (guint i = 0; i < MIN (n, MAX_NAMED); i++)
    g_string_append_printf (names, "“%s” ← ",
                            hyb_symbol_node (graph, g_array_index (path, guint32, first + i))
                                ->name);
  if (n > MAX_NAMED)
    g_string_append_printf (names, "… %u more … ← ", n - MAX_NAMED);
  g_string_append_printf (names, "“%s”", hyb_symbol_node (graph, again)->name);

  hyb_symbol_refuse (reader,
                     &(SymbolIssue){ "cycle", SYMBOL_AT_NODE (graph, again),
                                     "Loops are written with _foreach or _while_loop, not as "
                                     "cycles of edges" },
                     "the node depends on its own output: %s", names->str);
  g_string_free (names, TRUE);
  return FALSE;
}

typedef enum
{
  MARK_NEW,
  MARK_OPEN,
  MARK_DONE,
} Mark;

typedef struct
{
  SymbolReader *reader;
  SymbolGraph  *graph;
  guint8       *marks;
  guint32      *next; /* by node: its input to visit next */
  GArray       *path; /* of guint32: open nodes, the outermost first */
  guint32       n_ordered;
} OrderWalk;

/* Orders a node after all nodes that it depends on: depth-first search without recursion. */
static gboolean
visit (OrderWalk *walk, guint32 start)
{
  g_array_append_val (walk->path, start);
  walk->marks[start] = MARK_OPEN;

  while (walk->path->len > 0)
    {
      guint32           n = g_array_index (walk->path, guint32, walk->path->len - 1);
      const SymbolNode *node = hyb_symbol_node (walk->graph, n);
      guint32           input;

      if (walk->next[n] == node->n_entries)
        {
          walk->marks[n] = MARK_DONE;
          walk->graph->order[walk->n_ordered++] = n;
          g_array_set_size (walk->path, walk->path->len - 1);
          continue;
        }

      input = g_array_index (walk->graph->entries, SymbolEntry, node->first_entry + walk->next[n]++)
                  .node;
      if (walk->marks[input] == MARK_OPEN)
        return refuse_cycle (walk->reader, walk->graph, walk->path, input);
      if (walk->marks[input] == MARK_NEW)
        {
          walk->marks[input] = MARK_OPEN;
          g_array_append_val (walk->path, input);
        }
    }

  return TRUE;
}

gboolean
hyb_symbol_sort (SymbolReader *reader, SymbolGraph *graph)
{
  guint               n_nodes = graph->nodes->len;
  g_autofree guint8  *marks = NULL;
  g_autofree guint32 *next = NULL;
  g_autoptr (GArray) path = NULL;
  OrderWalk walk = { .reader = reader, .graph = graph };

  if (is_sorted (graph))
    return TRUE;

  walk.marks = marks = g_new0 (guint8, n_nodes);
  walk.next = next = g_new0 (guint32, n_nodes);
  walk.path = path = g_array_new (FALSE, FALSE, sizeof (guint32));
  graph->order = g_new (guint32, n_nodes);
  for (guint n = 0; n < n_nodes; n++)
    if (marks[n] == MARK_NEW && !visit (&walk, n))
      return FALSE;

  return TRUE;
}
