/* fish.c — hscope.fish, which completes command lines in fish.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/manual-option.h"
#include "app/manual/manual.h"

/* The state of writing one command. */
typedef struct
{
  GString            *script;
  const ScopeCommand *command;
} Case;

/* Appends text in single quotes, in which fish has two escapes. */
static void
append_quoted (GString *script, const char *text)
{
  g_string_append_c (script, '\'');
  for (; *text; text++)
    {
      if (*text == '\'' || *text == '\\')
        g_string_append_c (script, '\\');
      g_string_append_c (script, *text);
    }
  g_string_append_c (script, '\'');
}

static void
write_option (const ScopeManualOption *option, gpointer data)
{
  const Case *now = data;

  g_string_append_printf (now->script,
                          "complete -c hscope -n '__fish_seen_subcommand_from %s' -l %s",
                          now->command->name, option->entry->long_name);
  if (option->entry->short_name)
    g_string_append_printf (now->script, " -s %c", option->entry->short_name);
  if (option->takes == SCOPE_TAKES_FILE)
    g_string_append (now->script, " -rF");
  else if (option->takes == SCOPE_TAKES_TEXT)
    g_string_append (now->script, " -x");
  else if (option->takes == SCOPE_TAKES_CHOICE)
    g_string_append_printf (now->script, " -xa '(__fish_append , %s)'", option->choices);
  else if (option->takes == SCOPE_TAKES_LISTED)
    g_string_append_printf (now->script, " -xa '(__hscope_names %s)'", option->lister);
  g_string_append (now->script, " -d ");
  append_quoted (now->script, option->entry->description);
  g_string_append_c (now->script, '\n');
}

/* Names of the gallery, and only if a word begins like them: they come before files. */
static void
write_models (const Case *now)
{
  gboolean is_new = g_str_equal (now->command->name, "new");

  if (!is_new && !scope_manual_takes_model (now->command))
    return;
  g_string_append_printf (now->script,
                          "complete -c hscope -n '__fish_seen_subcommand_from %s%s' %s-a "
                          "'%s(__hscope_names " SCOPE_GALLERY_LISTER ")'\n",
                          now->command->name,
                          is_new ? "" : "; and string match -q \"g*\" -- (commandline -ct)",
                          is_new ? "-f " : "", is_new ? "" : "gallery:");
}

static gboolean
write_script (GString *script, const char *name G_GNUC_UNUSED)
{
  Case now = { .script = script };

  g_string_append (
      script, "# Completes the command lines of hscope in fish.  Made from its tables of options.\n"
              "function __hscope_names; command $argv " SCOPE_NAMES_FILTER "; end\n"
              "complete -c hscope -n __fish_use_subcommand -f -a help -d 'Describe a command'\n"
              "complete -c hscope -n __fish_use_subcommand -l version -d 'Print the version'\n"
              "complete -c hscope -n __fish_use_subcommand -l help -d 'Print a help text'\n"
              "complete -c hscope -n __fish_use_subcommand -l sandbox -d 'Limit what the command "
              "can do'\n");
  for (guint i = 0; scope_commands[i]; i++)
    {
      now.command = scope_commands[i];
      g_string_append_printf (script, "complete -c hscope -n __fish_use_subcommand -f -a %s -d ",
                              now.command->name);
      append_quoted (script, now.command->summary);
      g_string_append_printf (script,
                              "\ncomplete -c hscope -n '__fish_seen_subcommand_from help' -f -a "
                              "%s\n",
                              now.command->name);
      scope_manual_each_option (now.command, write_option, &now);
      write_models (&now);
    }
  return TRUE;
}

const ScopeManualKind scope_manual_fish = {
  .pattern = "hscope.fish",
  .write = write_script,
};
