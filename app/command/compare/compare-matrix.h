/* compare-matrix.h — the table of all groups: one row per group, one column per candidate.
 *
 * The first column is the baseline's time, the others are speed-ups.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"

/* Adds the table.  groups: of ScopeGroup; nothing is added for fewer than two. */
void scope_matrix_say (ScopeSaid *said, const GPtrArray *groups);
