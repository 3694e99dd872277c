/* typical-runs.h — which traced runs of a capture the times of operators are means of.
 *
 * Medians of parts do not add up to the median of the whole; means over the same runs do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/run-matrix.h"

/* With fewer undisturbed runs, those that waited least are used, too, unless they mostly waited. */
#define PROF_MIN_TYPICAL 3

typedef struct
{
  gboolean *is_disturbed; /* by column of the matrix */
  guint    *column;       /* of the matrix, shortest run first */
  guint     n;
  guint     n_disturbed; /* of all traced runs */
} ProfTypicalRuns;

/* Chooses the central half of the undisturbed runs by length: a quarter of them, rounded down, is left
 * out at each end. */
void prof_typical_runs_init (ProfTypicalRuns     *typical,
                             const ProfRunMatrix *matrix,
                             const ProfCapture   *capture);
/* Chooses one run alone.  column: of the matrix. */
void prof_typical_runs_init_one (ProfTypicalRuns     *typical,
                                 const ProfRunMatrix *matrix,
                                 const ProfCapture   *capture,
                                 guint                column);
/* Frees the members of typical, but not typical itself. */
void prof_typical_runs_clear (ProfTypicalRuns *typical);
/* The mean of a quantity in ns over the typical runs, in seconds; NaN without runs.  values: by column
 * of the matrix. */
double prof_typical_mean (const ProfTypicalRuns *typical, const guint64 *values);
