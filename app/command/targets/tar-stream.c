/* tar-stream.c — writes and reads the ustar streams of a target.
 *
 * Start at scope_tar_write() and scope_tar_reader_take().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/tar-stream.h"

#include "app/command/frame/streams.h"

#include "engine/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 512
#define PIECE 65536
#define MODE  0600

/* The header of POSIX.1-1988.  Numbers are octal text; a size of 8 GiB or more has the top bit and is binary. */
typedef struct
{
  char name[100], mode[8], user[8], group[8], size[12], time[12], sum[8], type, link[100];
  char magic[6], version[2], user_name[32], group_name[32], major[8], minor[8], prefix[155],
      rest[12];
} Header;

G_STATIC_ASSERT (sizeof (Header) == BLOCK);

#define MAX_OCTAL ((guint64) 1 << 33)

static gboolean
fail_file (const char *path, const char *what, GError **error)
{
  return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno), path, NULL,
                       "the file cannot be %s: %s", what, g_strerror (errno));
}

static gboolean
fail_form (GError **error, const char *text)
{
  g_set_error_literal (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, text);
  return FALSE;
}

/* --- Writing --- */

int
scope_open_regular (const char *path, guint64 *size, GError **error)
{
  int         file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;

  if (file < 0)
    {
      fail_file (path, "read", error);
      return -1;
    }
  if (fstat (file, &status) == 0 && S_ISREG (status.st_mode))
    {
      *size = (guint64) status.st_size;
      return file;
    }
  close (file);
  hyb_error_at (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, path, "Copy it into a file first",
                "only regular files can be sent to a target");
  return -1;
}

static gboolean
fail_gone (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "the other end is gone");
  return FALSE;
}

/* The sum of all bytes, with blanks in the place of the sum. */
static guint
sum_header (const Header *header)
{
  const guint8 *at = (const guint8 *) header;
  guint         sum = 0;

  for (gsize i = 0; i < BLOCK; i++)
    sum += i >= G_STRUCT_OFFSET (Header, sum) && i < G_STRUCT_OFFSET (Header, type) ? ' ' : at[i];
  return sum;
}

static void
fill_header (Header *header, guint number, guint64 size)
{
  *header = (Header){ .mode = "0000600", .user = "0000000", .group = "0000000", .type = '0' };
  g_snprintf (header->name, sizeof header->name, "%u", number);
  g_snprintf (header->time, sizeof header->time, "%011o", 0);
  if (size < MAX_OCTAL)
    g_snprintf (header->size, sizeof header->size, "%011" G_GINT64_MODIFIER "o", size);
  else
    {
      guint64 order = GUINT64_TO_BE (size);

      header->size[0] = (char) 0x80;
      memcpy (header->size + 4, &order, sizeof order);
    }
  memcpy (header->magic, "ustar", 6);
  memcpy (header->version, "00", 2);
  g_snprintf (header->sum, sizeof header->sum, "%06o", sum_header (header));
}

/* A file that shrinks meanwhile is an error; of one that grows the announced part is sent. */
static gboolean
write_data (int to, int file, const char *path, guint64 size, GError **error)
{
  static const guint8 zeros[BLOCK];
  g_autofree guint8  *piece = g_malloc (PIECE);
  gsize               padding = (gsize) (-size % BLOCK);

  while (size > 0)
    {
      gssize n = read (file, piece, (gsize) MIN (size, PIECE));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return hyb_error_at (error, G_FILE_ERROR, G_FILE_ERROR_IO, path, NULL,
                             "the file became shorter while it was sent");
      if (!scope_pipe_write (to, piece, (gsize) n))
        return fail_gone (error);
      size -= (guint64) n;
    }
  return scope_pipe_write (to, zeros, padding) || fail_gone (error);
}

static gboolean
write_file (int to, guint number, const ScopeRemoteFile *file, const char *path, GError **error)
{
  Header   header;
  guint64  size;
  int      from = scope_open_regular (path, &size, error);
  gboolean is_written;

  if (from < 0)
    return FALSE;
  fill_header (&header, number, file->size);
  is_written = (scope_pipe_write (to, &header, BLOCK) || fail_gone (error)) &&
               write_data (to, from, path, file->size, error);
  close (from);
  return is_written;
}

gboolean
scope_tar_write (int to, const GPtrArray *files, const char *folder, GError **error)
{
  static const guint8 end[2 * BLOCK];

  for (guint i = 0; i < files->len; i++)
    {
      const ScopeRemoteFile *file = files->pdata[i];
      g_autofree char       *path = *folder ? g_build_filename (folder, file->name, NULL) : NULL;

      if (!write_file (to, i, file, path ? path : file->path, error))
        return FALSE;
    }
  return scope_pipe_write (to, end, sizeof end) || fail_gone (error);
}

/* --- Reading --- */

