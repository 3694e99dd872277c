/* watchdog.h — counts how often, and how long, the main loop did not answer.
 *
 * Blocked is what the user feels: by the clock on the wall, with what other processes
 * took.  Busy is what the main thread computed itself in that time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define SCOPE_WATCHDOG_LIMIT_MS 50

/* Counting begins after the first paint; calling it again changes nothing. */
void scope_watchdog_start (void);

typedef struct
{
  guint  n_blocked, n_busy;     /* times over the limit */
  double longest, longest_busy; /* ms */
} ScopeWatchdogReport;

ScopeWatchdogReport scope_watchdog_get_report (void);
/* Forgets what was counted. */
void scope_watchdog_reset (void);
