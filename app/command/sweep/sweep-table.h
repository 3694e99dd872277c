/* sweep-table.h — the lines of all cells of a sweep, in order, in one file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/sweep/sweep-folder.h"

#define SCOPE_SWEEP_TABLE "cells.jsonl"

/* The path of a file in the folder of a sweep.  (transfer full) */
char *scope_sweep_dup_path (const char *folder, const char *name);

/* Writes the line of each cell that is done or has failed to cells.jsonl. */
gboolean scope_sweep_table_write (ScopeSweepFolder *folder, guint n_cells, GError **error);
