/* run-matrix.h — the time of every node in every traced run of a capture.
 *
 * Summaries, comparisons and explanations are medians over the columns of this matrix.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* The results of exact runs. */
typedef struct
{
  double wall;    /* seconds */
  double between; /* of which between nodes, also between those of a loop's body */
  double spans;
  double around; /* seconds outside of the outermost nodes */
} ProfExactRun;

/* Element (row, run) of self and inclusive is at row × n_runs + run.  Exact runs have no column. */
typedef struct
{
  guint    n_rows;    /* nodes that ran */
  guint    n_runs;    /* traced runs */
  guint    n_dropped; /* further ones, for which the limit of memory has no room */
  guint64 *self;      /* ns without the events inside; row × run */
  guint64 *inclusive; /* ns with them; row × run */
  guint64 *count;     /* executions in all runs; by row */
  guint16 *run;       /* number of the run in events; by run */
  guint64 *wall_ns;   /* ns of the run; by run */
  double  *wall;      /* the same in seconds */
  double  *nodes;     /* seconds inside outermost nodes; by run */
  guint64 *between;   /* self time in ns of each run, outside of all other events */
  guint64 *other;     /* self ns of passes, copies and nodes the capture does not list; by run */
  guint64 *busy;      /* ns during which a GPU, followed by a trace, worked; by run */
  guint64 *
      no_operator; /* ns that a GPU, followed by a trace, worked for no node that is known; by run */
  double *spans;   /* recorded nodes and branches; by run */
  double *lost;    /* self seconds of nodes that the capture does not list; by run */
  GArray *exact;   /* of ProfExactRun */
} ProfRunMatrix;

/* Fills matrix from the events of capture.  *index_of_row gets the row of the matrix for each node
 * of the capture, or PROF_NONE if the node did not run; free it with g_free(). */
void
prof_run_matrix_init (ProfRunMatrix *matrix, const ProfCapture *capture, guint32 **index_of_row);
/* Frees the arrays of matrix, not matrix itself. */
void prof_run_matrix_clear (ProfRunMatrix *matrix);
