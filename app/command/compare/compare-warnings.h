/* compare-warnings.h — the conditions that make the times of a comparison unreliable.
 *
 * They are those that hscope profile prints, of the machine and of every candidate.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/compare/comparison.h"
#include "app/command/frame/json-writer.h"

/* Adds them, a sentence each. */
void scope_comparison_say_warnings (ScopeSaid *said, const ScopeComparison *self);
/* Adds them to an open object as the list "warnings". */
void scope_comparison_describe_warnings (ScopeJson *json, const ScopeComparison *self);
