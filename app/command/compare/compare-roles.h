/* compare-roles.h — the times of two files by what their nodes have in common, as hscope diff matches them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/compare/comparison.h"
#include "app/command/frame/json-writer.h"

/* Sums the times of the first group by role.  Does nothing unless two files of one model were measured, of which one has
 * another format than MXNet's. */
void scope_compare_join_roles (ScopeComparison *self);
/* Frees the result; NULL is allowed. */
void scope_compared_roles_free (ScopeComparedRoles *roles);

/* Adds the roles, those that differ most first; nothing without them. */
void scope_compare_say_roles (ScopeSaid *said, const ScopeComparison *self);
/* Writes all of them as the member "roles"; nothing without them. */
void scope_compare_describe_roles (ScopeJson *json, const ScopeComparison *self);
