/* compare-json.h — groups of candidates and explanations as JSON.
 *
 * The functions append to an object or list that the caller has opened.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/frame/json-writer.h"

/* Appends one object per candidate to the open list "cells". */
void scope_group_describe_cells (ScopeJson *json, const ScopeGroup *group);
/* Appends one object per pair of candidates to the open list "pairs". */
void scope_group_describe_pairs (ScopeJson *json, const ScopeGroup *group);
/* Appends an object to the open list "speeds" if the machine changed its speed. */
void scope_group_describe_speed (ScopeJson *json, const ScopeGroup *group);
/* Appends an explanation as an object.  key: NULL inside a list. */
void
scope_describe_explanation (ScopeJson *json, const char *key, const ProfExplanation *explanation);
