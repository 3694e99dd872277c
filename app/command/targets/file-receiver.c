/* file-receiver.c — takes files out of frames: names are checked, sizes are bounded.
 *
 * Start at scope_file_receiver_take().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/file-receiver.h"

#include "engine/base/error.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES ((guint64) 64 << 30) /* of all files together */
#define MAX_FILES 100000
#define MAX_NAME  255

gboolean
scope_file_name_is_safe (const char *name)
{
  gsize       n_folder = strlen (SCOPE_FILE_FOLDER), n_digits;
  const char *base;

  if (!g_str_has_prefix (name, SCOPE_FILE_FOLDER))
    return FALSE;
  n_digits = strspn (name + n_folder, "0123456789");
  base = name + n_folder + n_digits;
  if (n_digits < 1 || n_digits > 4 || *base != '/')
    return FALSE;
  base++;
  return *base != '\0' && strlen (base) <= MAX_NAME && !strchr (base, '/') &&
         strcmp (base, ".") != 0 && strcmp (base, "..") != 0;
}

static gboolean
fail (GError **error, int code, const char *text)
{
  g_set_error_literal (error, HYB_FORMAT_ERROR, code, text);
  return FALSE;
}

static gboolean
finish_if_complete (ScopeFileReceiver *receiver, GError **error)
{
  g_autofree char *name = NULL;
  int              file = receiver->file;

  if (receiver->left > 0)
    return TRUE;
  name = g_steal_pointer (&receiver->name);
  receiver->file = -1;
  return receiver->finish (receiver->data, name, file, error);
}

static gboolean
begin (ScopeFileReceiver *receiver, const ScopeFrame *frame, GError **error)
{
  guint64          size;
  g_autofree char *name = NULL;

  if (receiver->file >= 0 || frame->n <= sizeof size)
    return fail (error, HYB_FORMAT_ERROR_MALFORMED, "a file begins where none can");
  memcpy (&size, frame->data, sizeof size);
  size = GUINT64_FROM_BE (size);
  name = scope_frame_dup_text (
      &(ScopeFrame){ frame->kind, frame->data + sizeof size, frame->n - (guint) sizeof size });
  if (!name || !scope_file_name_is_safe (name))
    return fail (error, HYB_FORMAT_ERROR_MALFORMED, "the name of a file leads out of its folder");
  if (++receiver->n_files > MAX_FILES || size > MAX_BYTES - receiver->n_bytes)
    return fail (error, HYB_FORMAT_ERROR_LIMIT, "more files or bytes came than are taken");
  receiver->n_bytes += size;
  receiver->file = receiver->open (receiver->data, name, error);
  if (receiver->file < 0)
    return FALSE;
  receiver->left = size;
  receiver->name = g_steal_pointer (&name);
  return finish_if_complete (receiver, error);
}

static gboolean
add (ScopeFileReceiver *receiver, const ScopeFrame *frame, GError **error)
{
  const guint8 *at = frame->data;
  gsize         n = frame->n;

  if (receiver->file < 0 || n > receiver->left)
    return fail (error, HYB_FORMAT_ERROR_MALFORMED, "bytes came that belong to no file");
  receiver->left -= n;
  while (n > 0)
    {
      gssize written = write (receiver->file, at, n);

      if (written < 0 && errno != EINTR)
        return hyb_error_at (error,
                             G_FILE_ERROR,
                             (int) g_file_error_from_errno (errno),
                             receiver->name,
                             NULL,
                             "the file cannot be written: %s",
                             g_strerror (errno));
      at += MAX (written, 0);
      n -= (gsize) MAX (written, 0);
    }
  return finish_if_complete (receiver, error);
}

gboolean
scope_file_receiver_take (ScopeFileReceiver *receiver, const ScopeFrame *frame, GError **error)
{
  return frame->kind == SCOPE_FRAME_FILE ? begin (receiver, frame, error)
                                         : add (receiver, frame, error);
}

void
scope_file_receiver_clear (ScopeFileReceiver *receiver)
{
  if (receiver->file >= 0)
    close (receiver->file);
  receiver->file = -1;
  g_clear_pointer (&receiver->name, g_free);
}
