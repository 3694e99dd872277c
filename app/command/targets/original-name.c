/* original-name.c — replaces the folder of a target by that which a file comes from.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/original-name.h"

#include <string.h>

char *
scope_original_name_dup (const char *file)
{
  const char *names = g_getenv (SCOPE_FILES_VARIABLE);
  g_auto (GStrv) lines = g_strsplit (names ? names : "", "\n", -1);

  for (guint i = 0; file && lines[i]; i++)
    {
      char *tab = strchr (lines[i], '\t');
      gsize n = tab ? (gsize) (tab - lines[i]) : 0;

      if (n > 0 && strncmp (file, lines[i], n) == 0 && file[n] == '/')
        return g_strconcat (tab + 1, file + n + 1, NULL);
    }
  return g_strdup (file);
}

void
scope_describe_origin (ProfFacts *facts, const char *file)
{
  g_autofree char *name = scope_original_name_dup (file);

  prof_facts_set (facts, "model", name);
  prof_facts_set (facts, "target", g_getenv (SCOPE_TARGET_VARIABLE));
}
