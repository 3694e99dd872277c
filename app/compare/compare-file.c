/* compare-file.c — a comparison as one file: what is compared, how it is shown, and every result.
 *
 * The file may come from a stranger: recordings in it are unpacked under names of our own, and others are
 * used only if they are files in its own folder.  Start reading with scope_saved_comparison_parse() and write_all().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-file.h"

#include "app/compare/compare-cells.h"
#include "app/process/json-fields.h"
#include "app/process/worker.h"
#include "engine/formats/file.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#define VERSION   2
#define MAX_BYTES (256 << 20)
#define MAX_FILES 16

static void
delete_json (gpointer json)
{
  cJSON_Delete (json);
}

ScopeSavedComparison *
scope_saved_comparison_new (const char *path)
{
  ScopeSavedComparison *comparison = g_new0 (ScopeSavedComparison, 1);

  comparison->path = g_strdup (path);
  comparison->titles = g_ptr_array_new_with_free_func (g_free);
  comparison->results = g_ptr_array_new_with_free_func (delete_json);
  return comparison;
}

void
scope_saved_comparison_remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *file = g_build_filename (folder, name, NULL);

      g_remove (file);
    }
  if (folder)
    g_rmdir (folder);
}

void
scope_saved_comparison_free (ScopeSavedComparison *comparison)
{
  if (!comparison)
    return;
  g_ptr_array_unref (comparison->titles);
  g_ptr_array_unref (comparison->results);
  g_strfreev (comparison->shapes);
  g_strfreev (comparison->files);
  g_strfreev (comparison->forms);
  scope_saved_comparison_remove_folder (comparison->folder);
  g_free (comparison->folder);
  g_free (comparison->colours);
  g_free (comparison->model);
  g_free (comparison->params);
  g_free (comparison->path);
  g_free (comparison);
}

/* --- Reading --- */

gboolean
scope_saved_comparison_sniff (const char *head, gsize length)
{
  static const char *const keys[] = { "\"comparison\"", "\"equal\"" };
  gsize                    at = 0;

  while (at < length && g_ascii_isspace (head[at]))
    at++;
  if (at == length || head[at] != '{')
    return FALSE;
  at++;
  while (at < length && g_ascii_isspace (head[at]))
    at++;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (length - at >= strlen (keys[i]) && strncmp (head + at, keys[i], strlen (keys[i])) == 0)
      return TRUE;
  return FALSE;
}

/* Names of files in the comparison's folder become paths.  (transfer full) */
static char *
resolve (const char *name, const char *folder)
{
  if (strchr (name, '/') || strchr (name, ':'))
    return g_strdup (name);
  return g_build_filename (folder, name, NULL);
}

/* The texts of a list; NULL: it is empty.  folder: (nullable) resolves names of files.
 * (transfer full) */
static char **
read_texts (const cJSON *list, const char *folder)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const cJSON *item;
  guint        n = 0;

  cJSON_ArrayForEach (item, list)
  {
    g_autofree char *text = NULL;

    if (!cJSON_IsString (item) || n == MAX_FILES)
      continue;
    text = folder ? resolve (item->valuestring, folder) : g_strdup (item->valuestring);
    g_strv_builder_add (builder, text);
    n++;
  }
  return n > 0 ? g_strv_builder_end (builder) : NULL;
}

/* Writes a recording of the file to the temporary folder.  (transfer full) NULL: it cannot be read or written. */
static char *
unpack (ScopeSavedComparison *comparison, const char *base64, guint index)
{
  gsize              length;
  g_autofree guchar *bytes = g_base64_decode (base64, &length);
  g_autofree char   *name = NULL, *path = NULL;

  if (!comparison->folder)
    comparison->folder = g_dir_make_tmp ("hybridscope-compare-XXXXXX", NULL);
  if (!comparison->folder || length == 0)
    return NULL;
  name = g_strdup_printf ("saved-%u-%u.hscope", comparison->results->len + 1, index + 1);
  path = g_build_filename (comparison->folder, name, NULL);
  return g_file_set_contents (path, (const char *) bytes, (gssize) length, NULL)
             ? g_steal_pointer (&path)
             : NULL;
}

