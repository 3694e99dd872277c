/* compare-text.h — groups of candidates and explanations as text on stdout.
 *
 * Nothing of this is printed with --json.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"

/* Prints the group's title and a table with one line per candidate. */
void scope_group_print (const ScopeGroup *group);
/* Prints why fast takes less time than slow, one line per bucket. */
void
scope_explanation_print (const ProfExplanation *explanation, const char *slow, const char *fast);
