/* remote-arguments.c — repeats a parsed command for a target, with the names that its files have there.
 *
 * The tables of the command list the options that name files, and the ones that are written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/remote-arguments.h"

#include "app/adapt/file-kind.h"
#include "app/command/frame/open-model.h"
#include "engine/block/plugin.h"
#include "engine/formats/model-files.h"

#include <string.h>

/* Options that belong to this end. */
static const char *const own_options[] = { "target", "each", "jobs", NULL };

static const GOptionEntry *
find_entry (const GArray *entries, const char *name)
{
  for (guint i = 0; i < entries->len; i++)
    if (strcmp (g_array_index (entries, GOptionEntry, i).long_name, name) == 0)
      return &g_array_index (entries, GOptionEntry, i);
  return NULL;
}

/* The name of a file there, owned by names. */
static const char *
name_file (const ScopeEachCall *call, const char *option, const char *path, ScopeRemoteNames *names)
{
  const ScopeOutput *output = scope_command_find_output (call->command, option);

  return output ? scope_remote_names_add_output (names, path, !output->ending)
                : scope_remote_names_add_file (names, path);
}

/* Appends an option that names one file or several. */
static void
add_files (GPtrArray           *argv,
           const ScopeEachCall *call,
           const GOptionEntry  *entry,
           ScopeRemoteNames    *names)
{
  gboolean is_array = entry->arg == G_OPTION_ARG_FILENAME_ARRAY;
  char    *one[] = { is_array ? NULL : *(char **) entry->arg_data, NULL };
  char   **values = is_array ? *(char ***) entry->arg_data : one;

  for (; values && *values; values++)
    {
      const char *name = name_file (call, entry->long_name, *values, names);

      g_ptr_array_add (argv, g_strdup_printf ("--%s=%s", entry->long_name, name));
    }
}

/* The parameters that belong to a graph file go with it. */
static void
add_params (const ScopeEachCall *call, const char *file, ScopeRemoteNames *names)
{
  const char      *why;
  g_autofree char *params = hyb_model_find_params (file, call->common->epoch, &why);

  if (params)
    scope_remote_names_add_file (names, params);
}

/* A model of the gallery is there, too; of one in a module the module is sent.  (transfer full) */
static char *
name_model (const ScopeEachCall *call, const char *file, ScopeRemoteNames *names)
{
  g_autofree char *module = hyb_plugin_dup_module (file);

  if (module)
    return g_strconcat (scope_remote_names_add_file (names, module), file + strlen (module), NULL);
  if (hyb_is_plugin_name (file))
    return g_strdup (file);
  if (!scope_is_capture (file) && !scope_is_weights_file (file))
    add_params (call, file, names);
  return g_strdup (scope_remote_names_add_file (names, file));
}

/* TRUE if the command continues its earlier output. */
static gboolean
is_resumed (const ScopeEachCall *call)
{
  const GOptionEntry *entry = find_entry (call->entries, "resume");

  if (!entry)
    return FALSE;
  return entry->arg == G_OPTION_ARG_NONE ? *(const gboolean *) entry->arg_data
                                         : *(char **) entry->arg_data != NULL;
}

char **
scope_remote_arguments (const ScopeEachCall *call,
                        const GArray        *file_entries,
                        ScopeRemoteNames    *names)
{
  GPtrArray *argv = g_ptr_array_new ();

  if (call->sandbox != SCOPE_SANDBOX_NONE)
    g_ptr_array_add (argv, g_strdup (call->sandbox == SCOPE_SANDBOX_STRICT ? "--sandbox=strict"
                                                                           : "--sandbox"));
  g_ptr_array_add (argv, g_strdup (call->command->name));
  for (guint i = 0; i < call->entries->len; i++)
    {
      const GOptionEntry *entry = &g_array_index (call->entries, GOptionEntry, i);

      if (g_strv_contains (own_options, entry->long_name))
        continue;
      if (find_entry (file_entries, entry->long_name))
        add_files (argv, call, entry, names);
      else
        scope_each_add_option (argv, call, entry);
    }
  if (is_resumed (call))
    scope_remote_names_add_old_outputs (names);
  g_ptr_array_add (argv, g_strdup ("--"));
  for (guint i = 0; call->files[i]; i++)
    g_ptr_array_add (argv, name_model (call, call->files[i], names));
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (argv, FALSE);
}
