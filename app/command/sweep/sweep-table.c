/* sweep-table.c — collects the results of cells into one file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-table.h"

#include "engine/formats/file.h"

#include <string.h>

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

/* For HybWriteFunc; data: a Table. */
static gboolean
write_lines (GOutputStream *out, gpointer data, GError **error)
{
  const Table *table = data;

  for (guint cell = 0; cell < table->n_cells; cell++)
    {
      gboolean         is_done;
      g_autofree char *line = scope_sweep_folder_read (table->folder, cell, &is_done);
      g_autofree char *whole = line ? g_strconcat (line, "\n", NULL) : NULL;

      if (whole && !g_output_stream_write_all (out, whole, strlen (whole), NULL, NULL, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
scope_sweep_table_write (ScopeSweepFolder *folder, const char *path, guint n_cells, GError **error)
{
  g_autofree char *name = scope_sweep_dup_path (path, SCOPE_SWEEP_TABLE);
  Table            table = { folder, n_cells };

  return hyb_file_replace (name, write_lines, &table, error);
}
