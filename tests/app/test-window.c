/* test-window.c — the window as a user meets it: every action, every gesture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"

#include "app/widgets/lane-chart.h"
#include "app/widgets/minimap.h"

#include <glib/gstdio.h>
#include <string.h>

static ScopeWindow *window;
static ScopePage   *page;

static const char *const shapes[] = { "data=2,6,4", NULL };

static ScopeCanvas *
canvas (void)
{
  return scope_graph_view_get_canvas (scope_page_get_graph_view (page));
}

static ScopeWorkspace *
workspace (void)
{
  return scope_page_get_workspace (page);
}

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
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (canvas ()),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Model graph");
  for (const char *const *name = (const char *const[]){ "zoom-in-button",
                                                        "zoom-out-button",
                                                        "zoom-fit-button",
                                                        "side-pane-button",
                                                        "outline-button",
                                                        "menu-button",
                                                        NULL };
       *name != NULL;
       name++)
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
  gui_act (window, "win.zoom-in", NULL);
  gui_act (window, "win.zoom-out", NULL);
  gui_act (window, "win.zoom-fit", NULL);
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
}

static void
test_walking (void)
{
  guint32 first, second;

  gui_act (canvas (), "canvas.select-none", NULL);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, VIZ_ROOT);
  scope_workspace_select (workspace (), find_kind (VIZ_BOX_INPUT));
  first = scope_workspace_get_selected (workspace ());
  gui_act (canvas (), "canvas.go-users", NULL);
  second = scope_workspace_get_selected (workspace ());
  g_assert_cmpuint (first, !=, second);
  gui_act (canvas (), "canvas.go-sources", NULL);
  gui_act (canvas (), "canvas.go-right", NULL);
  gui_act (canvas (), "canvas.go-left", NULL);
  gui_act (canvas (), "canvas.zoom-selection", NULL);
  gui_act (canvas (), "canvas.copy-name", NULL);
  gui_act (canvas (), "canvas.menu", NULL);
  gui_spin (50);
  gui_act (canvas (), "canvas.go-out", NULL);
}

static void
test_folding (void)
{
  guint32  chain = find_kind (VIZ_BOX_STEPS);
  gpointer graph = scope_page_get_graph_view (page);
  guint32  n;

  g_assert_cmpuint (chain, !=, VIZ_ROOT);
  gui_act (graph, "graph.fold-all", NULL);
  gui_settle (page);
  n = viz_picture_n_items (scope_canvas_get_picture (canvas ()));
  scope_workspace_select (workspace (), chain);
  gui_act (canvas (), "canvas.toggle", NULL);
  gui_settle (page);
  g_assert_cmpuint (viz_picture_n_items (scope_canvas_get_picture (canvas ())), >, n);
  gui_act (graph, "graph.undo", NULL);
  gui_settle (page);
  g_assert_cmpuint (viz_picture_n_items (scope_canvas_get_picture (canvas ())), ==, n);
  gui_act (graph, "graph.redo", NULL);
  gui_settle (page);
  gui_act (window, "win.undo", NULL);
  gui_act (window, "win.redo", NULL);
  gui_act (canvas (), "canvas.toggle-all", NULL);
  gui_settle (page);
  gui_act (graph, "graph.unfold-all", NULL);
  gui_act (window, "win.fold-all", NULL);
  gui_act (window, "win.unfold-all", NULL);
  gui_settle (page);
}

static void
test_steps (void)
{
  gpointer graph = scope_page_get_graph_view (page);
  guint32  chain = find_kind (VIZ_BOX_STEPS);
  gint32   first, last;

  scope_workspace_select (workspace (), chain);
  scope_graph_view_set_steps (graph, chain, 0, 1);
  gui_settle (page);
  gui_act (graph, "graph.steps-later", NULL);
  gui_settle (page);
  viz_folds_get_steps (scope_graph_view_get_folds (graph), chain, &first, &last);
  g_assert_cmpint (first, ==, 2);
  g_assert_cmpint (last, ==, 3);
  gui_act (graph, "graph.steps-earlier", NULL);
  gui_act (graph, "graph.steps-more", NULL);
  gui_settle (page);
  viz_folds_get_steps (scope_graph_view_get_folds (graph), chain, &first, &last);
  g_assert_cmpint (last - first + 1, ==, 4);
  gui_act (graph, "graph.steps-fewer", NULL);
  gui_act (graph, "graph.fold-chain", NULL);
  gui_settle (page);
  gui_act (graph, "graph.fold-chain", NULL);
  gui_settle (page);
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
  ScopeOutlineView *outline = scope_page_get_outline_view (page);
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

static void
test_panes (void)
{
  GtkWidget *side = gui_find (GTK_WIDGET (window), "node-view");
  gboolean   before = gtk_widget_get_visible (side);

  gui_act (page, "page.side", NULL);
  g_assert_true (gtk_widget_get_visible (side) != before);
  gui_act (window, "win.side-pane", NULL);
  gui_act (page, "page.outline", NULL);
  gui_act (window, "win.outline", NULL);
  gui_act (page, "page.panel", NULL);
  gui_act (window, "win.panel", NULL);
  for (const char *const *name =
           (const char *const[]){ "operators", "timeline", "memory", "findings", "log", NULL };
       *name != NULL;
       name++)
    {
      gui_act (window, "win.show-view", *name);
      gui_spin (30);
    }
  gui_act (page, "page.show-log", NULL);
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
  for (guint32 i = 1; i < viz_picture_n_items (picture) && item == NULL; i++)
    if (viz_picture_item (picture, i)->state == VIZ_ITEM_LEAF)
      item = viz_picture_item (picture, i);
  g_assert_nonnull (item);
  scope_canvas_set_camera (canvas (), item->x - 100, item->y - 100, 1);
  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  x = item->x + item->width / 2 - x;
  y = item->y + item->height / 2 - y;
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", x, y);
  g_assert_cmpuint (scope_workspace_get_hovered (workspace ()), ==, item->box);
  gui_gesture ("canvas-hover");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_CLICK), "pressed", 1, x, y);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), ==, item->box);
  gui_gesture ("canvas-click");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_CLICK), "pressed", 2, x, y);
  gui_gesture ("canvas-double-click");
  scope_canvas_get_camera (canvas (), &before, &y, &zoom);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_EVENT_CONTROLLER_SCROLL),
                         "scroll",
                         1.0,
                         0.0,
                         &handled);
  g_assert_true (handled);
  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  g_assert_cmpfloat (x, >, before);
  gui_gesture ("canvas-scroll");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-begin", 10.0, 10.0);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-update", 30.0, 0.0);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_DRAG), "drag-end", 30.0, 0.0);
  scope_canvas_get_camera (canvas (), &before, &y, &zoom);
  g_assert_cmpfloat (before, <, x);
  gui_gesture ("canvas-drag");
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_ZOOM), "begin", NULL);
  g_signal_emit_by_name (gui_controller (widget, GTK_TYPE_GESTURE_ZOOM), "scale-changed", 2.0);
  g_assert_cmpfloat_with_epsilon (zoom_now (), 2, 1e-6);
  gui_gesture ("canvas-pinch");
  g_signal_emit_by_name (gui_controller (gui_find (GTK_WIDGET (window), "minimap"),
                                         GTK_TYPE_GESTURE_DRAG),
                         "drag-begin",
                         20.0,
                         20.0);
  gui_gesture ("minimap-drag");
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  gui_settle (page);
}

static gboolean
has_measurement (gpointer data)
{
  return scope_workspace_get_measurement (data) != NULL;
}

/* The table is filtered and sorted piece by piece. */
static gboolean
table_has_rows (gpointer view)
{
  g_autofree char *table = scope_operators_view_to_text (view);

  return strstr (table, "FullyConnected") != NULL;
}

