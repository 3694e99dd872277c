/* window-walk.c — opens, searches, folds, runs, shows every view, converts, compares and closes.
 *
 * Each function is a part of the walk and calls step() with its name.  Start reading at
 * bench_walk().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/window-walk.h"

#include "app/compare/compare-page.h"
#include "app/session/settings.h"

#include <glib/gstdio.h>

#define RUN_SECONDS     4
#define COMPARE_SECONDS 4
/* The model whose forms are compared; small, since all panes are run. */
#define SMALL "lstm-unrolled"

typedef struct
{
  ScopeWindow    *window;
  ScopePage      *page;
  ScopeWorkspace *workspace;
  BenchStep       step;
} Walk;

static gboolean
has_measurement (gpointer workspace)
{
  return scope_workspace_get_measurement (workspace) && !scope_workspace_is_running (workspace);
}

static void
act (gpointer widget, const char *action, const char *target)
{
  gui_act (widget, action, target);
  gui_spin (250);
}

/* --- Selecting and searching --- */

static void
search (Walk *walk)
{
  const char *query = "op:FullyConnected";

  for (gsize n = 1; query[n - 1] != '\0'; n++)
    {
      g_autofree char *typed = g_strndup (query, n);

      scope_page_search (walk->page, typed);
      gui_spin (60);
    }
  gui_spin (300);
  walk->step ("type a search");
  for (guint i = 0; i < 8; i++)
    {
      scope_page_step_search (walk->page, 1);
      gui_spin (120);
    }
  walk->step ("step through what was found");
  scope_page_search (walk->page, "");
  gui_spin (300);
  walk->step ("empty the search");
}

static void
select_nodes (Walk *walk)
{
  VizDiagram *diagram = scope_document_get_diagram (scope_workspace_get_document (walk->workspace));
  guint32     n = viz_diagram_n_boxes (diagram);

  for (guint32 i = 0; i < 12; i++)
    {
      scope_workspace_show (walk->workspace, 1 + (guint32) ((guint64) i * 7919 % (n - 1)));
      gui_spin (120);
    }
  gui_settle (walk->page);
  walk->step ("select nodes everywhere");
  act (walk->window, "win.trace", NULL);
  scope_workspace_show (walk->workspace, n / 2);
  gui_spin (300);
  act (walk->window, "win.trace", NULL);
  walk->step ("trace what a node depends on");
}

static void
fold (Walk *walk)
{
  static const char *const actions[] = { "win.unfold-all", "win.fold-all", "win.undo",
                                         "win.undo",       "win.redo",     "win.undo" };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      gui_act (walk->window, actions[i], NULL);
      gui_settle (walk->page);
      gui_spin (100);
    }
  act (walk->window, "win.zoom-fit", NULL);
  gui_settle (walk->page);
  walk->step ("fold and unfold everything");
}

/* --- Costs --- */

static void
run (Walk *walk)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

  options->seconds = RUN_SECONDS;
  g_assert_true (scope_page_run (walk->page, options));
  g_assert_true (gui_wait (has_measurement, walk->workspace, 60000));
  gui_spin (1500); /* until colours, tables and values are shown */
  gui_settle (walk->page);
  walk->step ("run, and show what it cost");
}

static void
show_costs (Walk *walk)
{
  GtkWidget *page = GTK_WIDGET (walk->page);
  GtkWidget *lanes, *filter = gui_find (page, "operators-search");

  act (walk->window, "win.show-view", "operators");
  walk->step ("show operators");
  for (guint grouping = 0; grouping < 3; grouping++)
    {
      gtk_drop_down_set_selected (GTK_DROP_DOWN (gui_find (page, "operators-grouping")),
                                  (grouping + 1) % 3);
      gui_spin (500);
    }
  walk->step ("group costs by node, scope, operator");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (gui_find (page, "operators-grouping")), 1);
  gui_spin (500);
  gtk_editable_set_text (GTK_EDITABLE (filter), "i2h");
  gui_spin (500);
  gtk_editable_set_text (GTK_EDITABLE (filter), "");
  gui_spin (500);
  walk->step ("filter costs");
  select_nodes (walk);
  act (walk->window, "win.show-view", "timeline");
  lanes = gui_find (page, "timeline-lanes");
  for (guint i = 0; i < 12; i++)
    act (lanes, i < 6 ? "lanes.zoom-in" : "lanes.pan-right", NULL);
  act (lanes, "lanes.zoom-fit", NULL);
  walk->step ("show the timeline, and zoom in it");
  act (walk->window, "win.show-view", "memory");
  act (walk->window, "win.show-view", "findings");
  act (walk->window, "win.show-view", "log");
  walk->step ("show memory, findings, log");
}

