/* test-exports.c — public exports in the window: from the file to a coloured graph, a comparison and a saved
 * model, with clicks and keys only; nothing is typed.
 *
 * The list is public-exports.c; test-public-exports.c tries the same with hscope.  Most have no parameters and none
 * stores the shapes of its inputs.  Those that take minutes are tried with -m slow only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"
#include "tests/app/public-exports.h"
#include "tests/program.h"

#include "app/session/settings.h"

#include <glib/gstdio.h>
#include <string.h>

/* --- The window --- */

static ScopeWindow *window;

static gboolean
has_page (gpointer unused G_GNUC_UNUSED)
{
  return scope_window_get_page (window) != NULL;
}

static ScopeWorkspace *
workspace (void)
{
  return scope_page_get_workspace (scope_window_get_page (window));
}

/* Clicks a button. */
static void
click (GtkWidget *button)
{
  g_assert_true (GTK_IS_BUTTON (button));
  g_assert_true (gtk_widget_get_visible (button));
  g_assert_true (gtk_widget_get_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

/* The first visible button below root with this action; NULL: there is none. */
static GtkWidget *
find_button (GtkWidget *root, const char *action)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (root) && gtk_widget_get_visible (root) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (root)), action) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, action);
  return found;
}

static gboolean
has_ended (gpointer unused G_GNUC_UNUSED)
{
  return !scope_workspace_is_running (workspace ());
}

static gboolean
has_colours (gpointer unused G_GNUC_UNUSED)
{
  ScopeGraphView *view = scope_page_get_graph_view (scope_window_get_page (window));

  return scope_canvas_get_overlay (scope_graph_view_get_canvas (view)) != NULL;
}

static const char *
banner_text (void)
{
  return gtk_label_get_text (
      GTK_LABEL (gui_find (GTK_WIDGET (scope_window_get_page (window)), "banner-label")));
}

static void
save_picture (const PublicExport *export, const char *what)
{
  const char      *folder = g_getenv ("HYBRIDSCOPE_PICTURES");
  g_autofree char *base = g_path_get_basename (export->file);
  g_autofree char *path = folder ? g_strdup_printf ("%s/%s-%s.png", folder, base, what) : NULL;

  if (path)
    gui_save_picture (GTK_WINDOW (window), path);
}

/* Continues without a limit where a single run takes longer than a minute. */
static gboolean
wait_for_run (void)
{
  GtkWidget *button = gui_find (GTK_WIDGET (scope_window_get_page (window)), "banner-button");
  gboolean   is_done = gui_wait (has_ended, NULL, 600000);

  if (is_done && !has_colours (NULL) && !gui_wait (has_colours, NULL, 5000) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (button)), "page.run-unlimited") ==
          0)
    {
      click (button);
      is_done = gui_wait (has_ended, NULL, 900000);
    }
  return is_done;
}

/* Clicks Run, then “Fill with Random Values” where the model has none.  What cannot be run says so, with a button. */
static void
run (const PublicExport *export)
{
  GtkWidget *page = GTK_WIDGET (scope_window_get_page (window)), *fill;

  click (find_button (GTK_WIDGET (window), "win.run"));
  if (!scope_workspace_is_running (workspace ()))
    {
      fill = find_button (page, "win.fill");
      g_test_message ("%s", banner_text ());
      g_assert_nonnull (fill);
      click (fill);
    }
  g_assert_true (scope_workspace_is_running (workspace ()));
  g_assert_true (wait_for_run ());
  if (export->not_run)
    {
      g_assert_nonnull (strstr (banner_text (), export->not_run));
      g_assert_true (gtk_widget_get_visible (gui_find (page, "banner-show")));
    }
  else if (!gui_wait (has_colours, NULL, 30000))
    g_error ("%s: %s", export->file, banner_text ());
  gui_settle (scope_window_get_page (window));
  save_picture (export, "run");
}

static const char *
state_of_comparison (void)
{
  GtkWidget *states =
      gui_find (GTK_WIDGET (scope_window_get_comparison (window)), "compare-states");

  return gtk_stack_get_visible_child_name (GTK_STACK (states));
}

static gboolean
is_compared (gpointer unused G_GNUC_UNUSED)
{
  return scope_window_get_comparison (window) &&
         (g_str_equal (state_of_comparison (), "failed") ||
          scope_compare_page_is_measured (scope_window_get_comparison (window)));
}

static gboolean
is_form_listed (gpointer list)
{
  return gtk_list_box_get_row_at_index (list, 0) != NULL;
}

static void
open_forms (void)
{
  GtkWidget *list = gui_find (GTK_WIDGET (window), "form-list");

  gtk_menu_button_popup (GTK_MENU_BUTTON (gui_find (GTK_WIDGET (window), "form-button")));
  g_assert_true (gui_wait (is_form_listed, list, 60000));
}

static gboolean
has_forms (const PublicExport *export)
{
  return export->to && strcmp (export->to, "float") != 0;
}

