/* summary-private.h — what the files that add up events share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

/* duration and self in ns; called in the order of ending, MEMORY events left out. */
typedef void (*ProfEventFunc) (gpointer         data,
                               const ProfEvent *event,
                               guint64          duration,
                               guint64          self);
void prof_walk_events (const ProfCapture *capture, ProfEventFunc func, gpointer data);

/* ns by executed row and traced run. */
typedef struct
{
  guint    n_rows, n_runs;
  guint64 *self, *inclusive;            /* row × run */
  guint64 *count;                       /* by row, all runs */
  double  *wall, *nodes, *spans, *lost; /* by run */
  double   exact_between;
} Matrix;

/* by_row: row of the capture → row of the matrix, or PROF_NONE. */
void prof_matrix_fill (Matrix *matrix, const ProfCapture *capture, guint32 **by_row);
void prof_matrix_clear (Matrix *matrix);

/* Of one row, or of all (PROF_NONE). */
GArray *prof_sum_steps (const ProfCapture *capture, guint32 row, guint n_runs);
