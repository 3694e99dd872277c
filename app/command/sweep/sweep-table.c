/* sweep-table.c — collects the results of cells into one file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-table.h"

typedef struct
{
  ScopeSweepFolder *folder;
  guint             n_cells;
} Table;

char *
scope_sweep_dup_path (const char *folder, const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* For ScopeSweepWriter; data: a Table. */
static gboolean
write_lines (FILE *stream, gpointer data)
{
  const Table *table = data;

  for (guint cell = 0; cell < table->n_cells; cell++)
    {
      gboolean         is_done;
      g_autofree char *line = scope_sweep_folder_read (table->folder, cell, &is_done);

      if (line && fprintf (stream, "%s\n", line) < 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
scope_sweep_table_write (ScopeSweepFolder *folder, guint n_cells, GError **error)
{
  Table table = { folder, n_cells };

  return scope_sweep_folder_write (folder, SCOPE_SWEEP_TABLE, write_lines, &table, error);
}
