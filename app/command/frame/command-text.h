/* command-text.h — sentences about a command, for its help and its man page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"

/* The purpose of hscope, and the effect of its option --sandbox: one sentence each. */
extern const char scope_commands_summary[];
extern const char scope_sandbox_text[];

/* The meaning of the words MODEL, A and B of the usage and of the file name “-”, in lines of
 * fewer than 120 characters; empty if the command takes no file.  (transfer full) */
char *scope_command_dup_arguments_text (const ScopeCommand *command);

/* The part of a command's help that follows the options: arguments, examples and notes.  (transfer full) */
char *scope_command_dup_help (const ScopeCommand *command);
