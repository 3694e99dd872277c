/* sweep-watch.h — notices when workers have stored results in the folder of a sweep.
 *
 * Signal "changed": the folder should be read again.  It is emitted once after the watch has begun.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#define SCOPE_TYPE_SWEEP_WATCH (scope_sweep_watch_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSweepWatch, scope_sweep_watch, SCOPE, SWEEP_WATCH, GObject)

/* Begins to watch a folder. */
ScopeSweepWatch *scope_sweep_watch_new (const char *folder);
/* Ends the watch; it emits nothing any more. */
void scope_sweep_watch_stop (ScopeSweepWatch *self);
