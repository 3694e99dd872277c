/* trace-error.c — the error that a HybF keeps, the path of blocks that it mentions, and strings.
 *
 * The lowest part of HybF: names, values and calls all report through hyb_f_fail().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/block/trace-private.h"

#include <string.h>

#define PATH_PREFIX "block "

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

/* Puts the path of blocks in front of the message.  A hybridized block is traced in a HybF of its own, whose message begins
 * with the name of the block that is the last of the path here: it is not named twice. */
static void
add_path (GError *error, const GPtrArray *path)
{
  g_autoptr (GString) text = g_string_new (PATH_PREFIX);
  const char *last = path->pdata[path->len - 1];
  const char *rest = error->message;

  for (guint i = 0; i < path->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "." : "", (const char *) path->pdata[i]);
  if (g_str_has_prefix (rest, PATH_PREFIX) &&
      g_str_has_prefix (rest + strlen (PATH_PREFIX), last) &&
      strchr (".:", rest[strlen (PATH_PREFIX) + strlen (last)]))
    rest += strlen (PATH_PREFIX) + strlen (last);
  else
    g_string_append (text, ": ");
  g_string_append (text, rest);
  g_free (error->message);
  error->message = g_string_free (g_steal_pointer (&text), FALSE);
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
    add_path (error, F->path);
  F->error = error;
}

void
hyb_f_fail (HybF *F, const char *format, ...)
{
  va_list arguments;

  g_return_if_fail (F);
  va_start (arguments, format);
  hyb_f_keep_error (F, g_error_new_valist (HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, format,
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
