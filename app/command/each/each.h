/* each.h — runs a command on each model of a folder: the option --each.
 *
 * Every model is opened by a process of its own in a sandbox, so that a damaged file stops nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/each/each-arguments.h"

/* Runs the command on each model of common->each and prints their output, in the order of their paths; with --json a line
 * for each model.  Returns the highest exit status.  An error: the folder or an output cannot be used. */
int scope_each_run (const ScopeEachCall *call, GError **error);
