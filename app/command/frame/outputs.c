/* outputs.c — checks the names of outputs before a command runs, and prints them afterwards.
 *
 * Start at check_path().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/outputs.h"

#include "engine/base/error.h"
#include "engine/formats/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const ScopeOutput *
scope_command_find_output (const ScopeCommand *command, const char *option)
{
  for (const ScopeOutput *output = command->outputs; output && output->option; output++)
    if (strcmp (output->option, option) == 0)
      return output;
  return NULL;
}

const char *
scope_output_get (const ScopeCommand *command, gconstpointer options, const char *option)
{
  for (const GOptionEntry *entry = command->options; entry && entry->long_name; entry++)
    if (strcmp (entry->long_name, option) == 0)
      return *(char *const *) (gconstpointer) ((const char *) options +
                                               GPOINTER_TO_SIZE (entry->arg_data));
  return NULL;
}

static gboolean
has_ending (const char *path, const char *endings)
{
  g_auto (GStrv) words = g_strsplit (endings, " ", -1);

  for (guint i = 0; words[i]; i++)
    if (g_str_has_suffix (path, words[i]))
      return TRUE;
  return FALSE;
}

/* TRUE for a pipe or a device, whose name says nothing of a format. */
static gboolean
is_special (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && !S_ISREG (status.st_mode) && !S_ISDIR (status.st_mode);
}

static gboolean
check_ending (const ScopeOutput *output, const char *path, GError **error)
{
  g_autoptr (GString) endings = NULL;

  if (!output->endings || has_ending (path, output->endings) || is_special (path))
    return TRUE;
  endings = g_string_new (output->endings);
  g_string_replace (endings, " ", ", ", 0);
  return scope_usage_error (error, "--%s %s: the name must end in one of %s", output->option, path,
                            endings->str);
}

static gboolean
fail (const char *path, int code, const char *hint, GError **error)
{
  return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), path, hint,
                       "the file cannot be written: %s", g_strerror (code));
}

/* Files are replaced, so their folder must be writable; pipes and devices are written themselves. */
static gboolean
check_path (const char *path, GError **error)
{
  g_autofree char *target = realpath (path, NULL);
  g_autofree char *folder = g_path_get_dirname (target ? target : path);
  struct stat      status;
  gboolean         exists = stat (path, &status) == 0;

  if (*path == '\0')
    return fail (path, ENOENT, "Give it a name", error);
  if (exists && S_ISDIR (status.st_mode))
    return fail (path, EISDIR, "Name a file in the folder", error);
  if (exists && !S_ISREG (status.st_mode))
    return access (path, W_OK) == 0 || fail (path, errno, NULL, error);
  if (stat (folder, &status) != 0)
    return fail (path, errno, "Create the folder first", error);
  if (!S_ISDIR (status.st_mode))
    return fail (path, ENOTDIR, NULL, error);
  if (access (folder, W_OK | X_OK) != 0)
    return fail (path, errno, "Choose a folder that you may write to", error);
  return TRUE;
}

/* The last of several files, if it is the output. */
static const char *
get_last (const ScopeCommand *command, gconstpointer options, char *const *files)
{
  guint              n = g_strv_length ((char **) files);
  const ScopeOutput *first = command->outputs;

  if (!command->writes_last_file || n < 2 || scope_output_get (command, options, first->option) ||
      !has_ending (files[n - 1], first->endings))
    return NULL;
  return files[n - 1];
}

gboolean
scope_outputs_check (const ScopeCommand *command,
                     gconstpointer       options,
                     char *const        *files,
                     GError            **error)
{
  const ScopeOutput *output = command->outputs;
  const char        *last = get_last (command, options, files);

  for (; output && output->option; output++)
    {
      const char      *name = scope_output_get (command, options, output->option);
      gboolean         is_prefix;
      g_autofree char *path = NULL, *params = NULL;

      if (!name || strcmp (name, "-") == 0)
        continue;
      is_prefix = !output->ending && *name != '\0';
      /* Of a prefix only the folder matters, and that its first files are not links. */
      path = g_strconcat (name, is_prefix ? "-symbol.json" : "", NULL);
      params = g_strconcat (name, "-0000.params", NULL);
      if (is_prefix && (!hyb_file_check_link (path, error) || !hyb_file_check_link (params, error)))
        return FALSE;
      if (!check_ending (output, name, error) || !check_path (path, error))
        return FALSE;
    }
  return !last || check_path (last, error);
}

void
scope_outputs_print (const ScopeCommand *command,
                     gconstpointer       options,
                     char *const        *files,
                     const char         *except)
{
  const ScopeOutput *output = command->outputs;
  const char        *last = get_last (command, options, files);

  for (; output && output->option; output++)
    {
      const char *path = scope_output_get (command, options, output->option);

      if (path && output->ending && g_strcmp0 (path, except) != 0 &&
          g_file_test (path, G_FILE_TEST_EXISTS))
        scope_print_written (path);
    }
  if (last && g_file_test (last, G_FILE_TEST_EXISTS))
    scope_print_written (last);
}
