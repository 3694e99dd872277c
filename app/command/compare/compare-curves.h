/* compare-curves.h — how times grow with the batch or the length.
 *
 * Groups that differ only in one of these two sizes form a family: one chart, one curve per
 * candidate.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/frame/json-writer.h"

/* Adds time, speed-up and memory for families of min_sizes to max_sizes groups: curves, and one table on a terminal.  groups:
 * of ScopeGroup, here and below. */
void scope_curves_say (ScopeSaid *said, const GPtrArray *groups, guint min_sizes, guint max_sizes);
/* Appends the list "curves" to an open object. */
void scope_curves_describe (ScopeJson *json, const GPtrArray *groups);
