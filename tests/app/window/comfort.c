/* comfort.c — what stays in its place: the picture, the camera, the focus; and menus that offer what applies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/widgets/cell.h"
#include "app/widgets/tooltip.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  double x, y, zoom;
} Camera;

static Camera
camera (void)
{
  Camera now;

  scope_canvas_get_camera (canvas (), &now.x, &now.y, &now.zoom);
  return now;
}

static guint32
find_kind (VizBoxKind kind)
{
  VizDiagram *diagram = scope_document_get_diagram (scope_workspace_get_document (workspace ()));

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == kind)
      return box;
  g_assert_not_reached ();
}

/* --- The picture --- */

static int
canvas_height (void)
{
  return gtk_widget_get_height (GTK_WIDGET (canvas ()));
}

static gboolean
is_running (gpointer of)
{
  return scope_workspace_is_running (of);
}

/* A message and the progress of a run lie over the graph. */
static void
test_messages_do_not_move_the_picture (void)
{
  int height = canvas_height ();
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  GtkWidget *card = gui_find (GTK_WIDGET (page), "run-card");

  scope_page_show_message (page, "something", "Do It", "page.dismiss");
  wait_until (is_mapped, gui_find (GTK_WIDGET (page), "banner-label"));
  gui_spin (100);
  g_assert_cmpint (canvas_height (), ==, height);
  take_picture (window, "message");
  options->seconds = 3;
  g_assert_true (scope_page_run (page, options));
  wait_until (is_running, workspace ());
  wait_until (is_mapped, card);
  gui_spin (100);
  g_assert_cmpint (canvas_height (), ==, height);
  take_picture (window, "progress");
  wait_until (is_idle, workspace ());
}

/* What lies beside the card is the graph, which takes clicks. */
static void
test_progress_takes_no_clicks_beside_it (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  GtkWidget      *card = gui_find (GTK_WIDGET (page), "run-card"), *picked;
  graphene_rect_t bounds;

  gui_act (window, "win.first-steps", NULL);
  options->seconds = 3;
  g_assert_true (scope_page_run (page, options));
  wait_until (is_mapped, card);
  gui_spin (400);
  g_assert_true (gtk_widget_compute_bounds (card, GTK_WIDGET (window), &bounds));
  picked = gtk_widget_pick (GTK_WIDGET (window), bounds.origin.x - 40,
                            bounds.origin.y + bounds.size.height / 2, GTK_PICK_DEFAULT);
  g_assert_true (picked == GTK_WIDGET (canvas ()));
  wait_until (is_idle, workspace ());
}

static gboolean
covers_pane (gpointer card)
{
  graphene_rect_t of_card, of_pane;

  return gtk_widget_get_child_visible (card) &&
         gtk_widget_compute_bounds (card, GTK_WIDGET (window), &of_card) &&
         gtk_widget_compute_bounds (GTK_WIDGET (scope_page_get_view (page, "node")),
                                    GTK_WIDGET (window), &of_pane) &&
         graphene_rect_intersection (&of_card, &of_pane, NULL);
}

static gboolean
covers_no_pane (gpointer card)
{
  return !covers_pane (card);
}

/* Where the graph is narrower than the card, the card is hidden. */
static void
test_first_steps_cover_no_pane (void)
{
  GtkWidget *card = gui_find (GTK_WIDGET (window), "first-steps");

  gtk_window_set_default_size (GTK_WINDOW (window), 683, 640);
  gui_act (page, "page.outline", NULL);
  gui_spin (300);
  wait_until (covers_no_pane, card);
  g_assert_false (gtk_widget_get_child_visible (card));
  gui_act (page, "page.outline", NULL);
  gtk_window_set_default_size (GTK_WINDOW (window), 1200, 800);
  wait_until (is_mapped, card);
  g_assert_true (covers_no_pane (card));
}

/* --- The camera --- */

/* Arrows select a node that can be seen without moving the camera. */
static void
test_arrows_keep_the_camera (void)
{
  Camera before;

  scope_workspace_select (workspace (), find_kind (VIZ_BOX_INPUT));
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  before = camera ();
  gui_act (canvas (), "canvas.go-users", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, find_kind (VIZ_BOX_INPUT));
  g_assert_cmpfloat (camera ().x, ==, before.x);
  g_assert_cmpfloat (camera ().y, ==, before.y);
  g_assert_cmpfloat (camera ().zoom, ==, before.zoom);
}

