/* import-row.c — the row of a node that a trace of prof_print_chrome() names.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/import-private.h"

#include <math.h>

guint32
prof_import_find_row (TraceImport *self, GHashTable *added, const ProfTraceEvent *event)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, event->node));
  guint origin =
      event->origin ? GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, event->origin)) : 0;
  guint    known = GPOINTER_TO_UINT (g_hash_table_lookup (added, event->node));
  ProfNode node;
  guint32  row;

  if (at > 0)
    return g_array_index (self->expected, ExpectedNode, at - 1).row;
  if (known > 0)
    return known - 1;
  if (origin == 0)
    return PROF_NONE;
  row = g_array_index (self->expected, ExpectedNode, origin - 1).row;
  node = *prof_builder_get_node (self->builder, row);
  node.name = prof_builder_text (self->builder, event->node);
  node.type = prof_builder_text (self->builder, event->name);
  node.id = PROF_NONE;
  node.origin = row;
  node.flags = PROF_NODE_ADDED;
  node.n_edges = 0;
  node.flops = node.bytes_read = node.bytes_written = NAN;
  row = prof_builder_add_node (self->builder, &node);
  g_hash_table_insert (added, (gpointer) event->node, GUINT_TO_POINTER (row + 1));
  return row;
}
