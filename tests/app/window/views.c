/* views.c — converting to another form, passes, and contents of weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/session/settings.h"
#include "app/window/form-menu.h"

#include <glib/gstdio.h>
#include <string.h>

static const char *const shapes[] = { "data=2,6,4", NULL };
static const char *const loop_shapes[] = { "data0=5,2,3", "data1=2,4", "data2=2,4", NULL };

/* --- The list of forms --- */

static gboolean
is_filled (gpointer menu)
{
  return scope_form_menu_is_filled (menu);
}

static gboolean
is_elsewhere (gpointer from)
{
  return scope_window_get_page (window) != from &&
         scope_workspace_get_document (scope_page_get_workspace (scope_window_get_page (window))) !=
             NULL;
}

static GtkWidget *
open_forms (void)
{
  GtkWidget *menu = gui_find (GTK_WIDGET (window), "form-menu");
  GtkWidget *button = gui_find (menu, "form-button");

  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  g_assert_true (gui_wait (is_filled, menu, 30000));
  return menu;
}

static GtkWidget *
find_form (const char *form)
{
  GtkWidget *list = gui_find (open_forms (), "form-list");
  GtkWidget *row = gui_find (list, form);

  g_assert_nonnull (row);
  return row;
}

static void
choose (const char *form)
{
  GtkWidget *row = find_form (form);

  g_assert_true (gtk_list_box_row_get_activatable (GTK_LIST_BOX_ROW (row)));
  g_signal_emit_by_name (gtk_widget_get_parent (row), "row-activated", row);
}

/* Another form opens in a tab of its own, with the match of the selected node selected.  Choosing the first form
 * returns to the first tab. */
static void
test_form_menu (void)
{
  ScopePage  *first = gui_open (window, "cell-lstm-t6-ntc-none", shapes), *second;
  VizDiagram *diagram =
      scope_document_get_diagram (scope_workspace_get_document (scope_page_get_workspace (first)));
  guint32 chain = VIZ_ROOT;

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram) && chain == VIZ_ROOT; box++)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS)
      chain = box;
  scope_workspace_select (scope_page_get_workspace (first), chain);
  g_assert_cmpstr (scope_page_get_form (first), ==, "unrolled");
  open_forms ();
  take_picture (window, "forms");
  choose ("fused");
  g_assert_true (gui_wait (is_elsewhere, first, 30000));
  second = scope_window_get_page (window);
  gui_settle (second);
  g_assert_cmpstr (scope_page_get_form (second), ==, "fused");
  g_assert_nonnull (scope_page_get_proof (second));
  g_assert_cmpuint (scope_workspace_get_selected (scope_page_get_workspace (second)), !=, VIZ_ROOT);
  take_picture (window, "form-fused");
  choose ("unrolled");
  g_assert_true (scope_window_get_page (window) == first);
  choose ("fused");
  g_assert_true (scope_window_get_page (window) == second);
}

/* --- Costs in another form --- */

static gboolean
has_measurement (gpointer of)
{
  return scope_workspace_get_measurement (of) != NULL;
}

static gboolean
is_told (gpointer of)
{
  return gtk_revealer_get_reveal_child (GTK_REVEALER (gui_find (of, "measured-again")));
}

static ScopePage *
show_form (const char *form, ScopePage *from)
{
  choose (form);
  g_assert_true (gui_wait (is_elsewhere, from, 30000));
  return scope_window_get_page (window);
}

static gboolean
is_running (gpointer of)
{
  return scope_workspace_is_running (of);
}

/* A converted form of a measured model is measured, too; the first form keeps its costs. */
static void
test_form_measured (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  ScopePage        *first = gui_open (window, "foreachrnn-lstm", loop_shapes), *second;
  ScopeWorkspace   *its = scope_page_get_workspace (first), *other;
  ScopeMeasurement *measurement;
  GtkWidget        *label;

  options->seconds = 2;
  g_assert_true (scope_page_run (first, options));
  g_assert_true (gui_wait (has_measurement, its, 60000));
  measurement = scope_workspace_get_measurement (its);
  g_assert_false (is_told (first));

  second = show_form ("unrolled", first);
  other = scope_page_get_workspace (second);
  g_assert_true (gui_wait (is_running, other, 30000));
  label = gui_find (GTK_WIDGET (second), "run-label");
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (label)), "Measuring this form"));
  gui_spin (300);
  take_picture (window, "form-measuring");
  g_assert_true (gui_wait (has_measurement, other, 60000));
  g_assert_true (gui_wait (is_told, second, 5000));
  label = gui_find (GTK_WIDGET (second), "measured-again-label");
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (label)), "Measured in this form"));
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (label)), "as Foreach Loop"));
  gui_settle (second);
  take_picture (window, "form-measured");
  gui_act (second, "page.dismiss-measured", NULL);
  g_assert_false (is_told (second));
  g_assert_nonnull (scope_workspace_get_measurement (other));

  choose ("foreach");
  g_assert_true (scope_window_get_page (window) == first);
  g_assert_true (scope_workspace_get_measurement (its) == measurement);
  g_assert_false (scope_workspace_is_running (its));
  g_assert_nonnull (
      scope_canvas_get_overlay (scope_graph_view_get_canvas (scope_page_get_graph_view (first))));

  /* It is not started if the setting is off, and can be cancelled. */
  scope_settings_set_flag ("measure-forms", FALSE);
  second = show_form ("while", first);
  other = scope_page_get_workspace (second);
  gui_settle (second);
  g_assert_false (scope_workspace_is_running (other));
  scope_settings_set_flag ("measure-forms", TRUE);
  choose ("foreach");
  choose ("while");
  g_assert_true (gui_wait (is_running, other, 30000));
  gui_act (scope_window_get_page (window), "page.stop", NULL);
  gui_act (scope_window_get_page (window), "page.stop", NULL);
  g_assert_true (gui_wait (is_idle, other, 30000));
}

