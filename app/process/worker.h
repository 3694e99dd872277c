/* worker.h — threads that compute at lower priority than the main loop.
 *
 * Everything that takes longer than a frame belongs into such a thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Lowers the priority of the calling thread for good, so that the main loop runs first when processors are
 * scarce.  The thread must be one that nothing else is run in. */
void scope_worker_lower_priority (void);

/* Computes task in a worker; data is the task data. */
typedef void (*ScopeWorkerFunc) (GTask *task, gpointer data);
/* Like g_task_run_in_thread(), at lower priority; the main loop, which must run, drops the last reference to task. */
void scope_worker_run (GTask *task, ScopeWorkerFunc function);

/* Returns a result from task, or error if result is NULL; both are (transfer full). */
void scope_task_return (GTask *task, gpointer result, GDestroyNotify destroy, GError *error);

/* Calls destroy in a thread, for data that takes long to free.  data: (nullable) must not be a widget or
 * another object of the main thread. */
void scope_worker_free (gpointer data, GDestroyNotify destroy);
