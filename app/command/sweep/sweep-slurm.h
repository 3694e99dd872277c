/* sweep-slurm.h — the cells of a sweep as one job array of Slurm.
 *
 * Each task does a block of cells, and Slurm starts it again if its node fails.  The programs sbatch, squeue and scancel are
 * used as they are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/sweep/sweep-folder.h"

typedef struct
{
  ScopeSweepFolder *opened; /* as one of several */
  const char       *folder; /* of the sweep, an absolute path that all nodes see */
  guint             n_cells;
  guint             n_jobs; /* tasks of the array, each with a block of cells */
  guint             n_retries;
  gboolean          is_timing;      /* each task gets a node of its own */
  gboolean          retries_failed; /* cells that failed are done again */
  const char       *launcher;       /* (nullable) in front of the command of each cell */
  char *const      *options;        /* (nullable) more options of sbatch */
  GCancellable     *cancellable;    /* then the job is cancelled */
} ScopeSweepSlurm;

/* Submits the array, or finds the one that was submitted for this folder and is still there, and waits until it has ended.  FALSE
 * and an error: it cannot be submitted or watched. */
gboolean scope_sweep_slurm_run (const ScopeSweepSlurm *slurm, GError **error);
