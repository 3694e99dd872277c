/* enter-sandbox.h — the option --sandbox before a command.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"
#include "app/sandbox/sandbox.h"

/* Takes --sandbox or --sandbox=strict from the beginning of the arguments that follow the program's name in
 * argv: *skip is how many were taken.  FALSE: a usage error. */
gboolean
scope_take_sandbox_option (char *const *argv, ScopeSandboxMode *mode, guint *skip, GError **error);

/* One call of a command whose options are parsed. */
typedef struct
{
  const ScopeCommand       *command; /* NULL: no command, nothing is written */
  const ScopeCommonOptions *common;
  gconstpointer             options; /* of the command */
  char *const              *files;
  char *const              *argv; /* of main() */
  ScopeSandboxMode          mode;
} ScopeSandboxedCall;

/* Enters the sandbox for that call; the program may be executed again, see scope_sandbox_enter().
 * FALSE and an error: a part of a strict sandbox is missing. */
gboolean scope_enter_sandbox (const ScopeSandboxedCall *call, GError **error);
