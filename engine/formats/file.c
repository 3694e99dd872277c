/* file.c — reads whole files, of which large ones are mapped, and decompresses them.
 *
 * Start at hyb_file_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "engine/formats/mapped-file.h"
#include "engine/formats/sniff.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT        3000 /* ms for a program to open the other end of a pipe */
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

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", path,
                   g_strerror (code));
      return FALSE;
    }

  if (S_ISDIR (status.st_mode))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR,
                   "%s: this is a folder. Name a file inside it", path);
      return FALSE;
    }

  *is_regular = S_ISREG (status.st_mode);
  return TRUE;
}

typedef struct
{
  gsize    bytes;
  gboolean is_memory; /* a higher limit of memory would let more through */
} StreamLimit;

/* The limit for a stream: the least of the caller's limit (0: none), the memory for a file of this size,
 * and the largest array of bytes. */
static StreamLimit
stream_limit (gsize limit, gsize size)
{
  gsize most = limit > 0 ? MIN (limit, MAX_STREAM) : MAX_STREAM;
  gsize memory = (gsize) MIN (hyb_limits_get_memory (size), MAX_STREAM);

  return (StreamLimit){ .bytes = MIN (most, memory), .is_memory = memory < most };
}

/* Reads in chunks, so that a small file that would decompress to terabytes is refused at the
 * limit.  begun: (transfer full) the bytes read so far. */
static GBytes *
read_all (GInputStream *stream,
          GByteArray   *begun,
          StreamLimit   limit,
          const char   *where,
          GError      **error)
{
  g_autoptr (GByteArray) all = begun;
  g_autofree guint8 *chunk = g_malloc (CHUNK_BYTES);
  gssize             n;

  while ((n = g_input_stream_read (stream, chunk, CHUNK_BYTES, NULL, error)) > 0)
    {
      if (all->len + (gsize) n > limit.bytes)
        {
          hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, where,
                        "Check what the file is",
                        "it holds more than %" G_GSIZE_FORMAT " bytes, the most that is read",
                        limit.bytes);
          if (limit.is_memory)
            hyb_error_add_remedy (error, HYB_REMEDY_MEMORY, NULL);
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

/* Waits until a program has opened the other end of a pipe, or some time has passed.  FALSE on timeout.  begun gets the
 * byte that was read for this, since only reading distinguishes a silent writer from none. */
static gboolean
wait_for_writer (int descriptor, GByteArray *begun)
{
  struct pollfd ready = { .fd = descriptor, .events = POLLIN };
  guint8        byte;
  gssize        n;

  if (poll (&ready, 1, WAIT) != 0)
    return TRUE;
  n = read (descriptor, &byte, 1);
  if (n > 0)
    g_byte_array_append (begun, &byte, 1);
  return n != 0;
}

/* For pipes and other files that cannot be mapped: as much as they hold is their size. */
static GBytes *
read_stream (const char *path, gsize limit, GError **error)
{
  int descriptor = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GByteArray) begun = g_byte_array_new ();

  if (descriptor < 0)
    {
      int code = errno;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code),
                   "%s: it cannot be opened: %s", path, g_strerror (code));
      return NULL;
    }
  stream = g_unix_input_stream_new (descriptor, TRUE);
  if (!wait_for_writer (descriptor, begun))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PIPE, "%s: no program writes into the pipe",
                   path);
      return NULL;
    }
  fcntl (descriptor, F_SETFL, fcntl (descriptor, F_GETFL) & ~O_NONBLOCK);
  return read_all (stream, g_steal_pointer (&begun), stream_limit (limit, MAX_STREAM), path, error);
}

GBytes *
hyb_file_unpack (GBytes *bytes, gsize limit, const char *where, GError **error)
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

  return read_all (stream, g_byte_array_new (), stream_limit (limit, length), where, error);
}

GBytes *
hyb_file_read (const char *path, gsize limit, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) unpacked = NULL;
  g_autoptr (GError) failure = NULL;
  gboolean is_regular;

  if (!check_readable (path, &is_regular, error))
    return NULL;

  bytes = is_regular ? hyb_mapped_file_open (path, error) : read_stream (path, limit, error);
  if (!bytes)
    return NULL;
  unpacked = hyb_file_unpack (bytes, limit, path, &failure);
  if (!hyb_mapped_file_check (g_bytes_get_data (bytes, NULL), error))
    return NULL;
  if (!unpacked)
    g_propagate_error (error, g_steal_pointer (&failure));
  return g_steal_pointer (&unpacked);
}

gboolean
hyb_file_write (GOutputStream *out, gconstpointer data, gsize n, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean is_written = g_output_stream_write_all (out, data, n, NULL, NULL, &failure);

  /* The kernel reports bytes that it cannot read as a bad address. */
  if (!is_written)
    hyb_mapped_file_touch (data, n);
  if (!hyb_mapped_file_check (data, error))
    return FALSE;
  if (!is_written)
    g_propagate_error (error, g_steal_pointer (&failure));
  return is_written;
}