static void
test_run (void)
{
  GtkWidget *lanes;

  gui_act (window, "win.run", NULL);
  g_assert_true (scope_workspace_is_running (workspace ()));
  g_assert_true (gui_wait (has_measurement, workspace (), 90000));
  g_assert_nonnull (scope_canvas_get_overlay (canvas ()));
  gui_act (page, "page.heat", "share");
  gui_act (page, "page.heat", "none");
  g_assert_null (scope_canvas_get_overlay (canvas ()));
  gui_act (page, "page.heat", "self");
  gui_act (page, "page.heat-scale", "linear");
  gui_act (page, "page.heat-scale", "log");
  gui_act (window, "win.show-view", "operators");
  gui_act (scope_page_get_operators_view (page), "operators.copy", NULL);
  g_assert_true (gui_wait (table_has_rows, scope_page_get_operators_view (page), 10000));
  gui_act (window, "win.show-view", "timeline");
  gui_spin (100);
  lanes = gui_find (GTK_WIDGET (window), "timeline-lanes");
  gui_act (lanes, "lanes.zoom-in", NULL);
  gui_act (lanes, "lanes.pan-right", NULL);
  gui_act (lanes, "lanes.pan-left", NULL);
  gui_act (lanes, "lanes.zoom-out", NULL);
  gui_act (lanes, "lanes.zoom-fit", NULL);
  g_signal_emit_by_name (gui_controller (lanes, GTK_TYPE_GESTURE_CLICK), "pressed", 1, 300.0, 60.0);
  gui_gesture ("lanes-click");
}

