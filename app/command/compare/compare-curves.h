/* compare-curves.h — how times grow with the batch, the length or the hidden units.
 *
 * Groups that differ in one of these sizes only form a family: charts of time, speed-up and memory with one curve per
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
