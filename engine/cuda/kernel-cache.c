/* kernel-cache.c — compiled kernels in files; see kernel-cache.h.
 *
 * A file begins with a line that holds the length and the SHA-256 of the rest.  Kernels can read and write all of the
 * program's memory on the GPU, so files that another user could have written are not loaded.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/kernel-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Begins every file; the number grows when the form of the files changes. */
#define MAGIC "hybridscope kernel 1"

/* Bytes of a file. */
#define LONGEST (64 << 20)

char *
hyb_kernel_cache_dup_folder (void)
{
  return g_build_filename (g_get_user_cache_dir (), "hybridscope", "kernels", NULL);
}

const char *
hyb_kernel_cache_get_shared (void)
{
  const char *folder = g_getenv ("HYB_GPU_KERNELS");

  return folder && *folder ? folder : NULL;
}

/* --- Who could have written it --- */

/* TRUE if only this user, or the administrator, could. */
static gboolean
is_ours (const struct stat *facts)
{
  return (facts->st_uid == geteuid () || facts->st_uid == 0) &&
         (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The folder, opened, if others may not write there; else −1. */
static int
open_folder (const char *path)
{
  int         folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat facts;

  if (folder < 0)
    return -1;
  if (fstat (folder, &facts) == 0 && is_ours (&facts))
    return folder;
  g_info ("kernels in %s are not used: others may write there", path);
  close (folder);
  return -1;
}

/* (transfer full) */
static char *
name_of (const char *key)
{
  return g_strconcat (key, ".kernel", NULL);
}

/* --- Reading --- */

/* The first line of a file.  (transfer full) */
static char *
describe_image (gconstpointer image, gsize bytes)
{
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, image, bytes);

  return g_strdup_printf (MAGIC " %" G_GSIZE_FORMAT " %s\n", bytes, sum);
}

/* All bytes of an opened regular file of ours that is not too long; NULL otherwise.  (transfer full) */
static char *
read_file (int file, gsize *length)
{
  struct stat      facts;
  g_autofree char *contents = NULL;
  gsize            n = 0;
  gssize           got = 1;

  if (fstat (file, &facts) != 0 || !S_ISREG (facts.st_mode) || !is_ours (&facts) ||
      facts.st_size > LONGEST)
    return NULL;
  contents = g_malloc ((gsize) facts.st_size + 1);
  while (n < (gsize) facts.st_size && (got > 0 || (got < 0 && errno == EINTR)))
    if ((got = read (file, contents + n, (gsize) facts.st_size - n)) > 0)
      n += (gsize) got;
  *length = n;
  return n == (gsize) facts.st_size ? g_steal_pointer (&contents) : NULL;
}

/* The text after the first line, if that line describes it. */
static GBytes *
check_contents (const char *contents, gsize length)
{
  const char      *end = memchr (contents, '\n', length);
  gsize            head = end ? (gsize) (end - contents) + 1 : length;
  g_autofree char *line = describe_image (contents + head, length - head);

  if (!end || strlen (line) != head || memcmp (line, contents, head) != 0 || length == head)
    return NULL;
  return g_bytes_new (contents + head, length - head);
}

GBytes *
hyb_kernel_cache_read (const char *folder, const char *key)
{
  g_autofree char *name = name_of (key), *contents = NULL;
  int              at = open_folder (folder), file;
  gsize            length = 0;

  if (at < 0)
    return NULL;
  file = openat (at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  close (at);
  if (file < 0)
    return NULL;
  contents = read_file (file, &length);
  close (file);
  return contents ? check_contents (contents, length) : NULL;
}

gboolean
hyb_kernel_cache_has (const char *folder, const char *key)
{
  g_autoptr (GBytes) image = hyb_kernel_cache_read (folder, key);

  return image != NULL;
}

/* --- Writing --- */

/* An existing link would be written through, and an existing file would keep its mode. */
static void
make_room (const char *path)
{
  struct stat facts;

  if (lstat (path, &facts) == 0 && (!S_ISREG (facts.st_mode) || !is_ours (&facts)))
    g_remove (path);
}

void
hyb_kernel_cache_write (const char *folder, const char *key, GBytes *image)
{
  gsize            bytes;
  gconstpointer    data = g_bytes_get_data (image, &bytes);
  g_autofree char *name = name_of (key);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *line = describe_image (data, bytes);
  g_autoptr (GString) contents = g_string_new (line);
  g_autoptr (GError) error = NULL;
  int at;

  g_string_append_len (contents, data, (gssize) bytes);
  g_mkdir_with_parents (folder, 0700);
  at = open_folder (folder);
  if (at >= 0)
    close (at);
  else
    return;
  make_room (path);
  if (!g_file_set_contents_full (path, contents->str, (gssize) contents->len,
                                 G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error))
    g_info ("the cache of kernels cannot be written: %s", error->message);
}
