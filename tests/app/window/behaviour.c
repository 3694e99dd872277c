/* behaviour.c — files, tabs, dialogs, preferences, colours, saved views, quitting.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/process/writer.h"
#include "app/session/settings.h"
#include "app/window/preferences.h"

#include <glib/gstdio.h>

static gboolean
is_ready (gpointer data)
{
  return scope_workspace_get_state (data) == SCOPE_STATE_READY;
}

static gboolean
has_failed (gpointer data G_GNUC_UNUSED)
{
  ScopePage *shown = scope_window_get_page (window);

  return scope_workspace_get_state (scope_page_get_workspace (shown)) == SCOPE_STATE_FAILED;
}

static void
test_reading_again (void)
{
  guint32 selected;

  scope_workspace_select (workspace (), 3);
  for (const char *const *action = (const char *const[]){ "page.reload", "win.reload", NULL };
       *action != NULL; action++)
    {
      gui_act (g_str_has_prefix (*action, "win") ? (gpointer) window : page, *action, NULL);
      g_assert_cmpint (scope_workspace_get_state (workspace ()), ==, SCOPE_STATE_LOADING);
      g_assert_true (gui_wait (is_ready, workspace (), 10000));
    }
  selected = scope_workspace_get_selected (workspace ());
  g_assert_cmpuint (selected, ==, 3);
  gui_settle (page);
}

static void
test_missing_file (void)
{
  gui_act (window, "win.open-uri", "file:///nowhere/at-all-symbol.json");
  g_assert_true (gui_wait (has_failed, NULL, 10000));
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_shown, page, 5000));
}

static GtkWidget *
first_recent (void)
{
  return gtk_widget_get_first_child (gui_find (GTK_WIDGET (window), "recent-list"));
}

/* TRUE if the first row is visible and shows the file of that name. */
static gboolean
shows_recent (gpointer name)
{
  GtkWidget *row = first_recent ();

  return row && gtk_widget_get_visible (row) &&
         g_str_has_prefix (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), name);
}

static void
test_forgetting_a_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "seen-symbol.json", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path),
                    gone = g_file_new_for_path ("/nowhere/at-all");
  g_autofree char *uri = g_file_get_uri (file), *uri_gone = g_file_get_uri (gone);

  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  scope_settings_add_recent (gone);
  scope_settings_add_recent (file);
  gui_act (window, "win.new-tab", NULL);
  g_assert_true (gui_wait (shows_recent, (gpointer) "seen", 5000));
  g_assert_nonnull (
      strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (first_recent ())), folder));

  gui_act (window, "win.forget-recent", uri);
  g_assert_false (gui_wait (shows_recent, (gpointer) "seen", 300));
  g_assert_false (gui_wait (shows_recent, (gpointer) "at-all", 300));
  gui_act (window, "win.forget-recent", uri_gone);
  g_unlink (path);
  g_rmdir (folder);
  gui_act (window, "win.new-tab", NULL);
  g_assert_true (is_shown (page));
}

static void
test_banner (void)
{
  GtkWidget *label = gui_find (GTK_WIDGET (page), "banner-label");

  scope_page_show_message (page, "something", NULL, NULL);
  gui_spin (100);
  g_assert_true (gtk_widget_get_child_visible (label) && gtk_widget_get_mapped (label));
  gui_act (page, "page.dismiss", NULL);
  gui_spin (100);
  g_assert_false (gtk_revealer_get_reveal_child (
      GTK_REVEALER (gtk_widget_get_ancestor (label, GTK_TYPE_REVEALER))));
}

/* A dropped model opens in a new tab. */
static void
test_drop (void)
{
  g_autofree char *path =
      g_build_filename (SOURCE_ROOT,
                        "tests/data/goldens/models/mlp-dropout/mlp-dropout-symbol.json", NULL);
  gpointer target = gui_controller (GTK_WIDGET (window), GTK_TYPE_DROP_TARGET);
  GValue   value = G_VALUE_INIT;
  gboolean handled = FALSE;

  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  g_value_init (&value, G_TYPE_FILE);
  g_value_take_object (&value, g_file_new_for_path (path));
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &handled);
  g_value_unset (&value);
  g_assert_true (handled);
  g_assert_true (scope_window_get_page (window) != page);
  gui_settle (scope_window_get_page (window));
  gui_mark_gesture ("window-drop");
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_shown, page, 5000));
}

static gboolean
has_two_pages (gpointer data)
{
  return scope_window_get_page (window) != data;
}

