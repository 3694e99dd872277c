/* run-matrix.h — the time of every node in every traced run of a capture.
 *
 * Summaries, comparisons and explanations are medians over the columns of this matrix.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* Element (row, run) of self and inclusive is at row × n_runs + run.  Exact runs have no column. */
typedef struct
{
  guint    n_rows;        /* nodes that ran */
  guint    n_runs;        /* traced runs */
  guint64 *self;          /* ns without the events inside; row × run */
  guint64 *inclusive;     /* ns with them; row × run */
  guint64 *count;         /* executions in all runs; by row */
  double  *wall;          /* seconds of the run; by run */
  double  *nodes;         /* seconds inside outermost nodes; by run */
  double  *spans;         /* recorded nodes and branches; by run */
  double  *lost;          /* self seconds of nodes that the capture does not list; by run */
  double   exact_between; /* seconds between nodes in the exact run; NaN without one */
} ProfRunMatrix;

/* Fills matrix from the events of capture.  *index_of_row gets the row of the matrix for each node
 * of the capture, or PROF_NONE if the node did not run; free it with g_free(). */
void
prof_run_matrix_init (ProfRunMatrix *matrix, const ProfCapture *capture, guint32 **index_of_row);
/* Frees the arrays of matrix, not matrix itself. */
void prof_run_matrix_clear (ProfRunMatrix *matrix);
