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

static ScopeManualOption
describe_option (const GOptionEntry *entry, const ScopeChoices *choices)
{
  ScopeManualOption option = { .entry = entry,
                               .choices = find_choices (choices, entry->long_name) };

  if (entry->arg == G_OPTION_ARG_NONE)
    option.takes = SCOPE_TAKES_NOTHING;
  else if (entry->arg == G_OPTION_ARG_FILENAME || entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
    option.takes = SCOPE_TAKES_FILE;
  else
    option.takes = option.choices ? SCOPE_TAKES_CHOICE : SCOPE_TAKES_TEXT;
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
