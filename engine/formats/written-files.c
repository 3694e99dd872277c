/* written-files.c — files that a format prepared: read again for checks, and written all at once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"
#include "engine/formats/format.h"

#include <glib/gstdio.h>

static void
free_file (gpointer pointer)
{
  HybWrittenFile *file = pointer;

  g_free (file->path);
  g_clear_pointer (&file->pieces, g_ptr_array_unref);
  g_free (file);
}

GPtrArray *
hyb_written_files_new (void)
{
  return g_ptr_array_new_with_free_func (free_file);
}

void
hyb_written_files_add (GPtrArray *files, const char *path, GPtrArray *pieces)
{
  HybWrittenFile *file = g_new0 (HybWrittenFile, 1);

  file->path = g_strdup (path);
  file->pieces = pieces;
  g_ptr_array_add (files, file);
}

/* A HybWriteFunc. */
static gboolean
write_pieces (GOutputStream *out, gpointer data, GError **error)
{
  const HybWrittenFile *file = data;

  for (guint i = 0; i < file->pieces->len; i++)
    {
      gsize         n;
      gconstpointer bytes = g_bytes_get_data (file->pieces->pdata[i], &n);

      if (!hyb_file_write (out, bytes, n, error))
        return FALSE;
    }
  return TRUE;
}

static void
free_pending (gpointer file)
{
  hyb_pending_file_free (file);
}

/* The main file takes its place last, after the files that it refers to. */
gboolean
hyb_written_files_commit (GPtrArray *files, GPtrArray *written, GError **error)
{
  g_autoptr (GPtrArray) pending = g_ptr_array_new_with_free_func (free_pending);

  for (guint i = files->len; i-- > 0;)
    {
      HybWrittenFile *file = files->pdata[i];
      HybPendingFile *next;

      if (!file->pieces)
        continue;
      /* The user named the main file; the others follow from its name. */
      if (i > 0 && !hyb_file_check_link (file->path, error))
        return FALSE;
      next = hyb_file_prepare (file->path, write_pieces, file, error);
      if (!next)
        return FALSE;
      g_ptr_array_add (pending, next);
    }
  if (!hyb_files_commit ((HybPendingFile *const *) pending->pdata, pending->len, error))
    return FALSE;
  for (guint i = 0; i < files->len; i++)
    {
      const HybWrittenFile *file = files->pdata[i];

      if (!file->pieces)
        g_unlink (file->path);
      else if (written)
        g_ptr_array_add (written, g_strdup (file->path));
    }
  return TRUE;
}

HybModel *
hyb_written_files_read (const HybFormat *format, GPtrArray *files, GError **error)
{
  const HybWrittenFile *file = files->pdata[0];
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GBytes) bytes = NULL;
  GByteArray *all;

  if (files->len > 1)
    return NULL;
  all = g_byte_array_new ();
  for (guint i = 0; i < file->pieces->len; i++)
    {
      gsize         n;
      gconstpointer data = g_bytes_get_data (file->pieces->pdata[i], &n);

      g_byte_array_append (all, data, (guint) n);
    }
  bytes = g_byte_array_free_to_bytes (all);
  return format->read_graph (model, bytes, file->path, error) ? g_steal_pointer (&model) : NULL;
}
