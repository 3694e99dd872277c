/* sweep-slurm.h — the workers of a sweep as one job array of Slurm.
 *
 * Slurm starts the workers; they share the folder as any others.  The programs sbatch, squeue and scancel are used as they are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

typedef struct
{
  const char   *folder; /* of the sweep, an absolute path that all nodes see */
  guint         n_jobs; /* tasks of the array: workers */
  guint         n_retries;
  gboolean      is_timing;   /* each worker gets a node of its own */
  const char   *launcher;    /* (nullable) in front of the command of each cell */
  char *const  *options;     /* (nullable) more options of sbatch */
  GCancellable *cancellable; /* then the job is cancelled */
} ScopeSweepSlurm;

/* Submits the array, or finds the one that was submitted for this folder and is still there, and waits until it has ended.  FALSE
 * and an error: it cannot be submitted or watched. */
gboolean scope_sweep_slurm_run (const ScopeSweepSlurm *slurm, GError **error);