void
scope_tar_reader_init (ScopeTarReader *reader, const GPtrArray *files, int folder)
{
  *reader = (ScopeTarReader){ .files = files, .folder = folder, .file = -1 };
}

void
scope_tar_reader_clear (ScopeTarReader *reader)
{
  if (reader->file >= 0)
    close (reader->file);
  reader->file = -1;
}

/* The size in a header.  FALSE: it is not a number. */
static gboolean
read_size (const Header *header, guint64 *size)
{
  char    text[sizeof header->size + 1] = "";
  guint64 order;

  memcpy (text, header->size, sizeof header->size);
  if ((guint8) text[0] != 0x80)
    {
      char *end;

      *size = g_ascii_strtoull (text, &end, 8);
      return g_ascii_isdigit (text[0]) && (*end == '\0' || *end == ' ');
    }
  memcpy (&order, header->size + 4, sizeof order);
  *size = GUINT64_FROM_BE (order);
  return TRUE;
}

/* The problem with a header in this place; NULL if there is none. */
static const char *
find_fault (const ScopeTarReader *reader, const Header *header)
{
  const ScopeRemoteFile *file =
      reader->n_done < reader->files->len ? reader->files->pdata[reader->n_done] : NULL;
  char    name[sizeof header->name] = "";
  guint64 size;

  g_snprintf (name, sizeof name, "%u", reader->n_done);
  if (memcmp (header->magic, "ustar", 6) != 0 || memcmp (header->version, "00", 2) != 0 ||
      g_ascii_strtoull (header->sum, NULL, 8) != sum_header (header))
    return "the data received is not a ustar stream";
  if (header->type != '0' || header->link[0] != '\0')
    return "the stream holds an entry that is not a regular file";
  if (!file || strncmp (header->name, name, sizeof name) != 0 || header->prefix[0] != '\0')
    return "the stream holds a file that was not announced in this place";
  if (!read_size (header, &size) || size != file->size)
    return "a file in the stream has not the size that was announced";
  return NULL;
}

/* Makes the file, in its folder, which may be there. */
static int
make_file (int folder, const char *name)
{
  g_autofree char *parent = g_path_get_dirname (name);

  if (mkdirat (folder, parent, 0700) != 0 && errno != EEXIST)
    return -1;
  return openat (folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
}

static gboolean
finish_file (ScopeTarReader *reader, GError **error)
{
  const ScopeRemoteFile *file = reader->files->pdata[reader->n_done];
  int                    status;

  if (reader->left > 0)
    return TRUE;
  status = close (reader->file);
  reader->file = -1;
  reader->n_done++;
  return status == 0 || fail_file (file->name, "written", error);
}

static gboolean
begin_file (ScopeTarReader *reader, const Header *header, GError **error)
{
  const char            *fault = find_fault (reader, header);
  const ScopeRemoteFile *file = fault ? NULL : reader->files->pdata[reader->n_done];

  if (fault)
    return fail_form (error, fault);
  reader->file = make_file (reader->folder, file->name);
  if (reader->file < 0)
    return fail_file (file->name, "made", error);
  reader->left = file->size;
  reader->padding = (gsize) (-file->size % BLOCK);
  return finish_file (reader, error);
}

static gboolean
take_block (ScopeTarReader *reader, GError **error)
{
  static const guint8 zeros[BLOCK];

  if (memcmp (reader->block, zeros, BLOCK) != 0)
    return reader->n_zeros == 0 ? begin_file (reader, (const Header *) reader->block, error)
                                : fail_form (error, "something follows the end of the stream");
  if (reader->n_done < reader->files->len)
    return fail_form (error, "the stream ends before all files have come");
  reader->is_complete = ++reader->n_zeros == 2;
  return TRUE;
}

/* Takes bytes of the file that is open. */
static gboolean
take_data (ScopeTarReader *reader, const guint8 *data, gsize n, GError **error)
{
  if (!scope_pipe_write (reader->file, data, n))
    return fail_file (((ScopeRemoteFile *) reader->files->pdata[reader->n_done])->name, "written",
                      error);
  reader->left -= n;
  return finish_file (reader, error);
}

gboolean
scope_tar_reader_take (ScopeTarReader *reader, const guint8 *data, gsize n, GError **error)
{
  while (n > 0 && !reader->is_complete)
    {
      gsize taken;

      if (reader->file >= 0)
        {
          taken = (gsize) MIN (n, reader->left);
          if (!take_data (reader, data, taken, error))
            return FALSE;
        }
      else if (reader->padding > 0)
        {
          taken = MIN (n, reader->padding);
          reader->padding -= taken;
        }
      else
        {
          taken = MIN (n, BLOCK - reader->n_block);
          memcpy (reader->block + reader->n_block, data, taken);
          reader->n_block = (reader->n_block + taken) % BLOCK;
          if (reader->n_block == 0 && !take_block (reader, error))
            return FALSE;
        }
      data += taken;
      n -= taken;
    }
  return TRUE;
}
