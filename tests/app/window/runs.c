/* runs.c — running a model, and its costs: colours, table, timeline, memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/models/gradual-list.h"
#include "app/views/operators-view.h"
#include "app/widgets/bars.h"
#include "app/widgets/lane-chart.h"
#include "app/widgets/tooltip.h"

#include <string.h>

static gboolean
has_measurement (gpointer data)
{
  return scope_workspace_get_measurement (data) != NULL;
}

static gboolean
has_other_colours (gpointer before)
{
  VizOverlay *overlay = scope_canvas_get_overlay (canvas ());

  return overlay && overlay != before;
}

/* Colours are computed by a worker. */
static void
wait_for_colours (VizOverlay *before)
{
  g_assert_true (gui_wait (has_other_colours, before, 10000));
}

static void
test_run (void)
{
  GtkWidget *legend = gui_find (GTK_WIDGET (page), "heat-legend");

  gui_act (window, "win.run", NULL);
  g_assert_true (scope_workspace_is_running (workspace ()));
  g_assert_true (gui_wait (has_measurement, workspace (), 90000));
  wait_for_colours (NULL);
  g_assert_true (gtk_widget_get_visible (legend));
}

static void
test_heat (void)
{
  g_autoptr (VizOverlay) self_time = NULL;

  gui_act (page, "page.heat", "none");
  g_assert_null (scope_canvas_get_overlay (canvas ()));
  gui_act (page, "page.heat", "share");
  wait_for_colours (NULL);
  gui_act (page, "page.heat", "none");
  gui_act (page, "page.heat", "self");
  wait_for_colours (NULL);
  self_time = viz_overlay_ref (scope_canvas_get_overlay (canvas ()));
  gui_act (page, "page.heat-scale", "linear");
  wait_for_colours (self_time);
  /* The last choice wins, even if an earlier one is painted later. */
  gui_act (page, "page.heat", "share");
  gui_act (page, "page.heat", "none");
  gui_spin (100);
  g_assert_null (scope_canvas_get_overlay (canvas ()));
  gui_act (page, "page.heat", "self");
  gui_act (page, "page.heat-scale", "log");
  wait_for_colours (NULL);
}

/* The table is filtered and sorted incrementally. */
static gboolean
table_has_rows (gpointer view)
{
  g_autofree char *table = scope_operators_view_to_text (view);

  return strstr (table, "FullyConnected") != NULL;
}

static void
test_operators (void)
{
  ScopeOperatorsView *view = SCOPE_OPERATORS_VIEW (scope_page_get_view (page, "operators"));
  g_autofree char    *copied = NULL;

  gui_act (window, "win.show-view", "operators");
  g_assert_true (gui_wait (table_has_rows, view, 10000));
  gui_act (view, "operators.copy", NULL);
  copied = gui_clipboard (GTK_WIDGET (view));
  g_assert_nonnull (copied);
  g_assert_nonnull (strstr (copied, "FullyConnected"));
}

static double
lanes_begin (GtkWidget *lanes)
{
  double begin, end;

  scope_lane_chart_get_range (SCOPE_LANE_CHART (lanes), &begin, &end);
  return begin;
}

static double
lanes_length (GtkWidget *lanes)
{
  double begin, end;

  scope_lane_chart_get_range (SCOPE_LANE_CHART (lanes), &begin, &end);
  return end - begin;
}

static gboolean
has_lanes (gpointer lanes)
{
  return gtk_widget_get_mapped (lanes) && gtk_widget_get_width (lanes) > 1 &&
         lanes_length (lanes) > 0;
}

/* The timeline with the spans of the measured run. */
static GtkWidget *
show_timeline (void)
{
  GtkWidget *lanes = gui_find (GTK_WIDGET (page), "timeline-lanes");

  gui_act (window, "win.show-view", "timeline");
  wait_until (has_lanes, lanes);
  return lanes;
}

