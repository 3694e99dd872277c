/* command-list.h — the commands of hscope.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"

/* All commands, in the order in which hscope --help lists them; ends with NULL. */
extern const ScopeCommand *const scope_commands[];

/* The command of this name, or NULL. */
const ScopeCommand *scope_command_find (const char *name);
