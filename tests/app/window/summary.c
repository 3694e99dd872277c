/* summary.c — the summary of a run, the choice of a run, and where nodes of the model are computed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"
#include "tests/app/window/pixels.h"

#include "app/models/cost-item.h"
#include "app/models/gradual-list.h"
#include "app/widgets/cell.h"
#include "app/widgets/columns.h"
#include "app/widgets/sheet.h"

#include <math.h>
#include <string.h>

static GtkWidget *
pane (void)
{
  return GTK_WIDGET (scope_page_get_view (page, "node"));
}

static gboolean
has_picker (gpointer of)
{
  return gui_find (of, "run-picker") != NULL;
}

static ScopeMeasurement *
measurement (void)
{
  return scope_workspace_get_measurement (workspace ());
}

/* --- The summary --- */

static void
test_summary (void)
{
  static const char *const facts[] = { "Peak memory", "Outside operators", "First run",
                                       "per second",  "Costs Shown",       "The whole model" };

  scope_workspace_select (workspace (), VIZ_ROOT);
  wait_until (has_picker, pane ());
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    if (!says (pane (), facts[i]))
      g_error ("the pane does not say “%s”", facts[i]);
  /* Two samples in each run: the shape of the data is 2, 6, 4. */
  g_assert_true (says (pane (), "Samples per second"));
  take_picture (window, "run-summary");
}

/* --- One run --- */

static int wanted_run;

static gboolean
shows_run (gpointer unused G_GNUC_UNUSED)
{
  return scope_measurement_get_run (measurement ()) == wanted_run;
}

static void
test_pick_run (void)
{
  const GArray *runs = scope_measurement_get_runs (measurement ());
  ProfTracedRun last = g_array_index (runs, ProfTracedRun, runs->len - 1);
  double        typical = scope_measurement_get_summary (measurement ())->traced;
  GtkWidget    *picker;

  g_assert_cmpuint (runs->len, >, 1);
  scope_workspace_select (workspace (), VIZ_ROOT);
  wait_until (has_picker, pane ());
  picker = gui_find (pane (), "run-picker");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (picker))), ==,
                    runs->len + 1);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (picker), runs->len);
  wanted_run = (int) last.number;
  wait_until (shows_run, NULL);
  g_assert_cmpfloat_with_epsilon (scope_measurement_get_summary (measurement ())->traced,
                                  last.seconds, 1e-12);
  g_assert_cmpuint (scope_measurement_get_summary (measurement ())->run, ==, last.number);
  wait_until (has_picker, pane ());
  scope_workspace_pick_run (workspace (), -1);
  wanted_run = -1;
  wait_until (shows_run, NULL);
  g_assert_cmpfloat (scope_measurement_get_summary (measurement ())->traced, ==, typical);
  /* A run that does not exist changes nothing. */
  scope_workspace_pick_run (workspace (), G_MAXINT);
  gui_spin (200);
  g_assert_true (shows_run (NULL));
}

/* --- Names of the plan and of the graph --- */

/* The first node of the model that another one computes together with several. */
static guint32
find_fused (guint32 *row)
{
  ScopeDocument *document = scope_workspace_get_document (workspace ());

  for (guint i = 0; i < scope_document_n_places (document); i++)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);
      guint             n;
      const ProfOrigin *rows = scope_measurement_find_rows (measurement (), place->box, &n);

      if (n == 0 || rows[0].role != PROF_COMPUTES ||
          prof_origins_n_computed (scope_measurement_get_origins (measurement ()), rows[0].row) <
              3 ||
          scope_measurement_get_node (measurement (), place->box, NULL))
        continue;
      *row = rows[0].row;
      return place->box;
    }
  return VIZ_ROOT;
}

static gboolean
says_with (gpointer of)
{
  return says (of, "Computed In");
}

static gboolean
says_stands_for (gpointer of)
{
  return says (of, "Stands For");
}

static void
test_fused_node (void)
{
  guint32          row = PROF_NONE, box = find_fused (&row);
  const ProfNode  *node;
  const char      *type;
  guint            n;
  g_autofree char *others = NULL;

  g_assert_cmpuint (box, !=, VIZ_ROOT);
  node = prof_capture_get_node (scope_measurement_get_capture (measurement ()), row);
  type = prof_capture_get_string (scope_measurement_get_capture (measurement ()), node->type);
  n = prof_origins_n_computed (scope_measurement_get_origins (measurement ()), row);
  others = g_strdup_printf ("with %u others", n - 1);
  scope_workspace_show (workspace (), box);
  wait_until (says_with, pane ());
  g_assert_true (says (pane (), type));
  g_assert_true (says (pane (), others));
  g_assert_true (says (pane (), "Share of a run"));
  g_assert_cmpuint (scope_canvas_get_related (canvas ())->len, ==, n);
  g_assert_false (scope_workspace_is_focus_chosen (workspace ()));
  take_picture (window, "fused-away");

  /* The link leads to what ran, which names them all. */
  scope_workspace_focus (workspace (), &row, 1, TRUE);
  wait_until (says_stands_for, pane ());
  g_assert_true (says (pane (), type));
  g_assert_cmpuint (scope_canvas_get_related (canvas ())->len, ==, n);
  take_picture (window, "stands-for");

  /* Selecting a node forgets the choice. */
  scope_workspace_select (workspace (), box);
  g_assert_false (scope_workspace_is_focus_chosen (workspace ()));
  wait_until (says_with, pane ());
  scope_workspace_select (workspace (), VIZ_ROOT);
  g_assert_cmpuint (scope_canvas_get_related (canvas ())->len, ==, 0);
}

