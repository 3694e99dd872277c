/* sweep-folder.h — the folder of a sweep: plan.json, a file cells/NNNNNN.json for each result, and captures.
 *
 * A cell without a result is to do.  The folder may be a stranger's: no link below it is followed, and nothing is removed that
 * this process has not made.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/json-reader.h"

#include <gio/gio.h>
#include <stdio.h>

#define SCOPE_SWEEP_PLAN "plan.json"

typedef struct _ScopeSweepFolder ScopeSweepFolder;

/* Which cells a process does. */
typedef struct
{
  guint    first, end;     /* end: the cell after the last one */
  gboolean is_shared;      /* others may work on other parts at the same time */
  gboolean retries_failed; /* cells that failed are done again */
} ScopeSweepPart;

/* How many cells are in each state. */
typedef struct
{
  guint n_todo, n_running, n_done, n_failed;
  guint n_strange; /* their file is not a result: a link, for example */
} ScopeSweepCounts;

/* How many files were named to the system, for tests that this grows with the number of cells only. */
typedef struct
{
  guint64 n_calls;
} ScopeSweepEffort;

/* Makes the folders below path, which must exist. */
gboolean scope_sweep_folder_create (const char *path, GError **error);

/* Opens and locks the folder of a sweep.  (transfer full) NULL and an error: another process works on it, for example. */
ScopeSweepFolder *
scope_sweep_folder_open (const char *path, const ScopeSweepPart *part, GError **error);
/* Closes the folder and unlocks it. */
void scope_sweep_folder_free (ScopeSweepFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSweepFolder, scope_sweep_folder_free)

/* The next cell of the part that has no result and that no process does.  FALSE: there is none. */
gboolean scope_sweep_folder_take (ScopeSweepFolder *folder, guint *cell);
/* Releases a claimed cell that has no result. */
void scope_sweep_folder_release (ScopeSweepFolder *folder, guint cell);
/* Stores the line of a cell that was taken. */
gboolean
scope_sweep_folder_finish (ScopeSweepFolder *folder, guint cell, const char *line, GError **error);

/* The states of the first n_cells cells. */
ScopeSweepCounts scope_sweep_folder_count (ScopeSweepFolder *folder, guint n_cells);
/* The line of a cell that is done or failed.  (transfer full) NULL: neither. */
char *scope_sweep_folder_read (ScopeSweepFolder *folder, guint cell, gboolean *is_done);
/* The file operations of this process so far. */
ScopeSweepEffort scope_sweep_folder_get_effort (const ScopeSweepFolder *folder);

/* Writes the contents of a file.  FALSE and errno on failure. */
typedef gboolean (*ScopeSweepWriter) (FILE *stream, gpointer data);
/* Writes a file of the folder, also in place of a link, which is not followed. */
gboolean scope_sweep_folder_write (ScopeSweepFolder *folder,
                                   const char       *name,
                                   ScopeSweepWriter  write_lines,
                                   gpointer          data,
                                   GError          **error);
/* The text of a file of the folder.  (transfer full) NULL: it is not a regular file, or longer than limit. */
char *scope_sweep_folder_read_file (const ScopeSweepFolder *folder, const char *name, gsize limit);

/* As scope_sweep_folder_read_file(), for a file below the open folder, or AT_FDCWD.  (transfer full) */
char *scope_sweep_read_at (int folder, const char *name, gsize limit);
/* The folder “cells” of a sweep, to be closed; -1: it cannot be opened. */
int scope_sweep_open_cells (const char *path);
/* The result of a cell, from the open folder “cells”.  line: (nullable) its text.  (transfer full) NULL: there is none. */
HybJson *scope_sweep_read_line (int folder, guint cell, char **line, gboolean *is_done);
/* Whether a process is at work on the cell with this file. */
gboolean scope_sweep_part_is_held (int folder, const char *name);
