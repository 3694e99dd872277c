/* compare-ladder.h — the ladder of a comparison.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/comparison.h"

/* Measures the ladder from the slowest candidate's variant of the group, without optimisations, to the fastest, and
 * explains it.  If it is not expected to fit into the time, a note says so and self->ladder stays NULL. */
gboolean
scope_comparison_measure_ladder (ScopeComparison *self, const ScopeGroup *group, GError **error);
