/* compare-file.c — a comparison as a file: what is compared, and every result.
 *
 * The file may come from a stranger: it names recordings only by the names of files in its own
 * folder.  Start reading with scope_comparison_parse() and write_all().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-file.h"

#include "app/compare/compare-cells.h"
#include "app/process/json-fields.h"
#include "app/process/worker.h"
#include "engine/formats/file.h"

#include <glib/gi18n.h>
#include <string.h>

#define VERSION   1
#define MAX_BYTES (64 << 20)
#define MAX_FILES 16

static void
delete_json (gpointer json)
{
  cJSON_Delete (json);
}

ScopeComparison *
scope_comparison_new (const char *path)
{
  ScopeComparison *comparison = g_new0 (ScopeComparison, 1);

  comparison->path = g_strdup (path);
  comparison->titles = g_ptr_array_new_with_free_func (g_free);
  comparison->results = g_ptr_array_new_with_free_func (delete_json);
  return comparison;
}

void
scope_comparison_free (ScopeComparison *comparison)
{
  if (!comparison)
    return;
  g_ptr_array_unref (comparison->titles);
  g_ptr_array_unref (comparison->results);
  g_strfreev (comparison->shapes);
  g_strfreev (comparison->files);
  g_free (comparison->model);
  g_free (comparison->params);
  g_free (comparison->path);
  g_free (comparison);
}

/* --- Reading --- */

gboolean
scope_comparison_sniff (const char *head, gsize length)
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

/* Recordings of a result: files of the folder become paths, others are dropped, except where they name
 * the recordings that are compared. */
static void
resolve_captures (cJSON *result, const char *folder)
{
  cJSON *cell;

  if (scope_cells_are_recordings (result))
    return;
  cJSON_ArrayForEach (cell, cJSON_GetObjectItemCaseSensitive (result, "cells"))
  {
    const char      *name = scope_json_get_text (cell, "capture");
    g_autofree char *path = strchr (name, '/') ? NULL : g_build_filename (folder, name, NULL);
    gboolean         is_there = *name && path && g_file_test (path, G_FILE_TEST_IS_REGULAR);

    cJSON_DeleteItemFromObjectCaseSensitive (cell, "capture");
    if (is_there)
      cJSON_AddStringToObject (cell, "capture", path);
  }
}

/* json: (transfer full) */
static void
add_result (ScopeComparison *comparison, cJSON *json, const char *title, const char *folder)
{
  if (!scope_cells_are_result (json))
    {
      cJSON_Delete (json);
      return;
    }
  resolve_captures (json, folder);
  g_ptr_array_add (comparison->results, json);
  g_ptr_array_add (comparison->titles, g_strdup (title));
}

static void
read_comparison (ScopeComparison *comparison, cJSON *json, const char *folder)
{
  const cJSON *head = cJSON_GetObjectItemCaseSensitive (json, "comparison");
  const char  *model = scope_json_get_text (head, "model");
  const char  *params = scope_json_get_text (head, "params");
  cJSON       *item;

  comparison->model = *model ? resolve (model, folder) : NULL;
  comparison->params = *params ? resolve (params, folder) : NULL;
  comparison->shapes = read_texts (cJSON_GetObjectItemCaseSensitive (head, "shapes"), NULL);
  comparison->files = read_texts (cJSON_GetObjectItemCaseSensitive (head, "files"), folder);
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive (json, "results"))
  {
    add_result (comparison, cJSON_DetachItemFromObjectCaseSensitive (item, "result"),
                scope_json_get_text (item, "title"), folder);
  }
}

