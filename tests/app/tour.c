/* tour.c — a tour of the window that saves a numbered picture of each stop.
 *
 * Pictures are saved in the folder HYBRIDSCOPE_TOUR; if it is not set they are removed again, and the
 * tour only shows that every stop can be reached.  HYBRIDSCOPE_TOUR_SIZE sets the window's size, "900x700".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"
#include "tests/program.h"

#include "app/compare/compare-page.h"
#include "app/session/settings.h"

#include <glib/gstdio.h>
#include <stdio.h>

static ScopeWindow *window;
static char        *folder;
static guint        n_pictures;

static void
take_picture (const char *name)
{
  g_autofree char *base = g_strdup_printf ("%02u-%s.png", ++n_pictures, name);
  g_autofree char *path = g_build_filename (folder, base, NULL);

  gui_save_picture (GTK_WINDOW (window), path);
}

static gboolean
has_page (gpointer data G_GNUC_UNUSED)
{
  return scope_window_get_page (window) != NULL;
}

static gboolean
has_measurement (gpointer workspace)
{
  return scope_workspace_get_measurement (workspace) != NULL;
}

static gboolean
is_selected (gpointer page)
{
  return scope_window_get_page (window) == page;
}

static gboolean
is_elsewhere (gpointer page)
{
  return scope_window_get_page (window) != page;
}

static guint32
find_chain (ScopePage *page)
{
  VizDiagram *diagram =
      scope_document_get_diagram (scope_workspace_get_document (scope_page_get_workspace (page)));

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS)
      return box;
  return VIZ_ROOT;
}

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* TRUE when all thumbnails of the gallery are drawn. */
static gboolean
has_thumbnails (gpointer root)
{
  if (GTK_IS_PICTURE (root))
    return gtk_picture_get_paintable (root) != NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!has_thumbnails (child))
      return FALSE;
  return TRUE;
}

static gboolean
has_gallery (gpointer gallery)
{
  return gtk_widget_get_first_child (gallery) && has_thumbnails (gallery);
}

static gboolean
are_drawn (gpointer compare)
{
  for (guint i = 0; i < scope_compare_page_n_panes (compare); i++)
    if (!scope_compare_pane_is_settled (scope_compare_page_get_pane (compare, i)))
      return FALSE;
  return scope_compare_page_n_panes (compare) == 4;
}

static gboolean
is_measured (gpointer compare)
{
  return scope_compare_page_is_measured (compare);
}

/* A comparison is a tab of its own, which keeps what it measured. */
static void
walk_comparison (void)
{
  ScopePage        *page = scope_window_get_page (window);
  ScopeComparePage *compare;

  scope_settings_set_int ("compare-seconds", 6);
  gui_act (window, "win.compare", NULL);
  compare = scope_window_get_comparison (window);
  g_assert_nonnull (compare);
  gui_spin (200);
  take_picture ("comparing");
  g_assert_true (gui_wait (are_drawn, compare, 60000));
  gui_act (compare, "compare.fit", NULL);
  take_picture ("compare");
  g_assert_true (gui_wait (is_measured, compare, 120000));
  gui_spin (500);
  take_picture ("compared");
  gui_act (window, "app.colours", "dark");
  gui_spin (500);
  take_picture ("compared-dark");
  gui_act (window, "app.colours", "light");
  gtk_editable_set_text (GTK_EDITABLE (gui_find (GTK_WIDGET (compare), "compare-batches")), "1, 8");
  gtk_editable_set_text (GTK_EDITABLE (gui_find (GTK_WIDGET (compare), "compare-lengths")),
                         "5, 10");
  gui_act (compare, "compare.measure", NULL);
  gui_spin (300);
  take_picture ("comparing-sizes");
  g_assert_true (gui_wait (is_measured, compare, 120000));
  gui_spin (500);
  take_picture ("compared-sizes");
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (is_selected, page, 5000));
}

static gboolean
has_values (gpointer workspace)
{
  return scope_workspace_get_values (workspace) != NULL;
}