/* One that cannot be seen comes into view, at the same zoom. */
static void
test_arrows_bring_into_view (void)
{
  Camera         before;
  const VizItem *item;
  guint32        box;

  scope_workspace_select (workspace (), find_kind (VIZ_BOX_INPUT));
  scope_canvas_set_camera (canvas (), 1e6, 1e6, 1.5);
  before = camera ();
  gui_act (canvas (), "canvas.go-users", NULL);
  box = scope_workspace_get_selected (workspace ());
  item = viz_picture_item (scope_canvas_get_picture (canvas ()),
                           viz_picture_find_box (scope_canvas_get_picture (canvas ()), box));
  g_assert_cmpfloat (camera ().zoom, ==, before.zoom);
  g_assert_cmpfloat (camera ().x, <=, item->x);
  g_assert_cmpfloat (camera ().y, <=, item->y);
  g_assert_true (camera ().x != before.x || camera ().y != before.y);
}

/* A small node is not blown up. */
static void
test_selection_at_most_at_its_size (void)
{
  scope_workspace_select (workspace (), find_kind (VIZ_BOX_INPUT));
  gui_act (canvas (), "canvas.zoom-selection", NULL);
  g_assert_cmpfloat (camera ().zoom, <=, 1);
}

/* --- Keys --- */

static void
test_keys_for_zooming (void)
{
  static const char *const actions[] = { "win.zoom-in", "win.zoom-out", "win.zoom-normal" };
  static const char *const keys[] = { "<Control>plus", "<Control>minus", "<Control>0" };
  double                   before = camera ().zoom;

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_auto (GStrv) accels =
          gtk_application_get_accels_for_action (GTK_APPLICATION (gui_application ()), actions[i]);

      g_assert_true (g_strv_contains ((const char *const *) accels, keys[i]));
    }
  gui_act (window, "win.zoom-in", NULL);
  g_assert_cmpfloat (camera ().zoom, >, before);
  gui_act (window, "win.zoom-normal", NULL);
  g_assert_cmpfloat_with_epsilon (camera ().zoom, 1, 1e-9);
}

/* Space would press the button that has the focus. */
static void
test_graph_has_the_focus (void)
{
  page = gui_open (window, "mlp-dropout", (const char *const[]){ "data=2,5", NULL });
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == GTK_WIDGET (canvas ()));
}

static gboolean
is_timeline_listed (GtkWidget *widget)
{
  g_autofree char *title = NULL;

  if (GTK_IS_SHORTCUTS_GROUP (widget))
    g_object_get (widget, "title", &title, NULL);
  if (g_strcmp0 (title, "In the timeline") == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    if (is_timeline_listed (child))
      return TRUE;
  return FALSE;
}

static void
test_keys_of_the_timeline_are_listed (void)
{
  GtkShortcutsWindow *help =
      gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window));

  g_assert_true (is_timeline_listed (GTK_WIDGET (help)));
}

/* --- The menu --- */

static void
list_items (GMenuModel *menu, GString *text)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autofree char *action = NULL;

      if (section)
        list_items (section, text);
      if (g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_ACTION, "s", &action))
        g_string_append_printf (text, "%s ", action);
    }
}

/* The actions of the menu of a box.  (transfer full) */
static char *
menu_of (guint32 box)
{
  GString *text = g_string_new (NULL);

  scope_workspace_select (workspace (), box);
  gui_act (canvas (), "canvas.menu", NULL);
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (canvas ())); child;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER_MENU (child))
      {
        list_items (gtk_popover_menu_get_menu_model (GTK_POPOVER_MENU (child)), text);
        wait_until (is_mapped, child);
        gtk_popover_popdown (GTK_POPOVER (child));
      }
  return g_string_free (text, FALSE);
}

