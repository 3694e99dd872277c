/* file-guard.c — the handler of SIGBUS of the window, and its observers.
 *
 * The handler may only call async-signal-safe functions: it fills the file with zeros and wakes the main loop through
 * a descriptor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/file-guard.h"

#include "engine/formats/mapped-file.h"

#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

typedef struct
{
  ScopeFileGuardFunc check;
  gpointer           data;
} Entry;

static GSList *entries; /* of Entry */
static int     wake = -1;

/* If no file is mapped there, returning repeats the access, which then ends the process. */
static void
on_bus_error (int number, siginfo_t *info, void *context G_GNUC_UNUSED)
{
  guint64 one = 1;
  int     code = errno;

  if (!hyb_mapped_file_fill (info->si_addr))
    signal (number, SIG_DFL);
  else if (write (wake, &one, sizeof one) < 0)
    signal (number, SIG_DFL);
  errno = code;
}

static gboolean
on_wake (int descriptor, GIOCondition condition G_GNUC_UNUSED, gpointer unused G_GNUC_UNUSED)
{
  guint64 n;

  if (read (descriptor, &n, sizeof n) < 0)
    return G_SOURCE_CONTINUE;
  for (GSList *at = entries, *next; at; at = next)
    {
      Entry *entry = at->data;

      next = at->next;
      entry->check (entry->data);
    }
  return G_SOURCE_CONTINUE;
}

void
scope_file_guard_install (void)
{
  struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

  wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0)
    return;
  g_unix_fd_add (wake, G_IO_IN, on_wake, NULL);
  sigemptyset (&action.sa_mask);
  sigaction (SIGBUS, &action, NULL);
}

void
scope_file_guard_add (ScopeFileGuardFunc check, gpointer data)
{
  Entry *entry = g_new (Entry, 1);

  *entry = (Entry){ check, data };
  entries = g_slist_prepend (entries, entry);
}

void
scope_file_guard_remove (gpointer data)
{
  for (GSList *at = entries; at; at = at->next)
    if (((const Entry *) at->data)->data == data)
      {
        g_free (at->data);
        entries = g_slist_delete_link (entries, at);
        return;
      }
}
