/* manners.c — small things that a user expects of every window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include <glib/gstdio.h>
#include <string.h>

/* The button of a tab of the lower panel. */
static GtkWidget *
nth_tab (guint n)
{
  GtkWidget *tab = gtk_widget_get_first_child (gui_find (GTK_WIDGET (page), "panel-tabs"));

  while (n-- > 0)
    tab = gtk_widget_get_next_sibling (tab);
  return tab;
}

static gboolean
is_panel_open (gpointer unused G_GNUC_UNUSED)
{
  return is_mapped (gui_find (GTK_WIDGET (page), "panel"));
}

/* Also the tab that was selected before, and a further click leaves it open. */
static void
test_tabs_of_the_panel (void)
{
  g_assert_false (is_panel_open (NULL));
  g_signal_emit_by_name (nth_tab (1), "clicked");
  wait_until (is_panel_open, NULL);
  g_signal_emit_by_name (nth_tab (2), "clicked");
  g_assert_true (is_panel_open (NULL));
  gui_act (page, "page.panel", NULL);
  g_assert_false (is_panel_open (NULL));
  g_signal_emit_by_name (nth_tab (2), "clicked");
  wait_until (is_panel_open, NULL);
  gui_act (page, "page.panel", NULL);
}

/* Keys of the canvas, such as Space, still reach it after a click. */
static void
test_buttons_leave_the_focus (void)
{
  for (const char *const *name =
           (const char *const[]){ "zoom-in-button", "zoom-out-button", "zoom-fit-button", NULL };
       *name; name++)
    g_assert_false (gtk_widget_get_focus_on_click (gui_find (GTK_WIDGET (page), *name)));
}

/* --- The guide --- */

static gboolean
says_not_installed (gpointer unused G_GNUC_UNUSED)
{
  return says (GTK_WIDGET (window), "The guide is not installed.");
}

static gboolean
says_where (gpointer path)
{
  g_autofree char *text = g_strconcat ("No program could open the guide. It is here: ", path, NULL);

  return says (GTK_WIDGET (window), text);
}

static gboolean
file_exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* The desktop's program for the file is started with it; without such a program, or without the file, a message
 * says where the guide is. */
static void
test_guide (void)
{
  g_autoptr (GAppInfo) program = NULL;
  g_autofree char *folder = g_dir_make_tmp ("guide-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "guide.unheard-of", NULL);
  g_autofree char *opened = g_build_filename (folder, "opened", NULL);
  g_autofree char *command = g_strdup_printf ("sh -c 'touch %s'", opened);
  g_autofree char *type = g_content_type_guess (file, (const guchar *) "\001\002", 2, NULL);

  g_setenv ("HYBRIDSCOPE_GUIDE", file, TRUE);
  gui_act (window, "win.guide", NULL);
  wait_until (says_not_installed, NULL);

  g_assert_true (g_file_set_contents (file, "\001\002", 2, NULL));
  gui_act (window, "win.guide", NULL);
  wait_until (says_where, file);

  program = g_app_info_create_from_commandline (command, "test", 0, NULL);
  g_assert_true (g_app_info_set_as_default_for_type (program, type, NULL));
  gui_act (window, "win.guide", NULL);
  wait_until (file_exists, opened);
  g_assert_true (g_app_info_delete (program));
  g_unsetenv ("HYBRIDSCOPE_GUIDE");
  g_remove (opened);
  g_remove (file);
  g_rmdir (folder);
}

static void
assert_no_tooltip (GtkWidget *button)
{
  g_assert_true (gtk_widget_get_has_tooltip (button));
  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  g_assert_false (gtk_widget_get_has_tooltip (button));
  gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
  g_assert_true (gtk_widget_get_has_tooltip (button));
}

/* The tooltip of a button would cover what it opens. */
static void
test_no_tooltip_over_a_popover (void)
{
  static const char *const names[] = { "menu-button", "heat-button", "form-button" };
  GtkWidget *child = gtk_widget_get_first_child (gui_find (GTK_WIDGET (window), "run-button"));

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    assert_no_tooltip (gui_find (GTK_WIDGET (window), names[i]));
  while (!GTK_IS_MENU_BUTTON (child))
    child = gtk_widget_get_next_sibling (child);
  assert_no_tooltip (child);
}

/* Menus and help name the first key of an action: none of the number pad. */
static void
test_first_keys (void)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (canvas ()));
  guint n_named = 0;

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      for (guint k = 0; GTK_IS_SHORTCUT_CONTROLLER (controller) &&
                        k < g_list_model_get_n_items (G_LIST_MODEL (controller));
           k++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), k);
          g_autofree char *trigger =
              gtk_shortcut_trigger_to_string (gtk_shortcut_get_trigger (shortcut));

          if (!GTK_IS_NAMED_ACTION (gtk_shortcut_get_action (shortcut)))
            continue;
          n_named++;
          g_assert_null (strstr (trigger, "KP_"));
        }
    }
  g_assert_cmpuint (n_named, >, 10);
}