static gboolean
has_rows (gpointer table)
{
  return g_list_model_get_n_items (G_LIST_MODEL (scope_columns_get_rows (table))) > 0;
}

/* The row of the table with this name; GTK_INVALID_LIST_POSITION: none. */
static guint
find_item (GtkColumnView *table, const char *name)
{
  GListModel *rows = G_LIST_MODEL (gtk_column_view_get_model (table));

  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (ScopeCostItem) item = g_list_model_get_item (rows, i);

      if (strcmp (item->name, name) == 0)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

/* Choosing an operator in the table outlines all that its executions stand for. */
static void
test_operator_of_the_table (void)
{
  guint32            row = PROF_NONE;
  const ProfCapture *capture = scope_measurement_get_capture (measurement ());
  GtkColumnView     *table;
  const char        *type;
  guint              at, n_rows = 0;

  g_assert_cmpuint (find_fused (&row), !=, VIZ_ROOT);
  type = prof_capture_get_string (capture, prof_capture_get_node (capture, row)->type);
  gui_act (window, "win.show-view", "operators");
  table = GTK_COLUMN_VIEW (gui_find (GTK_WIDGET (page), "operators-table"));
  wait_until (has_rows, table);
  at = find_item (table, type);
  g_assert_cmpuint (at, !=, GTK_INVALID_LIST_POSITION);
  gtk_selection_model_select_item (gtk_column_view_get_model (table), at, TRUE);
  g_assert_true (scope_workspace_is_focus_chosen (workspace ()));
  n_rows = scope_workspace_get_focus (workspace ())->len;
  g_assert_cmpuint (n_rows, >, 1);
  g_assert_cmpuint (scope_canvas_get_related (canvas ())->len, >=, 3 * n_rows);
  wait_until (says_stands_for, pane ());
  g_assert_true (says (pane (), type));
  take_picture (window, "operator-of-the-table");
}

static ScopeCostItem *
cost_item (GtkColumnView *table, guint i)
{
  return g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (table)), i);
}

static guint
n_cost_items (GtkColumnView *table)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (table)));
}

/* Rows arrive bit by bit; those with inputs are of the second grouping. */
static gboolean
shares_add_up (gpointer table)
{
  double   sum = 0;
  gboolean has_inputs = TRUE;

  for (guint i = 0; i < n_cost_items (table); i++)
    {
      g_autoptr (ScopeCostItem) item = cost_item (table, i);

      sum += item->share;
      has_inputs = has_inputs && (isnan (item->count) || *item->inputs);
    }
  return has_inputs && fabs (sum - 1) < 1e-9;
}

/* Shares of the table, with what is between operators, are a whole run. */
static void
test_shares_add_up (void)
{
  GtkColumnView *table;
  guint          n_allocated = 0;

  gui_act (window, "win.show-view", "operators");
  table = GTK_COLUMN_VIEW (gui_find (GTK_WIDGET (page), "operators-table"));
  wait_until (has_rows, table);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (gui_find (GTK_WIDGET (page), "operators-grouping")),
                              1);
  wait_until (shares_add_up, table);
  for (guint i = 0; i < n_cost_items (table); i++)
    {
      g_autoptr (ScopeCostItem) item = cost_item (table, i);

      n_allocated += item->allocated > 0;
    }
  g_assert_cmpuint (n_allocated, >, 0);
  take_picture (window, "shares");
}

/* The five places are named as in the model, the steps of a loop as one place, and each leads to its node. */
/* A drawn box that was computed together with the selection, and not the selection; VIZ_NO_ITEM: none. */
static guint32
find_related (void)
{
  const VizPicture *picture = scope_canvas_get_picture (canvas ());
  const GArray     *related = scope_canvas_get_related (canvas ());
  guint32 selected = viz_picture_find_box (picture, scope_workspace_get_selected (workspace ()));

  for (guint i = 0; i < related->len; i++)
    {
      guint32 item = viz_picture_find_box (picture, g_array_index (related, guint32, i));

      if (item != VIZ_NO_ITEM && item != selected)
        return item;
    }
  return VIZ_NO_ITEM;
}

