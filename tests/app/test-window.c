/* test-window.c — every action and gesture of the window, tried inside the test process.
 *
 * This file tests the graph; main() adds the tests of the other window-*.c files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"
#include "tests/program.h"

#include "app/views/outline-view.h"
#include "app/widgets/minimap.h"

static double
zoom_now (void)
{
  double x, y, zoom;

  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  return zoom;
}

static guint32
find_kind (VizBoxKind kind)
{
  VizDiagram *diagram = scope_document_get_diagram (scope_workspace_get_document (workspace ()));

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == kind)
      return box;
  return VIZ_ROOT;
}

static void
test_names (void)
{
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (canvas ()), GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (canvas ()), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Model graph");
  for (const char *const *name =
           (const char *const[]){ "zoom-in-button", "zoom-out-button", "zoom-fit-button",
                                  "side-pane-button", "outline-button", "menu-button", NULL };
       *name != NULL; name++)
    {
      GtkWidget *button = gui_find (GTK_WIDGET (window), *name);

      g_assert_nonnull (button);
      g_assert_true (gtk_test_accessible_has_property (GTK_ACCESSIBLE (button),
                                                       GTK_ACCESSIBLE_PROPERTY_LABEL));
    }
}

static void
test_camera (void)
{
  double before = zoom_now (), x, y, x2, y2;

  gui_act (canvas (), "canvas.zoom-in", NULL);
  g_assert_cmpfloat (zoom_now (), >, before);
  gui_act (canvas (), "canvas.zoom-out", NULL);
  g_assert_cmpfloat_with_epsilon (zoom_now (), before, 1e-9);
  gui_act (canvas (), "canvas.zoom-normal", NULL);
  g_assert_cmpfloat_with_epsilon (zoom_now (), 1, 1e-9);
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  before = zoom_now ();
  gui_act (window, "win.zoom-in", NULL);
  g_assert_cmpfloat (zoom_now (), >, before);
  gui_act (window, "win.zoom-out", NULL);
  g_assert_cmpfloat_with_epsilon (zoom_now (), before, 1e-9);
  gui_act (canvas (), "canvas.zoom-in", NULL);
  gui_act (window, "win.zoom-fit", NULL);
  g_assert_cmpfloat_with_epsilon (zoom_now (), before, 1e-9);
  gui_act (scope_page_get_graph_view (page), "graph.zoom-in", NULL);
  g_assert_cmpfloat (zoom_now (), >, before);
  gui_act (scope_page_get_graph_view (page), "graph.zoom-out", NULL);
  g_assert_cmpfloat_with_epsilon (zoom_now (), before, 1e-9);
  gui_act (scope_page_get_graph_view (page), "graph.zoom-fit", NULL);
  scope_canvas_get_camera (canvas (), &x, &y, &before);
  gui_act (canvas (), "canvas.pan-right", NULL);
  gui_act (canvas (), "canvas.pan-down", NULL);
  scope_canvas_get_camera (canvas (), &x2, &y2, &before);
  g_assert_cmpfloat (x2, >, x);
  g_assert_cmpfloat (y2, >, y);
  gui_act (canvas (), "canvas.pan-left", NULL);
  gui_act (canvas (), "canvas.pan-up", NULL);
  scope_canvas_get_camera (canvas (), &x2, &y2, &before);
  g_assert_cmpfloat_with_epsilon (x2, x, 1e-6);
  g_assert_cmpfloat_with_epsilon (y2, y, 1e-6);
}

static gboolean
has_menu (gpointer root)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child) && gtk_widget_get_mapped (child))
      return TRUE;
  return FALSE;
}

static void
test_walking (void)
{
  guint32 first, second;
  double  zoom;

  gui_act (canvas (), "canvas.select-none", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, VIZ_ROOT);
  scope_workspace_select (workspace (), find_kind (VIZ_BOX_INPUT));
  first = scope_workspace_get_selected (workspace ());
  gui_act (canvas (), "canvas.go-users", NULL);
  second = scope_workspace_get_selected (workspace ());
  g_assert_cmpuint (first, !=, second);
  gui_act (canvas (), "canvas.go-sources", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, second);
  gui_act (canvas (), "canvas.zoom-out", NULL);
  zoom = zoom_now ();
  gui_act (canvas (), "canvas.zoom-selection", NULL);
  g_assert_cmpfloat (zoom_now (), !=, zoom);
  gui_act (canvas (), "canvas.menu", NULL);
  g_assert_true (gui_wait (has_menu, canvas (), 5000));
}

/* Steps are drawn side by side. */
static void
test_walking_sideways (void)
{
  guint32          chain = find_kind (VIZ_BOX_STEPS), first;
  const char      *id;
  g_autofree char *copied = NULL;

  scope_graph_view_set_steps (scope_page_get_graph_view (page), chain, 0, 2);
  gui_settle (page);
  first = chain + 1;
  while (
      viz_picture_find_box (scope_canvas_get_picture (canvas ()), first) == VIZ_NO_ITEM ||
      viz_diagram_box (viz_picture_diagram (scope_canvas_get_picture (canvas ())), first)->parent !=
          chain)
    first++;
  scope_workspace_select (workspace (), first);
  gui_act (canvas (), "canvas.go-right", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, first);
  gui_act (canvas (), "canvas.go-left", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, first);
  gui_act (canvas (), "canvas.copy-name", NULL);
  copied = gui_clipboard (GTK_WIDGET (canvas ()));
  id = viz_diagram_box (viz_picture_diagram (scope_canvas_get_picture (canvas ())), first)->title;
  g_assert_cmpstr (copied, !=, NULL);
  g_assert_cmpstr (copied, !=, "");
  g_test_message ("copied %s of %s", copied, id);
  gui_act (canvas (), "canvas.go-out", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, chain);
}

