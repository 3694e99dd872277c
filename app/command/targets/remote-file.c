/* remote-file.c — announces files to the other end of a launcher, and checks what the other end announces.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/remote-file.h"

#include "app/command/children/find-json.h"
#include "engine/base/error.h"
#include "engine/formats/json-text.h"

#include <string.h>

#define MAX_BYTES ((gint64) 64 << 30) /* of all files together */
#define MAX_FILES 10000
#define MAX_NAME  255

static void
file_free (gpointer data)
{
  ScopeRemoteFile *file = data;

  g_free (file->name);
  g_free (file->path);
  g_free (file);
}

GPtrArray *
scope_remote_files_new (void)
{
  return g_ptr_array_new_with_free_func (file_free);
}

ScopeRemoteFile *
scope_remote_files_add (GPtrArray *files, const char *name, const char *path)
{
  ScopeRemoteFile *file = g_new0 (ScopeRemoteFile, 1);

  file->name = g_strdup (name);
  file->path = g_strdup (path);
  g_ptr_array_add (files, file);
  return file;
}

gboolean
scope_remote_name_is_safe (const char *name)
{
  gsize       n_folder = strlen (SCOPE_FILE_FOLDER), n_digits;
  const char *base;

  if (!g_str_has_prefix (name, SCOPE_FILE_FOLDER))
    return FALSE;
  n_digits = strspn (name + n_folder, "0123456789");
  base = name + n_folder + n_digits;
  if (n_digits < 1 || n_digits > 4 || *base != '/')
    return FALSE;
  base++;
  return *base != '\0' && strlen (base) <= MAX_NAME && !strchr (base, '/') &&
         strcmp (base, ".") != 0 && strcmp (base, "..") != 0;
}

void
scope_remote_files_append (GString *json, const char *key, const GPtrArray *files)
{
  g_string_append_printf (json, ", \"%s\": [", key);
  for (guint i = 0; i < files->len; i++)
    {
      const ScopeRemoteFile *file = files->pdata[i];

      g_string_append (json, i > 0 ? ", {\"name\": " : "{\"name\": ");
      hyb_json_append_string (json, file->name);
      g_string_append_printf (json, ", \"size\": %" G_GUINT64_FORMAT ", \"prefix\": %s}",
                              file->size, file->is_prefix ? "true" : "false");
    }
  g_string_append_c (json, ']');
}

/* Adds a member of the list.  NULL, or the fault. */
static const char *
take_file (GPtrArray *files, GHashTable *names, const HybJson *json, HybJsonRef member)
{
  const char      *name = scope_find_string (json, member, "name");
  HybJsonRef       prefix = hyb_json_find (json, member, "prefix");
  gint64           size = -1;
  ScopeRemoteFile *file;

  if (!name || !scope_remote_name_is_safe (name))
    return "the name of a file leads out of its folder";
  if (g_hash_table_contains (names, name))
    return "a file was announced twice";
  if (!scope_find_int (json, member, "size", &size) || size < 0)
    return "a file was announced without its size";
  if (size > MAX_BYTES || files->len == MAX_FILES)
    return "more files or bytes were announced than are taken, 10000 files and 64 GiB";
  file = scope_remote_files_add (files, name, NULL);
  file->size = (guint64) size;
  file->is_prefix = prefix != HYB_JSON_NONE && hyb_json_get_kind (json, prefix) == HYB_JSON_TRUE;
  g_hash_table_add (names, file->name);
  return NULL;
}

GPtrArray *
scope_remote_files_parse (const HybJson *json, const char *key, GError **error)
{
  g_autoptr (GPtrArray) files = scope_remote_files_new ();
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  HybJsonRef  list = hyb_json_find (json, 0, key), member;
  HybJsonIter iter;
  guint64     n_bytes = 0;
  const char *trouble = list == HYB_JSON_NONE || hyb_json_get_kind (json, list) != HYB_JSON_ARRAY
                            ? "no list of files came"
                            : NULL;

  if (!trouble)
    iter = hyb_json_iter (json, list);
  while (!trouble && hyb_json_iter_next (&iter, NULL, &member))
    {
      trouble = take_file (files, names, json, member);
      n_bytes += trouble ? 0 : ((ScopeRemoteFile *) files->pdata[files->len - 1])->size;
      if (!trouble && n_bytes > (guint64) MAX_BYTES)
        trouble = "more files or bytes were announced than are taken, 10000 files and 64 GiB";
    }
  if (!trouble)
    return g_steal_pointer (&files);
  g_set_error_literal (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, trouble);
  return NULL;
}
