/* temporary-folder.c — see temporary-folder.h.
 *
 * A second process waits until the writing end of a pipe is closed, which the kernel does when the program ends in whatever
 * way, and becomes a shell that removes the folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/temporary-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a killed test has started may still write for a while. */
static const char script[] =
    "for i in 1 2 3 4 5 6 7 8 9; do rm -rf -- \"$0\"; sleep 1; [ -e \"$0\" ] || exit; done";

/* In a session of its own: who ends a test that takes too long ends its group of processes. */
static void
remove_afterwards (const char *path, int end)
{
  int  nothing = open ("/dev/null", O_RDWR);
  char byte;

  setsid ();
  for (int i = 0; i < 3; i++)
    dup2 (nothing, i);
  while (read (end, &byte, 1) < 0 && errno == EINTR)
    ;
  execlp ("sh", "sh", "-c", script, path, (char *) NULL);
  _exit (127);
}

void
temporary_folder_use (void)
{
  const char *parent = getenv ("TMPDIR");
  char        path[4096];
  int         ends[2];
  pid_t       other;

  snprintf (path, sizeof path, "%s/test-XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp (path) || pipe2 (ends, O_CLOEXEC) != 0 || (other = fork ()) < 0)
    {
      perror (path);
      exit (2);
    }
  if (other == 0)
    {
      close (ends[1]);
      remove_afterwards (path, ends[0]);
    }
  close (ends[0]);
  setenv ("TMPDIR", path, 1);
}