/* A recording beside the file.  (transfer full) NULL: the name leads elsewhere, or there is no file. */
static char *
find_beside (const char *name, const char *folder)
{
  g_autofree char *path = strchr (name, '/') ? NULL : g_build_filename (folder, name, NULL);

  return *name && path && g_file_test (path, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&path)
                                                                     : NULL;
}

/* Recordings of a result become paths, except where they name the recordings that are compared. */
static void
resolve_captures (ScopeSavedComparison *comparison, cJSON *result, const char *folder)
{
  guint  index = 0;
  cJSON *cell;

  if (scope_cells_are_recordings (result))
    return;
  cJSON_ArrayForEach (cell, cJSON_GetObjectItemCaseSensitive (result, "cells"))
  {
    const char      *base64 = scope_json_get_text (cell, "recording");
    g_autofree char *path = *base64 ? unpack (comparison, base64, index)
                                    : find_beside (scope_json_get_text (cell, "capture"), folder);

    index++;
    cJSON_DeleteItemFromObjectCaseSensitive (cell, "recording");
    cJSON_DeleteItemFromObjectCaseSensitive (cell, "capture");
    if (path)
      cJSON_AddStringToObject (cell, "capture", path);
  }
}

/* json: (transfer full) */
static void
add_result (ScopeSavedComparison *comparison, cJSON *json, const char *title, const char *folder)
{
  if (!scope_cells_are_result (json))
    {
      cJSON_Delete (json);
      return;
    }
  resolve_captures (comparison, json, folder);
  g_ptr_array_add (comparison->results, json);
  g_ptr_array_add (comparison->titles, g_strdup (title));
}

static void
read_comparison (ScopeSavedComparison *comparison, cJSON *json, const char *folder)
{
  const cJSON *head = cJSON_GetObjectItemCaseSensitive (json, "comparison");
  const char  *model = scope_json_get_text (head, "model");
  const char  *params = scope_json_get_text (head, "params");
  cJSON       *item;

  comparison->model = *model ? resolve (model, folder) : NULL;
  comparison->params = *params ? resolve (params, folder) : NULL;
  comparison->shapes = read_texts (cJSON_GetObjectItemCaseSensitive (head, "shapes"), NULL);
  comparison->files = read_texts (cJSON_GetObjectItemCaseSensitive (head, "files"), folder);
  comparison->forms = read_texts (cJSON_GetObjectItemCaseSensitive (head, "forms"), NULL);
  if (*scope_json_get_text (head, "colours"))
    comparison->colours = g_strdup (scope_json_get_text (head, "colours"));
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (json, "results"))
  {
    add_result (comparison, cJSON_DetachItemFromObjectCaseSensitive (item, "result"),
                scope_json_get_text (item, "title"), folder);
  }
}

ScopeSavedComparison *
scope_saved_comparison_parse (const char *text, const char *path, GError **error)
{
  g_autoptr (ScopeSavedComparison) comparison = scope_saved_comparison_new (path);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  cJSON           *json = cJSON_Parse (valid);

  if (cJSON_IsObject (cJSON_GetObjectItemCaseSensitive (json, "comparison")))
    {
      read_comparison (comparison, json, folder);
      cJSON_Delete (json);
    }
  else
    add_result (comparison, json, "", folder);
  if (comparison->results->len > 0 || comparison->model || comparison->files)
    return g_steal_pointer (&comparison);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
               _ ("%s holds no comparison. Save one from a page that compares forms."), name);
  return NULL;
}

static void
read_in_worker (GTask *task, gpointer data)
{
  const char           *path = data;
  GError               *error = NULL;
  ScopeSavedComparison *comparison = NULL;
  g_autofree char      *text = NULL;
  gsize                 length;

  if (g_file_get_contents (path, &text, &length, &error))
    {
      if (length <= MAX_BYTES)
        comparison = scope_saved_comparison_parse (text, path, &error);
      else
        g_set_error (&error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                     _ ("%s is too large for a comparison."), path);
    }
  scope_task_return (task, comparison, (GDestroyNotify) scope_saved_comparison_free, error);
}

void
scope_saved_comparison_read_async (const char         *path,
                                   GCancellable       *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_task_data (task, g_strdup (path), g_free);
  scope_worker_run (task, read_in_worker);
}

