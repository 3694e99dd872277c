/* compare-with.h — hscope compare MODEL --with TRACE: what is measured beside the profile that another program made.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/compare/comparison.h"
#include "app/command/frame/json-writer.h"

/* Reads the trace of --with.  FALSE and an error if it cannot be read, or if another option does not go with it. */
gboolean scope_compare_read_with (ScopeComparison *self, GError **error);
/* Places the trace on the model and joins it with the first candidate, which must be measured.  FALSE and an error if
 * nothing of it belongs to the model. */
gboolean scope_compare_join_with (ScopeComparison *self, GError **error);
/* Frees a trace; NULL is allowed. */
void scope_compared_with_free (ScopeComparedWith *with);

/* Adds a table of the nodes, those that take longest first; nothing without --with. */
void scope_compare_say_with (ScopeSaid *said, const ScopeComparison *self);
/* Writes all of them as the member "with"; nothing without --with. */
void scope_compare_describe_with (ScopeJson *json, const ScopeComparison *self);
