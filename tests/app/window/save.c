/* save.c — saving models and comparisons, opening them again, recordings, models side by side.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/compare/compare-file.h"
#include "app/session/settings.h"

#include <glib/gstdio.h>
#include <string.h>

static char *folder; /* of the running test */

static char *
path_of (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
begin (void)
{
  folder = g_dir_make_tmp ("hybridscope-save-XXXXXX", NULL);
}

static void
end (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = path_of (name);

      g_remove (path);
    }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

static gboolean
has_no_dialog (gpointer unused G_GNUC_UNUSED)
{
  return !has_dialog (NULL);
}

static void
check_dialog (const char *action)
{
  gui_act (window, action, NULL);
  wait_until (has_dialog, NULL);
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
  wait_until (has_no_dialog, NULL);
}

/* --- Models --- */

static gboolean
shows_another (gpointer from)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown && shown != from &&
         scope_workspace_get_document (scope_page_get_workspace (shown)) != NULL;
}

static void
assert_same_bytes (const char *a, const char *b)
{
  g_autofree char *x = NULL, *y = NULL;
  gsize            n, m;

  g_assert_true (g_file_get_contents (a, &x, &n, NULL));
  g_assert_true (g_file_get_contents (b, &y, &m, NULL));
  g_assert_cmpmem (x, n, y, m);
}

/* A converted model lies in the cache until it is saved; what is saved is what the conversion wrote. */
static void
test_model (void)
{
  ScopePage       *first = page, *fused;
  g_autofree char *symbol = NULL, *params = NULL, *nowhere = NULL;
  ScopeDocument   *document;

  begin ();
  symbol = path_of ("net-symbol.json");
  params = path_of ("net-0000.params");
  gui_act (window, "win.convert", "fused");
  g_assert_true (gui_wait (shows_another, first, 60000));
  fused = scope_window_get_page (window);
  gui_settle (fused);
  check_dialog ("win.save-model");
  scope_window_save_model (window, symbol);
  g_assert_true (gui_wait (is_file, params, 10000));
  g_assert_true (gui_wait (is_file, symbol, 10000));
  document = scope_workspace_get_document (scope_page_get_workspace (fused));
  assert_same_bytes (scope_document_get_path (document), symbol);
  assert_same_bytes (scope_document_get_params (document), params);

  nowhere = g_build_filename (folder, "no-such-folder", "net-symbol.json", NULL);
  scope_window_save_model (window, nowhere);
  gui_spin (500);
  g_assert_nonnull (
      strstr (gtk_label_get_text (GTK_LABEL (gui_find (GTK_WIDGET (fused), "banner-label"))),
              "net-symbol.json was not written"));
  end ();
}

/* --- Comparisons --- */

static gboolean
has_comparison (gpointer unused G_GNUC_UNUSED)
{
  return scope_window_get_comparison (window) != NULL;
}

static gboolean
has_no_comparison (gpointer unused G_GNUC_UNUSED)
{
  return !scope_window_get_comparison (window);
}

static gboolean
is_measured (gpointer data)
{
  return scope_compare_page_is_settled (data) && scope_compare_page_is_measured (data);
}

static gboolean
is_settled (gpointer data)
{
  return scope_compare_page_is_settled (data);
}

static gboolean
is_saved (gpointer data)
{
  return scope_compare_page_get_path (data) != NULL;
}

static gboolean
is_coloured (gpointer data)
{
  return scope_canvas_get_overlay (scope_compare_pane_get_canvas (data)) != NULL;
}

static const char *
state_of (ScopeComparePage *compare)
{
  return gtk_stack_get_visible_child_name (
      GTK_STACK (gui_find (GTK_WIDGET (compare), "compare-states")));
}

/* Nothing was written beside the file. */
static void
assert_only_file (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *name = g_path_get_basename (path);

  g_assert_cmpstr (g_dir_read_name (dir), ==, name);
  g_assert_null (g_dir_read_name (dir));
}