/* An impossible form shows the reason, and cannot be chosen. */
static void
test_form_refused (void)
{
  GtkWidget *row;

  gui_open (window, "while-greedy-decoder", NULL);
  row = find_form ("fused");
  g_assert_false (gtk_list_box_row_get_activatable (GTK_LIST_BOX_ROW (row)));
  g_assert_nonnull (gtk_widget_get_tooltip_text (row));
  take_picture (window, "forms-refused");
  gtk_menu_button_popdown (GTK_MENU_BUTTON (gui_find (GTK_WIDGET (window), "form-button")));
}

/* --- Passes --- */

static gboolean
has_rows (gpointer list)
{
  return gtk_list_box_get_row_at_index (list, 1) != NULL;
}

static gboolean
shows_pass (gpointer of)
{
  ScopeGraphView *shown = scope_page_get_shown_view (of);

  return shown != scope_page_get_graph_view (of) && scope_graph_view_is_settled (shown) &&
         scope_canvas_get_picture (scope_graph_view_get_canvas (shown));
}

/* The last pass has left fewer nodes than the model was written with. */
static void
test_passes (void)
{
  ScopePage     *own = gui_open (window, "cell-lstm-t6-ntc-none", shapes);
  GtkWidget     *list = gui_find (GTK_WIDGET (own), "passes-list");
  ScopeDocument *before = scope_workspace_get_document (scope_page_get_workspace (own)), *after;
  int            last = 1;

  gui_act (window, "win.show-view", "passes");
  g_assert_true (gui_wait (has_rows, list, 30000));
  while (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), last + 1))
    last++;
  gtk_list_box_select_row (GTK_LIST_BOX (list),
                           gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), last));
  g_assert_true (gui_wait (shows_pass, own, 30000));
  after = scope_view_get_document (SCOPE_VIEW (scope_page_get_shown_view (own)));
  g_assert_cmpuint (scope_document_get_totals (after)->n_nodes, <,
                    scope_document_get_totals (before)->n_nodes);
  take_picture (window, "passes");
  gui_act (own, "page.leave-pass", NULL);
  g_assert_true (scope_page_get_shown_view (own) == scope_page_get_graph_view (own));
  gui_act (window, "win.panel", NULL);
}

/* --- Weights --- */

static gboolean
has_picture (gpointer of)
{
  return gui_find (of, "weight-picture") != NULL;
}

/* Statistics, histogram, and a picture in which the gates are named. */
static void
show_weight (const char *model, const char *name, const char *picture)
{
  ScopePage      *own = gui_open (window, model, NULL);
  ScopeWorkspace *its = scope_page_get_workspace (own);
  guint32         box = scope_document_find_name (scope_workspace_get_document (its), name);

  g_assert_cmpuint (box, !=, VIZ_ROOT);
  scope_workspace_select (its, box);
  g_assert_true (gui_wait (has_picture, own, 10000));
  g_assert_nonnull (gui_find (GTK_WIDGET (own), "histogram"));
  take_picture (window, picture);
}

static void
test_weights (void)
{
  show_weight ("cell-lstm-t6-ntc-none", "unroll0_lstm0_i2h_weight", "weight-lstm");
  show_weight ("fused-gru-l2-bi", "gru_parameters", "weight-fused");
}

void
add_view_tests (void)
{
  add_test ("/app/window/writes-the-model-in-another-form", CASE_EMPTY, test_form_menu);
  add_long_test ("/app/window/measures-another-form-as-well", CASE_EMPTY, test_form_measured);
  add_test ("/app/window/says-why-a-form-cannot-be-written", CASE_EMPTY, test_form_refused);
  add_test ("/app/window/shows-the-graph-after-each-pass", CASE_EMPTY, test_passes);
  add_test ("/app/window/draws-what-weights-hold", CASE_EMPTY, test_weights);
}
