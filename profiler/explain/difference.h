/* difference.h — compares two captures node by node, or by groups of nodes.
 *
 * Each capture is of one build, so intervals contain PROF_BUILD_DEVIATION.  The variance between
 * sessions is up to the caller (prof_sessions_widen()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/pairing.h"
#include "profiler/capture/capture.h"

typedef struct
{
  const char *name;         /* of the node, owned by a capture; NULL for groups */
  guint32     row_a, row_b; /* PROF_NONE: the other capture has no such node */
  double      a, b;         /* self seconds of a run; NaN: did not run */
  ProfPairing pairing;      /* of b against a: SLOWER means that b is slower */
} ProfDifference;

/* Matches nodes that ran by name and operator type within graphs of the same name, then by name
 * alone, since a pass may have changed the operator.  GArray of ProfDifference, largest change
 * first.  Verdicts SAME and UNDECIDED mean that the difference is within the noise.  (transfer
 * full) */
GArray *prof_difference (const ProfCapture *a, const ProfCapture *b);

/* The same for groups that the caller defines, where names do not match.  group_a, group_b: group
 * of each row, PROF_NONE for none.  GArray of n_groups ProfDifference, in order, without name and
 * rows.  (transfer full) */
GArray *prof_difference_groups (const ProfCapture *a,
                                const guint32     *group_a,
                                const ProfCapture *b,
                                const guint32     *group_b,
                                guint              n_groups);
