/* bash.c — hscope.bash, which completes command lines in bash.
 *
 * Bash splits words at “=” and “:”, so that --to=fused and gallery:lenet are three words each.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/manual-option.h"
#include "app/manual/manual.h"

static const char beginning[] =
    "# Completes the command lines of hscope in bash.  Made from its tables of options.\n"
    "_hscope_names () { \"$@\" " SCOPE_NAMES_FILTER "; }\n"
    "_hscope_complete () { mapfile -t COMPREPLY < <(compgen \"$@\"); }\n"
    "_hscope ()\n"
    "{\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' "
    "options='' i\n"
    "  COMPREPLY=()\n"
    "  if [[ $word == [=:] ]]; then\n"
    "    word=''\n"
    "  elif [[ $before == [=:] ]]; then\n"
    "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  fi\n"
    "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "    if [[ ${COMP_WORDS[i]} != [-=]* && ${COMP_WORDS[i - 1]} != = ]]; then\n"
    "      command=${COMP_WORDS[i]}\n"
    "      break\n"
    "    fi\n"
    "  done\n"
    "  if [[ $before == gallery ]]; then\n"
    "    _hscope_complete -W \"$(_hscope_names " SCOPE_GALLERY_LISTER ")\" -- \"$word\"\n"
    "    return\n"
    "  fi\n"
    "  case \"$command $before\" in\n";

static const char end[] =
    "  esac\n"
    "  if [[ $word == -* || -z $command || $command == help ]]; then\n"
    "    _hscope_complete -W \"$options\" -- \"$word\"\n"
    "  elif [[ $command == new ]]; then\n"
    "    _hscope_complete -W \"$(_hscope_names " SCOPE_GALLERY_LISTER ")\" -- \"$word\"\n"
    "  elif [[ -n $word && gallery: == \"$word\"* && -z $(compgen -f -- \"$word\") ]]; then\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    COMPREPLY=(gallery:)\n"
    "  fi\n"
    "}\n"
    "complete -o default -F _hscope hscope\n";

/* The state of writing one command. */
typedef struct
{
  GString            *script;
  const ScopeCommand *command;
} Case;

/* Options that take files are left to the completion of file names. */
static void
write_values (const ScopeManualOption *option, gpointer data)
{
  const Case *now = data;

  if (option->takes == SCOPE_TAKES_NOTHING || option->takes == SCOPE_TAKES_TEXT)
    return;
  g_string_append_printf (now->script, "    '%s --%s'", now->command->name,
                          option->entry->long_name);
  if (option->entry->short_name)
    g_string_append_printf (now->script, "|'%s -%c'", now->command->name,
                            option->entry->short_name);
  g_string_append (now->script, ")");
  if (option->takes == SCOPE_TAKES_CHOICE)
    g_string_append_printf (now->script,
                            " _hscope_complete -P \"${word%%\"${word##*,}\"}\" -W '%s' -- "
                            "\"${word##*,}\";",
                            option->choices);
  else if (option->takes == SCOPE_TAKES_LISTED)
    g_string_append_printf (now->script,
                            " _hscope_complete -W \"$(_hscope_names %s)\" -- \"$word\";",
                            option->lister);
  g_string_append (now->script, " return ;;\n");
}

static void
write_name (const ScopeManualOption *option, gpointer data)
{
  const Case *now = data;

  g_string_append_printf (now->script, " --%s", option->entry->long_name);
}

static void
write_command_names (GString *script)
{
  for (guint i = 0; scope_commands[i]; i++)
    g_string_append_printf (script, "%s ", scope_commands[i]->name);
}

static gboolean
write_script (GString *script, const char *name G_GNUC_UNUSED)
{
  Case now = { .script = script };

  g_string_append (script, beginning);
  for (guint i = 0; scope_commands[i]; i++)
    {
      now.command = scope_commands[i];
      scope_manual_each_option (now.command, write_values, &now);
    }
  g_string_append (script, "  esac\n  case $command in\n    '') options='");
  write_command_names (script);
  g_string_append (script, "help --help --version --sandbox' ;;\n    help) options='");
  write_command_names (script);
  g_string_append (script, "' ;;\n");
  for (guint i = 0; scope_commands[i]; i++)
    {
      now.command = scope_commands[i];
      g_string_append_printf (script, "    %s) options='--help", now.command->name);
      scope_manual_each_option (now.command, write_name, &now);
      g_string_append (script, "' ;;\n");
    }
  g_string_append (script, end);
  return TRUE;
}

const ScopeManualKind scope_manual_bash = {
  .pattern = "hscope.bash",
  .write = write_script,
};