/* The button of a menu item with this text, or NULL. */
static GtkWidget *
find_item (GtkWidget *root, const char *text)
{
  GtkWidget *found = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (root), "text"))
    {
      g_autofree char *its_text = NULL;

      g_object_get (root, "text", &its_text, NULL);
      if (g_strcmp0 (its_text, text) == 0)
        return root;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found;
       child = gtk_widget_get_next_sibling (child))
    found = find_item (child, text);
  return found;
}

static gboolean
has_focus_on_screen (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  return focus && gtk_widget_get_mapped (focus);
}

/* Else no key reaches the window any more. */
static void
test_focus_after_a_submenu (void)
{
  GtkMenuButton *button = GTK_MENU_BUTTON (gui_find (GTK_WIDGET (window), "menu-button"));
  GtkWidget     *popover = GTK_WIDGET (gtk_menu_button_get_popover (button)), *item;

  gtk_menu_button_popup (button);
  wait_until (is_mapped, popover);
  item = find_item (popover, "Colours");
  g_assert_nonnull (item);
  gtk_widget_grab_focus (item);
  gtk_widget_activate (item);
  wait_until (is_mapped, find_item (popover, "Follow the System"));
  gtk_widget_grab_focus (find_item (popover, "Follow the System"));
  gtk_popover_popdown (GTK_POPOVER (popover));
  wait_until (is_unmapped, popover);
  g_assert_true (gui_wait (has_focus_on_screen, NULL, 5000));
}

/* --- Fields --- */

/* Checks the hints of all entries below root, and returns how many there are. */
static guint
check_hints (GtkWidget *root)
{
  guint n = 0;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (root), "placeholder-text"))
    {
      g_autofree char *hint = NULL;

      g_object_get (root, "placeholder-text", &hint, NULL);
      for (const char *c = hint ? hint : ""; *c; c++)
        g_assert_false (g_ascii_isdigit (*c));
      n += hint != NULL && *hint != '\0';
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    n += check_hints (child);
  return n;
}

/* A hint in an empty field with a number in it would look like a value. */
static void
test_hints_are_no_values (void)
{
  gui_act (window, "win.show-view", "operators");
  g_assert_cmpuint (check_hints (GTK_WIDGET (window)), >, 0);
}

/* --- Tabs --- */

/* The names differ in the middle; two of them are equal. */
static const char *const tab_files[] = {
  "net18_imagenet-symbol.json",  "net34_imagenet-symbol.json",  "net50_imagenet-symbol.json",
  "net101_imagenet-symbol.json", "net152_imagenet-symbol.json", "a/lstm-symbol.json",
  "b/lstm-symbol.json",
};

static GtkWidget *
find_tab (GtkWidget *root, AdwTabPage *tab)
{
  GtkWidget *found = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (root), "page"))
    {
      g_autoptr (GObject) its_page = NULL;

      g_object_get (root, "page", &its_page, NULL);
      if (its_page == G_OBJECT (tab))
        return root;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found;
       child = gtk_widget_get_next_sibling (child))
    found = find_tab (child, tab);
  return found;
}

