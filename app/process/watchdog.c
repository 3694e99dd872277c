/* watchdog.c — a timer in the main loop that records how late it is called.
 *
 * Printed with G_MESSAGES_DEBUG=scope, and at exit if HYBRIDSCOPE_WATCHDOG is set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/watchdog.h"

#include <time.h>

#define EVERY_MS 10

/* Main thread only. */
static guint               source;
static gint64              last;
static double              last_busy;
static ScopeWatchdogReport report;

/* CPU time of this thread in milliseconds. */
static double
get_cpu_ms (void)
{
  struct timespec time = { 0 };

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec * 1e-6;
}

static gboolean
on_tick (gpointer unused G_GNUC_UNUSED)
{
  gint64 now = g_get_monotonic_time ();
  double now_busy = get_cpu_ms ();
  double late = (double) (now - last) / 1000 - EVERY_MS;
  double busy = now_busy - last_busy;

  report.longest = MAX (report.longest, late);
  report.longest_busy = MAX (report.longest_busy, busy);
  report.n_busy += busy > SCOPE_WATCHDOG_LIMIT_MS;
  if (late > SCOPE_WATCHDOG_LIMIT_MS)
    {
      report.n_blocked++;
      g_debug ("the main loop was blocked for %.0f ms, %.0f of them computing", late, busy);
    }
  last = now;
  last_busy = now_busy;
  return G_SOURCE_CONTINUE;
}

void
scope_watchdog_start (void)
{
  if (source != 0)
    return;
  last = g_get_monotonic_time ();
  last_busy = get_cpu_ms ();
  source = g_timeout_add_full (G_PRIORITY_HIGH, EVERY_MS, on_tick, NULL, NULL);
}

ScopeWatchdogReport
scope_watchdog_get_report (void)
{
  return report;
}

void
scope_watchdog_reset (void)
{
  report = (ScopeWatchdogReport){ 0 };
}
