/* compare-steps.h — from the slowest candidate of a group to the fastest, one switch after the other.
 *
 * The other candidates of the group are the steps: static planning without passes, then the passes,
 * then the other form of the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"

/* "step by step: passes 1.2 ms, the other form 0.3 ms".  (transfer full) NULL: the group lacks a candidate */
char *scope_group_dup_steps (const ScopeGroup     *group,
                             const ScopeCandidate *slow,
                             const ScopeCandidate *fast);