static void
test_lanes (void)
{
  GtkWidget *lanes;
  double     all, begin;

  lanes = show_timeline ();
  gui_act (lanes, "lanes.zoom-fit", NULL);
  all = lanes_length (lanes);
  gui_act (lanes, "lanes.zoom-in", NULL);
  g_assert_cmpfloat (lanes_length (lanes), <, all);
  begin = lanes_begin (lanes);
  gui_act (lanes, "lanes.pan-right", NULL);
  g_assert_cmpfloat (lanes_begin (lanes), >, begin);
  gui_act (lanes, "lanes.pan-left", NULL);
  g_assert_cmpfloat_with_epsilon (lanes_begin (lanes), begin, 1e-9);
  gui_act (lanes, "lanes.zoom-out", NULL);
  g_assert_cmpfloat_with_epsilon (lanes_length (lanes), all, 1e-9);
  gui_act (lanes, "lanes.zoom-in", NULL);
  gui_act (lanes, "lanes.zoom-fit", NULL);
  g_assert_cmpfloat_with_epsilon (lanes_length (lanes), all, 1e-9);
}

static void
test_lane_gestures (void)
{
  GtkWidget *lanes = show_timeline ();
  gpointer   motion = gui_controller (lanes, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  gpointer   drag = gui_controller (lanes, GTK_TYPE_GESTURE_DRAG);
  double     x = gtk_widget_get_width (lanes) / 2., begin;
  gboolean   handled = FALSE;

  scope_workspace_select (workspace (), VIZ_ROOT);
  /* Between two operators there may be a gap. */
  for (guint i = 0; i < 200 && !scope_tooltip_get (lanes); i++)
    g_signal_emit_by_name (motion, "motion", x += i > 0 ? 2 : 0, 60.0);
  g_assert_nonnull (scope_tooltip_get (lanes));
  /* All nodes that ran begin with it. */
  g_assert_false (g_str_has_prefix (scope_tooltip_get (lanes), "unroll0_"));
  gui_mark_gesture ("lanes-hover");
  g_signal_emit_by_name (gui_controller (lanes, GTK_TYPE_GESTURE_CLICK), "pressed", 1, x, 60.0);
  g_assert_cmpuint (scope_workspace_get_selected (workspace ()), !=, VIZ_ROOT);
  gui_mark_gesture ("lanes-click");
  gui_act (lanes, "lanes.zoom-in", NULL);
  begin = lanes_begin (lanes);
  g_signal_emit_by_name (gui_controller (lanes, GTK_TYPE_EVENT_CONTROLLER_SCROLL), "scroll", 1.0,
                         0.0, &handled);
  g_assert_true (handled);
  g_assert_cmpfloat (lanes_begin (lanes), >, begin);
  gui_mark_gesture ("lanes-scroll");
  begin = lanes_begin (lanes);
  g_signal_emit_by_name (drag, "drag-begin", 10.0, 60.0);
  g_signal_emit_by_name (drag, "drag-update", 50.0, 0.0);
  g_signal_emit_by_name (drag, "drag-end", 50.0, 0.0);
  g_assert_cmpfloat (lanes_begin (lanes), <, begin);
  gui_mark_gesture ("lanes-drag");
}

static gboolean
is_measured (GtkWidget *lanes)
{
  double begin, end;

  return scope_lane_chart_get_measured (SCOPE_LANE_CHART (lanes), &begin, &end);
}

/* M measures the selection, or what is visible; Shift with dragging any range; the sums say what lies in it. */
static void
test_lane_range (void)
{
  GtkWidget *lanes = show_timeline ();
  GtkWidget *sums = gui_find (GTK_WIDGET (page), "timeline-sums");
  guint32    box = scope_document_find_name (scope_workspace_get_document (workspace ()),
                                             "unroll0_lstm0_t3_i2h");
  double     begin, end, whole;

  scope_workspace_select (workspace (), VIZ_ROOT);
  g_assert_false (gtk_widget_get_visible (sums));
  gui_act (lanes, "lanes.zoom-fit", NULL);
  gui_act (lanes, "lanes.measure", NULL);
  g_assert_true (is_measured (lanes));
  wait_until (is_mapped, sums);
  g_assert_true (says (sums, "100.0 % of the run"));
  g_assert_true (says (sums, "6 × · ")); /* one name, six steps */
  scope_lane_chart_get_measured (SCOPE_LANE_CHART (lanes), &begin, &end);
  whole = end - begin;
  gui_spin (200);
  take_picture (window, "timeline-range");
  gui_act (lanes, "lanes.measure-clear", NULL);
  g_assert_false (is_measured (lanes));
  g_assert_false (gtk_widget_get_visible (sums));

  /* The selection is followed, and measured. */
  gui_act (lanes, "lanes.zoom-in", NULL);
  gui_act (lanes, "lanes.zoom-in", NULL);
  gui_act (lanes, "lanes.zoom-in", NULL);
  scope_workspace_select (workspace (), box);
  gui_act (scope_page_get_view (page, "timeline"), "timeline.measure", NULL);
  scope_lane_chart_get_measured (SCOPE_LANE_CHART (lanes), &begin, &end);
  g_assert_cmpfloat (end - begin, <, whole / 2);
  g_assert_cmpfloat (lanes_begin (lanes), <=, begin);
  g_assert_cmpfloat (lanes_begin (lanes) + lanes_length (lanes), >=, end);
  gui_act (scope_page_get_view (page, "timeline"), "timeline.measure", NULL);
  g_assert_false (is_measured (lanes));
}

static void
test_lane_search (void)
{
  GtkWidget        *lanes = show_timeline ();
  GtkWidget        *search = gui_find (GTK_WIDGET (page), "timeline-search");
  GtkLabel         *found = GTK_LABEL (gui_find (GTK_WIDGET (page), "timeline-found"));
  ScopePlace const *place;
  guint             n;

  gui_act (scope_page_get_view (page, "timeline"), "timeline.search", NULL);
  n = scope_lane_chart_find (SCOPE_LANE_CHART (lanes), "i2h");
  g_assert_cmpuint (n, >=, 1);
  gtk_editable_set_text (GTK_EDITABLE (search), "i2h");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_nonnull (strstr (gtk_label_get_text (found), "hit"));
  gui_spin (200);
  take_picture (window, "timeline-search");
  g_signal_emit_by_name (search, "activate");
  place = scope_document_get_place (scope_workspace_get_document (workspace ()),
                                    scope_workspace_get_selected (workspace ()));
  g_assert_nonnull (place);
  g_assert_nonnull (strstr (hyb_graph_get_node (place->graph, place->node)->name, "i2h"));
  g_signal_emit_by_name (search, "previous-match");
  g_signal_emit_by_name (search, "stop-search");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (search)), ==, "");
}