static gboolean
is_idle (gpointer data)
{
  return !scope_workspace_is_running (data);
}

static void
test_stop (void)
{
  gui_wait (is_idle, workspace (), 20000);
  gui_act (window, "win.run", NULL);
  gui_act (page, "page.stop", NULL);
  gui_act (window, "win.stop", NULL);
  g_assert_true (gui_wait (is_idle, workspace (), 30000));
}

static gboolean
is_ready (gpointer data)
{
  return scope_workspace_get_state (data) == SCOPE_STATE_READY;
}

static void
test_files (void)
{
  g_autofree char *missing = g_strdup ("file:///nowhere/at-all-symbol.json");

  gui_act (page, "page.reload", NULL);
  g_assert_true (gui_wait (is_ready, workspace (), 10000));
  gui_act (window, "win.reload", NULL);
  g_assert_true (gui_wait (is_ready, workspace (), 10000));
  gui_settle (page);
  scope_page_say (page, "something", NULL, NULL);
  gui_act (page, "page.dismiss", NULL);
  gui_act (window, "win.open-uri", missing);
  gui_spin (300);
  g_assert_cmpint (scope_workspace_get_state (
                       scope_page_get_workspace (scope_window_get_page (window))),
                   ==,
                   SCOPE_STATE_FAILED);
  gui_act (window, "win.close-tab", NULL);
  gui_spin (50);
  g_assert_true (scope_window_get_page (window) == page);
}

static gboolean
has_two_pages (gpointer data)
{
  return scope_window_get_page (window) != data;
}

static void
test_forms_and_examples (void)
{
  gui_act (window, "win.convert", "foreach");
  if (gui_wait (has_two_pages, page, 30000))
    {
      gui_settle (scope_window_get_page (window));
      gui_act (window, "win.close-tab", NULL);
      gui_spin (50);
    }
  gui_act (window, "win.open-example", "no-such-example");
  gui_spin (500);
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
}

static void
test_dialogs (void)
{
  gui_act (window, "win.compare", NULL);
  gui_act (window, "win.about", NULL);
  gui_act (window, "win.open", NULL);
  gui_act (window, "win.export", "picture");
  gui_spin (200);
  gui_act (window, "win.fullscreen", NULL);
  gui_act (window, "win.fullscreen", NULL);
  gui_act (window, "app.new-window", NULL);
  gui_spin (100);
  close_dialogs ();
  gui_spin (50);
  gui_act (window, "app.colours", "dark");
  gui_spin (100);
  gui_act (window, "app.colours", "follow");
  gui_act (window, "win.new-tab", NULL);
}

