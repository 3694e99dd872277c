/* lock-holder.c — finds the holder of a lock in /proc/locks.
 *
 * Locks of other machines, on a network file system, and of other containers are not listed there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/lock-holder.h"

#include <glib.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

char *
scope_lock_dup_holder (int file)
{
  struct stat      status;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (fstat (file, &status) == 0 && g_file_get_contents ("/proc/locks", &text, NULL, NULL))
    lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines && lines[i]; i++)
    {
      unsigned      device[2];
      unsigned long inode;
      int           process;

      /* "1: FLOCK ADVISORY WRITE 1234 fe:00:5678 0 EOF"; a process that waits has "->" before FLOCK. */
      if (sscanf (lines[i], "%*d: FLOCK %*s %*s %d %x:%x:%lu", &process, &device[0], &device[1],
                  &inode) == 4 &&
          device[0] == major (status.st_dev) && device[1] == minor (status.st_dev) &&
          inode == status.st_ino)
        return g_strdup_printf ("process %d", process);
    }
  return g_strdup ("another process");
}
