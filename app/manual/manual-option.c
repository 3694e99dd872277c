/* manual-option.c — the options of a command as pages and scripts need them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/manual/manual-option.h"

#include <string.h>

static const char *
find_choices (const ScopeChoices *choices, const char *option)
{
  for (; choices && choices->option; choices++)
    if (strcmp (choices->option, option) == 0)
      return choices->values;
  return NULL;
}

/* Lines of other words than names begin with a digit or a blank. */
static const struct
{
  const char *option, *lister;
} listers[] = {
  { "operator", "hscope info --operators" }, { "plan-without", "hscope info --passes" },
  { "dump-after", "hscope info --passes" },  { "target", "hscope targets" },
  { "case", "hscope bench --list" },
};

static const char *
find_lister (const char *option)
{
  for (guint i = 0; i < G_N_ELEMENTS (listers); i++)
    if (strcmp (listers[i].option, option) == 0)
      return listers[i].lister;
  return NULL;
}

gboolean
scope_manual_takes_model (const ScopeCommand *command)
{
  return command->option_groups & SCOPE_OPTIONS_MODEL || strstr (command->arguments, "MODEL");
}

static ScopeManualOption
describe_option (const GOptionEntry *entry, const ScopeChoices *choices)
{
  ScopeManualOption option = { .entry = entry,
                               .choices = find_choices (choices, entry->long_name),
                               .lister = find_lister (entry->long_name) };

  if (entry->arg == G_OPTION_ARG_NONE)
    option.takes = SCOPE_TAKES_NOTHING;
  else if (entry->arg == G_OPTION_ARG_FILENAME || entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
    option.takes = SCOPE_TAKES_FILE;
  else
    option.takes = option.choices  ? SCOPE_TAKES_CHOICE
                   : option.lister ? SCOPE_TAKES_LISTED
                                   : SCOPE_TAKES_TEXT;
  return option;
}

void
scope_manual_each_option (const ScopeCommand *command,
                          void (*visit) (const ScopeManualOption *option, gpointer data),
                          gpointer data)
{
  g_autoptr (GArray) common =
      scope_common_options_list (command->option_groups, command->unused_options);
  ScopeManualOption option;

  for (const GOptionEntry *entry = command->options; entry && entry->long_name; entry++)
    {
      option = describe_option (entry, command->choices);
      visit (&option, data);
    }
  for (guint i = 0; i < common->len; i++)
    {
      option = describe_option (&g_array_index (common, GOptionEntry, i), scope_common_choices);
      visit (&option, data);
    }
}