static void
test_converting (void)
{
  gui_act (window, "win.convert", "foreach");
  g_assert_true (gui_wait (has_two_pages, page, 60000));
  gui_settle (scope_window_get_page (window));
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_shown, page, 5000));
}

static void
test_examples (void)
{
  gui_act (window, "win.open-example", "lstm-foreach");
  g_assert_true (gui_wait (has_two_pages, page, 60000));
  gui_settle (scope_window_get_page (window));
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_shown, page, 5000));
}

static gboolean
shows_another_ready (gpointer unused G_GNUC_UNUSED)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown && shown != page && is_ready (scope_page_get_workspace (shown));
}

static ScopeCanvas *
open_and_look (void)
{
  ScopePage *other = gui_open (window, "lenet-static", NULL);

  return scope_graph_view_get_canvas (scope_page_get_graph_view (other));
}

/* A model that is opened again has the same camera. */
static void
test_looking_again (void)
{
  ScopeCanvas *shown = open_and_look ();
  double       x, y, zoom, x2, y2, zoom2;

  scope_canvas_set_camera (shown, -40, 30, 0.8);
  scope_canvas_get_camera (shown, &x, &y, &zoom);
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_shown, page, 5000));
  shown = open_and_look ();
  scope_canvas_get_camera (shown, &x2, &y2, &zoom2);
  g_assert_cmpfloat_with_epsilon (x2, x, 1e-6);
  g_assert_cmpfloat_with_epsilon (y2, y, 1e-6);
  g_assert_cmpfloat_with_epsilon (zoom2, zoom, 1e-6);
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_shown, page, 5000));
}

/* Opens a path that is entered on the start page. */
static void
test_pasting (void)
{
  g_autofree char *path =
      g_build_filename (SOURCE_ROOT,
                        "tests/data/goldens/models/mlp-dropout/mlp-dropout-symbol.json", NULL);
  GtkWidget *entry = gui_find (GTK_WIDGET (window), "path-entry");

  g_assert_nonnull (entry);
  gui_act (window, "win.new-tab", NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), path);
  g_signal_emit_by_name (entry, "activate");
  g_assert_true (gui_wait (shows_another_ready, NULL, 20000));
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_shown, page, 5000));
}

static GtkWidget *
find_button (GtkWidget *root, const char *label)
{
  if (GTK_IS_BUTTON (root) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (root)), label) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, label);

      if (found)
        return found;
    }
  return NULL;
}

static gboolean
has_offer (gpointer unused G_GNUC_UNUSED)
{
  return find_button (GTK_WIDGET (window), "Open Again") != NULL;
}

/* The offer after a crash. */
static void
test_open_again (void)
{
  g_autofree char *uri = g_file_get_uri (scope_workspace_get_file (workspace ()));

  scope_window_offer_reopen (window, (const char *const[]){ uri, "gallery:lstm-foreach", NULL });
  g_assert_true (gui_wait (has_offer, NULL, 10000));
  g_signal_emit_by_name (find_button (GTK_WIDGET (window), "Open Again"), "clicked");
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (gui_wait (shows_another_ready, NULL, 60000));
      gui_act (window, "win.close-tab", NULL);
      gui_spin (100);
    }
  g_assert_true (gui_wait (is_shown, page, 5000));
}

/* --- Dialogs --- */

static guint
n_windows (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) other = g_list_model_get_item (windows, i);

      n += gtk_widget_get_visible (other);
    }
  return n;
}

static gboolean
has_another_window (gpointer unused G_GNUC_UNUSED)
{
  return n_windows () > 1;
}

static gboolean
has_one_window (gpointer unused G_GNUC_UNUSED)
{
  return n_windows () == 1;
}

static void
close_dialogs (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) other = g_list_model_get_item (windows, i);

      if (other != GTK_WINDOW (window))
        gtk_window_close (other);
    }
  g_assert_true (gui_wait (has_one_window, NULL, 5000));
}

static void
check_dialog (const char *action, const char *target)
{
  gui_act (window, action, target);
  g_assert_true (gui_wait (has_another_window, NULL, 5000));
  gui_spin (50);
  close_dialogs ();
}

static void
test_dialogs (void)
{
  check_dialog ("win.about", NULL);
  check_dialog ("win.open", NULL);
  check_dialog ("win.export", "picture");
  check_dialog ("app.new-window", NULL);
}

/* --- Preferences --- */

