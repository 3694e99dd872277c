/* manual.c — writes man pages and completions: hscope-manual FILE…
 *
 * The name of a file determines its contents.  The build calls this program; it is not installed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/manual.h"

static const ScopeManualKind *const kinds[] = {
  &scope_manual_window, &scope_manual_overview, &scope_manual_command,
  &scope_manual_bash,   &scope_manual_zsh,      &scope_manual_fish,
};

static gboolean
write_file (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  guint i = 0;

  while (i < G_N_ELEMENTS (kinds) && !g_pattern_match_simple (kinds[i]->pattern, name))
    i++;
  if (i == G_N_ELEMENTS (kinds) || !kinds[i]->write (text, name))
    {
      g_printerr ("hscope-manual: %s stands for no page or script\n", name);
      return FALSE;
    }
  if (g_file_set_contents (path, text->str, (gssize) text->len, &error))
    return TRUE;
  g_printerr ("hscope-manual: %s\n", error->message);
  return FALSE;
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (!write_file (argv[i]))
      return 1;
  return 0;
}