/* Unlike the selection, whose outline is solid. */
static void
test_dashes (void)
{
  guint32        row = PROF_NONE, box = find_fused (&row), number;
  const VizItem *item;
  double         left, right, y;
  guint          n_marked = 0, n_plain = 0;
  g_autoptr (GdkPixbuf) marked = NULL;
  g_autoptr (GdkPixbuf) plain = NULL;

  gui_act (window, "win.unfold-all", NULL);
  gui_settle (page);
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  scope_workspace_select (workspace (), box);
  gui_spin (500);
  number = find_related ();
  g_assert_cmpuint (number, !=, VIZ_NO_ITEM);
  item = viz_picture_item (scope_canvas_get_picture (canvas ()), number);
  scope_canvas_set_camera (canvas (), item->x - 100, item->y - 100, 1);
  marked = pixels_photograph ();
  scope_workspace_select (workspace (), VIZ_ROOT);
  plain = pixels_photograph ();
  pixels_find_point ((VizPoint){ item->x, item->y + item->height }, &left, &y);
  pixels_find_point ((VizPoint){ item->x + item->width, item->y + item->height }, &right, &y);
  for (double x = left + 4; x < right - 4; x++)
    if (pixels_differ (marked, plain, (VizPoint){ x, y }, 0))
      n_marked++;
    else
      n_plain++;
  g_test_message ("%u pixels are marked, %u are not", n_marked, n_plain);
  g_assert_cmpuint (n_marked, >, 4);
  g_assert_cmpuint (n_plain, >, 0);
}

/* The innermost label in root that contains the text; NULL: there is none. */
static GtkWidget *
find_label (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root))
    return strstr (gtk_label_get_text (GTK_LABEL (root)), text) ? root : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, text);

      if (found)
        return found;
    }
  return NULL;
}

/* The share in the row of the outline that is selected; NULL: there is none yet. */
static const char *
selected_cost (void)
{
  GtkWidget *list = gui_find (GTK_WIDGET (page), "node-list");

  for (GtkWidget *row = gtk_widget_get_first_child (list); row;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *expander = gtk_widget_get_first_child (row), *cost;

      if (!(gtk_widget_get_state_flags (row) & GTK_STATE_FLAG_SELECTED) ||
          !GTK_IS_TREE_EXPANDER (expander))
        continue;
      cost = gtk_widget_get_last_child (gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander)));
      return scope_cell_get_text (SCOPE_CELL (cost));
    }
  return NULL;
}

static gboolean
has_selected_cost (gpointer unused G_GNUC_UNUSED)
{
  return selected_cost () != NULL;
}

static gboolean
has_measurement (gpointer unused G_GNUC_UNUSED)
{
  return scope_workspace_get_measurement (workspace ()) != NULL;
}

/* The share of a place is the same in the summary and in the outline, also where passes have put other nodes in its place. */
static void
test_places_agree (void)
{
  static const char *const shapes[] = { "data=4,2,3", NULL };
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  GtkWidget *label;
  double     share;

  page = gui_open (window, "fused-lstm-l1", shapes);
  options->seconds = 1;
  g_assert_true (scope_page_run (page, options));
  wait_until (has_measurement, NULL);
  gui_spin (300);
  scope_workspace_select (workspace (), VIZ_ROOT);
  gtk_widget_set_visible (GTK_WIDGET (scope_page_get_view (page, "outline")), TRUE);
  gui_spin (300);
  label = find_label (GTK_WIDGET (scope_page_get_view (page, "node")), " % · ");
  g_assert_nonnull (label);
  share = g_ascii_strtod (gtk_label_get_text (GTK_LABEL (label)), NULL);
  g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
  wait_until (has_selected_cost, NULL);
  g_test_message ("%s and %.1f %%", selected_cost (), share);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (selected_cost (), NULL), share, 0.51);
}

static void
test_places (void)
{
  GtkWidget *pane = GTK_WIDGET (scope_page_get_view (page, "node"));

  scope_workspace_select (workspace (), VIZ_ROOT);
  gui_spin (300);
  g_assert_true (says (pane, "Most Expensive"));
  g_assert_true (says (pane, "i2h"));
  g_assert_true (says (pane, "FullyConnected"));
  take_picture (window, "places");
}

void
add_summary_tests (void)
{
  add_test ("/app/window/the-summary-names-the-most-expensive-places", CASE_MEASURED, test_places);
  add_test ("/app/window/what-is-computed-together-is-dashed", CASE_MEASURED, test_dashes);
  add_test ("/app/window/summary-and-outline-agree", CASE_EMPTY, test_places_agree);
  add_test ("/app/window/a-run-is-summed-up", CASE_MEASURED, test_summary);
  add_test ("/app/window/a-traced-run-can-be-picked", CASE_MEASURED, test_pick_run);
  add_test ("/app/window/a-fused-node-says-where-it-is-computed", CASE_MEASURED, test_fused_node);
  add_test ("/app/window/an-operator-of-the-table-outlines-its-nodes", CASE_MEASURED,
            test_operator_of_the_table);
  add_test ("/app/window/shares-in-the-table-add-up", CASE_MEASURED, test_shares_add_up);
}
