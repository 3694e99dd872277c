/* fail-write.c — a library to preload that lets one call fail or kills the process before it.
 *
 * Counts the calls that change files below FAIL_UNDER: writing, syncing, naming, renaming, and making files; with FAIL_HOW=kill
 * also removing them, which needs no space.
 * Call number FAIL_AT (from 1) fails with ENOSPC, and so do all later ones that need space; or, with
 * FAIL_HOW=kill, the process is killed instead.  Makes the file FAIL_MARK when that happens.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic int n_calls;

/* Whether this call, which needs space or not, has to fail. */
static int
has_to_fail (int needs_space)
{
  const char *at = getenv ("FAIL_AT"), *how = getenv ("FAIL_HOW"), *mark = getenv ("FAIL_MARK");
  int         number = ++n_calls, chosen = at ? atoi (at) : 0;

  if (chosen <= 0 || number < chosen || (number > chosen && !needs_space))
    return 0;
  if (mark && number == chosen)
    close (openat (AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
  if (how && strcmp (how, "kill") == 0)
    kill (getpid (), SIGKILL);
  errno = ENOSPC;
  return 1;
}

/* Names without a folder are those of the current one. */
static int
is_under (const char *path)
{
  const char *folder = getenv ("FAIL_UNDER");
  char        here[4096];

  if (path && path[0] != '/')
    path = getcwd (here, sizeof here);
  return folder && path && strncmp (path, folder, strlen (folder)) == 0;
}

static int
is_file_under (int file)
{
  char    link[64], path[4096];
  ssize_t n;

  snprintf (link, sizeof link, "/proc/self/fd/%d", file);
  n = readlink (link, path, sizeof path - 1);
  if (n <= 0)
    return 0;
  path[n] = '\0';
  return is_under (path);
}

#define ORIGINAL(name, type) (__extension__(type) dlsym (RTLD_NEXT, name))

ssize_t
write (int file, const void *data, size_t n)
{
  if (is_file_under (file) && has_to_fail (1))
    return -1;
  return ORIGINAL ("write", ssize_t (*) (int, const void *, size_t)) (file, data, n);
}

ssize_t
writev (int file, const struct iovec *parts, int n)
{
  if (is_file_under (file) && has_to_fail (1))
    return -1;
  return ORIGINAL ("writev", ssize_t (*) (int, const struct iovec *, int)) (file, parts, n);
}

int
fsync (int file)
{
  if (is_file_under (file) && has_to_fail (1))
    return -1;
  return ORIGINAL ("fsync", int (*) (int)) (file);
}

int
linkat (int from_folder, const char *from, int to_folder, const char *to, int flags)
{
  if (is_under (to) && has_to_fail (1))
    return -1;
  return ORIGINAL ("linkat", int (*) (int, const char *, int, const char *,
                                      int)) (from_folder, from, to_folder, to, flags);
}

int
rename (const char *from, const char *to)
{
  if (is_under (to) && has_to_fail (0))
    return -1;
  return ORIGINAL ("rename", int (*) (const char *, const char *)) (from, to);
}

int
renameat2 (int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
  if (is_under (to) && has_to_fail (0))
    return -1;
  return ORIGINAL ("renameat2", int (*) (int, const char *, int, const char *,
                                         unsigned)) (from_folder, from, to_folder, to, flags);
}

int
unlink (const char *path)
{
  const char *how = getenv ("FAIL_HOW");

  if (how && strcmp (how, "kill") == 0 && is_under (path))
    has_to_fail (0);
  return ORIGINAL ("unlink", int (*) (const char *)) (path);
}

int
open (const char *path, int flags, ...)
{
  va_list arguments;
  mode_t  mode;

  va_start (arguments, flags);
  mode = flags & (O_CREAT | O_TMPFILE) ? va_arg (arguments, mode_t) : 0;
  va_end (arguments);
  if (flags & (O_WRONLY | O_RDWR) && is_under (path) && has_to_fail (1))
    return -1;
  return ORIGINAL ("open", int (*) (const char *, int, ...)) (path, flags, mode);
}
