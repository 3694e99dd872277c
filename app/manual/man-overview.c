/* man-overview.c — hscope.1, which lists the commands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/man-sections.h"
#include "app/manual/manual.h"
#include "app/manual/roff.h"

#include "app/command/frame/command-text.h"

static void
write_commands (GString *page)
{
  for (guint i = 0; scope_commands[i]; i++)
    {
      g_string_append_printf (page, ".TP\n.BR hscope\\-%s (1)\n", scope_commands[i]->name);
      scope_roff_text (page, scope_commands[i]->summary);
    }
}

static gboolean
write_page (GString *page, const char *name G_GNUC_UNUSED)
{
  scope_roff_heading (page, "hscope", scope_commands_summary);
  g_string_append (page, ".SH SYNOPSIS\n.B hscope\nCOMMAND [OPTION]... [FILE]...\n.br\n"
                         ".B hscope help\n[COMMAND]\n.br\n.B hscope \\-\\-version\n"
                         "[\\-\\-verbose]\n.SH COMMANDS\n");
  write_commands (page);
  g_string_append (page, ".SH OPTIONS\n.TP\n.B \\-\\-sandbox[=strict]\n");
  scope_roff_text (page, scope_sandbox_text);
  g_string_append (page, ".TP\n.B \\-\\-version \\-\\-verbose\n");
  scope_roff_text (
      page,
      "The version, the vector instructions in use, and this machine as it was measured: sizes of "
      "caches beside the reported ones, and rates of reading and multiplying. It is measured in at "
      "most half a second if it was not yet.");
  g_string_append (page, ".TP\n.B \\-\\-json\n");
  scope_roff_text (page, "Each command takes it and prints its result as one JSON document.");
  scope_man_sections (page, NULL);
  g_string_append (page, ".SH SEE ALSO\n.BR hybridscope (1)\n");
  return TRUE;
}

const ScopeManualKind scope_manual_overview = {
  .pattern = "hscope.1",
  .write = write_page,
};