static void
test_folding (void)
{
  guint32  chain = find_kind (VIZ_BOX_STEPS);
  gpointer graph = scope_page_get_graph_view (page);
  guint32  folded, open;

  g_assert_cmpuint (chain, !=, VIZ_ROOT);
  gui_act (graph, "graph.fold-all", NULL);
  gui_settle (page);
  folded = n_items ();
  scope_workspace_select (workspace (), chain);
  gui_act (canvas (), "canvas.toggle", NULL);
  gui_settle (page);
  open = n_items ();
  g_assert_cmpuint (open, >, folded);
  gui_act (graph, "graph.undo", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), ==, folded);
  gui_act (graph, "graph.redo", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), ==, open);
  gui_act (window, "win.undo", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), ==, folded);
  gui_act (window, "win.redo", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), ==, open);
  gui_act (graph, "graph.undo", NULL);
  gui_settle (page);
  gui_act (canvas (), "canvas.toggle-all", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), >, open);
}

static void
test_folding_all (void)
{
  gpointer graph = scope_page_get_graph_view (page);
  guint32  folded, open;

  gui_act (graph, "graph.unfold-all", NULL);
  gui_settle (page);
  open = n_items ();
  gui_act (window, "win.fold-all", NULL);
  gui_settle (page);
  folded = n_items ();
  g_assert_cmpuint (open, >, folded);
  gui_act (window, "win.unfold-all", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), ==, open);
}

static void
test_steps (void)
{
  gpointer graph = scope_page_get_graph_view (page);
  guint32  chain = find_kind (VIZ_BOX_STEPS);
  gint32   first, last;
  guint    n;

  scope_workspace_select (workspace (), chain);
  scope_graph_view_set_steps (graph, chain, 0, 1);
  gui_settle (page);
  gui_act (graph, "graph.steps-later", NULL);
  gui_settle (page);
  viz_folds_get_steps (scope_graph_view_get_folds (graph), chain, &first, &last);
  g_assert_cmpint (first, ==, 2);
  g_assert_cmpint (last, ==, 3);
  gui_act (graph, "graph.steps-earlier", NULL);
  gui_settle (page);
  viz_folds_get_steps (scope_graph_view_get_folds (graph), chain, &first, &last);
  g_assert_cmpint (first, ==, 0);
  gui_act (graph, "graph.steps-more", NULL);
  gui_settle (page);
  viz_folds_get_steps (scope_graph_view_get_folds (graph), chain, &first, &last);
  g_assert_cmpint (last - first + 1, ==, 4);
  gui_act (graph, "graph.steps-fewer", NULL);
  gui_settle (page);
  viz_folds_get_steps (scope_graph_view_get_folds (graph), chain, &first, &last);
  g_assert_cmpint (last - first + 1, ==, 2);
  n = n_items ();
  gui_act (graph, "graph.fold-chain", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), <, n);
  gui_act (graph, "graph.fold-chain", NULL);
  gui_settle (page);
  g_assert_cmpuint (n_items (), >=, n);
}

