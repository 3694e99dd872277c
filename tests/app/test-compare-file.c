/* test-compare-file.c — comparisons in files: what is one, what is kept, what a stranger may name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-file.h"

#include "app/process/json-fields.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

#define CELLS                                                                       \
  "'cells':[{'variant':'fused','mode':'static','median':1,'capture':'own.hscope'}," \
  "{'variant':'unrolled','mode':'static','median':2,'capture':'../other.hscope'},"  \
  "{'variant':'foreach','mode':'static','median':2,'capture':'/etc/passwd'}],'pairs':[]"

static char *folder;

/* Quotes are written as ' and replaced.  (transfer full) */
static ScopeSavedComparison *
parse (const char *text, GError **error)
{
  g_autofree char *quoted = g_strdelimit (g_strdup (text), "'", '"');
  g_autofree char *path = g_build_filename (folder, "a.comparison.json", NULL);

  return scope_saved_comparison_parse (quoted, path, error);
}

static void
keep_result (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static void
test_beginnings (void)
{
  static const struct
  {
    const char *head;
    gboolean    is_comparison;
  } cases[] = {
    { "{\"comparison\": {", TRUE },
    { " \n{\n  \"equal\": {", TRUE },
    { "{\"nodes\": [", FALSE },
    { "{\"equa", FALSE },
    { "{", FALSE },
    { "", FALSE },
    { "[\"equal\"", FALSE },
    { "{\"equally\"", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_true (scope_saved_comparison_sniff (cases[i].head, strlen (cases[i].head)) ==
                   cases[i].is_comparison);
}

/* A recording beside the file is used; paths that lead elsewhere, and files that are gone, are not. */
static void
test_recordings_of_strangers (void)
{
  g_autofree char *own = g_build_filename (folder, "own.hscope", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeSavedComparison) comparison = NULL;
  const cJSON *cells;

  g_assert_true (g_file_set_contents (own, "x", 1, NULL));
  comparison = parse ("{'comparison':{'version':1,'model':'net-symbol.json','shapes':['data=1,3'],"
                      "'files':[]},'results':[{'title':'inference','result':{" CELLS "}},"
                      "{'title':'no result','result':{}}]}",
                      &error);
  g_assert_no_error (error);
  g_assert_cmpuint (comparison->results->len, ==, 1);
  g_assert_cmpstr (comparison->titles->pdata[0], ==, "inference");
  g_assert_true (g_str_has_prefix (comparison->model, folder));
  g_assert_cmpstr (comparison->shapes[0], ==, "data=1,3");
  g_assert_null (comparison->files);
  cells = cJSON_GetObjectItemCaseSensitive (comparison->results->pdata[0], "cells");
  g_assert_cmpstr (scope_json_get_text (cJSON_GetArrayItem (cells, 0), "capture"), ==, own);
  g_assert_cmpstr (scope_json_get_text (cJSON_GetArrayItem (cells, 1), "capture"), ==, "");
  g_assert_cmpstr (scope_json_get_text (cJSON_GetArrayItem (cells, 2), "capture"), ==, "");
  g_remove (own);
}

static void
test_other_files (void)
{
  static const char *const texts[] = { "", "{", "[]", "{}", "{'comparison':{}}", "{'cells':[]}" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse (texts[i], &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
    }
}

/* What was written is read again, with the recordings in the file. */
static void
test_round_trip (void)
{
  g_autofree char      *capture = g_build_filename (folder, "measured.hscope", NULL);
  g_autofree char      *path = g_build_filename (folder, "b.comparison.json", NULL);
  g_autofree char      *text = NULL, *bytes = NULL, *kept = NULL;
  ScopeSavedComparison *comparison = scope_saved_comparison_new (path);
  g_autoptr (ScopeSavedComparison) again = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  cJSON *json = cJSON_Parse ("{\"cells\":[{\"variant\":\"fused\",\"median\":1}],\"pairs\":[]}");
  const cJSON *cell;

  g_assert_true (g_file_set_contents (capture, "recording", -1, NULL));
  cJSON_AddStringToObject (cJSON_GetArrayItem (cJSON_GetObjectItemCaseSensitive (json, "cells"), 0),
                           "capture", capture);
  comparison->model = g_strdup ("gallery:lstm-unrolled");
  comparison->params = g_build_filename (folder, "other.params", NULL);
  comparison->forms = g_strsplit ("fused while", " ", 0);
  comparison->colours = g_strdup ("difference");
  g_ptr_array_add (comparison->results, json);
  g_ptr_array_add (comparison->titles, g_strdup ("training"));
  scope_saved_comparison_write_async (comparison, keep_result, &result);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (scope_saved_comparison_write_finish (result, &error), ==, 1);
  g_assert_no_error (error);
  g_remove (capture);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  again = scope_saved_comparison_parse (text, path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (again->model, ==, "gallery:lstm-unrolled");
  g_assert_true (g_str_has_prefix (again->params, folder));
  g_assert_true (g_str_has_suffix (again->params, "/other.params"));
  g_assert_cmpstr (again->titles->pdata[0], ==, "training");
  cell =
      cJSON_GetArrayItem (cJSON_GetObjectItemCaseSensitive (again->results->pdata[0], "cells"), 0);
  g_assert_true (g_file_get_contents (scope_json_get_text (cell, "capture"), &bytes, NULL, NULL));
  g_assert_cmpstr (bytes, ==, "recording");
  g_assert_cmpstr (scope_json_get_text (cell, "recording"), ==, "");
  g_assert_cmpstr (again->forms[1], ==, "while");
  g_assert_null (again->forms[2]);
  g_assert_cmpstr (again->colours, ==, "difference");
  kept = g_strdup (again->folder);
  g_clear_pointer (&again, scope_saved_comparison_free);
  g_assert_false (g_file_test (kept, G_FILE_TEST_EXISTS));
  g_remove (path);
}

TEST_PROGRAM (test_compare_file)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hybridscope-comparison-XXXXXX", NULL);
  g_test_add_func ("/app/compare-file/is-told-by-its-beginning", test_beginnings);
  g_test_add_func ("/app/compare-file/names-recordings-of-its-folder-only",
                   test_recordings_of_strangers);
  g_test_add_func ("/app/compare-file/refuses-other-files", test_other_files);
  g_test_add_func ("/app/compare-file/is-read-as-it-was-written", test_round_trip);
  status = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