/* Writes a recording of the saved comparison to a file of its own. */
static char *
dup_capture (const char *path, guint index)
{
  g_autofree char *text = NULL, *bytes = NULL;
  g_autofree char *name = g_strdup_printf ("recording-%u.hscope", index);
  char            *to = path_of (name);
  g_autoptr (ScopeSavedComparison) comparison = NULL;
  const cJSON *cells;
  gsize        length;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  comparison = scope_saved_comparison_parse (text, path, NULL);
  g_assert_nonnull (comparison);
  cells = cJSON_GetObjectItemCaseSensitive (comparison->results->pdata[0], "cells");
  g_assert_true (
      g_file_get_contents (cJSON_GetStringValue (
                               cJSON_GetObjectItemCaseSensitive (cJSON_GetArrayItem (cells,
                                                                                     (int) index),
                                                                 "capture")),
                           &bytes, &length, NULL));
  g_assert_true (g_file_set_contents (to, bytes, (gssize) length, NULL));
  return to;
}

/* Saved, closed, and opened again with the result, the graphs and their colours, without measuring; then its
 * recordings are compared as recordings. */
static void
test_comparison (void)
{
  ScopeComparePage *compare;
  g_autofree char  *path = NULL, *a = NULL, *b = NULL, *colours = NULL;
  g_autoptr (GFile) file = NULL;

  begin ();
  path = path_of ("cells.comparison.json");
  scope_settings_set_int ("compare-seconds", 4);
  gui_act (window, "win.compare", NULL);
  compare = scope_window_get_comparison (window);
  g_assert_true (gui_wait (is_measured, compare, 120000));
  g_signal_emit_by_name (scope_compare_page_get_pane (compare, 2), "closed");
  gui_act (compare, "compare.colours", "difference");
  check_dialog ("win.save-comparison");
  scope_window_save_comparison (window, path);
  g_assert_true (gui_wait (is_saved, compare, 10000));
  take_picture (window, "comparison-saved");
  assert_only_file (path);
  g_assert_true (is_file (path));
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (has_no_comparison, NULL, 5000));

  file = g_file_new_for_path (path);
  scope_window_open (window, file);
  g_assert_true (gui_wait (has_comparison, NULL, 20000));
  compare = scope_window_get_comparison (window);
  g_assert_cmpstr (state_of (compare), ==, "result");
  g_assert_nonnull (gui_find (GTK_WIDGET (compare), "fused, static"));
  g_assert_true (gui_wait (is_settled, compare, 60000));
  g_assert_true (gui_wait (is_coloured, scope_compare_page_get_pane (compare, 0), 20000));
  take_picture (window, "comparison-opened");
  g_assert_cmpuint (scope_compare_page_n_panes (compare), ==, 3);
  g_object_get (compare, "colours", &colours, NULL);
  g_assert_cmpstr (colours, ==, "difference");
  a = dup_capture (path, 0);
  b = dup_capture (path, 2);
  gui_act (window, "win.open-json", path);
  g_assert_true (scope_window_get_comparison (window) == compare);

  scope_window_open_beside (window, (const char *const[]){ a, b, NULL });
  compare = scope_window_get_comparison (window);
  g_assert_true (gui_wait (is_measured, compare, 60000));
  g_assert_cmpuint (scope_compare_page_n_panes (compare), ==, 2);
  g_assert_cmpstr (state_of (compare), ==, "result");
  g_assert_nonnull (gui_find (GTK_WIDGET (compare), b));
  g_assert_true (gui_wait (is_coloured, scope_compare_page_get_pane (compare, 1), 20000));
  take_picture (window, "recordings");
  check_dialog ("win.compare-recordings");
  end ();
}

static gboolean
has_relative_view (gpointer compare_pane)
{
  ScopeRelativeView look;

  return scope_compare_pane_get_relative_view (compare_pane, &look);
}

/* Two models in one tab: cameras are linked, nodes of the same name match, and nothing is run unasked. */
static void
test_beside (void)
{
  ScopeComparePage *compare;
  g_autofree char  *copy = NULL, *params = NULL;
  const char       *path;
  ScopeRelativeView look, other;

  begin ();
  copy = path_of ("copy-symbol.json");
  params = path_of ("copy-0000.params");
  path = scope_document_get_path (scope_workspace_get_document (workspace ()));
  check_dialog ("win.open-beside");
  scope_window_save_model (window, copy);
  g_assert_true (gui_wait (is_file, params, 10000));
  g_assert_true (gui_wait (is_file, copy, 10000));
  scope_window_open_beside (window, (const char *const[]){ path, copy, NULL });
  compare = scope_window_get_comparison (window);
  g_assert_true (gui_wait (is_settled, compare, 60000));
  gui_spin (500);
  g_assert_cmpstr (state_of (compare), ==, "empty");
  take_picture (window, "beside");
  gui_act (compare, "compare.fit", NULL);
  for (guint i = 0; i < scope_compare_page_n_panes (compare); i++)
    wait_until (has_relative_view, scope_compare_page_get_pane (compare, i));
  scope_canvas_zoom_by (scope_compare_pane_get_canvas (scope_compare_page_get_pane (compare, 0)),
                        1.5, 10, 10);
  g_assert_true (
      scope_compare_pane_get_relative_view (scope_compare_page_get_pane (compare, 0), &look));
  g_assert_true (
      scope_compare_pane_get_relative_view (scope_compare_page_get_pane (compare, 1), &other));
  g_assert_cmpfloat_with_epsilon (look.zoom, other.zoom, 1e-3);
  end ();
}

