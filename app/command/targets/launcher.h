/* launcher.h — the process that leads to a target, as “ssh host hscope targets serve”.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/targets/target-list.h"

typedef struct
{
  GPid pid;     /* 0: it has ended */
  int  in, out; /* to write to it and to read from it; -1: closed */
} ScopeLauncher;

/* Starts the target's launcher with these words behind it.  Its stderr is that of this process.  It gets SIGHUP when this process
 * ends, however it ends. */
gboolean scope_launcher_start (ScopeLauncher     *launcher,
                               const ScopeTarget *target,
                               const char *const *words,
                               GError           **error);
/* Closes the pipes and waits for its end, at last by force.  What it ended with, as a sentence without its full stop.
 * (transfer full) *status: its exit status, -1: none. */
char *scope_launcher_end (ScopeLauncher *launcher, int *status);
