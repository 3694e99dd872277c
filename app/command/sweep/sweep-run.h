/* sweep-run.h — works on the cells of a sweep until none is left to do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/sweep/sweep-cell.h"
#include "app/command/sweep/sweep-folder.h"

typedef struct
{
  guint n_done, n_failed; /* by this worker */
  guint n_shared;         /* timed cells before which another one on this machine had to end */
} ScopeSweepWork;

typedef struct
{
  ScopeSweepCells   cells;
  ScopeSweepFolder *folder;
  guint             n_jobs;      /* at a time; 1 if the task measures times */
  guint             n_retries;   /* of a cell that fails */
  gboolean          has_events;  /* a line of JSON on stderr for each cell that begins and ends */
  GCancellable     *cancellable; /* then unfinished cells are released */
} ScopeSweepRun;

/* Works until no cell is to do.  FALSE and an error: a result cannot be written. */
gboolean scope_sweep_run (const ScopeSweepRun *run, ScopeSweepWork *work, GError **error);
