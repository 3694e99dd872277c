/* launcher.h — the process that leads to a target, as “ssh host hscope targets serve”.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/targets/target-list.h"

typedef struct
{
  GPid pid;          /* 0: it has ended */
  int  in, out, err; /* to write to it and to read from it; -1: closed */
} ScopeLauncher;

#define SCOPE_LAUNCHER_NONE        \
  {                                \
    .in = -1, .out = -1, .err = -1 \
  }

/* Starts the target's launcher with these words behind it.  from: its stdin; -1: a pipe, launcher->in.  It gets SIGHUP when this
 * process ends, however it ends.  FALSE and an error: it cannot be started, or a word is not plain (scope_target_is_plain()). */
gboolean scope_launcher_start (ScopeLauncher     *launcher,
                               const ScopeTarget *target,
                               const char *const *words,
                               int                from,
                               GError           **error);
/* Closes the pipes and waits for its end, at last by force.  How it ended, as a sentence without its full stop.
 * (transfer full) *status: its exit status, -1: none. */
char *scope_launcher_end (ScopeLauncher *launcher, int *status);

/* Closes it, unless it is closed. */
void scope_pipe_close (int *pipe);
/* Reads once from a pipe, waiting for data; closes it at its end and returns 0. */
gsize scope_pipe_read (int *pipe, gpointer data, gsize n);
