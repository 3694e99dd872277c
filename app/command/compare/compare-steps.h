/* compare-steps.h — from the slowest candidate of a group to the fastest, one switch after the other.
 *
 * The other candidates of the group are the steps: static planning without passes, then the passes,
 * then the other form of the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/json-writer.h"

typedef struct
{
  const char *name;    /* static */
  double      seconds; /* what the step saves */
} ScopeStep;

/* The steps, of which the group has measured every one; empty if it lacks a candidate.  GArray of
 * ScopeStep.  (transfer full) */
GArray *
scope_group_steps (const ScopeGroup *group, const ScopeCandidate *slow, const ScopeCandidate *fast);

/* Prints them as one line on stdout; nothing without steps. */
void scope_group_print_steps (const ScopeGroup     *group,
                              const ScopeCandidate *slow,
                              const ScopeCandidate *fast);
/* Appends the list "steps" to an open object. */
void scope_group_describe_steps (ScopeJson            *json,
                                 const ScopeGroup     *group,
                                 const ScopeCandidate *slow,
                                 const ScopeCandidate *fast);
