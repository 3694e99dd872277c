/* own-file.c — reads through one descriptor, below the opened folder; writes a temporary file and renames it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/own-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* TRUE if only this user, or the administrator, could have written the file or folder at this path; else logs why not. */
static gboolean
check_own (const char *path, const struct stat *facts)
{
  gboolean is_of_other = facts->st_uid != geteuid () && facts->st_uid != 0;

  if (!is_of_other && (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return TRUE;
  g_info ("%s is not used, because %s", path,
          is_of_other ? "it belongs to another user" : "other users may write there");
  return FALSE;
}

/* The folder of a file, opened; −1 if it cannot be, or others may write there. */
static int
open_folder (const char *path)
{
  g_autofree char *name = g_path_get_dirname (path);
  int              folder = open (name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat      facts;

  if (folder < 0 || (fstat (folder, &facts) == 0 && check_own (name, &facts)))
    return folder;
  close (folder);
  errno = EPERM;
  return -1;
}

/* All bytes of a file that was opened from this path, and a 0. */
static char *
read_all (const char *path, int file, gsize limit, gsize *length)
{
  struct stat      facts;
  g_autofree char *contents = NULL;
  gsize            n = 0;
  gssize           got = 1;

  if (fstat (file, &facts) != 0 || !S_ISREG (facts.st_mode) || !check_own (path, &facts) ||
      (guint64) facts.st_size > limit)
    return NULL;
  contents = g_malloc ((gsize) facts.st_size + 1);
  while (n < (gsize) facts.st_size && (got > 0 || (got < 0 && errno == EINTR)))
    if ((got = read (file, contents + n, (gsize) facts.st_size - n)) > 0)
      n += (gsize) got;
  contents[n] = '\0';
  *length = n;
  return n == (gsize) facts.st_size ? g_steal_pointer (&contents) : NULL;
}

char *
hyb_own_file_read (const char *path, gsize limit, gsize *length)
{
  g_return_val_if_fail (path && length, NULL);

  g_autofree char *name = g_path_get_basename (path);
  int              folder = open_folder (path), file;
  char            *contents;

  if (folder < 0)
    return NULL;
  file = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  close (folder);
  if (file < 0)
    return NULL;
  contents = read_all (path, file, limit, length);
  close (file);
  return contents;
}

gboolean
hyb_own_file_write (const char *path, const char *contents, gsize length, GError **error)
{
  g_return_val_if_fail (path && contents, FALSE);

  g_autofree char *name = g_path_get_dirname (path);
  int              folder = -1;

  if (g_mkdir_with_parents (name, 0700) == 0)
    folder = open_folder (path);
  if (folder < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s", name,
                   g_strerror (errno));
      return FALSE;
    }
  close (folder);
  /* Renaming replaces a link or pipe, and the mode of an old file. */
  return g_file_set_contents_full (path, contents, (gssize) length, G_FILE_SET_CONTENTS_CONSISTENT,
                                   0600, error);
}
