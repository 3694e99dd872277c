/* man-command.c — hscope-COMMAND.1, the man page of a command.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/man-sections.h"
#include "app/manual/manual-option.h"
#include "app/manual/manual.h"
#include "app/manual/roff.h"

#include "app/command/frame/command-text.h"

#include <string.h>

static void
write_option (const ScopeManualOption *option, gpointer data)
{
  const GOptionEntry *entry = option->entry;
  GString            *page = data;

  g_string_append (page, ".TP\n.B ");
  if (entry->short_name)
    g_string_append_printf (page, "\\-%c, ", entry->short_name);
  g_string_append (page, "\\-\\-");
  scope_roff_words (page, entry->long_name);
  if (entry->arg_description)
    {
      g_string_append_c (page, '=');
      scope_roff_words (page, entry->arg_description);
    }
  g_string_append_c (page, '\n');
  scope_roff_text (page, entry->description);
}

static void
write_examples (GString *page, const ScopeCommand *command)
{
  if (!command->examples)
    return;
  g_string_append (page, ".SH EXAMPLES\n.nf\n");
  for (const char *const *example = command->examples; *example; example++)
    {
      scope_roff_words (page, *example);
      g_string_append_c (page, '\n');
    }
  g_string_append (page, ".fi\n");
}

static gboolean
write_page (GString *page, const char *name)
{
  g_autofree char    *command_name = g_strndup (name + 7, strlen (name) - 9);
  g_autofree char    *page_name = g_strconcat ("hscope-", command_name, NULL);
  const ScopeCommand *command = scope_command_find (command_name);
  g_autofree char    *arguments = command ? scope_command_dup_arguments_text (command) : NULL;

  if (!command)
    return FALSE;
  scope_roff_heading (page, page_name, command->summary);
  g_string_append_printf (page, ".SH SYNOPSIS\n.B hscope %s\n[OPTION]... ", command_name);
  scope_roff_words (page, command->arguments);
  g_string_append (page, "\n.SH DESCRIPTION\n");
  scope_roff_words (page, command->summary);
  g_string_append (page, ".\n.PP\n");
  scope_roff_text (page, arguments);
  if (command->notes)
    {
      g_string_append (page, ".PP\n");
      scope_roff_text (page, command->notes);
    }
  g_string_append (page, ".SH OPTIONS\n");
  scope_manual_each_option (command, write_option, page);
  write_examples (page, command);
  scope_man_sections (page, command);
  g_string_append (page, ".SH SEE ALSO\n.BR hscope (1)\n");
  return TRUE;
}

const ScopeManualKind scope_manual_command = {
  .pattern = "hscope-*.1",
  .write = write_page,
};
