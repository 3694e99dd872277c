/* command-text.c — sentences about a command, for its help and its man page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command-text.h"

#include <string.h>

const char scope_commands_summary[] =
    "Open, check, run, profile and convert deep-learning models: ONNX, and those of MXNet.";

const char scope_sandbox_text[] =
    "hscope --sandbox COMMAND … cannot start programs, use the network or write other files than "
    "its\noutputs; hscope --sandbox=strict COMMAND … works only if the kernel offers all of this, "
    "and\nhscope --sandbox --version tells.\n";

/* Whether the word MODEL is in the usage of the command. */
static gboolean
names_model (const ScopeCommand *command)
{
  const GOptionEntry *entry = command->options;

  while (entry && entry->long_name && g_strcmp0 (entry->arg_description, "MODEL") != 0)
    entry++;
  return strstr (command->arguments, "MODEL") || (entry && entry->long_name);
}

char *
scope_command_dup_arguments_text (const ScopeCommand *command)
{
  GString *text = g_string_new (NULL);

  if (command->option_groups & SCOPE_OPTIONS_MODEL || names_model (command))
    g_string_append_printf (text,
                            "%s a file (net-symbol.json), a model of the gallery "
                            "(gallery:NAME?option=value&option=value; hscope new --list)\n"
                            "or a model in a module (PLUGIN.so:NAME).  ",
                            names_model (command) ? "MODEL is" : "A and B: each is");
  if (command->n_files[1] > 0)
    g_string_append (text, "“-” means stdin, or stdout where a file is written.\n");
  return g_string_free (text, FALSE);
}

char *
scope_command_dup_help (const ScopeCommand *command)
{
  g_autofree char *arguments = scope_command_dup_arguments_text (command);
  GString         *text = g_string_new (arguments);

  if (command->examples)
    g_string_append (text, text->len > 0 ? "\nExamples:\n" : "Examples:\n");
  for (guint i = 0; command->examples && command->examples[i]; i++)
    g_string_append_printf (text, "  %s\n", command->examples[i]);
  if (command->notes)
    g_string_append_printf (text, "\n%s", command->notes);
  return g_string_free (text, FALSE);
}
