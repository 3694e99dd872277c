/* kernel-cache.c — compiled kernels in files; see kernel-cache.h.
 *
 * A file begins with a line that holds the length and the SHA-256 of the rest.  Kernels can read and write all of the
 * program's memory on the GPU, so files that another user could have written are not loaded (engine/formats/own-file.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/kernel-cache.h"

#include "engine/formats/own-file.h"

#include <stdlib.h>
#include <string.h>

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

/* The folder may be a link.  (transfer full) */
static char *
file_of (const char *folder, const char *key)
{
  g_autofree char *name = g_strconcat (key, ".kernel", NULL);
  char            *real = realpath (folder, NULL);
  char            *path = g_build_filename (real ? real : folder, name, NULL);

  free (real);
  return path;
}

/* --- Reading --- */

/* The first line of a file.  (transfer full) */
static char *
describe_image (gconstpointer image, gsize bytes)
{
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, image, bytes);

  return g_strdup_printf (MAGIC " %" G_GSIZE_FORMAT " %s\n", bytes, sum);
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
  gsize            length = 0;
  g_autofree char *path = file_of (folder, key);
  g_autofree char *contents = hyb_own_file_read (path, LONGEST, &length);

  return contents ? check_contents (contents, length) : NULL;
}

gboolean
hyb_kernel_cache_has (const char *folder, const char *key)
{
  g_autoptr (GBytes) image = hyb_kernel_cache_read (folder, key);

  return image != NULL;
}

/* --- Writing --- */

void
hyb_kernel_cache_write (const char *folder, const char *key, GBytes *image)
{
  gsize            bytes;
  gconstpointer    data = g_bytes_get_data (image, &bytes);
  g_autofree char *path = file_of (folder, key), *line = describe_image (data, bytes);
  g_autoptr (GString) contents = g_string_new (line);
  g_autoptr (GError) error = NULL;

  g_string_append_len (contents, data, (gssize) bytes);
  if (!hyb_own_file_write (path, contents->str, contents->len, &error))
    g_info ("the cache of kernels cannot be written: %s", error->message);
}
