/* target-list.c — reads, checks and writes the list of targets.
 *
 * Start at scope_targets_read(); scope_target_new() has the rules for one target.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/targets/target-list.h"

#include "engine/base/error.h"
#include "engine/formats/file.h"

#include <errno.h>
#include <string.h>

#define MAX_FILE     ((gsize) 256 << 10) /* bytes */
#define MAX_NAME     64
#define MAX_TEXT     4096
#define LETTERS      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define NAME_LETTERS LETTERS "._-"
/* Characters that mean themselves to every shell, since ssh hands its words to one. */
#define PATH_LETTERS LETTERS "._-+/~"

char *
scope_targets_dup_path (void)
{
  return g_build_filename (g_get_user_config_dir (), "hybridscope", "targets.ini", NULL);
}

void
scope_target_free (ScopeTarget *target)
{
  g_free (target->name);
  g_free (target->launcher);
  g_strfreev (target->words);
  g_free (target->program);
  g_free (target->folder);
  g_free (target);
}

static void
target_free (gpointer target)
{
  scope_target_free (target);
}

static gboolean
consists_of (const char *text, const char *letters, gsize most)
{
  gsize length = strlen (text);

  return length > 0 && length <= most && strspn (text, letters) == length;
}

gboolean
scope_target_is_plain (const char *word)
{
  return consists_of (word, PATH_LETTERS "=", MAX_TEXT);
}

/* --- One target --- */

static gboolean
refuse (GError **error, const char *name, const char *hint, const char *fact)
{
  g_autofree char *path = scope_targets_dup_path ();

  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, path, hint,
                       "the target “%s” %s", name, fact);
}

static gboolean
check_name (const char *name, GError **error)
{
  g_autofree char *shown = g_utf8_make_valid (name, MAX_NAME < strlen (name) ? MAX_NAME : -1);

  if (!consists_of (name, NAME_LETTERS, MAX_NAME) || *name == '-' || *name == '.')
    return refuse (error, shown, "Use letters, digits, dots and dashes, at most 64",
                   "has a name that an option cannot take");
  if (strcmp (name, SCOPE_TARGET_LOCAL) == 0 || strcmp (name, SCOPE_TARGET_SLURM) == 0)
    return refuse (error, name, "Choose another name",
                   "has the name of a target that hscope provides itself");
  return TRUE;
}

ScopeTarget *
scope_target_new (const char *name,
                  const char *launcher,
                  const char *program,
                  const char *folder,
                  GError    **error)
{
  g_autoptr (ScopeTarget) target = g_new0 (ScopeTarget, 1);

  if (!check_name (name, error))
    return NULL;
  target->name = g_strdup (name);
  target->launcher = g_strdup (launcher ? launcher : "");
  target->program = g_strdup (program && *program ? program : "hscope");
  target->folder = folder && *folder ? g_strdup (folder) : NULL;
  g_strstrip (target->launcher);
  if (*target->launcher == '\0')
    refuse (error, name, "Write one, as in launcher = ssh host", "has no launcher");
  else if (strlen (target->launcher) > MAX_TEXT || !g_utf8_validate (target->launcher, -1, NULL))
    refuse (error, name, "Shorten it", "has a launcher that is too long, or no text");
  else if (!g_shell_parse_argv (target->launcher, NULL, &target->words, NULL))
    refuse (error, name, "Close the quotes", "has a launcher whose quotes are not closed");
  else if (!consists_of (target->program, PATH_LETTERS, MAX_TEXT) || *target->program == '-')
    refuse (error, name, "Use letters, digits, dots, dashes and slashes only",
            "has a program whose name a shell might change");
  else if (target->folder && (!consists_of (target->folder, PATH_LETTERS, MAX_TEXT) ||
                              !(*target->folder == '/' || g_str_has_prefix (target->folder, "~/"))))
    refuse (error, name, "Write it as /scratch/me or ~/runs",
            "has a folder that is not absolute, or whose name a shell might change");
  else
    return g_steal_pointer (&target);
  return NULL;
}

/* --- Reading --- */

/* (transfer full) An empty one if there is no file; NULL: it cannot be read. */
static GKeyFile *
load (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) problem = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&file);
  if (!(bytes = hyb_file_read (path, MAX_FILE, error)))
    return NULL;
  if (g_bytes_get_size (bytes) > MAX_FILE)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, path, "Check what the file is",
                    "the list of targets is longer than 256 KiB");
      return NULL;
    }
  if (g_bytes_get_size (bytes) == 0 ||
      g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_KEEP_COMMENTS, &problem))
    return g_steal_pointer (&file);
  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, path,
                "Correct it by hand, or remove it", "the list of targets cannot be read: %s",
                problem->message);
  return NULL;
}

static ScopeTarget *
read_target (GKeyFile *file, const char *name, GError **error)
{
  g_autofree char *launcher = g_key_file_get_string (file, name, "launcher", NULL);
  g_autofree char *program = g_key_file_get_string (file, name, "program", NULL);
  g_autofree char *folder = g_key_file_get_string (file, name, "folder", NULL);

  return scope_target_new (name, launcher, program, folder, error);
}

GPtrArray *
scope_targets_read (GError **error)
{
  g_autofree char *path = scope_targets_dup_path ();
  g_autoptr (GKeyFile) file = load (path, error);
  g_autoptr (GPtrArray) targets = g_ptr_array_new_with_free_func (target_free);
  g_auto (GStrv) names = file ? g_key_file_get_groups (file, NULL) : NULL;

  if (!file)
    return NULL;
  for (guint i = 0; names[i]; i++)
    {
      ScopeTarget *target = read_target (file, names[i], error);

      if (!target)
        return NULL;
      g_ptr_array_add (targets, target);
    }
  return g_steal_pointer (&targets);
}

const ScopeTarget *
scope_targets_find (const GPtrArray *targets, const char *name)
{
  for (guint i = 0; i < targets->len; i++)
    {
      const ScopeTarget *target = targets->pdata[i];

      if (strcmp (target->name, name) == 0)
        return target;
    }
  return NULL;
}

/* --- Writing --- */

static gboolean
save (GKeyFile *file, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  gsize            length;
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);

  if (g_mkdir_with_parents (folder, 0700) != 0)
    return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno), folder, NULL,
                         "the folder cannot be made: %s", g_strerror (errno));
  return hyb_file_replace_contents (path, text, length, error);
}

static void
set_or_remove (GKeyFile *file, const char *group, const char *key, const char *value)
{
  if (value)
    g_key_file_set_string (file, group, key, value);
  else
    g_key_file_remove_key (file, group, key, NULL);
}

gboolean
scope_targets_store (const ScopeTarget *target, const char *old_name, GError **error)
{
  g_autofree char *path = scope_targets_dup_path ();
  g_autoptr (GKeyFile) file = load (path, error);
  gboolean is_default = strcmp (target->program, "hscope") == 0;

  if (!file)
    return FALSE;
  if (old_name && strcmp (old_name, target->name) != 0)
    g_key_file_remove_group (file, old_name, NULL);
  g_key_file_set_string (file, target->name, "launcher", target->launcher);
  set_or_remove (file, target->name, "program", is_default ? NULL : target->program);
  set_or_remove (file, target->name, "folder", target->folder);
  return save (file, path, error);
}

gboolean
scope_targets_remove (const char *name, GError **error)
{
  g_autofree char *path = scope_targets_dup_path ();
  g_autoptr (GKeyFile) file = load (path, error);

  if (!file)
    return FALSE;
  g_key_file_remove_group (file, name, NULL);
  return save (file, path, error);
}