/* Texts of charts grow with those of the window, and so does the room for them. */
static void
test_large_charts (void)
{
  GtkWidget   *lanes = show_timeline (), *steps = gui_find (GTK_WIDGET (page), "steps-strip");
  GtkSettings *settings = gtk_settings_get_default ();
  int          lanes_before, lanes_after, steps_before, steps_after;

  gtk_widget_measure (lanes, GTK_ORIENTATION_VERTICAL, -1, &lanes_before, NULL, NULL, NULL);
  gtk_widget_measure (steps, GTK_ORIENTATION_VERTICAL, -1, &steps_before, NULL, NULL, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  gui_spin (500);
  gtk_widget_measure (lanes, GTK_ORIENTATION_VERTICAL, -1, &lanes_after, NULL, NULL, NULL);
  gtk_widget_measure (steps, GTK_ORIENTATION_VERTICAL, -1, &steps_after, NULL, NULL, NULL);
  take_picture (window, "charts-large");
  g_object_set (settings, "gtk-xft-dpi", 96 * 1024, NULL);
  gui_spin (200);
  g_assert_cmpint (lanes_after, >, lanes_before * 3 / 2);
  g_assert_cmpint (steps_after, >, steps_before);
}

static void
on_picked (ScopeBars *bars G_GNUC_UNUSED, guint index G_GNUC_UNUSED, gpointer data)
{
  *(gboolean *) data = TRUE;
}

static void
test_bars (void)
{
  GtkWidget *steps = gui_find (GTK_WIDGET (page), "steps-strip");
  double     x;
  gboolean   is_picked = FALSE;
  gulong     handler;

  show_timeline ();
  wait_until (is_mapped, steps);
  x = gtk_widget_get_width (steps) / 2.;
  g_signal_emit_by_name (gui_controller (steps, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", x,
                         10.0);
  g_assert_nonnull (scope_tooltip_get (steps));
  gui_mark_gesture ("bars-hover");
  handler = g_signal_connect (steps, "picked", G_CALLBACK (on_picked), &is_picked);
  g_signal_emit_by_name (gui_controller (steps, GTK_TYPE_GESTURE_CLICK), "pressed", 1, x, 10.0);
  g_signal_handler_disconnect (steps, handler);
  g_assert_true (is_picked);
  gui_mark_gesture ("bars-click");
}

static gboolean
has_width (gpointer widget)
{
  return gtk_widget_get_mapped (widget) && gtk_widget_get_width (widget) > 100;
}

/* Labels of an axis stand beside the bars, and a click on them picks none. */
static void
test_axes (void)
{
  GtkWidget   *steps = gui_find (GTK_WIDGET (page), "steps-strip"), *memory;
  gboolean     is_picked = FALSE;
  ScopeBarPlot plot;

  show_timeline ();
  wait_until (is_mapped, steps);
  scope_bars_get_plot (SCOPE_BARS (steps), &plot);
  g_assert_cmpfloat (plot.left, >, 10);
  g_assert_cmpfloat (plot.height, <, gtk_widget_get_height (steps));
  g_signal_connect (steps, "picked", G_CALLBACK (on_picked), &is_picked);
  g_signal_emit_by_name (gui_controller (steps, GTK_TYPE_GESTURE_CLICK), "pressed", 1, 2.0, 10.0);
  g_assert_false (is_picked);
  gui_act (window, "win.show-view", "memory");
  memory = gui_find (GTK_WIDGET (page), "memory-curve");
  wait_until (has_width, memory);
  scope_bars_get_plot (SCOPE_BARS (memory), &plot);
  g_assert_cmpfloat (plot.left, >, 20);
  g_assert_cmpfloat (plot.left + plot.width, ==, gtk_widget_get_width (memory));
}

static void
test_stop (void)
{
  g_assert_true (gui_wait (is_idle, workspace (), 20000));
  gui_act (window, "win.run", NULL);
  g_assert_true (scope_workspace_is_running (workspace ()));
  gui_act (page, "page.stop", NULL);
  gui_act (window, "win.stop", NULL);
  g_assert_true (gui_wait (is_idle, workspace (), 30000));
  gui_record_gestures (GTK_WIDGET (window));
}

static gboolean
has_all (gpointer list)
{
  return g_list_model_get_n_items (list) ==
         g_list_model_get_n_items (scope_gradual_list_get_source (list));
}

static gboolean
is_empty (gpointer list)
{
  return g_list_model_get_n_items (list) == 0;
}

static void
test_long_lists (void)
{
  const char *const *none = (const char *const[]){ NULL };
  GtkStringList     *source = gtk_string_list_new (none);
  g_autoptr (ScopeGradualList) list = scope_gradual_list_new (g_object_ref (G_LIST_MODEL (source)));
  GtkWidget *view = gtk_label_new (NULL), *shown = gtk_window_new ();

  for (guint i = 0; i < 1000; i++)
    gtk_string_list_append (source, "item");
  scope_gradual_list_follow (list, view);
  gtk_window_set_child (GTK_WINDOW (shown), view);
  g_assert_true (is_empty (list));
  gtk_window_present (GTK_WINDOW (shown));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), <, 1000);
  g_assert_true (gui_wait (has_all, list, 10000));
  /* When the list changes, the first rows stay and the rest follows. */
  gtk_string_list_splice (source, 0, 900, none);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), >, 0);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), <, 100);
  g_assert_true (gui_wait (has_all, list, 10000));
  gtk_widget_set_visible (shown, FALSE);
  g_assert_true (gui_wait (is_empty, list, 10000));
  gtk_window_destroy (GTK_WINDOW (shown));
  g_object_unref (source);
}

void
add_run_tests (void)
{
  add_test ("/app/window/runs-and-colours", CASE_MODEL, test_run);
  add_test ("/app/window/colours-can-be-chosen", CASE_MEASURED, test_heat);
  add_test ("/app/window/operators-are-listed-and-copied", CASE_MEASURED, test_operators);
  add_test ("/app/window/timeline-zooms-and-pans", CASE_MEASURED, test_lanes);
  add_test ("/app/window/timeline-takes-click-drag-and-scroll", CASE_MEASURED, test_lane_gestures);
  add_test ("/app/window/timeline-measures-a-range", CASE_MEASURED, test_lane_range);
  add_test ("/app/window/timeline-is-searched", CASE_MEASURED, test_lane_search);
  add_test ("/app/window/charts-grow-with-the-text", CASE_MEASURED, test_large_charts);
  add_test ("/app/window/charts-have-axes", CASE_MEASURED, test_axes);
  add_test ("/app/window/steps-tell-and-can-be-picked", CASE_MEASURED, test_bars);
  add_test ("/app/window/a-run-can-be-stopped", CASE_MODEL, test_stop);
  add_test ("/app/window/long-lists-come-bit-by-bit", CASE_EMPTY, test_long_lists);
}