static GtkWidget *
find_type (GtkWidget *root, const char *type)
{
  if (g_str_equal (G_OBJECT_TYPE_NAME (root), type))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_type (child, type);

      if (found)
        return found;
    }
  return NULL;
}

static gboolean
is_forgotten (gpointer unused G_GNUC_UNUSED)
{
  g_auto (GStrv) uris = scope_settings_get_recent ();

  return !uris[0];
}

static gboolean
has_no_captures (gpointer unused G_GNUC_UNUSED)
{
  g_autofree char *path =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "captures", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return !dir || !g_dir_read_name (dir);
}

static gboolean
can_empty (gpointer unused G_GNUC_UNUSED)
{
  return gtk_widget_activate_action (gui_find_window (SCOPE_TYPE_PREFERENCES), "preferences.empty",
                                     NULL);
}

/* A file in the folder that the preferences can empty. */
static void
add_capture (void)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "captures", NULL);
  g_autofree char *path = g_build_filename (folder, "any.hscope", NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "capture", -1, NULL));
}

static void
test_preferences (void)
{
  GtkWidget *preferences, *reopen;

  gui_act (window, "win.preferences", NULL);
  g_assert_true (gui_wait (has_another_window, NULL, 5000));
  preferences = gui_find_window (SCOPE_TYPE_PREFERENCES);
  g_assert_nonnull (preferences);
  reopen = gui_find (preferences, "reopen");
  g_assert_false (scope_settings_get_flag ("reopen", FALSE));
  gtk_switch_set_active (GTK_SWITCH (reopen), TRUE);
  g_assert_true (scope_settings_get_flag ("reopen", FALSE));
  gtk_switch_set_active (GTK_SWITCH (reopen), FALSE);
  gtk_switch_set_active (GTK_SWITCH (gui_find (preferences, "measure-forms")), FALSE);
  g_assert_false (scope_settings_get_flag ("measure-forms", TRUE));
  gtk_switch_set_active (GTK_SWITCH (gui_find (preferences, "measure-forms")), TRUE);
  adw_combo_row_set_selected (ADW_COMBO_ROW (gui_find (preferences, "preferences-colours")), 2);
  g_assert_true (adw_style_manager_get_dark (adw_style_manager_get_default ()));
  adw_combo_row_set_selected (ADW_COMBO_ROW (gui_find (preferences, "preferences-colours")), 0);
  g_assert_false (is_forgotten (NULL));
  gui_act (preferences, "preferences.forget", NULL);
  g_assert_true (is_forgotten (NULL));
  add_capture ();
  g_assert_false (has_no_captures (NULL));
  g_assert_true (gui_wait (can_empty, NULL, 5000)); /* once they have been counted */
  gui_act (preferences, "preferences.empty", NULL);
  g_assert_true (gui_wait (has_no_captures, NULL, 5000));
  close_dialogs ();
}

static void
test_first_steps (void)
{
  GtkWidget      *card = gui_find (GTK_WIDGET (window), "first-steps");
  gboolean        before = gtk_revealer_get_reveal_child (GTK_REVEALER (card));
  graphene_rect_t of_card, of_banner;
  GtkWidget      *picked;

  gui_act (window, "win.first-steps", NULL);
  g_assert_true (gtk_revealer_get_reveal_child (GTK_REVEALER (card)) != before);
  gui_act (window, "win.first-steps", NULL);
  g_assert_true (gtk_revealer_get_reveal_child (GTK_REVEALER (card)) == before);
  if (!before)
    gui_act (window, "win.first-steps", NULL);

  /* The card does not cover a message. */
  gtk_window_set_default_size (GTK_WINDOW (window), 800, 700);
  scope_page_show_message (page, "something that takes more than the room beside it", NULL, NULL);
  gui_spin (600);
  g_assert_true (gtk_widget_compute_bounds (card, GTK_WIDGET (window), &of_card) &&
                 gtk_widget_compute_bounds (gui_find (GTK_WIDGET (page), "banner-label"),
                                            GTK_WIDGET (window), &of_banner));
  g_assert_cmpfloat (of_card.origin.y, >=, of_banner.origin.y + of_banner.size.height);
  scope_page_show_message (page, NULL, NULL, NULL);
  gui_act (window, "win.first-steps", NULL);
  g_assert_false (gtk_revealer_get_reveal_child (GTK_REVEALER (card)));
  g_assert_false (scope_settings_get_flag ("first-steps", TRUE));

  /* Nor does it take clicks after it is gone. */
  gui_spin (600);
  picked = gtk_widget_pick (GTK_WIDGET (window), of_card.origin.x + of_card.size.width / 2,
                            of_card.origin.y + of_card.size.height / 2, GTK_PICK_DEFAULT);
  g_assert_false (picked == card || gtk_widget_is_ancestor (picked, card));
}

