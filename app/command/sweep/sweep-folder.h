/* sweep-folder.h — the folder of a sweep: which cells are to do, claimed, done or failed.
 *
 * A cell that is to do is an empty file in todo/.  A worker claims it by renaming the file into claimed/, which succeeds for one
 * worker only, also over a network file system.  Results are files in done/ or failed/.  Nothing but the folder is
 * known to two workers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

typedef struct _ScopeSweepFolder ScopeSweepFolder;

/* How many cells are in each state. */
typedef struct
{
  guint n_todo, n_claimed, n_done, n_failed; /* failed: and not to do again */
} ScopeSweepCounts;

/* What was asked of the file system, for tests that it grows with the number of cells only. */
typedef struct
{
  guint64 n_calls;   /* that name a file or open a folder */
  guint64 n_entries; /* names that were read from folders */
} ScopeSweepEffort;

/* Makes the folders below path, which must exist, and a file for each cell. */
gboolean scope_sweep_folder_create (const char *path, guint n_cells, GError **error);

/* Opens the folder of a sweep as this worker, whose name is HOST.NUMBER.NUMBER.  (transfer full) */
ScopeSweepFolder *
scope_sweep_folder_open (const char *path, guint n_cells, const char *worker, GError **error);
/* Closes the folder; the worker is gone, and cells that it still claims can be recovered. */
void scope_sweep_folder_free (ScopeSweepFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSweepFolder, scope_sweep_folder_free)

/* The cell, of n_cells, that the name of a file begins with.  FALSE: it is no name of a cell. */
gboolean scope_sweep_parse_cell (const char *name, guint n_cells, guint *cell);

/* Claims a cell for this worker.  FALSE: none is to do. */
gboolean scope_sweep_folder_claim (ScopeSweepFolder *folder, guint *cell);
/* Gives a claimed cell back to be done by another worker. */
void scope_sweep_folder_release (ScopeSweepFolder *folder, guint cell);
/* Stores the line of a claimed cell, which takes the place of an earlier failure. */
gboolean scope_sweep_folder_finish (ScopeSweepFolder *folder,
                                    guint             cell,
                                    const char       *line,
                                    gboolean          is_done,
                                    GError          **error);

/* Cells that no file names, and cells that workers claimed which are not alive, are to do again; with retries_failed also those
 * that failed.  One process at a time does this; while another one does, nothing happens.  Returns how many
 * cells are to do again. */
guint scope_sweep_folder_recover (ScopeSweepFolder *folder, gboolean retries_failed);

/* The states of all cells. */
ScopeSweepCounts scope_sweep_folder_count (ScopeSweepFolder *folder);
/* The line of a cell that is done, or else failed, and *is_done.  (transfer full) NULL: neither. */
char *scope_sweep_folder_read (ScopeSweepFolder *folder, guint cell, gboolean *is_done);
/* What this process asked of the file system so far. */
ScopeSweepEffort scope_sweep_folder_get_effort (const ScopeSweepFolder *folder);
