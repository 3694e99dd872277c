/* compare-say.h — groups of candidates, and why their fastest is faster, as blocks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/compare/compare-group.h"

/* Adds the candidates as bars with a table. */
void scope_group_say (ScopeSaid *said, const ScopeGroup *group);
/* Adds why the group's fastest candidate takes less time than the slowest; nothing if there are no two. */
void scope_group_say_why (ScopeSaid *said, const ScopeGroup *group);
/* Prints the candidates, for users who follow a long comparison. */
void scope_group_print (const ScopeGroup *group);
