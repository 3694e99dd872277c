/* frames.c — sends and receives frames on two pipes.
 *
 * Start at scope_frames_send() and scope_frames_next().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/frames.h"

#include "engine/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD  5 /* bytes before the data of a frame */
#define PIECE 65536

#define DEFAULT_SILENCE 120 /* seconds */

static const char kinds[] = "HTSAFDWGCKOEPX";

void
scope_frames_init (ScopeFrames *frames, int in, int out)
{
  *frames = (ScopeFrames){ .in = in, .out = out, .heard = g_get_monotonic_time () };
  frames->buffer = g_byte_array_new ();
}

void
scope_frames_clear (ScopeFrames *frames)
{
  g_clear_pointer (&frames->buffer, g_byte_array_unref);
}

/* --- Sending --- */

/* A pipe that is ready takes PIPE_BUF bytes at once, so that a dead connection is noticed. */
static gboolean
write_pieces (int to, gconstpointer data, gsize n)
{
  const guint8 *at = data;

  while (n > 0)
    {
      struct pollfd ready = { .fd = to, .events = POLLOUT };
      int           n_ready = poll (&ready, 1, (int) scope_frames_get_silence () * 1000);
      gssize        written;

      if (n_ready < 0 && errno == EINTR)
        continue;
      if (n_ready <= 0)
        return FALSE;
      written = write (to, at, MIN (n, PIPE_BUF));
      if (written < 0 && errno != EINTR && errno != EAGAIN)
        return FALSE;
      at += MAX (written, 0);
      n -= (gsize) MAX (written, 0);
    }
  return TRUE;
}

/* Without SIGPIPE, which is meant for stdout. */
gboolean
scope_frames_write (int to, gconstpointer data, gsize n)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
  gboolean         is_written;

  sigaction (SIGPIPE, &ignore, &before);
  is_written = write_pieces (to, data, n);
  sigaction (SIGPIPE, &before, NULL);
  return is_written;
}

static gboolean
fail_gone (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "the other end is gone");
  return FALSE;
}

gboolean
scope_frames_send (ScopeFrames   *frames,
                   ScopeFrameKind kind,
                   gconstpointer  data,
                   gsize          n,
                   GError       **error)
{
  guint8 head[HEAD] = {
    (guint8) kind, (guint8) (n >> 24), (guint8) (n >> 16), (guint8) (n >> 8), (guint8) n
  };

  if (n > SCOPE_FRAMES_MAX)
    {
      g_set_error_literal (error,
                           HYB_FORMAT_ERROR,
                           HYB_FORMAT_ERROR_LIMIT,
                           "a text is longer than the 1 MiB that a target takes");
      return FALSE;
    }
  return (scope_frames_write (frames->out, head, HEAD) &&
          scope_frames_write (frames->out, data, n)) ||
         fail_gone (error);
}

gboolean
scope_frames_send_text (ScopeFrames *frames, ScopeFrameKind kind, const char *text, GError **error)
{
  return scope_frames_send (frames, kind, text, strlen (text), error);
}

static gboolean
fail_file (const char *path, const char *what, GError **error)
{
  return hyb_error_at (error,
                       G_FILE_ERROR,
                       (int) g_file_error_from_errno (errno),
                       path,
                       NULL,
                       "the file cannot be %s: %s",
                       what,
                       g_strerror (errno));
}

static gboolean
send_head (ScopeFrames *frames, const char *name, guint64 size, GError **error)
{
  g_autoptr (GByteArray) head = g_byte_array_new ();
  guint64 order = GUINT64_TO_BE (size);

  g_byte_array_append (head, (const guint8 *) &order, sizeof order);
  g_byte_array_append (head, (const guint8 *) name, (guint) strlen (name));
  return scope_frames_send (frames, SCOPE_FRAME_FILE, head->data, head->len, error);
}