static void
test_state (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT,
                                            "tests/data/goldens/models/cell-lstm-t6-ntc-none",
                                            "cell-lstm-t6-ntc-none.hsws",
                                            NULL);

  gui_act (page, "page.save-view", NULL);
  gui_act (window, "win.save-view", NULL);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpint (g_remove (path), ==, 0);
}

static void
test_quit (void)
{
  gui_act (window, "app.quit", NULL);
  gui_spin (50);
}

/* ---- Nothing left out ---- */

static void
collect_class (GPtrArray *names, GType type)
{
  GtkWidgetClass *class = g_type_class_ref (type);
  GType               owner;
  const char         *name, *property;
  const GVariantType *parameter;

  for (guint i = 0; gtk_widget_class_query_action (class, i, &owner, &name, &parameter, &property);
       i++)
    if (g_str_has_prefix (g_type_name (owner), "Scope"))
      g_ptr_array_add (names, (gpointer) name);
  g_type_class_unref (class);
}

static void
test_every_action_is_tried (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests", "app", "actions.txt", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  collect_class (names, SCOPE_TYPE_WINDOW);
  collect_class (names, SCOPE_TYPE_PAGE);
  collect_class (names, SCOPE_TYPE_GRAPH_VIEW);
  collect_class (names, SCOPE_TYPE_OPERATORS_VIEW);
  collect_class (names, SCOPE_TYPE_CANVAS);
  collect_class (names, SCOPE_TYPE_LANE_CHART);
  g_assert_cmpuint (names->len, >, 50);
  for (guint i = 0; i < names->len; i++)
    if (!g_strv_contains ((const char *const *) lines, names->pdata[i]))
      {
        g_test_message ("%s is not in actions.txt", (const char *) names->pdata[i]);
        g_test_fail ();
      }
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0' && *lines[i] != '#' && !gui_was_tried (lines[i]))
      {
        g_test_message ("no test tries %s", lines[i]);
        g_test_fail ();
      }
}

static void
test_no_display (void)
{
  g_test_skip ("no display");
}

int
main (int argc, char **argv)
{
  int status;

  if (!gui_init (&argc, &argv))
    {
      g_test_add_func ("/app/window/opens", test_no_display);
      return g_test_run ();
    }
  window = gui_start ();
  page = gui_open (window, "cell-lstm-t6-ntc-none", shapes);
  g_test_add_func ("/app/window/has-accessible-names", test_names);
  g_test_add_func ("/app/window/camera-obeys-actions", test_camera);
  g_test_add_func ("/app/window/keys-walk-along-edges", test_walking);
  g_test_add_func ("/app/window/groups-fold-and-unfold-and-undo", test_folding);
  g_test_add_func ("/app/window/steps-can-be-chosen", test_steps);
  g_test_add_func ("/app/window/dives-and-traces", test_diving_and_tracing);
  g_test_add_func ("/app/window/search-finds-and-lets-go", test_search);
  g_test_add_func ("/app/window/panes-show-and-hide", test_panes);
  g_test_add_func ("/app/window/takes-click-drag-scroll-and-pinch", test_gestures);
  g_test_add_func ("/app/window/runs-and-colours", test_run);
  g_test_add_func ("/app/window/a-run-can-be-stopped", test_stop);
  g_test_add_func ("/app/window/reads-again-and-survives-a-missing-file", test_files);
  g_test_add_func ("/app/window/converts-and-opens-examples", test_forms_and_examples);
  g_test_add_func ("/app/window/keeps-views-in-files", test_state);
  g_test_add_func ("/app/window/dialogs-open", test_dialogs);
  g_test_add_func ("/app/window/quits", test_quit);
  g_test_add_func ("/app/window/every-action-is-tried", test_every_action_is_tried);
  status = g_test_run ();
  gui_stop ();
  return status;
}
