/* trace-error.c — the error that a HybF keeps, the path of blocks that it mentions, and strings.
 *
 * The lowest part of HybF: names, values and calls all report through hyb_f_fail().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/block/trace-private.h"

const GError *
hyb_f_get_error (const HybF *F)
{
  g_return_val_if_fail (F, NULL);
  return F->error;
}

gboolean
hyb_f_check (HybF *F, GError **error)
{
  g_return_val_if_fail (F, FALSE);
  if (!F->error)
    return TRUE;
  if (error)
    *error = g_error_copy (F->error);
  return FALSE;
}

/* Only the first mistake is kept: the others follow from it. */
void
hyb_f_keep_error (HybF *F, GError *error)
{
  if (F->error)
    {
      g_error_free (error);
      return;
    }
  if (F->path->len > 0)
    {
      g_autofree char *path = NULL;

      g_ptr_array_add (F->path, NULL);
      path = g_strjoinv (".", (char **) F->path->pdata);
      g_ptr_array_set_size (F->path, (int) F->path->len - 1);
      g_prefix_error (&error, "block %s: ", path);
    }
  F->error = error;
}

void
hyb_f_fail (HybF *F, const char *format, ...)
{
  va_list arguments;

  g_return_if_fail (F);
  va_start (arguments, format);
  hyb_f_keep_error (F,
                    g_error_new_valist (HYB_GRAPH_ERROR,
                                        HYB_GRAPH_ERROR_STRUCTURE,
                                        format,
                                        arguments));
  va_end (arguments);
}

const char *
hyb_f_text (HybF *F, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          arguments;

  g_return_val_if_fail (F && format, NULL);
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return g_string_chunk_insert (F->text, text);
}

void
hyb_f_push_path (HybF *F, const char *path)
{
  g_return_if_fail (F);
  g_ptr_array_add (F->path, g_strdup (path));
}

void
hyb_f_pop_path (HybF *F)
{
  g_return_if_fail (F);
  g_ptr_array_set_size (F->path, (int) F->path->len - 1);
}