/* A file that shrinks meanwhile is an error. */
static gboolean
send_data (ScopeFrames *frames, int file, guint64 size, GCancellable *cancellable, GError **error)
{
  g_autofree guint8 *piece = g_malloc (PIECE);

  while (size > 0)
    {
      gssize n = read (file, piece, (gsize) MIN (size, PIECE));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "a file became shorter");
          return FALSE;
        }
      if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
          !scope_frames_send (frames, SCOPE_FRAME_DATA, piece, (gsize) n, error))
        return FALSE;
      size -= (guint64) n;
    }
  return TRUE;
}

gboolean
scope_frames_send_file (ScopeFrames  *frames,
                        const char   *path,
                        const char   *name,
                        GCancellable *cancellable,
                        GError      **error)
{
  int         file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  gboolean    is_sent;

  if (file < 0)
    return fail_file (path, "read", error);
  if (fstat (file, &status) == 0 && !S_ISREG (status.st_mode))
    is_sent = hyb_error_at (error,
                            G_FILE_ERROR,
                            G_FILE_ERROR_INVAL,
                            path,
                            "Copy it into a file first",
                            "only regular files can be sent to a target");
  else
    is_sent = send_head (frames, name, (guint64) status.st_size, error) &&
              send_data (frames, file, (guint64) status.st_size, cancellable, error);
  close (file);
  return is_sent;
}

/* --- Receiving --- */

gboolean
scope_frames_read (ScopeFrames *frames)
{
  g_autofree guint8 *piece = g_malloc (PIECE);
  gssize             n;

  do
    n = read (frames->in, piece, PIECE);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN)
    return TRUE;
  if (n <= 0)
    return FALSE;
  if (frames->used > 0)
    g_byte_array_remove_range (frames->buffer, 0, (guint) frames->used);
  frames->used = 0;
  g_byte_array_append (frames->buffer, piece, (guint) n);
  frames->heard = g_get_monotonic_time ();
  return TRUE;
}

gboolean
scope_frames_next (ScopeFrames *frames, ScopeFrame *frame, GError **error)
{
  const guint8 *head = frames->buffer->data + frames->used;
  gsize         room = frames->buffer->len - frames->used;
  guint32       n;

  if (room < HEAD)
    return FALSE;
  n = (guint32) head[1] << 24 | (guint32) head[2] << 16 | (guint32) head[3] << 8 | head[4];
  if (head[0] == '\0' || !strchr (kinds, head[0]) || n > SCOPE_FRAMES_MAX)
    {
      g_set_error_literal (error,
                           HYB_FORMAT_ERROR,
                           HYB_FORMAT_ERROR_MALFORMED,
                           "what came is not in the form that hscope sends");
      return FALSE;
    }
  if (room - HEAD < n)
    return FALSE;
  *frame = (ScopeFrame){ (ScopeFrameKind) head[0], head + HEAD, n };
  frames->used += HEAD + n;
  return TRUE;
}

void
scope_frames_skip (ScopeFrames *frames, gsize n)
{
  frames->used += MIN (n, frames->buffer->len - frames->used);
}

guint
scope_frames_get_silence (void)
{
  const char *text = g_getenv ("HYBRIDSCOPE_TARGET_SILENCE");
  guint64     seconds;

  return text && g_ascii_string_to_unsigned (text, 10, 1, 86400, &seconds, NULL) ? (guint) seconds
                                                                                 : DEFAULT_SILENCE;
}

int
scope_frames_get_wait (void)
{
  return 1000 * (int) MIN (scope_frames_get_silence (), SCOPE_FRAMES_INTERVAL);
}

gboolean
scope_frames_is_silent (const ScopeFrames *frames)
{
  return g_get_monotonic_time () - frames->heard > scope_frames_get_silence () * G_USEC_PER_SEC;
}

char *
scope_frame_dup_text (const ScopeFrame *frame)
{
  return frame->n > 0 && memchr (frame->data, 0, frame->n)
             ? NULL
             : g_strndup ((const char *) frame->data, frame->n);
}
