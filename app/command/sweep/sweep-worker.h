/* sweep-worker.h — the name of a worker, and whether it is alive.
 *
 * A worker of this machine is alive if its process exists and has started when its name says.  One of another machine is if it
 * has touched its file lately; both times are those of the file server.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* HOST.PID.START of this process.  (transfer full) */
char *scope_sweep_worker_dup_name (void);

/* Seconds between two touches of a worker's file, and after which a worker of another machine counts as gone. */
#define SCOPE_SWEEP_TOUCH 10
#define SCOPE_SWEEP_GONE  90

/* Whether the worker is alive.  age: seconds between its last touch and now; negative: it has no file. */
gboolean scope_sweep_worker_is_alive (const char *name, double age);