static void
change_colours (Walk *walk)
{
  static const char *const heats[] = { "share", "flops", "bytes", "inclusive", "roofline", "none" };

  for (guint i = 0; i < G_N_ELEMENTS (heats); i++)
    {
      act (walk->page, "page.heat", heats[i]);
      gui_settle (walk->page);
    }
  act (walk->page, "page.heat", "self");
  act (walk->page, "page.heat-scale", "rank");
  act (walk->page, "page.heat-scale", "log");
  gui_settle (walk->page);
  walk->step ("change what the colours show");
  act (walk->window, "app.colours", "dark");
  gui_settle (walk->page);
  act (walk->window, "app.colours", "light");
  gui_settle (walk->page);
  walk->step ("dark and light");
}

static gboolean
has_passes (gpointer list)
{
  return gtk_list_box_get_row_at_index (list, 3) != NULL;
}

static void
show_passes (Walk *walk)
{
  GtkListBox *list = GTK_LIST_BOX (gui_find (GTK_WIDGET (walk->page), "passes-list"));

  gui_act (walk->window, "win.show-view", "passes");
  g_assert_true (gui_wait (has_passes, list, 60000));
  gui_spin (300);
  walk->step ("run the passes");
  gtk_list_box_select_row (list, gtk_list_box_get_row_at_index (list, 3));
  gui_spin (1500);
  act (walk->page, "page.leave-pass", NULL);
  walk->step ("show the graph after a pass, and go back");
  act (walk->window, "win.panel", NULL);
}

/* --- Files and other windows --- */

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static void
export_files (Walk *walk)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-walk-XXXXXX", NULL);
  g_autofree char *picture = g_build_filename (folder, "picture.svg", NULL);
  g_autofree char *costs = g_build_filename (folder, "costs.csv", NULL);

  scope_window_export (walk->window, "picture", picture);
  scope_window_export (walk->window, "costs", costs);
  g_assert_true (gui_wait (is_file, picture, 20000));
  g_assert_true (gui_wait (is_file, costs, 20000));
  gui_spin (300);
  g_remove (picture);
  g_remove (costs);
  g_rmdir (folder);
  walk->step ("export a picture and the costs");
}

static gboolean
has_other_page (gpointer data)
{
  const Walk *walk = data;

  return scope_window_get_page (walk->window) != walk->page;
}

static void
convert (Walk *walk)
{
  gui_act (walk->window, "win.convert", "fused");
  g_assert_true (gui_wait (has_other_page, walk, 60000));
  gui_settle (scope_window_get_page (walk->window));
  gui_spin (300);
  walk->step ("convert");
  act (walk->window, "win.close-tab", NULL);
  walk->step ("close the converted one");
}

static gboolean
has_measured_panes (gpointer compare)
{
  for (guint i = 0; i < scope_compare_page_n_panes (compare); i++)
    if (!scope_canvas_get_overlay (
            scope_compare_pane_get_canvas (scope_compare_page_get_pane (compare, i))))
      return FALSE;
  return scope_compare_page_is_measured (compare);
}

static void
compare_forms (Walk *walk)
{
  ScopeComparePage *compare;

  scope_settings_set_int ("compare-seconds", COMPARE_SECONDS);
  gui_act (walk->window, "win.open-example", SMALL);
  g_assert_true (gui_wait (has_other_page, walk, 20000));
  gui_settle (scope_window_get_page (walk->window));
  gui_act (walk->window, "win.compare", NULL);
  compare = scope_window_get_comparison (walk->window);
  g_assert_true (gui_wait (has_measured_panes, compare, 60000));
  act (compare, "compare.fit", NULL);
  act (compare, "compare.colours", "difference");
  walk->step ("compare forms");
  act (walk->window, "win.close-tab", NULL);
  gui_spin (300);
  act (walk->window, "win.close-tab", NULL);
  walk->step ("close the comparison");
}

static void
open_dialogs (Walk *walk)
{
  static const char *const actions[] = { "win.preferences", "win.about", "win.show-help-overlay" };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      GtkWindow *dialog;

      act (walk->window, actions[i], NULL);
      dialog = gui_find_window (GTK_TYPE_WINDOW);
      g_assert_true (dialog != GTK_WINDOW (walk->window));
      gtk_window_close (dialog);
      gui_spin (200);
      walk->step (actions[i]);
    }
  act (walk->window, "win.first-steps", NULL);
  act (walk->window, "win.first-steps", NULL);
  act (walk->window, "win.new-tab", NULL);
  walk->step ("first steps, the start page");
}

void
bench_walk (ScopeWindow *window, const char *example, BenchStep step)
{
  Walk walk = { .window = window, .step = step };

  gui_act (window, "win.open-example", example);
  g_assert_true (gui_wait (has_other_page, &walk, 60000));
  walk.page = scope_window_get_page (window);
  walk.workspace = scope_page_get_workspace (walk.page);
  gui_settle (walk.page);
  step ("open");
  act (walk.page, "page.outline", NULL);
  step ("show the list of nodes");
  search (&walk);
  select_nodes (&walk);
  fold (&walk);
  run (&walk);
  show_costs (&walk);
  change_colours (&walk);
  show_passes (&walk);
  export_files (&walk);
  convert (&walk);
  compare_forms (&walk);
  open_dialogs (&walk);
  act (window, "win.close-tab", NULL);
  step ("close");
}