static void
test_diving_and_tracing (void)
{
  gpointer graph = scope_page_get_graph_view (page);

  scope_workspace_select (workspace (), find_kind (VIZ_BOX_STEPS));
  gui_act (graph, "graph.dive", NULL);
  gui_settle (page);
  g_assert_cmpuint (scope_canvas_get_dive (canvas ()), ==, find_kind (VIZ_BOX_STEPS));
  gui_act (graph, "graph.surface", NULL);
  g_assert_cmpuint (scope_canvas_get_dive (canvas ()), !=, find_kind (VIZ_BOX_STEPS));
  gui_act (graph, "graph.trace", NULL);
  g_assert_cmpuint (scope_canvas_get_trace (canvas ()), >, 0);
  gui_act (window, "win.trace", NULL);
  g_assert_cmpuint (scope_canvas_get_trace (canvas ()), ==, 0);
  gui_act (graph, "graph.layout", "layers");
  gui_settle (page);
  gui_act (graph, "graph.layout", "auto");
  gui_settle (page);
}

static gboolean
has_hits (gpointer view)
{
  guint n;

  scope_outline_view_get_hits (view, &n);
  return n > 0;
}

static gboolean
has_no_hits (gpointer view)
{
  return !has_hits (view);
}

static void
test_search (void)
{
  ScopeOutlineView *outline = SCOPE_OUTLINE_VIEW (scope_page_get_view (page, "outline"));
  guint             n;

  gui_act (window, "win.search", NULL);
  gtk_editable_set_text (GTK_EDITABLE (gui_find (GTK_WIDGET (window), "search-entry")),
                         "op:FullyConnected");
  g_assert_true (gui_wait (has_hits, outline, 10000));
  scope_outline_view_get_hits (outline, &n);
  scope_page_step_search (page, 1);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, VIZ_ROOT);
  gui_settle (page);
  gtk_editable_set_text (GTK_EDITABLE (gui_find (GTK_WIDGET (window), "search-entry")), "");
  g_assert_true (gui_wait (has_no_hits, outline, 10000));
  g_assert_cmpuint (scope_outline_view_n_shown (outline), >, n);
}

/* One action hides or shows the widget, the other one reverts it. */
static void
check_toggle (const char *name, gpointer by, const char *action, const char *again)
{
  GtkWidget *widget = gui_find (GTK_WIDGET (page), name);
  gboolean   was_mapped = gtk_widget_get_mapped (widget);

  gui_act (by, action, NULL);
  wait_until (was_mapped ? is_unmapped : is_mapped, widget);
  gui_act (window, again, NULL);
  wait_until (was_mapped ? is_mapped : is_unmapped, widget);
}

static void
test_panes (void)
{
  GtkStack *panel = GTK_STACK (gui_find (GTK_WIDGET (page), "panel"));

  check_toggle ("node-view", page, "page.side", "win.side-pane");
  check_toggle ("outline-view", page, "page.outline", "win.outline");
  check_toggle ("panel", page, "page.panel", "win.panel");
  for (const char *const *name =
           (const char *const[]){ "operators", "timeline", "memory", "findings", "log", NULL };
       *name != NULL; name++)
    {
      gui_act (window, "win.show-view", *name);
      g_assert_cmpstr (gtk_stack_get_visible_child_name (panel), ==, *name);
      wait_until (is_mapped, panel);
    }
  gui_act (window, "win.show-view", "memory");
  gui_act (page, "page.show-log", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (panel), ==, "log");
}

