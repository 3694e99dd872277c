/* watchdog.h — measures how long the main loop does not respond.
 *
 * "Blocked" is wall-clock time, including time that other processes took; "busy" is CPU time of the
 * main thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define SCOPE_WATCHDOG_LIMIT_MS 50

/* Starts measuring; further calls do nothing. */
void scope_watchdog_start (void);

typedef struct
{
  guint  n_blocked, n_busy;     /* how often the limit was exceeded */
  double longest, longest_busy; /* ms */
} ScopeWatchdogReport;

/* The measurements so far. */
ScopeWatchdogReport scope_watchdog_get_report (void);
/* Resets the report. */
void scope_watchdog_reset (void);
