/* steps.h — times by step of a loop or of an unrolled sequence.
 *
 * A node inside a loop's body counts for the iteration it ran in; a node of the main graph counts
 * for the step in its name ("lstm_t12_i2h" is step 12).  Seconds are per run, averaged over the runs
 * that are requested, such as those of ProfSummary.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* One step. */
typedef struct
{
  guint32 step;
  double  self;  /* seconds of its nodes without the nodes inside them */
  double  count; /* executions of nodes */
} ProfStepSum;

/* The steps in which a node ran, in order; row PROF_NONE sums all nodes.  runs: (nullable) numbers of runs in events, of
 * guint16; NULL or empty: all runs.  Returns a GArray of ProfStepSum, empty if no node has a step.  (transfer full) */
GArray *prof_summary_steps_of (const ProfCapture *capture, guint32 row, const GArray *runs);

/* One operator type of one loop or sequence. */
typedef struct
{
  ProfText place; /* the loop's name, or the folded scope of an unrolled sequence */
  ProfText type;
  double   self;  /* seconds in all steps */
  double  *steps; /* seconds; n_steps of the matrix; NaN for steps in which it did not run */
} ProfStepRow;

typedef struct
{
  guint   n_steps;
  GArray *rows; /* of ProfStepRow, longest first */
} ProfStepMatrix;

/* Self seconds by loop, operator type and step, of the same runs.  Events that would make the matrix larger than the limit
 * of memory for the capture are left out. */
ProfStepMatrix *prof_step_matrix_new (const ProfCapture *capture, const GArray *runs);
/* Frees matrix; NULL is allowed. */
void prof_step_matrix_free (ProfStepMatrix *matrix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfStepMatrix, prof_step_matrix_free)