/* The list of keyboard shortcuts is shown. */
static void
test_shortcuts (void)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-help-overlay", NULL);
  g_assert_true (gui_wait (has_another_window, NULL, 5000));
  g_assert_nonnull (find_type (GTK_WIDGET (gtk_application_window_get_help_overlay (
                                   GTK_APPLICATION_WINDOW (window))),
                               "GtkShortcutsShortcut"));
  close_dialogs ();
}

static gboolean
is_fullscreen (gpointer unused G_GNUC_UNUSED)
{
  return gtk_window_is_fullscreen (GTK_WINDOW (window));
}

static gboolean
is_not_fullscreen (gpointer unused G_GNUC_UNUSED)
{
  return !gtk_window_is_fullscreen (GTK_WINDOW (window));
}

/* Without a window manager the request has no effect, but must do no harm. */
static void
test_fullscreen (void)
{
  gui_act (window, "win.fullscreen", NULL);
  if (!gui_wait (is_fullscreen, NULL, 1000))
    {
      g_test_message ("no window manager grants it");
      return;
    }
  gui_act (window, "win.fullscreen", NULL);
  g_assert_true (gui_wait (is_not_fullscreen, NULL, 2000));
}

static void
test_colours (void)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  const VizTheme  *light;

  gui_act (window, "app.colours", "light");
  light = scope_canvas_get_theme (canvas ());
  g_assert_false (adw_style_manager_get_dark (style));
  gui_act (window, "app.colours", "dark");
  g_assert_true (adw_style_manager_get_dark (style));
  g_assert_true (scope_canvas_get_theme (canvas ()) != light);
  gui_act (window, "app.colours", "follow");
  g_assert_cmpint (adw_style_manager_get_color_scheme (style), ==, ADW_COLOR_SCHEME_DEFAULT);
}

static gboolean
has_no_window (gpointer unused G_GNUC_UNUSED)
{
  return !gtk_application_get_windows (GTK_APPLICATION (gui_application ()));
}

/* The fixture destroys the window while the worker still reads. */
static void
test_closing_while_reading (void)
{
  gui_act (page, "page.reload", NULL);
  g_assert_cmpint (scope_workspace_get_state (workspace ()), ==, SCOPE_STATE_LOADING);
}

static void
test_quit (void)
{
  gui_act (window, "app.quit", NULL);
  g_assert_true (gui_wait (has_no_window, NULL, 5000));
}

void
add_behaviour_tests (void)
{
  add_test ("/app/window/reads-again-and-keeps-the-selection", CASE_MODEL, test_reading_again);
  add_test ("/app/window/survives-a-missing-file", CASE_MODEL, test_missing_file);
  add_test ("/app/window/forgets-one-recent-file", CASE_MODEL, test_forgetting_a_file);
  add_test ("/app/window/a-banner-comes-and-goes", CASE_MODEL, test_banner);
  add_test ("/app/window/opens-what-is-dropped", CASE_MODEL, test_drop);
  add_test ("/app/window/converts", CASE_MODEL, test_converting);
  add_test ("/app/window/opens-examples", CASE_MODEL, test_examples);
  add_test ("/app/window/opens-again-what-stood-open", CASE_MODEL, test_open_again);
  add_test ("/app/window/looks-again-where-one-looked", CASE_MODEL, test_looking_again);
  add_test ("/app/window/opens-a-path-that-is-pasted", CASE_MODEL, test_pasting);
  add_test ("/app/window/dialogs-open", CASE_MODEL, test_dialogs);
  add_test ("/app/window/preferences-work-at-once", CASE_MODEL, test_preferences);
  add_test ("/app/window/first-steps-are-shown-and-go-away", CASE_MODEL, test_first_steps);
  add_test ("/app/window/keys-are-listed", CASE_MODEL, test_shortcuts);
  add_long_test ("/app/window/fills-the-screen", CASE_MODEL, test_fullscreen);
  add_test ("/app/window/colours-are-light-or-dark", CASE_MODEL, test_colours);
  add_test ("/app/window/is-closed-while-a-model-is-read", CASE_MODEL, test_closing_while_reading);
  add_test ("/app/window/quits", CASE_MODEL, test_quit);
}