/* Values of a gate, step by step. */
static void
walk_loop (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  ScopePage      *before = scope_window_get_page (window), *page;
  ScopeWorkspace *workspace;

  gui_act (window, "win.open-example", "lstm-foreach");
  g_assert_true (gui_wait (is_elsewhere, before, 60000));
  page = scope_window_get_page (window);
  workspace = scope_page_get_workspace (page);
  gui_settle (page);
  options->seconds = 3;
  g_assert_true (scope_page_run (page, options));
  g_assert_true (gui_wait (has_values, workspace, 60000));
  scope_workspace_show (workspace,
                        scope_document_find_inside (scope_workspace_get_document (workspace),
                                                    "lstmforeach0__foreach0",
                                                    "lstmforeach0_lstm0_t0_state"));
  gui_settle (page);
  take_picture ("loop-values");
  scope_workspace_set_step (workspace, &(ScopeStepPath){ 1, { 3 } });
  gui_spin (200);
  take_picture ("loop-values-of-a-step");
  gui_act (window, "win.close-tab", NULL);
}

static void
test_tour (void)
{
  ScopePage      *page;
  ScopeWorkspace *workspace;
  guint32         chain;
  g_autofree char *export = g_build_filename (folder, "export.svg", NULL);

  g_assert_true (gui_wait (has_gallery, gui_find (GTK_WIDGET (window), "gallery"), 60000));
  take_picture ("start");
  gui_act (window, "win.open-example", "lstm-unrolled");
  g_assert_true (gui_wait (has_page, NULL, 30000));
  page = scope_window_get_page (window);
  workspace = scope_page_get_workspace (page);
  gui_settle (page);
  take_picture ("first-steps");
  gui_act (window, "win.first-steps", NULL);
  take_picture ("graph");

  chain = find_chain (page);
  g_assert_cmpuint (chain, !=, VIZ_ROOT);
  scope_graph_view_set_steps (scope_page_get_graph_view (page), chain, 0, 3);
  gui_settle (page);
  gui_act (window, "win.zoom-fit", NULL);
  scope_workspace_select (workspace, chain);
  gui_settle (page);
  take_picture ("steps");

  gui_act (window, "win.run", NULL);
  gui_spin (300);
  take_picture ("running");
  g_assert_true (gui_wait (has_measurement, workspace, 120000));
  gui_spin (500); /* tiles are asked for by the next frame */
  gui_settle (page);
  take_picture ("heat");
  gui_act (window, "win.show-view", "operators");
  take_picture ("operators");
  gui_act (window, "win.show-view", "timeline");
  take_picture ("timeline");
  gui_act (window, "win.show-view", "memory");
  take_picture ("memory");
  scope_page_search (page, "op:FullyConnected");
  gui_spin (500);
  take_picture ("search");
  scope_page_search (page, "");
  gui_act (window, "app.colours", "dark");
  gui_settle (page);
  take_picture ("dark");
  gui_act (window, "app.colours", "light");

  gui_act (page, "page.outline", NULL);
  gui_act (window, "win.panel", NULL);
  gui_act (window, "win.zoom-fit", NULL);

  gui_act (window, "win.convert", "fused");
  g_assert_true (gui_wait (is_elsewhere, page, 60000));
  gui_settle (scope_window_get_page (window));
  gui_act (window, "win.zoom-fit", NULL);
  take_picture ("fused");
  g_assert_true (gui_wait (has_measurement,
                           scope_page_get_workspace (scope_window_get_page (window)), 120000));
  gui_spin (500);
  take_picture ("fused-measured");
  scope_window_export (window, "picture", export);
  g_assert_true (gui_wait (is_file, export, 20000));
  gui_act (window, "win.close-tab", NULL);
  walk_comparison ();
  walk_loop ();
}

static void
set_size (const char *size)
{
  int width, height;

  if (size && sscanf (size, "%dx%d", &width, &height) == 2)
    gtk_window_set_default_size (GTK_WINDOW (window), width, height);
}

static void
test_no_display (void)
{
  g_test_skip ("no display");
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
}

TEST_PROGRAM (tour)
{
  const char *given = g_getenv ("HYBRIDSCOPE_TOUR");
  int         status;

  if (!gui_init (&argc, &argv))
    {
      g_test_add_func ("/app/tour/can-be-walked", test_no_display);
      return g_test_run ();
    }
  folder = given ? g_strdup (given) : g_dir_make_tmp ("hybridscope-tour-XXXXXX", NULL);
  g_mkdir_with_parents (folder, 0755);
  window = gui_start ();
  set_size (g_getenv ("HYBRIDSCOPE_TOUR_SIZE"));
  g_test_add_func ("/app/tour/can-be-walked", test_tour);
  status = g_test_run ();
  if (!given)
    remove_folder ();
  gui_end (status);
}
