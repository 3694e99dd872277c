/* sweep-cell.h — one cell of a sweep: the command that does it, and the line with its result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/children/children.h"
#include "app/command/sweep/sweep-task.h"

typedef struct
{
  const ScopeSweepPlan *plan;
  const ScopeSweepTask *task;
  const char           *folder;   /* of the sweep */
  const char           *drafts;   /* a folder of this process, for outputs of commands */
  const char           *worker;   /* the name of this one */
  char *const          *launcher; /* prefix of each command; NULL: none */
  const char           *target;   /* of each command; NULL: this machine */
} ScopeSweepCells;

/* The command line for a cell.  (transfer full) */
char **scope_sweep_cell_arguments (const ScopeSweepCells *cells, guint cell);

/* Keeps the capture of a child that has ended, and removes its other files.  The line of JSON for the cell, with "status":
 * "done" or, if *is_done is FALSE, "failed" and the "reason".  (transfer full) */
char *scope_sweep_cell_take (const ScopeSweepCells *cells,
                             const ScopeChildEnd   *end,
                             guint                  attempts,
                             gboolean              *is_done);