/* A result of the command line has no graphs; a damaged file is told, and opens no tab. */
static void
test_results_of_the_command (void)
{
  g_autofree char *path = NULL, *damaged = NULL;

  begin ();
  path = path_of ("result.json");
  damaged = path_of ("damaged.json");
  g_assert_true (g_file_set_contents (
      path,
      "{\"equal\":{\"ok\":true,\"max_abs\":0},\"cells\":["
      "{\"variant\":\"unrolled\",\"mode\":\"static\",\"median\":0.002,\"samples\":9},"
      "{\"variant\":\"fused\",\"mode\":\"static\",\"median\":0.001,\"samples\":9}],\"pairs\":[]}",
      -1, NULL));
  g_assert_true (g_file_set_contents (damaged, "{\"equal\": {", -1, NULL));
  gui_act (window, "win.open-json", damaged);
  gui_spin (500);
  g_assert_null (scope_window_get_comparison (window));
  gui_act (window, "win.open-json", path);
  g_assert_true (gui_wait (has_comparison, NULL, 20000));
  g_assert_cmpstr (state_of (scope_window_get_comparison (window)), ==, "result");
  gui_spin (200);
  take_picture (window, "result-of-the-command");
  end ();
}

/* The profile of another program stands beside the only form, which is not said to be equal to anything. */
static void
test_another_program (void)
{
  g_autofree char *path = NULL;
  GtkWidget       *compare;

  begin ();
  path = path_of ("with.json");
  g_assert_true (g_file_set_contents (
      path,
      "{\"equal\":{\"ok\":true,\"max_abs\":0},\"cells\":["
      "{\"variant\":\"as-is\",\"mode\":\"static\",\"median\":0.002,\"samples\":9}],\"pairs\":[],"
      "\"with\":{\"file\":\"there/ort.json\",\"ours_seconds\":0.003,\"theirs_seconds\":0.004,"
      "\"theirs_unplaced_seconds\":0.001,\"groups\":[{\"nodes\":[\"conv0\",\"relu0\"],"
      "\"ours_seconds\":0.003,\"theirs_seconds\":0.002,\"ratio\":1.5,\"ours\":\"\",\"theirs\":"
      "\"FusedConv\"},"
      "{\"nodes\":7}, null]}}",
      -1, NULL));
  gui_act (window, "win.open-json", path);
  g_assert_true (gui_wait (has_comparison, NULL, 20000));
  compare = GTK_WIDGET (scope_window_get_comparison (window));
  g_assert_true (says (compare, "Beside ort.json"));
  g_assert_true (
      says (compare, "there/ort.json: a traced run takes 3.00 ms here and 4.00 ms there"));
  g_assert_true (says (compare, "conv0 + relu0\ntheirs: FusedConv"));
  g_assert_true (says (compare, "1.50"));
  g_assert_true (says (compare, "theirs that belong to no node of the model: 1.00 ms"));
  g_assert_false (says (compare, "The outputs are equal"));
  /* Without graphs the result has all of the page. */
  gui_spin (300);
  g_assert_cmpint (gtk_widget_get_height (gui_find (compare, "compare-states")), >,
                   gtk_widget_get_height (compare) / 2);
  take_picture (window, "beside-another-program");
  end ();
}

void
add_save_tests (void)
{
  add_test ("/app/window/saves-a-converted-model", CASE_MODEL, test_model);
  add_test ("/app/window/saves-and-opens-a-comparison", CASE_MODEL, test_comparison);
  add_long_test ("/app/window/shows-models-side-by-side", CASE_MODEL, test_beside);
  add_test ("/app/window/opens-results-of-the-command", CASE_EMPTY, test_results_of_the_command);
  add_test ("/app/window/sets-results-beside-another-program", CASE_EMPTY, test_another_program);
}
