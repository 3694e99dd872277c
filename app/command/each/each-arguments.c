/* each-arguments.c — repeats the options of a call for a child that opens one model.
 *
 * Options are taken from their parsed values, so that it does not matter how they were written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/each/each-arguments.h"

#include <string.h>

/* Options of the call as a whole; the children get --json themselves. */
static const char *const own_options[] = { "each", "jobs", "json", "progress", NULL };

guint
scope_each_n_files (const ScopeCommand *command)
{
  return command->n_files[0] > 1 ? command->n_files[0] - 1 : 0;
}

/* The option that names a prefix of files to write, or NULL. */
static const char *
find_prefix_option (const ScopeCommand *command)
{
  for (guint i = 0; command->outputs && command->outputs[i].option; i++)
    if (!command->outputs[i].ending)
      return command->outputs[i].option;
  return NULL;
}

static const ScopeNumber *
find_number (const ScopeEachCall *call, const char *name)
{
  for (guint i = 0; i < call->numbers->len; i++)
    {
      const ScopeNumber *number = &g_array_index (call->numbers, ScopeNumber, i);

      if (strcmp (number->option, name) == 0)
        return number;
    }
  return NULL;
}

/* The number as text if it was given, else NULL.  (transfer full) */
static char *
dup_number (const ScopeNumber *number)
{
  char   text[G_ASCII_DTOSTR_BUF_SIZE];
  double value = number->type == G_OPTION_ARG_INT     ? *(const int *) number->value
                 : number->type == G_OPTION_ARG_INT64 ? (double) *(const gint64 *) number->value
                                                      : *(const double *) number->value;

  if (value == number->range.initial)
    return NULL;
  if (number->type == G_OPTION_ARG_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, *(const gint64 *) number->value);
  return g_strdup (g_ascii_dtostr (text, sizeof text, value));
}

static void
add (GPtrArray *argv, const char *name, const char *value)
{
  g_ptr_array_add (argv, g_strdup_printf ("--%s=%s", name, value));
}

void
scope_each_add_option (GPtrArray *argv, const ScopeEachCall *call, const GOptionEntry *entry)
{
  const ScopeNumber *number = find_number (call, entry->long_name);
  g_autofree char   *text = number ? dup_number (number) : NULL;

  if (number)
    {
      if (text)
        add (argv, entry->long_name, text);
    }
  else if (entry->arg == G_OPTION_ARG_NONE)
    {
      if (*(const gboolean *) entry->arg_data)
        g_ptr_array_add (argv, g_strdup_printf ("--%s", entry->long_name));
    }
  else if (entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
    for (char **values = *(char ***) entry->arg_data; values && *values; values++)
      add (argv, entry->long_name, *values);
  else if (*(char **) entry->arg_data)
    add (argv, entry->long_name, *(char **) entry->arg_data);
}

static gboolean
is_forwarded (const ScopeEachCall *call, const GOptionEntry *entry)
{
  return !g_strv_contains (own_options, entry->long_name) &&
         g_strcmp0 (entry->long_name, find_prefix_option (call->command)) != 0;
}

const char *
scope_each_get_output (const ScopeEachCall *call)
{
  const char *name = find_prefix_option (call->command);

  for (guint i = 0; name && i < call->entries->len; i++)
    {
      const GOptionEntry *entry = &g_array_index (call->entries, GOptionEntry, i);

      if (strcmp (entry->long_name, name) == 0)
        return *(char **) entry->arg_data;
    }
  return NULL;
}

/* TRUE if the option names a single file, which the results of all models would be written to. */
static gboolean
is_one_output (const ScopeEachCall *call, const GOptionEntry *entry)
{
  const ScopeOutput *output = scope_command_find_output (call->command, entry->long_name);

  return output && output->ending;
}

gboolean
scope_each_check_options (const ScopeEachCall *call, GError **error)
{
  for (guint i = 0; i < call->entries->len; i++)
    {
      const GOptionEntry *entry = &g_array_index (call->entries, GOptionEntry, i);

      if (entry->arg == G_OPTION_ARG_FILENAME && *(char **) entry->arg_data &&
          is_one_output (call, entry))
        return scope_usage_error (error,
                                  "--%s with --each: all models would write to the same file",
                                  entry->long_name);
      if (entry->arg != G_OPTION_ARG_FILENAME || g_strcmp0 (*(char **) entry->arg_data, "-") != 0)
        continue;
      return scope_usage_error (error,
                                "--%s -: with --each, the processes of several models cannot share "
                                "one stream",
                                entry->long_name);
    }
  return TRUE;
}

char **
scope_each_arguments (const ScopeEachCall *call, const char *model, const char *prefix)
{
  GPtrArray *argv = g_ptr_array_new ();

  g_ptr_array_add (argv, g_strdup ("/proc/self/exe"));
  g_ptr_array_add (argv, g_strdup (call->sandbox == SCOPE_SANDBOX_STRICT ? "--sandbox=strict"
                                                                         : "--sandbox"));
  g_ptr_array_add (argv, g_strdup (call->command->name));
  for (guint i = 0; i < call->entries->len; i++)
    {
      const GOptionEntry *entry = &g_array_index (call->entries, GOptionEntry, i);

      if (is_forwarded (call, entry))
        scope_each_add_option (argv, call, entry);
    }
  if (prefix)
    add (argv, find_prefix_option (call->command), prefix);
  if (call->common->json)
    g_ptr_array_add (argv, g_strdup ("--json"));
  g_ptr_array_add (argv, g_strdup ("--"));
  g_ptr_array_add (argv, g_build_filename (call->common->each, model, NULL));
  if (scope_each_n_files (call->command) > 0)
    g_ptr_array_add (argv, g_build_filename (call->files[0], model, NULL));
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (argv, FALSE);
}
