/* finding-place.c — where a finding is, in words.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/finding-place.h"

#include <glib/gi18n.h>

char *
scope_finding_dup_place (const HybFinding *finding)
{
  GString *text = g_string_new (NULL);

  if (finding->file)
    {
      g_autofree char *name = g_path_get_basename (finding->file);

      g_string_append (text, name);
    }
  if (finding->line > 0)
    g_string_append_printf (text, _ (", line %u"), finding->line);
  if (finding->offset >= 0)
    {
      g_autofree char *offset = g_strdup_printf ("%" G_GINT64_FORMAT, finding->offset);

      g_string_append_printf (text, _ (", byte %s"), offset);
    }
  if (finding->path)
    g_string_append_printf (text, ", %s", finding->path);
  /* Each part begins with the separator, also where no name of a file comes before it. */
  if (g_str_has_prefix (text->str, ", "))
    g_string_erase (text, 0, 2);
  return g_string_free (text, FALSE);
}
