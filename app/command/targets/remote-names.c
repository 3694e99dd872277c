/* remote-names.c — names files for a target, and finds the places of the files that come back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/remote-names.h"

#include "app/command/targets/tar-stream.h"
#include "engine/formats/file.h"
#include "engine/formats/json-text.h"

#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <string.h>
#include <unistd.h>

/* Endings that commands append to a prefix: PREFIX-symbol.json, PREFIX-0001.params, PREFIX-fused.hscope. */
#define INTERRUPTED "interrupted"
static const char *const endings[] = { ".params", ".states", NULL };

ScopeRemoteNames *
scope_remote_names_new (void)
{
  ScopeRemoteNames *names = g_new0 (ScopeRemoteNames, 1);

  names->folders = g_ptr_array_new_with_free_func (g_free);
  names->files = scope_remote_files_new ();
  names->outputs = scope_remote_files_new ();
  return names;
}

void
scope_remote_names_free (ScopeRemoteNames *names)
{
  g_ptr_array_unref (names->folders);
  g_ptr_array_unref (names->files);
  g_ptr_array_unref (names->outputs);
  g_free (names);
}

/* The folder of a path as it was written, with its slash, and the rest. */
static char *
split (const char *path, const char **base)
{
  const char *slash = strrchr (path, '/');

  *base = slash ? slash + 1 : path;
  return g_strndup (path, (gsize) (*base - path));
}

static char *
dup_name (ScopeRemoteNames *names, const char *path)
{
  const char      *base;
  g_autofree char *folder = split (path, &base);
  g_autofree char *text = g_utf8_make_valid (base, -1);
  guint            index;

  if (!g_ptr_array_find_with_equal_func (names->folders, folder, g_str_equal, &index))
    {
      index = names->folders->len;
      g_ptr_array_add (names->folders, g_steal_pointer (&folder));
    }
  return g_strdup_printf (SCOPE_FILE_FOLDER "%u/%s", index, text);
}

/* The file of that name among files, which gets one if it is missing. */
static ScopeRemoteFile *
add (ScopeRemoteNames *names, GPtrArray *files, const char *path)
{
  g_autofree char *name = dup_name (names, path);

  for (guint i = 0; i < files->len; i++)
    if (strcmp (((ScopeRemoteFile *) files->pdata[i])->name, name) == 0)
      return files->pdata[i];
  return scope_remote_files_add (files, name, path);
}

const char *
scope_remote_names_add_file (ScopeRemoteNames *names, const char *path)
{
  return add (names, names->files, path)->name;
}

const char *
scope_remote_names_add_output (ScopeRemoteNames *names, const char *path, gboolean is_prefix)
{
  ScopeRemoteFile *output = add (names, names->outputs, path);

  output->is_prefix |= is_prefix;
  return output->name;
}

/* --- Outputs --- */