static void
test_menu_offers_what_applies (void)
{
  g_autofree char *node = menu_of (find_kind (VIZ_BOX_INPUT));
  g_autofree char *group = menu_of (find_kind (VIZ_BOX_STEPS));
  g_autofree char *empty = menu_of (VIZ_ROOT);

  g_assert_nonnull (strstr (node, "canvas.copy-name "));
  g_assert_null (strstr (node, "canvas.toggle "));
  g_assert_nonnull (strstr (group, "canvas.toggle "));
  g_assert_nonnull (strstr (group, "canvas.copy-name "));
  g_assert_null (strstr (empty, "canvas.copy-name "));
  g_assert_null (strstr (empty, "canvas.toggle "));
  g_assert_nonnull (strstr (empty, "canvas.zoom-fit "));
  g_assert_nonnull (strstr (empty, "graph.unfold-all "));
}

/* --- Tooltips --- */

static gboolean
shows_tooltip (GtkWidget *widget)
{
  g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
  gboolean is_shown = FALSE;

  g_signal_emit_by_name (widget, "query-tooltip", 1, 1, FALSE, tooltip, &is_shown);
  return is_shown;
}

/* A text that can be read needs no tooltip, which would cover the row below. */
static void
test_tooltips_of_cut_texts_alone (void)
{
  GtkWidget *cell = g_object_ref_sink (scope_cell_new (4, 9, FALSE));

  scope_cell_set_text (SCOPE_CELL (cell), "a name");
  scope_tooltip_set_whole (cell, "a name", scope_cell_is_cut);
  g_assert_true (shows_tooltip (cell)); /* it has no width yet */
  gtk_widget_set_size_request (cell, 400, -1);
  gtk_widget_allocate (cell, 400, 30, -1, NULL);
  g_assert_false (shows_tooltip (cell));
  g_object_unref (cell);
}

/* --- Names --- */

/* Whether the widget or something in it tells what it is. */
static gboolean
has_name (GtkWidget *widget)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);

  if ((GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0') ||
      gtk_test_accessible_has_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) ||
      gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    if (has_name (child))
      return TRUE;
  return FALSE;
}

/* What can be focused and is not only there to scroll. */
static gboolean
needs_name (GtkWidget *widget)
{
  return gtk_widget_get_focusable (widget) && gtk_widget_get_can_focus (widget) &&
         gtk_widget_get_mapped (widget) && !GTK_IS_SCROLLED_WINDOW (widget) &&
         !GTK_IS_LABEL (widget);
}

/* Appends the widgets that a screen reader could name by their type alone. */
static void
list_nameless (GtkWidget *widget, GString *text)
{
  /* The text of an entry has the name of the entry. */
  if (needs_name (widget) && !has_name (widget) &&
      !(GTK_IS_TEXT (widget) && has_name (gtk_widget_get_parent (widget))))
    {
      g_string_append_printf (text, "\n%s", G_OBJECT_TYPE_NAME (widget));
      for (GtkWidget *at = widget; at; at = gtk_widget_get_parent (at))
        if (strcmp (gtk_widget_get_name (at), G_OBJECT_TYPE_NAME (at)) != 0)
          {
            g_string_append_printf (text, " in %s", gtk_widget_get_name (at));
            break;
          }
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    list_nameless (child, text);
}

/* Every view of a measured model. */
static void
test_names_for_readers (void)
{
  static const char *const views[] = { "operators", "timeline", "memory",
                                       "findings",  "passes",   "log" };
  g_autoptr (GString) nameless = g_string_new (NULL);

  gui_act (page, "page.outline", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      scope_page_show_view (page, views[i]);
      gui_spin (200);
      list_nameless (GTK_WIDGET (window), nameless);
    }
  gui_act (window, "win.choose-device", NULL);
  gui_spin (200);
  list_nameless (GTK_WIDGET (window), nameless);
  gui_act (window, "win.new-tab", NULL);
  gui_spin (200);
  list_nameless (GTK_WIDGET (window), nameless);
  g_assert_cmpstr (nameless->str, ==, "");
}

/* --- Size --- */

static gboolean
is_wide (gpointer unused G_GNUC_UNUSED)
{
  return gtk_widget_get_width (GTK_WIDGET (scope_page_get_view (page, "node"))) >= 300;
}

/* Half of a screen of 1366 pixels; where there is room the side pane is wider than it must be. */
static void
test_narrowest_window (void)
{
  int width;

  wait_until (is_wide, NULL);
  gui_act (page, "page.outline", NULL);
  gui_act (page, "page.panel", NULL);
  gui_spin (200);
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL,
                      NULL);
  g_assert_cmpint (width, <=, 683);
}