/* Whether the selected tab lies wholly in its bar. */
static gboolean
shows_selected_tab (gpointer view)
{
  GtkWidget      *tab = find_tab (GTK_WIDGET (window), adw_tab_view_get_selected_page (view));
  GtkWidget      *pane = tab ? gtk_widget_get_ancestor (tab, GTK_TYPE_SCROLLED_WINDOW) : NULL;
  graphene_rect_t bounds;

  return pane && gtk_widget_compute_bounds (tab, pane, &bounds) && bounds.origin.x > -1 &&
         bounds.origin.x + bounds.size.width < (float) gtk_widget_get_width (pane) + 1;
}

static gboolean
is_narrow (gpointer unused G_GNUC_UNUSED)
{
  return gtk_widget_get_width (GTK_WIDGET (window)) <= 900;
}

static GtkWidget *
find_view (GtkWidget *root)
{
  GtkWidget *found = ADW_IS_TAB_VIEW (root) ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found;
       child = gtk_widget_get_next_sibling (child))
    found = find_view (child);
  return found;
}

/* Opens copies of a model under the names of tab_files. */
static void
open_tabs (const char *folder)
{
  g_autoptr (GFile) model = g_object_ref (scope_workspace_get_file (workspace ()));

  for (guint i = 0; i < G_N_ELEMENTS (tab_files); i++)
    {
      g_autofree char *path = g_build_filename (folder, tab_files[i], NULL);
      g_autofree char *parent = g_path_get_dirname (path);
      g_autoptr (GFile) copy = g_file_new_for_path (path);

      g_mkdir_with_parents (parent, 0700);
      g_assert_true (g_file_copy (model, copy, 0, NULL, NULL, NULL, NULL));
      scope_window_open (window, copy);
      gui_settle (scope_window_get_page (window));
    }
}

static void
test_tabs_tell_what_they_show (void)
{
  g_autofree char         *folder = g_dir_make_tmp ("hybridscope-tabs-XXXXXX", NULL);
  AdwTabView              *view = ADW_TAB_VIEW (find_view (GTK_WIDGET (window)));
  static const char *const titles[] = { NULL,      "net18…",  "net34…", "net50…",
                                        "net101…", "net152…", "a/lstm", "b/lstm" };

  open_tabs (folder);
  for (int i = 1; i < (int) G_N_ELEMENTS (titles); i++)
    g_assert_cmpstr (adw_tab_page_get_title (adw_tab_view_get_nth_page (view, i)), ==, titles[i]);
  gtk_window_set_default_size (GTK_WINDOW (window), 900, 700);
  wait_until (is_narrow, NULL);
  g_assert_true (gui_wait (shows_selected_tab, view, 5000));
  take_picture (window, "tabs-900");
  for (guint i = 0; i < G_N_ELEMENTS (tab_files); i++)
    {
      g_autofree char *path = g_build_filename (folder, tab_files[i], NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      g_remove (path);
      g_rmdir (parent);
    }
  g_rmdir (folder);
}

void
add_manner_tests (void)
{
  add_test ("/app/window/a-tab-opens-the-panel", CASE_MODEL, test_tabs_of_the_panel);
  add_test ("/app/window/zoom-buttons-leave-the-focus", CASE_MODEL, test_buttons_leave_the_focus);
  add_long_test ("/app/window/the-guide-is-opened-or-its-place-is-told", CASE_MODEL, test_guide);
  add_test ("/app/window/no-tooltip-over-a-popover", CASE_MODEL, test_no_tooltip_over_a_popover);
  add_test ("/app/window/actions-are-named-by-keys-of-the-keyboard", CASE_MODEL, test_first_keys);
  add_test ("/app/window/keys-work-after-a-submenu", CASE_MODEL, test_focus_after_a_submenu);
  add_test ("/app/window/hints-do-not-look-like-values", CASE_MODEL, test_hints_are_no_values);
  add_long_test ("/app/window/tabs-tell-what-they-show", CASE_MODEL, test_tabs_tell_what_they_show);
}