ScopeComparison *
scope_comparison_parse (const char *text, const char *path, GError **error)
{
  g_autoptr (ScopeComparison) comparison = scope_comparison_new (path);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  cJSON           *json = cJSON_Parse (text);

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
read_in_worker (GTask                    *task,
                gpointer source           G_GNUC_UNUSED,
                gpointer                  data,
                GCancellable *cancellable G_GNUC_UNUSED)
{
  const char      *path = data;
  GError          *error = NULL;
  ScopeComparison *comparison = NULL;
  g_autofree char *text = NULL;
  gsize            length;

  if (g_file_get_contents (path, &text, &length, &error))
    {
      if (length <= MAX_BYTES)
        comparison = scope_comparison_parse (text, path, &error);
      else
        g_set_error (&error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                     _ ("%s is too large for a comparison."), path);
    }
  if (comparison)
    g_task_return_pointer (task, comparison, (GDestroyNotify) scope_comparison_free);
  else
    g_task_return_error (task, error);
}

void
scope_comparison_read_async (const char         *path,
                             GCancellable       *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_task_data (task, g_strdup (path), g_free);
  scope_worker_run (task, read_in_worker);
}

ScopeComparison *
scope_comparison_read_finish (GAsyncResult *result, GError **error)
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

/* "lstm-1-2-fused.hscope" for the second cell of the first result.  (transfer full) */
static char *
name_capture (const char *stem, guint result, guint index, const cJSON *cell)
{
  g_autofree char *form = g_strdup (scope_json_get_text (cell, "variant"));

  g_strcanon (form, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS, '-');
  return g_strdup_printf ("%s-%u-%u-%s.hscope", stem, result + 1, index + 1, form);
}

/* Copies the recordings of a result, and names the copies in it.  FALSE: one cannot be written. */
static gboolean
write_captures (cJSON *result, const char *path, guint number, gssize *n_written, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *stem = g_path_get_basename (path);
  guint            index = 0;
  cJSON           *cell;

  if (g_str_has_suffix (stem, SCOPE_COMPARISON_ENDING))
    stem[strlen (stem) - strlen (SCOPE_COMPARISON_ENDING)] = '\0';
  cJSON_ArrayForEach (cell, cJSON_GetObjectItemCaseSensitive (result, "cells"))
  {
    g_autofree char *from = g_strdup (scope_json_get_text (cell, "capture"));
    g_autofree char *name = name_capture (stem, number, index++, cell);
    g_autofree char *to = g_build_filename (folder, name, NULL);
    g_autofree char *bytes = NULL;
    gsize            length;

    cJSON_DeleteItemFromObjectCaseSensitive (cell, "capture");
    /* A recording that is gone costs the colours, not the result. */
    if (*from == '\0' || !g_file_get_contents (from, &bytes, &length, NULL))
      continue;
    if (!hyb_file_replace_contents (to, bytes, length, error))
      return FALSE;
    cJSON_AddStringToObject (cell, "capture", name);
    ++*n_written;
  }
  return TRUE;
}

/* The number of recordings; -1 and an error: not written. */
static gssize
write_all (ScopeComparison *comparison, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (comparison->path);
  g_autofree char *model = comparison->model ? shorten (comparison->model, folder) : NULL;
  g_autofree char *params = comparison->params ? shorten (comparison->params, folder) : NULL;
  cJSON           *json = cJSON_CreateObject ();
  cJSON           *head = cJSON_AddObjectToObject (json, "comparison"), *list;
  gssize           n_written = 0;
  gboolean         is_done = TRUE;
  char            *text;

  cJSON_AddNumberToObject (head, "version", VERSION);
  if (model)
    cJSON_AddStringToObject (head, "model", model);
  if (params)
    cJSON_AddStringToObject (head, "params", params);
  add_texts (head, "shapes", comparison->shapes, NULL);
  add_texts (head, "files", comparison->files, folder);
  list = cJSON_AddArrayToObject (json, "results");
  for (guint i = 0; is_done && i < comparison->results->len; i++)
    {
      cJSON *item = cJSON_CreateObject ();
      cJSON *result = cJSON_Duplicate (comparison->results->pdata[i], TRUE);

      is_done = scope_cells_are_recordings (result) ||
                write_captures (result, comparison->path, i, &n_written, error);
      cJSON_AddStringToObject (item, "title", comparison->titles->pdata[i]);
      cJSON_AddItemToObject (item, "result", result);
      cJSON_AddItemToArray (list, item);
    }
  text = cJSON_Print (json);
  is_done = is_done && hyb_file_replace_contents (comparison->path, text, strlen (text), error);
  cJSON_free (text);
  cJSON_Delete (json);
  return is_done ? n_written : -1;
}

static void
write_in_worker (GTask                    *task,
                 gpointer source           G_GNUC_UNUSED,
                 gpointer                  data,
                 GCancellable *cancellable G_GNUC_UNUSED)
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
  scope_comparison_free (data);
}

void
scope_comparison_write_async (ScopeComparison    *comparison,
                              GAsyncReadyCallback callback,
                              gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_set_task_data (task, comparison, free_comparison);
  scope_worker_run (task, write_in_worker);
}

gssize
scope_comparison_write_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_int (G_TASK (result), error);
}
