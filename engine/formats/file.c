/* file.c — reads files by mapping them, and writes them by renaming a temporary file.
 *
 * Start at hyb_file_read() and hyb_file_replace().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"

#include "engine/base/error.h"
#include "engine/formats/sniff.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES (256 * 1024)
#define MAX_STREAM  ((gsize) G_MAXUINT32 / 2) /* a GByteArray counts in 32 bits */

static gboolean
check_readable (const char *path, gboolean *is_regular, GError **error)
{
  GStatBuf status;

  *is_regular = FALSE;
  if (g_stat (path, &status) != 0)
    {
      int code = errno;

      g_set_error (error,
                   G_FILE_ERROR,
                   g_file_error_from_errno (code),
                   "%s: %s",
                   path,
                   g_strerror (code));
      return FALSE;
    }

  if (S_ISDIR (status.st_mode))
    {
      g_set_error (error,
                   G_FILE_ERROR,
                   G_FILE_ERROR_ISDIR,
                   "%s: this is a folder. Name the file inside it",
                   path);
      return FALSE;
    }

  *is_regular = S_ISREG (status.st_mode);
  return TRUE;
}

/* Reads in chunks, so that a small file that would decompress to terabytes is refused at the
 * limit. */
static GBytes *
read_all (GInputStream *stream, gsize limit, const char *where, GError **error)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  g_autofree guint8 *chunk = g_malloc (CHUNK_BYTES);
  gssize             n;

  while ((n = g_input_stream_read (stream, chunk, CHUNK_BYTES, NULL, error)) > 0)
    {
      if (all->len + (gsize) n > limit)
        {
          hyb_error_at (error,
                        HYB_FORMAT_ERROR,
                        HYB_FORMAT_ERROR_MALFORMED,
                        where,
                        "Check what the file is",
                        "it holds more than %" G_GSIZE_FORMAT " bytes, the most that is read",
                        limit);
          return NULL;
        }
      g_byte_array_append (all, chunk, (guint) n);
    }

  if (n < 0)
    {
      g_prefix_error (error, "%s: it cannot be read, or its gzip data is broken: ", where);
      return NULL;
    }

  return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

/* For pipes and other files that cannot be mapped. */
static GBytes *
read_stream (const char *path, gsize limit, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);

  return stream ? read_all (G_INPUT_STREAM (stream), limit, path, error) : NULL;
}

/* Decompresses bytes if they are gzip data; returns them otherwise.  (transfer full) */
static GBytes *
gunzip (GBytes *bytes, gsize limit, const char *where, GError **error)
{
  g_autoptr (GInputStream) packed = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GZlibDecompressor) unpacker = NULL;
  gsize         length;
  gconstpointer data = g_bytes_get_data (bytes, &length);

  if (hyb_sniff (data, length) != HYB_SNIFF_GZIP)
    return g_bytes_ref (bytes);

  packed = g_memory_input_stream_new_from_bytes (bytes);
  unpacker = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  stream = g_converter_input_stream_new (packed, G_CONVERTER (unpacker));

  return read_all (stream, limit > 0 ? limit : MAX_STREAM, where, error);
}

GBytes *
hyb_file_read (const char *path, gsize limit, GError **error)
{
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gboolean is_regular;

  if (!check_readable (path, &is_regular, error))
    return NULL;

  if (!is_regular)
    bytes = read_stream (path, limit > 0 ? limit : MAX_STREAM, error);
  else if ((file = g_mapped_file_new (path, FALSE, error)))
    bytes = g_mapped_file_get_bytes (file);

  return bytes ? gunzip (bytes, limit, path, error) : NULL;
}

static gboolean
fail_with_errno (GError **error, const char *path, const char *what)
{
  int code = errno;

  g_set_error (error,
               G_FILE_ERROR,
               g_file_error_from_errno (code),
               "%s: %s: %s",
               path,
               what,
               g_strerror (code));
  return FALSE;
}

static gboolean
write_descriptor (int          descriptor,
                  const char  *path,
                  HybWriteFunc write,
                  gpointer     data,
                  GError     **error)
{
  g_autoptr (GOutputStream) plain = g_unix_output_stream_new (descriptor, FALSE);
  g_autoptr (GOutputStream) out = g_buffered_output_stream_new_sized (plain, CHUNK_BYTES);

  g_autoptr (GError) cause = NULL;

  if (write (out, data, &cause) && g_output_stream_close (out, NULL, &cause))
    return TRUE;

  /* The errors of a stream do not mention the name of the file. */
  if (cause && cause->domain == G_IO_ERROR)
    g_prefix_error (&cause, "%s: cannot be written: ", path);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* For pipes and devices, which cannot be replaced. */
static gboolean
write_in_place (const char *path, HybWriteFunc write, gpointer data, GError **error)
{
  int      descriptor = g_open (path, O_WRONLY | O_CLOEXEC, 0);
  gboolean written;

  if (descriptor < 0)
    return fail_with_errno (error, path, "cannot be opened for writing");

  written = write_descriptor (descriptor, path, write, data, error);
  if (close (descriptor) != 0 && written)
    return fail_with_errno (error, path, "cannot be written");

  return written;
}

gboolean
hyb_file_replace (const char *path, HybWriteFunc write, gpointer data, GError **error)
{
  g_autofree char *target = realpath (path, NULL); /* a link stays a link */
  g_autofree char *temporary = NULL;
  struct stat      status;
  int              descriptor;
  gboolean         written;

  if (target && stat (target, &status) == 0 && !S_ISREG (status.st_mode))
    return write_in_place (target, write, data, error);

  temporary = g_strconcat (target ? target : path, ".XXXXXX", NULL);
  descriptor = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail_with_errno (error, path, "cannot be written");

  written = write_descriptor (descriptor, path, write, data, error);
  /* Without fsync(), a crash after the rename could lose the old contents. */
  if (written && target && fsync (descriptor) != 0 && errno != EINVAL)
    written = fail_with_errno (error, path, "cannot be written");
  if (close (descriptor) != 0 && written)
    written = fail_with_errno (error, path, "cannot be written");
  if (written && rename (temporary, target ? target : path) != 0)
    written = fail_with_errno (error, path, "cannot be replaced");
  if (!written)
    g_unlink (temporary);

  return written;
}

typedef struct
{
  gconstpointer data;
  gsize         length;
} Contents;

static gboolean
write_contents (GOutputStream *out, gpointer data, GError **error)
{
  const Contents *contents = data;

  return g_output_stream_write_all (out, contents->data, contents->length, NULL, NULL, error);
}

gboolean
hyb_file_replace_contents (const char *path, gconstpointer data, gsize n, GError **error)
{
  Contents contents = { data, n };

  return hyb_file_replace (path, write_contents, &contents, error);
}
