/* watchdog.c — a clock in the main loop that notices when it comes late.
 *
 * Reported with G_MESSAGES_DEBUG=scope, and at the end with HYBRIDSCOPE_WATCHDOG set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/watchdog.h"

#define EVERY_MS 10

/* Main thread only. */
static guint               source;
static gint64              last;
static ScopeWatchdogReport report;

static gboolean
on_tick (gpointer unused G_GNUC_UNUSED)
{
  gint64 now = g_get_monotonic_time ();
  double late = (double) (now - last) / 1000 - EVERY_MS;

  if (late > SCOPE_WATCHDOG_LIMIT_MS)
    {
      report.n_blocked++;
      report.longest = MAX (report.longest, late);
      g_debug ("the main loop was blocked for %.0f ms", late);
    }
  last = now;
  return G_SOURCE_CONTINUE;
}

void
scope_watchdog_start (void)
{
  if (source != 0)
    return;
  last = g_get_monotonic_time ();
  source = g_timeout_add_full (G_PRIORITY_HIGH, EVERY_MS, on_tick, NULL, NULL);
}

ScopeWatchdogReport
scope_watchdog_get_report (void)
{
  return report;
}
