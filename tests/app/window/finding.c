/* finding.c — suggestions of the search, groups among its hits, going back after jumps, and what lines carry.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/models/node-list.h"
#include "app/widgets/tooltip.h"

#include <string.h>

static const char *
status (void)
{
  return gtk_label_get_text (GTK_LABEL (gui_find (GTK_WIDGET (page), "outline-status")));
}

static gboolean
is_status (gpointer text)
{
  return strstr (status (), text) != NULL;
}

static guint32
find (const char *name)
{
  return scope_document_find_name (scope_workspace_get_document (workspace ()), name);
}

/* A click on the suggestion searches for it. */
static void
test_suggestion (void)
{
  GtkWidget *label = gui_find (GTK_WIDGET (page), "outline-status");
  gboolean   is_handled;

  scope_page_search (page, "op:FulyConnected");
  wait_until (is_status, (gpointer) "Did you mean op:FullyConnected?");
  take_picture (window, "search-suggestion");
  g_signal_emit_by_name (label, "activate-link", "op:FullyConnected", &is_handled);
  gui_act (window, "win.search-for", "op:FullyConnected");
  wait_until (is_status, (gpointer) "12 hits");
}

/* The group of all steps is a hit, and can be shown. */
static void
test_groups (void)
{
  scope_page_search (page, "lstm0 6 steps");
  wait_until (is_status, (gpointer) "1 hit");
  scope_page_step_search (page, 1);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, VIZ_ROOT);
  g_assert_null (scope_document_get_place (scope_workspace_get_document (workspace ()),
                                           scope_workspace_get_selected (workspace ())));
}

static void
test_history (void)
{
  guint32 first = find ("unroll0_lstm0_t0_i2h"), second = find ("unroll0_lstm0_t1_h2h");
  guint32 clicked = find ("unroll0_lstm0_t2_out"), third = find ("unroll0_lstm0_t5_out");

  scope_workspace_show (workspace (), first);
  scope_workspace_show (workspace (), second);
  scope_workspace_select (workspace (), clicked);
  scope_workspace_show (workspace (), third);
  gui_act (window, "win.go-back", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, clicked);
  gui_act (page, "page.go-back", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, second);
  gui_act (page, "page.go-back", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, first);
  gui_act (page, "page.go-back", NULL); /* nowhere */
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, first);
  gui_act (window, "win.go-forward", NULL);
  gui_act (page, "page.go-forward", NULL);
  gui_act (page, "page.go-forward", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, third);
  /* A click is no jump; back leads to the last one, and forward is not forgotten. */
  gui_act (page, "page.go-back", NULL);
  scope_workspace_select (workspace (), first);
  gui_act (page, "page.go-back", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, clicked);
  gui_act (page, "page.go-forward", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, third);
  /* A new jump replaces what was ahead. */
  gui_act (page, "page.go-back", NULL);
  scope_workspace_show (workspace (), first);
  gui_act (page, "page.go-forward", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, first);
  gui_mark_gesture ("page-history"); /* tests/app/smoke-input.c has a mouse */
}

/* --- The tree --- */

static GtkSelectionModel *
rows (void)
{
  return gtk_list_view_get_model (GTK_LIST_VIEW (gui_find (GTK_WIDGET (page), "node-list")));
}

/* The box of the selected row; VIZ_ROOT: none. */
static guint32
selected_row (GtkTreeListRow **row)
{
  g_autoptr (ScopeNodeItem) item = NULL;

  *row = gtk_single_selection_get_selected_item (GTK_SINGLE_SELECTION (rows ()));
  item = *row ? gtk_tree_list_row_get_item (*row) : NULL;
  return item ? scope_node_item_get_box (item) : VIZ_ROOT;
}

static gboolean
is_row_selected (gpointer box)
{
  GtkTreeListRow *row;

  return selected_row (&row) == GPOINTER_TO_UINT (box);
}

static gboolean
has_rows (gpointer n)
{
  return g_list_model_get_n_items (G_LIST_MODEL (rows ())) == GPOINTER_TO_UINT (n);
}

/* A node deep inside of closed groups: its row is made, and the rows around it are its groups. */
static void
test_tree (void)
{
  VizDiagram *diagram = scope_document_get_diagram (scope_workspace_get_document (workspace ()));
  guint32     box = find ("unroll0_lstm0_t5_out");
  GtkTreeListRow *row;

  gtk_widget_set_visible (GTK_WIDGET (scope_page_get_view (page, "outline")), TRUE);
  scope_workspace_show (workspace (), box);
  wait_until (is_row_selected, GUINT_TO_POINTER (box));
  for (selected_row (&row); box != VIZ_ROOT; row = gtk_tree_list_row_get_parent (row))
    {
      g_autoptr (ScopeNodeItem) item = gtk_tree_list_row_get_item (row);

      g_assert_cmpuint (scope_node_item_get_box (item), ==, box);
      box = viz_diagram_box (diagram, box)->parent;
    }
  g_assert_null (row);
  /* Hits are a flat list, and without a query the tree is back. */
  scope_page_search (page, "op:FullyConnected");
  wait_until (is_status, (gpointer) "12 hits");
  wait_until (has_rows, GUINT_TO_POINTER (12));
  scope_page_search (page, "");
  wait_until (is_row_selected, GUINT_TO_POINTER (find ("unroll0_lstm0_t5_out")));
}