static void
test_gestures (void)
{
  GtkWidget     *widget = GTK_WIDGET (canvas ());
  VizPicture    *picture;
  const VizItem *item = NULL;
  double         x, y, zoom, before;
  gboolean       handled = FALSE;

  scope_workspace_select (workspace (), VIZ_ROOT);
  gui_act (canvas (), "canvas.zoom-normal", NULL);
  picture = scope_canvas_get_picture (canvas ());
  for (guint32 i = 1; i < viz_picture_n_items (picture) && !item; i++)
    if (viz_picture_item (picture, i)->state == VIZ_ITEM_LEAF)
      item = viz_picture_item (picture, i);
  g_assert_nonnull (item);
  scope_canvas_set_camera (canvas (), item->x - 100, item->y - 100, 1);
  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  x = item->x + item->width / 2 - x;
  y = item->y + item->height / 2 - y;
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", x, y);
  g_assert_cmpuint (scope_workspace_get_hovered (workspace ()), ==, item->box);
  gui_mark_gesture ("canvas-hover");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_CLICK), "pressed", 1, x, y);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, item->box);
  gui_mark_gesture ("canvas-click");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_CLICK), "pressed", 2, x, y);
  gui_settle (page);
  scope_canvas_get_camera (canvas (), &before, &y, &zoom);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_EVENT_CONTROLLER_SCROLL), "scroll", 1.0,
                         0.0, &handled);
  g_assert_true (handled);
  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  g_assert_cmpfloat (x, >, before);
  gui_mark_gesture ("canvas-scroll");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-begin", 10.0, 10.0);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-update", 30.0, 0.0);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-end", 30.0, 0.0);
  scope_canvas_get_camera (canvas (), &before, &y, &zoom);
  g_assert_cmpfloat (before, <, x);
  gui_mark_gesture ("canvas-drag");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_ZOOM), "begin", NULL);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_ZOOM), "scale-changed", 2.0);
  g_assert_cmpfloat_with_epsilon (zoom_now (), 2, 1e-6);
  gui_mark_gesture ("canvas-pinch");
  g_signal_emit_by_name (gui_controller (gui_find (GTK_WIDGET (window), "minimap"),
                                         GTK_TYPE_GESTURE_DRAG),
                         "drag-begin", 20.0, 20.0);
  gui_mark_gesture ("minimap-drag");
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  gui_settle (page);
}

static void
test_no_display (void)
{
  g_test_skip ("no display");
}

TEST_PROGRAM (test_window)
{
  int status;

  if (!gui_init (&argc, &argv))
    {
      g_test_add_func ("/app/window/opens", test_no_display);
      return g_test_run ();
    }
  gui_start_application ();
  add_gesture_tests (); /* before tests that leave the pointer anywhere */
  add_tensor_gesture_tests ();
  add_test ("/app/window/has-accessible-names", CASE_MODEL, test_names);
  add_test ("/app/window/camera-obeys-actions", CASE_MODEL, test_camera);
  add_test ("/app/window/keys-walk-along-edges", CASE_MODEL, test_walking);
  add_test ("/app/window/keys-walk-sideways-and-copy", CASE_MODEL, test_walking_sideways);
  add_test ("/app/window/groups-fold-and-unfold-and-undo", CASE_MODEL, test_folding);
  add_test ("/app/window/all-groups-fold-and-unfold", CASE_MODEL, test_folding_all);
  add_test ("/app/window/steps-can-be-chosen", CASE_MODEL, test_steps);
  add_test ("/app/window/dives-and-traces", CASE_MODEL, test_diving_and_tracing);
  add_test ("/app/window/search-finds-and-lets-go", CASE_MODEL, test_search);
  add_test ("/app/window/panes-show-and-hide", CASE_MODEL, test_panes);
  add_test ("/app/window/takes-click-drag-scroll-and-pinch", CASE_MODEL, test_gestures);
  add_run_tests ();
  add_summary_tests ();
  add_agreement_tests ();
  add_target_tests ();
  add_fault_tests ();
  add_finding_tests ();
  add_device_tests ();
  add_compare_tests ();
  add_sweep_tests (); /* before the tests that empty the cache */
  add_click_tests ();
  add_pane_tests ();
  add_list_tests ();
  add_comfort_tests ();
  add_save_tests ();
  add_view_tests ();
  add_value_tests ();
  add_tensor_tests ();
  add_tensor_run_tests ();
  add_input_tests ();
  add_own_input_tests ();
  add_manner_tests ();
  add_mending_tests ();
  add_number_tests ();
  add_plugin_tests ();
  add_state_tests ();
  add_start_tests ();
  add_behaviour_tests ();
  add_room_tests ();
  if (g_test_slow ())
    g_test_add_func ("/app/window/every-action-is-tried", gui_test_every_action);
  status = g_test_run ();
  gui_end (status);
}
