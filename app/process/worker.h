/* worker.h — threads that compute beside the main loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* The calling thread gives way to the main loop and to the display from now on, where there are
 * not processors enough for all of them. */
void scope_worker_lower_priority (void);

/* As g_task_run_in_thread(), in a thread that has stepped back. */
void scope_worker_run (GTask *task, GTaskThreadFunc function);

/* Frees, or unrefs, something large in a worker; data: (nullable).  It must not belong to the
 * main thread, as objects of the window do. */
void scope_worker_free (gpointer data, GDestroyNotify destroy);
