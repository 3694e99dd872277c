/* sweep-worker.c — names of workers, and what the system knows of their processes.
 *
 * Start at scope_sweep_worker_is_alive().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* When a process has started, in clock ticks since the machine has; 0: there is no such process.  Field 22 of its
 * status; the second field is a name in brackets that may hold anything. */
static guint64
start_of (guint64 pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%" G_GUINT64_FORMAT "/stat", pid);
  g_autofree char *text = NULL;
  const char      *at;

  if (!g_file_get_contents (path, &text, NULL, NULL) || !(at = strrchr (text, ')')))
    return 0;
  for (guint field = 2; field < 22 && at; field++)
    at = strchr (at + 1, ' ');
  return at ? g_ascii_strtoull (at + 1, NULL, 10) : 0;
}

/* Without dots and slashes, which separate the parts of a name.  (transfer full) */
static char *
dup_host (void)
{
  return g_strdelimit (g_strdup (g_get_host_name ()), "./", '-');
}

char *
scope_sweep_worker_dup_name (void)
{
  g_autofree char *host = dup_host ();
  guint64          pid = (guint64) getpid ();

  return g_strdup_printf ("%s.%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT, host, pid, start_of (pid));
}

gboolean
scope_sweep_worker_is_alive (const char *name, double age)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", 3);
  g_autofree char *host = dup_host ();
  guint64          pid, start;

  if (g_strv_length (parts) != 3 ||
      !g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXINT, &pid, NULL) ||
      !g_ascii_string_to_unsigned (parts[2], 10, 0, G_MAXUINT64, &start, NULL))
    return FALSE;
  if (strcmp (parts[0], host) == 0)
    return start != 0 && start_of (pid) == start;
  return age >= 0 && age < SCOPE_SWEEP_GONE;
}