/* Whether a name, without its folder, belongs to the output. */
static gboolean
fits (const ScopeRemoteFile *output, const char *output_base, const char *base)
{
  const char *rest;

  if (strcmp (base, output_base) == 0)
    return TRUE;
  if (!output->is_prefix || !g_str_has_prefix (base, output_base))
    return FALSE;
  rest = base + strlen (output_base);
  if (*rest != '-')
    return FALSE;
  if (strcmp (rest, "-symbol.json") == 0 || g_str_has_suffix (rest, ".hscope"))
    return TRUE;
  rest++;
  for (guint i = 0; endings[i]; i++)
    {
      gsize n_digits = strspn (rest, "0123456789");

      if (n_digits >= 4 && strcmp (rest + n_digits, endings[i]) == 0)
        return TRUE;
      if (g_str_has_prefix (rest, INTERRUPTED) &&
          strcmp (rest + strlen (INTERRUPTED), endings[i]) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
add_old_output (ScopeRemoteNames *names, const ScopeRemoteFile *output)
{
  const char      *output_base, *base;
  g_autofree char *folder = split (output->path, &output_base);
  g_autoptr (GDir) dir = g_dir_open (*folder ? folder : ".", 0, NULL);

  while (dir && (base = g_dir_read_name (dir)))
    if (fits (output, output_base, base))
      {
        g_autofree char *path = g_strconcat (folder, base, NULL);

        if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
          scope_remote_names_add_file (names, path);
      }
}

void
scope_remote_names_add_old_outputs (ScopeRemoteNames *names)
{
  for (guint i = 0; i < names->outputs->len; i++)
    add_old_output (names, names->outputs->pdata[i]);
}

char *
scope_remote_names_resolve (const ScopeRemoteNames *names, const char *name)
{
  const char      *base, *output_base;
  g_autofree char *folder = split (name, &base);

  for (guint i = 0; scope_remote_name_is_safe (name) && i < names->outputs->len; i++)
    {
      const ScopeRemoteFile *output = names->outputs->pdata[i];
      g_autofree char       *output_folder = split (output->name, &output_base);

      if (strcmp (folder, output_folder) == 0 && fits (output, output_base, base))
        {
          const char      *last;
          g_autofree char *place = split (output->path, &last);

          /* The last part may have been changed to be valid text. */
          return g_strconcat (place, strcmp (base, output_base) == 0 ? last : base, NULL);
        }
    }
  return NULL;
}

const char *
scope_remote_names_find_missing (const ScopeRemoteNames *names, const GPtrArray *files)
{
  for (guint i = 0; i < names->outputs->len; i++)
    {
      const ScopeRemoteFile *output = names->outputs->pdata[i];
      gboolean               has_come = output->is_prefix;

      for (guint k = 0; !has_come && k < files->len; k++)
        has_come = strcmp (((ScopeRemoteFile *) files->pdata[k])->name, output->name) == 0;
      if (!has_come)
        return output->path;
    }
  return NULL;
}

/* --- Files --- */

gboolean
scope_remote_names_measure (const ScopeRemoteNames *names, GError **error)
{
  for (guint i = 0; i < names->files->len; i++)
    {
      ScopeRemoteFile *file = names->files->pdata[i];
      int              opened = scope_open_regular (file->path, &file->size, error);

      if (opened < 0)
        return FALSE;
      close (opened);
    }
  return TRUE;
}

static gboolean
copy_file (GOutputStream *out, gpointer data, GError **error)
{
  g_autoptr (GInputStream) in = g_unix_input_stream_new (*(int *) data, FALSE);

  return g_output_stream_splice (out, in, G_OUTPUT_STREAM_SPLICE_NONE, NULL, error) >= 0;
}

/* Whether the user has given the very name of a file, and not a prefix. */
static gboolean
is_named (const ScopeRemoteNames *names, const char *path)
{
  for (guint i = 0; i < names->outputs->len; i++)
    if (strcmp (((const ScopeRemoteFile *) names->outputs->pdata[i])->path, path) == 0)
      return TRUE;
  return FALSE;
}

/* Names that follow from a prefix lead to files in its folder. */
static gboolean
check_links (const ScopeRemoteNames *names, const GPtrArray *files, GError **error)
{
  for (guint i = 0; i < files->len; i++)
    {
      const char      *name = ((ScopeRemoteFile *) files->pdata[i])->name;
      g_autofree char *path = scope_remote_names_resolve (names, name);

      if (path && !is_named (names, path) && !hyb_file_check_link (path, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
scope_remote_names_place (const ScopeRemoteNames *names,
                          const GPtrArray        *files,
                          int                     folder,
                          GError                **error)
{
  if (!check_links (names, files, error))
    return FALSE;
  for (guint i = 0; i < files->len; i++)
    {
      const char      *name = ((ScopeRemoteFile *) files->pdata[i])->name;
      g_autofree char *path = scope_remote_names_resolve (names, name);
      int              file = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
      gboolean         is_placed = path && hyb_file_replace (path, copy_file, &file, error);

      close (file);
      if (!is_placed)
        return FALSE;
    }
  return TRUE;
}

/* --- Texts --- */

char *
scope_remote_names_dup_folders (const ScopeRemoteNames *names)
{
  GString *lines = g_string_new (NULL);

  for (guint i = 0; i < names->folders->len; i++)
    if (!strpbrk (names->folders->pdata[i], "\n\t"))
      g_string_append_printf (lines, SCOPE_FILE_FOLDER "%u\t%s\n", i,
                              (const char *) names->folders->pdata[i]);
  return g_string_free (lines, FALSE);
}

char *
scope_remote_names_restore (const ScopeRemoteNames *names, const char *text, gboolean is_json)
{
  GString *restored = g_string_new (text);

  for (guint i = 0; i < names->folders->len; i++)
    {
      g_autofree char *there = g_strdup_printf (SCOPE_FILE_FOLDER "%u/", i);
      g_autoptr (GString) here = g_string_new (NULL);

      if (is_json)
        {
          hyb_json_append_string (here, names->folders->pdata[i]);
          g_string_truncate (here, here->len - 1);
          g_string_erase (here, 0, 1);
        }
      else
        g_string_append (here, names->folders->pdata[i]);
      g_string_replace (restored, there, here->str, 0);
    }
  return g_string_free (restored, FALSE);
}
