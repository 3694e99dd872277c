/* phase-rows.c — adds a row for each part of an operator when its first event is seen.
 *
 * Parts that differ only in their work share a row, which gets the mean work of its events.
 * Start reading at prof_phase_rows_add_event().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/phase-rows.h"

/* A part of the recorder. */
typedef struct
{
  gboolean is_known;
  guint32  row;
  guint64  count; /* events */
} Part;

struct _ProfPhaseRows
{
  ProfBuilder           *builder;
  const ProfAttribution *attribution;
  const ProfRecorder    *recorder;
  guint                  n;
  Part                  *parts;
  GHashTable            *by_name; /* "row\nname\ntype" → row + 1 */
};

ProfPhaseRows *
prof_phase_rows_new (ProfBuilder           *builder,
                     const ProfAttribution *attribution,
                     const ProfRecorder    *recorder)
{
  ProfPhaseRows *rows = g_new0 (ProfPhaseRows, 1);

  rows->builder = builder;
  rows->attribution = attribution;
  rows->recorder = recorder;
  rows->n = prof_recorder_n_phases (recorder);
  rows->parts = g_new0 (Part, MAX (rows->n, 1));
  rows->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return rows;
}

/* Adds the row of a part of the node in row `owner`. */
static guint32
add_row (ProfPhaseRows *rows, const ProfPhase *phase, guint32 owner)
{
  ProfNode        *node = prof_builder_get_node (rows->builder, owner);
  ProfNode         row = { .graph = node->graph, .id = PROF_NONE, .origin = owner };
  g_autofree char *name = NULL, *type = NULL;

  node->flags |= PROF_NODE_DIVIDED;
  name = phase->type ? g_strdup (phase->name)
                     : g_strconcat (prof_builder_get_text (rows->builder, node->name), " ",
                                    phase->name, NULL);
  type = phase->type ? g_strdup (phase->type)
                     : g_strconcat (prof_builder_get_text (rows->builder, node->type), " ",
                                    phase->name, NULL);
  row.name = prof_builder_text (rows->builder, name);
  row.type = prof_builder_text (rows->builder, type);
  row.category = phase->category;
  row.flags = PROF_NODE_ADDED | PROF_NODE_EXECUTED | PROF_NODE_PHASE;
  return prof_builder_add_node (rows->builder, &row);
}

static guint32
find_row (ProfPhaseRows *rows, const ProfPhase *phase)
{
  guint32  owner = prof_attribution_get_row (rows->attribution, phase->slot, phase->node);
  char    *key;
  gpointer known;
  guint32  row;

  if (owner == PROF_NONE)
    return PROF_NONE;
  key = g_strdup_printf ("%u\n%s\n%s", owner, phase->name, phase->type ? phase->type : "");
  known = g_hash_table_lookup (rows->by_name, key);
  if (known)
    {
      g_free (key);
      return GPOINTER_TO_UINT (known) - 1;
    }
  row = add_row (rows, phase, owner);
  g_hash_table_insert (rows->by_name, key, GUINT_TO_POINTER (row + 1));
  return row;
}

guint32
prof_phase_rows_add_event (ProfPhaseRows *rows, guint phase)
{
  Part *part = &rows->parts[phase];

  if (!part->is_known)
    {
      part->is_known = TRUE;
      part->row = find_row (rows, prof_recorder_get_phase (rows->recorder, phase));
    }
  part->count++;
  return part->row;
}

void
prof_phase_rows_finish (ProfPhaseRows *rows)
{
  g_autofree double *counts = NULL;

  if (!rows)
    return;
  counts = g_new0 (double, MAX (prof_builder_n_nodes (rows->builder), 1));
  for (guint i = 0; i < rows->n; i++)
    if (rows->parts[i].is_known && rows->parts[i].row != PROF_NONE)
      counts[rows->parts[i].row] += (double) rows->parts[i].count;
  for (guint i = 0; i < rows->n; i++)
    if (rows->parts[i].is_known && rows->parts[i].row != PROF_NONE)
      {
        const HybCost *cost = &prof_recorder_get_phase (rows->recorder, i)->cost;
        ProfNode      *row = prof_builder_get_node (rows->builder, rows->parts[i].row);
        double         share = (double) rows->parts[i].count / counts[rows->parts[i].row];

        row->flops += share * cost->flops;
        row->bytes_read += share * cost->bytes_read;
        row->bytes_written += share * cost->bytes_written;
      }
  g_hash_table_unref (rows->by_name);
  g_free (rows->parts);
  g_free (rows);
}
