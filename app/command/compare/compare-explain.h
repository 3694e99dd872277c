/* compare-explain.h — why the fastest candidate of a group beats the slowest.
 *
 * An explanation splits the saved time into buckets (matrix products, pointwise work, host …).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"

/* Explains why fast takes less time than slow.  Both must be measured.  The caller clears
 * explanation with prof_explanation_clear(). */
void scope_group_explain (const ScopeGroup     *group,
                          const ScopeCandidate *slow,
                          const ScopeCandidate *fast,
                          ProfExplanation      *explanation);
