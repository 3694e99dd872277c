/* difference.h — two captures on matched nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"

typedef struct
{
  const char *name;         /* of a's capture, or of b's */
  guint32     row_a, row_b; /* PROF_NONE: only the other has it */
  double      a, b;         /* self seconds of a run; NaN */
  ProfPairing pairing;      /* b over a: slower means that b is */
} ProfDifference;

/* By name and operator within graphs of the same name, then by name alone (a pass may have
 * put another operator there); GArray of ProfDifference, the
 * largest change first.  A verdict of same or undecided is within the noise. */
GArray *prof_difference (const ProfCapture *a, const ProfCapture *b);

/* The same where names tell nothing.  group_a, group_b: by row, which of n_groups it belongs to
 * (PROF_NONE: none); a row inside a loop may belong to the loop's.  One ProfDifference a group, in
 * order, without name and rows; a group that nothing of one side is in has NaN there. */
GArray *prof_difference_groups (const ProfCapture *a,
                                const guint32     *group_a,
                                const ProfCapture *b,
                                const guint32     *group_b,
                                guint              n_groups);
