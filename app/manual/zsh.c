/* zsh.c — _hscope, which completes command lines in zsh.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/manual-option.h"
#include "app/manual/manual.h"

#include <string.h>

static const char beginning[] =
    "#compdef hscope\n"
    "# Completes the command lines of hscope in zsh.  Made from its tables of options.\n"
    "_hscope_names () { compadd -- ${(f)\"$(\"$@\" " SCOPE_NAMES_FILTER ")\"} }\n"
    "_hscope_model () {\n"
    "  _files\n"
    "  [[ $PREFIX == g* ]] && compadd -- gallery:${^${(f)\"$(" SCOPE_GALLERY_LISTER
    " " SCOPE_NAMES_FILTER ")\"}}\n"
    "}\n"
    "_hscope () {\n"
    "  local context state line\n"
    "  typeset -A opt_args\n"
    "  local -a commands\n"
    "  commands=(\n";

static const char middle[] =
    "  )\n"
    "  _arguments -C '--help[Print a help text]' '--version[Print the version]' \\\n"
    "    '--sandbox=-[Limit what the command can do]::mode:(strict)' \\\n"
    "    '1:command:->command' '*::argument:->argument'\n"
    "  case $state in\n"
    "    command) _describe -t commands 'command of hscope' commands ;;\n"
    "    argument)\n"
    "      case $words[1] in\n"
    "        help) _describe -t commands 'command of hscope' commands ;;\n";

static const char end[] = "      esac ;;\n"
                          "  esac\n"
                          "}\n"
                          "_hscope \"$@\"\n";

/* Appends text inside single quotes; the characters of special are preceded by a backslash. */
static void
append_quoted (GString *script, const char *text, const char *special)
{
  for (; *text; text++)
    {
      if (*text == '\'')
        g_string_append (script, "'\\''");
      else
        {
          if (strchr (special, *text))
            g_string_append_c (script, '\\');
          g_string_append_c (script, *text);
        }
    }
}

/* One specification of _arguments. */
static void
write_option (const ScopeManualOption *option, gpointer data)
{
  const GOptionEntry *entry = option->entry;
  GString            *script = data;

  g_string_append (script, " \\\n          ");
  if (entry->short_name)
    g_string_append_printf (script, "'(-%c --%s)'{-%c%s,--%s%s}'[", entry->short_name,
                            entry->long_name, entry->short_name,
                            option->takes == SCOPE_TAKES_NOTHING ? "" : "+", entry->long_name,
                            option->takes == SCOPE_TAKES_NOTHING ? "" : "=");
  else
    g_string_append_printf (script, "'*--%s%s[", entry->long_name,
                            option->takes == SCOPE_TAKES_NOTHING ? "" : "=");
  append_quoted (script, entry->description, "[]\\");
  g_string_append_c (script, ']');
  if (option->takes != SCOPE_TAKES_NOTHING)
    {
      g_string_append_c (script, ':');
      append_quoted (script, entry->arg_description ? entry->arg_description : "value", ":\\");
      if (option->takes == SCOPE_TAKES_CHOICE)
        g_string_append_printf (script, ":_values -s , word %s", option->choices);
      else if (option->takes == SCOPE_TAKES_LISTED)
        g_string_append_printf (script, ": _hscope_names %s", option->lister);
      else
        g_string_append (script, option->takes == SCOPE_TAKES_FILE ? ":_files" : ": ");
    }
  g_string_append_c (script, '\'');
}

static gboolean
write_script (GString *script, const char *name G_GNUC_UNUSED)
{
  g_string_append (script, beginning);
  for (guint i = 0; scope_commands[i]; i++)
    {
      g_string_append_printf (script, "    '%s:", scope_commands[i]->name);
      append_quoted (script, scope_commands[i]->summary, ":\\");
      g_string_append (script, "'\n");
    }
  g_string_append (script, middle);
  for (guint i = 0; scope_commands[i]; i++)
    {
      g_string_append_printf (script, "        %s) _arguments", scope_commands[i]->name);
      scope_manual_each_option (scope_commands[i], write_option, script);
      g_string_append_printf (script, " \\\n          '*:file:%s' ;;\n",
                              strcmp (scope_commands[i]->name, "new") == 0
                                  ? " _hscope_names " SCOPE_GALLERY_LISTER
                              : scope_manual_takes_model (scope_commands[i]) ? "_hscope_model"
                                                                             : "_files");
    }
  g_string_append (script, end);
  return TRUE;
}

const ScopeManualKind scope_manual_zsh = {
  .pattern = "_hscope",
  .write = write_script,
};