/* Compares the forms of a recurrent model; for others the page says why there is only one. */
static void
compare (const PublicExport *export)
{
  gui_act (window, "win.compare", NULL); /* as in the main menu, or by Ctrl+M */
  g_assert_nonnull (scope_window_get_comparison (window));
  g_assert_true (gui_wait (is_compared, NULL, 600000));
  g_assert_cmpstr (state_of_comparison (), ==, has_forms (export) ? "result" : "failed");
  save_picture (export, "compare");
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (has_page, NULL, 10000));
}

static gboolean
is_converted (gpointer page)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown && shown != page &&
         scope_workspace_get_state (scope_page_get_workspace (shown)) == SCOPE_STATE_READY;
}

static gboolean
is_measured (gpointer unused G_GNUC_UNUSED)
{
  return scope_workspace_get_measurement (workspace ()) != NULL;
}

/* Converts a recurrent model to a loop, which opens a tab of its own and is measured as well.  A model with one form
 * has no menu of forms. */
static void
convert (const PublicExport *export)
{
  ScopePage         *page = scope_window_get_page (window);
  GtkWidget         *list = gui_find (GTK_WIDGET (window), "form-list"), *row;
  const ProfCapture *capture;

  g_assert_cmpint (gtk_widget_get_mapped (gui_find (GTK_WIDGET (window), "form-button")), ==,
                   has_forms (export));
  if (!has_forms (export))
    return;
  open_forms ();
  row = gui_find (list, "foreach");
  g_assert_nonnull (row);
  g_assert_true (gtk_list_box_row_get_activatable (GTK_LIST_BOX_ROW (row)));
  g_signal_emit_by_name (list, "row-activated", row);
  if (!gui_wait (is_converted, page, 120000))
    g_error ("%s: %s", export->file, banner_text ());
  /* Its capture says that the values are random. */
  g_assert_true (gui_wait (is_measured, NULL, 120000));
  capture = scope_measurement_get_capture (scope_workspace_get_measurement (workspace ()));
  g_assert_cmpfloat (prof_capture_get_number (capture, "model.filled"), >, 0);
  g_assert_true (gui_wait (has_colours, NULL, 30000));
  gui_settle (scope_window_get_page (window));
  save_picture (export, "converted");
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

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* Saves what is shown: the converted model, or the only form.  The dialog is answered by the function that it calls,
 * since its fields belong to the toolkit. */
static void
save (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-exports-XXXXXX", NULL);
  g_autofree char *symbol = g_build_filename (folder, "net-symbol.json", NULL);
  g_autofree char *params = g_build_filename (folder, "net-0000.params", NULL);

  gui_act (window, "win.save-model", NULL); /* as in the main menu */
  g_assert_true (gui_wait (has_dialog, NULL, 10000));
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
  g_assert_true (gui_wait (has_no_dialog, NULL, 10000));
  scope_window_save_model (window, symbol);
  if (!gui_wait (is_file, symbol, 60000))
    g_error ("%s", banner_text ());
  g_remove (symbol);
  g_remove (params);
  g_rmdir (folder);
}

/* The form has every guess, and what follows from them, such as the shape of a label. */
static void
check_guesses (const PublicExport *export)
{
  const char *const *shapes = scope_workspace_get_shapes (workspace ());
  g_auto (GStrv) guesses = g_strsplit (export->guess, "; ", -1);

  for (guint i = 0; guesses[i]; i++)
    {
      g_strdelimit (guesses[i], " ", '=');
      g_assert_true (g_strv_contains (shapes, guesses[i]));
    }
}

static void
test_export (gconstpointer data)
{
  const PublicExport *export = data;
  g_autofree char *path = public_export_path (export);
  g_autoptr (GFile) file = path ? g_file_new_for_path (path) : NULL;

  if (!file)
    return;
  scope_settings_set_int ("run-seconds", 1);
  scope_settings_set_int ("compare-seconds", 20);
  scope_settings_set_flag ("first-steps", FALSE);
  g_application_open (gui_application (), &file, 1, "");
  window = SCOPE_WINDOW (gtk_application_get_active_window (GTK_APPLICATION (gui_application ())));
  g_assert_true (gui_wait (has_page, NULL, 10000));
  gui_settle (scope_window_get_page (window));
  check_guesses (export);
  save_picture (export, "open");
  run (export);
  compare (export);
  convert (export);
  save ();
  gtk_window_destroy (GTK_WINDOW (window));
  gui_spin (50);
}

TEST_PROGRAM (test_exports)
{
  gboolean has_display = gui_init (&argc, &argv);
  int      status;

  if (has_display)
    gui_start_application ();
  for (guint i = 0; has_display && i < N_PUBLIC_EXPORTS; i++)
    {
      const PublicExport *export = &public_exports[i];
      g_autofree char *name = g_strconcat ("/app/exports/", export->file, NULL);

      if (!export->is_heavy || g_test_slow ())
        g_test_add_data_func (name, export, test_export);
    }
  status = g_test_run ();
  if (has_display)
    gui_end (status);
  return status;
}