static gboolean
has_copied_picture (gpointer unused G_GNUC_UNUSED)
{
  return gdk_content_formats_contain_gtype (gdk_clipboard_get_formats (
                                                gtk_widget_get_clipboard (GTK_WIDGET (window))),
                                            GDK_TYPE_TEXTURE);
}

/* Ctrl+C copies the name of the selection, and without one the picture. */
static void
test_copying_pictures (void)
{
  scope_workspace_select (workspace (), VIZ_ROOT);
  gui_act (canvas (), "canvas.copy-name", NULL);
  wait_until (has_copied_picture, NULL);
  gui_act (window, "win.copy-picture", NULL);
  gui_spin (300);
  g_assert_true (has_copied_picture (NULL));
}

static gboolean
says_that_it_was_dropped (gpointer unused G_GNUC_UNUSED)
{
  return says (GTK_WIDGET (window),
               "The picture was not copied: something else was copied meanwhile");
}

/* The picture is still being drawn when an entry copies its text. */
static void
test_dropped_pictures (void)
{
  g_autofree char *copied = NULL;

  gui_act (window, "win.copy-picture", NULL);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (window)), "of an entry");
  wait_until (says_that_it_was_dropped, NULL);
  copied = gui_clipboard (GTK_WIDGET (window));
  g_assert_cmpstr (copied, ==, "of an entry");
}

static gboolean
is_print_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (g_type_from_name ("GtkPrintUnixDialog"));

  return dialog && gtk_widget_get_mapped (dialog);
}

static gboolean
is_pdf (gpointer path)
{
  g_autofree char *bytes = NULL;
  gsize            length = 0;

  return g_file_get_contents (path, &bytes, &length, NULL) && length > 1000 &&
         g_str_has_prefix (bytes, "%PDF");
}

static void
test_printing (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-print-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "graph.pdf", NULL);

  scope_window_print (window, path);
  g_assert_true (gui_wait (is_pdf, path, 20000));
  gui_act (window, "win.print", NULL);
  wait_until (is_print_dialog, NULL);
  gtk_dialog_response (gui_find_window (g_type_from_name ("GtkPrintUnixDialog")),
                       GTK_RESPONSE_CANCEL);
  gui_spin (200);
  g_remove (path);
  g_rmdir (folder);
}

void
add_comfort_tests (void)
{
  add_test ("/app/window/copies-the-picture", CASE_MODEL, test_copying_pictures);
  add_test ("/app/window/says-that-a-picture-was-not-copied", CASE_MODEL, test_dropped_pictures);
  add_test ("/app/window/prints-the-graph", CASE_MODEL, test_printing);
  add_test ("/app/window/messages-do-not-move-the-picture", CASE_MODEL,
            test_messages_do_not_move_the_picture);
  add_test ("/app/window/progress-takes-no-clicks-beside-it", CASE_MODEL,
            test_progress_takes_no_clicks_beside_it);
  add_test ("/app/window/first-steps-cover-no-pane", CASE_MODEL, test_first_steps_cover_no_pane);
  add_test ("/app/window/arrows-keep-the-camera", CASE_MODEL, test_arrows_keep_the_camera);
  add_test ("/app/window/arrows-bring-into-view", CASE_MODEL, test_arrows_bring_into_view);
  add_test ("/app/window/selection-is-shown-at-most-at-its-size", CASE_MODEL,
            test_selection_at_most_at_its_size);
  add_test ("/app/window/control-plus-minus-and-0-zoom", CASE_MODEL, test_keys_for_zooming);
  add_test ("/app/window/the-graph-has-the-focus", CASE_EMPTY, test_graph_has_the_focus);
  add_test ("/app/window/keys-of-the-timeline-are-listed", CASE_EMPTY,
            test_keys_of_the_timeline_are_listed);
  add_test ("/app/window/menu-offers-what-applies", CASE_MODEL, test_menu_offers_what_applies);
  add_test ("/app/window/tooltips-of-cut-texts-alone", CASE_EMPTY,
            test_tooltips_of_cut_texts_alone);
  add_test ("/app/window/screen-readers-find-names", CASE_MEASURED, test_names_for_readers);
  add_test ("/app/window/narrowest-window", CASE_MODEL, test_narrowest_window);
}
