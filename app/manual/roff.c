/* roff.c — text for man pages.
 *
 * Pages are made of the tables that --help is made of.  help2man would have to run hscope and guess the parts of its
 * output, and these three functions are all that is needed of roff.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/roff.h"

#include <string.h>

/* A line of roff must not begin with “.” or “'”, which call macros. */
static void
append_line (GString *page, const char *line)
{
  if (*line == '.' || *line == '\'')
    g_string_append (page, "\\&");
  scope_roff_words (page, line);
}

void
scope_roff_heading (GString *page, const char *name, const char *summary)
{
  g_autofree char *upper = g_ascii_strup (name, -1);

  g_string_append_printf (page,
                          ".TH \"%s\" 1 \"\" \"Hybridscope %s\" \"User Commands\"\n"
                          ".SH NAME\n",
                          upper, SCOPE_VERSION);
  scope_roff_words (page, name);
  g_string_append (page, " \\- ");
  scope_roff_words (page, summary);
  g_string_append_c (page, '\n');
}

void
scope_roff_words (GString *page, const char *words)
{
  for (; *words; words++)
    if (*words == '\\')
      g_string_append (page, "\\e");
    else if (*words == '-')
      g_string_append (page, "\\-");
    else
      g_string_append_c (page, *words == '\n' ? ' ' : *words);
}

void
scope_roff_text (GString *page, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  gboolean is_example = FALSE;

  for (char **line = lines; *line; line++)
    {
      gboolean is_indented = **line == ' ';

      if (is_indented != is_example)
        g_string_append (page, is_indented ? ".nf\n.RS\n" : ".RE\n.fi\n");
      is_example = is_indented;
      if (**line)
        append_line (page, *line + (is_indented ? strspn (*line, " ") : 0));
      else if (line[1] && *line[1])
        g_string_append (page, ".PP");
      if (**line || (line[1] && *line[1]))
        g_string_append_c (page, '\n');
    }
  if (is_example)
    g_string_append (page, ".RE\n.fi\n");
}