static gboolean
has_cost (gpointer widget)
{
  GtkWidget *list = widget;

  for (GtkWidget *row = gtk_widget_get_first_child (list); row;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *expander = gtk_widget_get_first_child (row);
      GtkWidget *child = GTK_IS_TREE_EXPANDER (expander)
                             ? gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander))
                             : NULL;

      if (child && gtk_widget_get_visible (gtk_widget_get_last_child (child)))
        return TRUE;
    }
  return FALSE;
}

static void
test_tree_costs (void)
{
  GtkWidget *list = gui_find (GTK_WIDGET (page), "node-list");

  gtk_widget_set_visible (GTK_WIDGET (scope_page_get_view (page, "outline")), TRUE);
  wait_until (has_cost, list);
  take_picture (window, "outline-tree");
}

/* --- Bookmarks --- */

/* Marked boxes are listed alone by a button that is there only with bookmarks, and survive reading the file again. */
static void
test_bookmarks (void)
{
  GtkWidget *button = gui_find (GTK_WIDGET (page), "bookmarks-button");
  guint32    first = find ("unroll0_lstm0_t0_i2h"), second = find ("unroll0_lstm0_t5_out");

  gtk_widget_set_visible (GTK_WIDGET (scope_page_get_view (page, "outline")), TRUE);
  gui_act (page, "page.bookmark", NULL); /* nothing is selected */
  g_assert_false (gtk_widget_get_visible (button));
  scope_workspace_select (workspace (), second);
  gui_act (window, "win.bookmark", NULL);
  scope_workspace_select (workspace (), first);
  gui_act (page, "page.bookmark", NULL);
  g_assert_true (gtk_widget_get_visible (button));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  g_assert_cmpstr (status (), ==, "2 bookmarks");
  wait_until (has_rows, GUINT_TO_POINTER (2));
  take_picture (window, "bookmarks");
  gui_act (page, "page.reload", NULL);
  wait_until (is_status, (gpointer) "2 bookmarks");
  scope_page_step_search (page, 1);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, find ("unroll0_lstm0_t5_out"));
  /* A search shows its hits; without the last bookmark the button is gone. */
  scope_page_search (page, "op:FullyConnected");
  wait_until (is_status, (gpointer) "12 hits");
  gui_act (page, "page.bookmark", NULL);
  scope_workspace_select (workspace (), find ("unroll0_lstm0_t0_i2h"));
  gui_act (page, "page.bookmark", NULL);
  g_assert_false (gtk_widget_get_visible (button));
}

/* --- Lines --- */

/* The middle of a line, in pixels of the canvas. */
static void
find_middle (guint32 wire, double *x, double *y)
{
  VizPicture     *picture = scope_canvas_get_picture (canvas ());
  const VizPoint *middle =
      viz_picture_points (picture, wire) + viz_picture_wire (picture, wire)->n_points / 2;
  double left, top, zoom;

  scope_canvas_get_camera (canvas (), &left, &top, &zoom);
  *x = (middle->x - left) * zoom;
  *y = (middle->y - top) * zoom;
}

/* The first line that stands for a number of arrows, and is not covered. */
static const char *
hover (gboolean is_bundle)
{
  VizPicture         *picture = scope_canvas_get_picture (canvas ());
  GtkEventController *motion =
      gui_controller (GTK_WIDGET (canvas ()), GTK_TYPE_EVENT_CONTROLLER_MOTION);

  for (guint32 wire = 0; wire < viz_picture_n_wires (picture); wire++)
    {
      double      x, y;
      const char *text;

      if ((viz_picture_wire (picture, wire)->n_arrows > 1) != is_bundle ||
          viz_picture_wire (picture, wire)->n_points == 0)
        continue;
      find_middle (wire, &x, &y);
      g_signal_emit_by_name (motion, "motion", x, y);
      text = scope_tooltip_get (GTK_WIDGET (canvas ()));
      if (text && (strchr (text, '\n') != NULL) == is_bundle)
        return text;
    }
  return NULL;
}

static void
test_lines (void)
{
  GtkEventController *motion =
      gui_controller (GTK_WIDGET (canvas ()), GTK_TYPE_EVENT_CONTROLLER_MOTION);
  const char *bundle;

  gui_spin (500); /* the camera stands still */
  g_assert_cmpstr (hover (FALSE), ==, "data → unroll0_split0: 2×6×4, 192 B");
  bundle = hover (TRUE);
  g_test_message ("%s", bundle);
  g_assert_nonnull (strstr (bundle, "unroll0_lstm0_t0_"));
  g_signal_emit_by_name (motion, "leave");
  g_assert_null (scope_tooltip_get (GTK_WIDGET (canvas ())));
}

void
add_finding_tests (void)
{
  add_test ("/app/window/suggests-what-a-search-could-mean", CASE_MODEL, test_suggestion);
  add_test ("/app/window/finds-groups-by-what-is-drawn", CASE_MODEL, test_groups);
  add_test ("/app/window/tells-what-a-line-carries", CASE_MODEL, test_lines);
  add_test ("/app/window/the-outline-is-a-tree-in-step-with-the-picture", CASE_MODEL, test_tree);
  add_test ("/app/window/bookmarks-are-listed-alone-and-survive", CASE_MODEL, test_bookmarks);
  add_test ("/app/window/the-outline-says-what-nodes-and-groups-cost", CASE_MEASURED,
            test_tree_costs);
  add_test ("/app/window/goes-back-and-forward-after-jumps", CASE_MODEL, test_history);
}
