/* compare-steps.h — from the slowest candidate of a group to the fastest, one switch after the other.
 *
 * The other candidates of the group are the steps: static planning without passes, then the passes,
 * then the other form of the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"

/* Prints the steps as one line on stdout; nothing if the group lacks a candidate. */
void scope_group_print_steps (const ScopeGroup     *group,
                              const ScopeCandidate *slow,
                              const ScopeCandidate *fast);