ScopeSavedComparison *
scope_saved_comparison_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Writing --- */

/* A path as the file names it: by its name if it is in the same folder.  (transfer full) */
static char *
shorten (const char *path, const char *folder)
{
  g_autofree char *own = g_path_get_dirname (path);

  return g_str_equal (own, folder) ? g_path_get_basename (path) : g_strdup (path);
}

static void
add_texts (cJSON *object, const char *key, char **texts, const char *folder)
{
  cJSON *list = cJSON_AddArrayToObject (object, key);

  for (guint i = 0; texts && texts[i]; i++)
    {
      g_autofree char *text = folder ? shorten (texts[i], folder) : g_strdup (texts[i]);

      cJSON_AddItemToArray (list, cJSON_CreateString (text));
    }
}

/* Puts the recordings of a result into it. */
static void
pack_captures (cJSON *result, gssize *n_written)
{
  cJSON *cell;

  cJSON_ArrayForEach (cell, cJSON_GetObjectItemCaseSensitive (result, "cells"))
  {
    g_autofree char *from = g_strdup (scope_json_get_text (cell, "capture"));
    g_autofree char *bytes = NULL, *base64 = NULL;
    gsize            length;

    cJSON_DeleteItemFromObjectCaseSensitive (cell, "capture");
    /* A recording that is gone costs the colours, not the result. */
    if (*from == '\0' || !g_file_get_contents (from, &bytes, &length, NULL))
      continue;
    base64 = g_base64_encode ((const guchar *) bytes, length);
    cJSON_AddStringToObject (cell, "recording", base64);
    ++*n_written;
  }
}

/* The number of recordings; -1 and an error: not written. */
static gssize
write_all (ScopeSavedComparison *comparison, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (comparison->path);
  g_autofree char *model = comparison->model ? shorten (comparison->model, folder) : NULL;
  g_autofree char *params = comparison->params ? shorten (comparison->params, folder) : NULL;
  cJSON           *json = cJSON_CreateObject ();
  cJSON           *head = cJSON_AddObjectToObject (json, "comparison"), *list;
  gssize           n_written = 0;
  gboolean         is_done;
  char            *text;

  cJSON_AddNumberToObject (head, "version", VERSION);
  if (model)
    cJSON_AddStringToObject (head, "model", model);
  if (params)
    cJSON_AddStringToObject (head, "params", params);
  add_texts (head, "shapes", comparison->shapes, NULL);
  add_texts (head, "files", comparison->files, folder);
  if (comparison->forms)
    add_texts (head, "forms", comparison->forms, NULL);
  if (comparison->colours)
    cJSON_AddStringToObject (head, "colours", comparison->colours);
  list = cJSON_AddArrayToObject (json, "results");
  for (guint i = 0; i < comparison->results->len; i++)
    {
      cJSON *item = cJSON_CreateObject ();
      cJSON *result = cJSON_Duplicate (comparison->results->pdata[i], TRUE);

      if (!scope_cells_are_recordings (result))
        pack_captures (result, &n_written);
      cJSON_AddStringToObject (item, "title", comparison->titles->pdata[i]);
      cJSON_AddItemToObject (item, "result", result);
      cJSON_AddItemToArray (list, item);
    }
  text = cJSON_Print (json);
  is_done = hyb_file_replace_contents (comparison->path, text, strlen (text), error);
  cJSON_free (text);
  cJSON_Delete (json);
  return is_done ? n_written : -1;
}

static void
write_in_worker (GTask *task, gpointer data)
{
  GError *error = NULL;
  gssize  n = write_all (data, &error);

  if (n >= 0)
    g_task_return_int (task, n);
  else
    g_task_return_error (task, error);
}

static void
free_comparison (gpointer data)
{
  scope_saved_comparison_free (data);
}

void
scope_saved_comparison_write_async (ScopeSavedComparison *comparison,
                                    GAsyncReadyCallback   callback,
                                    gpointer              user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_set_task_data (task, comparison, free_comparison);
  scope_worker_run (task, write_in_worker);
}

gssize
scope_saved_comparison_write_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_int (G_TASK (result), error);
}
