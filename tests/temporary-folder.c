/* temporary-folder.c — see temporary-folder.h.
 *
 * A second process waits in remove-afterwards.sh until the writing end of a pipe is closed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/temporary-folder.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* In a session of its own: who ends a test that takes too long ends its group of processes. */
static void
remove_afterwards (const char *path, const struct stat *made, int end)
{
  int  nothing = open ("/dev/null", O_RDWR);
  char number[64];

  snprintf (number, sizeof number, "%ju:%ju", (uintmax_t) made->st_dev, (uintmax_t) made->st_ino);

  setsid ();
  dup2 (end, 0);
  dup2 (nothing, 1);
  dup2 (nothing, 2);
  execl (SOURCE_ROOT "/tests/remove-afterwards.sh", "remove-afterwards", path, number,
         (char *) NULL);
  _exit (127);
}

void
temporary_folder_use (void)
{
  const char *parent = getenv ("TMPDIR");
  struct stat made;
  char        path[4096];
  int         ends[2];
  pid_t       other;

  snprintf (path, sizeof path, "%s/test-XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp (path) || stat (path, &made) != 0 || pipe2 (ends, O_CLOEXEC) != 0 ||
      (other = fork ()) < 0)
    {
      perror (path);
      exit (2);
    }
  if (other == 0)
    {
      close (ends[1]);
      remove_afterwards (path, &made, ends[0]);
    }
  close (ends[0]);
  setenv ("TMPDIR", path, 1);
}
