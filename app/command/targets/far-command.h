/* far-command.h — the child process that runs a command on a target.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Settings that the other end may make: variables of the environment.  NULL-terminated. */
extern const char *const scope_far_settings[];

typedef struct
{
  GPid pid;      /* 0: it does not run */
  int  out, err; /* pipes; -1: closed */
} ScopeFarCommand;

/* Starts hscope with these arguments (NULL-terminated) in the folder. */
gboolean scope_far_command_start (ScopeFarCommand   *command,
                                  const char        *folder,
                                  const char *const *arguments,
                                  char             **environment,
                                  GError           **error);
/* Waits for its end.  It is killed first, with the processes that it started, unless its pipes are closed. */
void scope_far_command_end (ScopeFarCommand *command, guint8 *status, guint8 *signal);
