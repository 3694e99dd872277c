/* change.c — see change.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/change.h"

#include "engine/base/translate.h"
#include <string.h>

static void
change_free (gpointer data)
{
  HybChange *change = data;

  g_free (change->text);
  g_free (change->name);
  g_free (change);
}

GPtrArray *
hyb_changes_new (void)
{
  return g_ptr_array_new_with_free_func (change_free);
}

void
hyb_changes_add (GPtrArray *changes, const char *name, const char *format, ...)
{
  HybChange       *change = g_new0 (HybChange, 1);
  g_autofree char *quoted = name ? g_strdup_printf (_ ("“%s”"), name) : NULL;
  g_autofree char *sentence = NULL;
  const char      *place;
  va_list          arguments;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  place = quoted ? strstr (sentence, HYB_CHANGE_NAME) : NULL;
  if (place)
    {
      change->name = g_strdup (name);
      change->name_at = (gsize) (place - sentence);
      change->name_end = change->name_at + strlen (quoted);
      change->text = g_strdup_printf ("%.*s%s%s", (int) change->name_at, sentence, quoted,
                                      place + strlen (HYB_CHANGE_NAME));
    }
  else
    change->text = g_steal_pointer (&sentence);
  g_ptr_array_add (changes, change);
}

void
hyb_changes_append (GPtrArray *changes, const GPtrArray *more)
{
  for (guint i = 0; i < more->len; i++)
    {
      HybChange *copy = g_memdup2 (more->pdata[i], sizeof (HybChange));

      copy->text = g_strdup (copy->text);
      copy->name = g_strdup (copy->name);
      g_ptr_array_add (changes, copy);
    }
}

const char *
hyb_change_text (const GPtrArray *changes, guint i)
{
  return ((const HybChange *) changes->pdata[i])->text;
}
