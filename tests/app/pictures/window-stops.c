/* window-stops.c — the pages that the pictures of docs/window.md show, one after the other.
 *
 * Start reading with pictures_walk(): each part opens what its stops need.  A part is left out if none of its stops is wanted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/pictures/window-pictures.h"

#include "app/session/settings.h"
#include "app/widgets/grid.h"
#include "app/window/preferences.h"
#include "engine/open/open.h"

#include <glib/gstdio.h>

#define RUN_SECONDS        4
#define COMPARE_SECONDS    30
#define START_MILLISECONDS 8000 /* the start page draws its examples meanwhile */

static const char *folder; /* for the examples that are written here */

/* --- Models --- */

static char *
path_of (const char *model)
{
  g_autofree char *name = g_strconcat (model, "-symbol.json", NULL);

  return g_build_filename (SOURCE_ROOT, "tests/data/goldens/models", model, name, NULL);
}

static gboolean
shows_another (gpointer before)
{
  ScopePage *page = scope_window_get_page (pictures_window);

  return page && page != before &&
         scope_workspace_get_state (scope_page_get_workspace (page)) == SCOPE_STATE_READY;
}

/* Until another page than before is shown. */
static void
wait_for_page (gpointer before)
{
  wait_until (shows_another, before);
  if (scope_settings_get_flag ("first-steps", TRUE))
    gui_act (pictures_window, "win.first-steps", NULL); /* hides the card of a first start */
  gui_settle (scope_window_get_page (pictures_window));
}

static void
open_path (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gpointer before = scope_window_get_page (pictures_window);

  scope_window_open (pictures_window, file);
  wait_for_page (before);
}

/* A copy of an export in which an operator is misspelt and an array is superfluous. */
static char *
write_damaged (void)
{
  g_autofree char *whole = path_of ("cell-lstm-t6-ntc-none");
  g_autofree char *path = g_build_filename (folder, "damaged-symbol.json", NULL);
  g_autofree char *prefix = g_build_filename (folder, "damaged", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) parts = NULL;
  g_autofree char *changed = NULL;
  g_autoptr (HybTensor) spare =
      hyb_tensor_new_float (1, (const gint64[]){ 3 }, (const float[]){ 1, 2, 3 });
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (whole, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  hyb_model_set_parameter (model, "spare", spare);
  hyb_model_save (model, prefix, 0, NULL, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  parts = g_strsplit (text, "\"FullyConnected\"", 0);
  changed = g_strjoinv ("\"FullyConected\"", parts);
  g_file_set_contents (path, changed, -1, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&path);
}

/* --- Stops --- */

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget) && gtk_widget_get_width (widget) > 0;
}

static GtkWidget *
open_inputs (void)
{
  GtkWidget *form;

  gui_act (pictures_window, "win.run-options", NULL);
  form = gui_find (GTK_WIDGET (pictures_window), "inputs-view");
  wait_until (is_mapped, form);
  return gtk_widget_get_ancestor (form, GTK_TYPE_POPOVER);
}

static void
close_inputs (void)
{
  gtk_popover_popdown (
      GTK_POPOVER (gtk_widget_get_ancestor (gui_find (GTK_WIDGET (pictures_window), "inputs-view"),
                                            GTK_TYPE_POPOVER)));
}

static GType awaited; /* of a dialog */

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (awaited);

  return dialog && is_mapped (dialog);
}

static GtkWidget *
open_dialog (const char *action, GType type)
{
  gui_act (pictures_window, action, NULL);
  awaited = type;
  wait_until (has_dialog, NULL);
  return gui_find_window (type);
}

static GtkWidget *
open_preview (void)
{
  return open_dialog ("win.mend", ADW_TYPE_MESSAGE_DIALOG);
}

static void
close_preview (void)
{
  GtkWindow *dialog = gui_find_window (ADW_TYPE_MESSAGE_DIALOG);

  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  gtk_window_close (dialog);
}

static GtkWidget *
open_chooser (void)
{
  GtkWidget *dialog = open_dialog ("win.save-model", GTK_TYPE_FILE_CHOOSER_DIALOG);
  g_autoptr (GFile) shown = g_file_new_for_path (folder);

  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), shown, NULL);
  return dialog;
}

static void
close_chooser (void)
{
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
}

static void
close_window (void)
{
  gtk_window_close (gui_find_window (awaited));
}

/* --- Parts --- */

static GtkWidget *
open_preferences (void)
{
  return open_dialog ("win.preferences", SCOPE_TYPE_PREFERENCES);
}

static GtkWidget *
open_targets (void)
{
  return open_dialog ("win.targets", SCOPE_TYPE_PREFERENCES);
}

static GtkWidget *
open_keys (void)
{
  return open_dialog ("win.show-help-overlay", GTK_TYPE_SHORTCUTS_WINDOW);
}

static void
close_keys (void)
{
  gtk_widget_set_visible (gui_find_window (GTK_TYPE_SHORTCUTS_WINDOW), FALSE);
}

static void
show_start (void)
{
  gui_spin (START_MILLISECONDS);
  pictures_show (
      &(const PictureStop){ "start", NULL, NULL, START_MILLISECONDS }); /* in other colours again */
  pictures_show (&(const PictureStop){ "preferences", open_preferences, close_window });
  pictures_show (&(const PictureStop){ "machines", open_targets, close_window });
  pictures_show (&(const PictureStop){ "keys", open_keys, close_keys });
}

/* The attributes of a pooling layer, two of which are wrong. */
static GtkWidget *
open_attributes (void)
{
  GtkWidget *dialog, *entry;

  gui_act (pictures_window, "win.edit-attributes", "squeezenet0_pool0_fwd");
  awaited = ADW_TYPE_MESSAGE_DIALOG;
  wait_until (has_dialog, NULL);
  dialog = gui_find_window (ADW_TYPE_MESSAGE_DIALOG);
  entry = gui_find (dialog, "attribute-pool_type");
  gtk_editable_set_text (GTK_EDITABLE (gui_find (dialog, "attribute-kernel")), "(3, x)");
  gtk_editable_set_text (GTK_EDITABLE (entry), "maximum");
  return dialog;
}

/* A box is selected in the graph and in the outline; what is known of it is beside it. */
static void
show_box (const char *picture, guint32 box)
{
  ScopePage *page = scope_window_get_page (pictures_window);

  scope_workspace_show (scope_page_get_workspace (page), box);
  gui_settle (page);
  gui_spin (500);
  pictures_show (&(const PictureStop){ picture, NULL, NULL });
}

static void
show_node (const char *picture, const char *name)
{
  ScopeWorkspace *workspace = scope_page_get_workspace (scope_window_get_page (pictures_window));
  guint32         box = scope_document_find_name (scope_workspace_get_document (workspace), name);

  g_assert_cmpuint (box, !=, VIZ_ROOT);
  show_box (picture, box);
}

static void
show_network (void)
{
  g_autofree char *squeezenet = path_of ("zoo-squeezenet1.0");

  open_path (squeezenet);
  pictures_show (&(const PictureStop){ "inputs", open_inputs, close_inputs });
  pictures_show (&(const PictureStop){ "attributes", open_attributes, close_preview });
  gui_act (pictures_window, "win.outline", NULL);
  show_node ("graph", "squeezenet0_conv0_fwd");
  gui_act (pictures_window, "win.outline", NULL);
  gui_act (pictures_window, "win.search-for", "pool");
  gui_spin (500);
  pictures_show (&(const PictureStop){ "search", NULL, NULL });
  gui_act (pictures_window, "win.search-for", "");
  gui_act (pictures_window, "win.close-tab", NULL);
}

/* A node of an ONNX model, whose operators and attributes are those of the file. */
static void
show_onnx (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests/data/exporters/mx2onnx.onnx", NULL);

  open_path (path);
  show_node ("onnx", "lstm_rnn0_seq_len");
  gui_act (pictures_window, "win.close-tab", NULL);
}

static gboolean
has_measurement (gpointer workspace)
{
  return scope_workspace_get_measurement (workspace) != NULL;
}

static gboolean
has_values (gpointer workspace)
{
  return scope_workspace_get_values (workspace) != NULL;
}

static void
run_example (const char *name)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  gpointer   before = scope_window_get_page (pictures_window);
  ScopePage *page;

  gui_act (pictures_window, "win.open-example", name);
  wait_for_page (before);
  page = scope_window_get_page (pictures_window);
  options->seconds = RUN_SECONDS;
  g_assert_true (scope_page_run (page, options));
  wait_until (has_measurement, scope_page_get_workspace (page));
  wait_until (has_values, scope_page_get_workspace (page));
  scope_workspace_select (scope_page_get_workspace (page), VIZ_ROOT);
}

/* A view of the lower panel. */
static void
show_view (const char *view, const char *picture)
{
  gui_act (pictures_window, "win.show-view", view);
  gui_spin (1000);
  pictures_show (&(const PictureStop){ picture, NULL, NULL });
}

/* The row of a pass that the view of passes lists; NULL: it is not listed yet. */
static gpointer
find_pass (gpointer name)
{
  GtkWidget *list = gui_find (GTK_WIDGET (pictures_window), "passes-list");

  for (GtkWidget *row = gtk_widget_get_first_child (list); row;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *title = gtk_widget_get_first_child (gtk_widget_get_first_child (row));

      if (g_str_equal (gtk_label_get_text (GTK_LABEL (title)), name))
        return row;
    }
  return NULL;
}

static gboolean
lists_pass (gpointer name)
{
  return find_pass (name) != NULL;
}

/* Brings a widget in a scrolled window to its top. */
static void
scroll_to (GtkWidget *widget)
{
  GtkWidget      *scroller = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
  GtkWidget      *viewport = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (scroller));
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (widget,
                                            gtk_viewport_get_child (GTK_VIEWPORT (viewport)),
                                            &bounds));
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)),
                            bounds.origin.y);
}

/* The graph after a pass. */
static void
show_pass (const char *name)
{
  GtkWidget *list = gui_find (GTK_WIDGET (pictures_window), "passes-list");

  gui_act (pictures_window, "win.show-view", "passes");
  wait_until (lists_pass, (gpointer) name);
  gtk_list_box_select_row (GTK_LIST_BOX (list), find_pass ((gpointer) name));
  gui_spin (2000);
  scroll_to (find_pass ((gpointer) name));
  pictures_show (&(const PictureStop){ "passes", NULL, NULL });
  gtk_list_box_select_row (GTK_LIST_BOX (list),
                           gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 0));
  gui_spin (500);
}

/* The whole run is measured in the timeline. */
static void
show_timeline (void)
{
  GtkWidget *lanes = gui_find (GTK_WIDGET (pictures_window), "timeline-lanes");

  gui_act (pictures_window, "win.show-view", "timeline");
  wait_until (is_mapped, lanes);
  gui_spin (500);
  gui_act (lanes, "lanes.measure", NULL);
  pictures_show (&(const PictureStop){ "timeline", NULL, NULL });
}

/* The first output of the model, with its values. */
static void
show_output (void)
{
  ScopePage        *page = scope_window_get_page (pictures_window);
  ScopeWorkspace   *workspace = scope_page_get_workspace (page);
  const VizDiagram *diagram = scope_document_get_diagram (scope_workspace_get_document (workspace));
  guint32           box = VIZ_ROOT;

  while (viz_diagram_box (diagram, box)->kind != VIZ_BOX_OUTPUT)
    box++;
  gui_act (pictures_window, "win.show-view", "values");
  show_box ("output", box);
}

static gboolean
is_measured (gpointer compare)
{
  return scope_compare_page_is_measured (compare) && scope_compare_page_is_settled (compare);
}

/* Several sizes are curves below the table. */
static GtkWidget *
scroll_to_curves (void)
{
  ScopeComparePage *compare = scope_window_get_comparison (pictures_window);

  scroll_to (gtk_widget_get_prev_sibling (
      gui_find (GTK_WIDGET (compare), "compare-curves-batch"))); /* its title */
  return NULL;
}

static void
show_comparison (void)
{
  ScopeComparePage *compare;

  scope_settings_set_int ("compare-seconds", COMPARE_SECONDS);
  gui_act (pictures_window, "win.compare", NULL);
  compare = scope_window_get_comparison (pictures_window);
  g_assert_nonnull (compare);
  g_assert_true (gui_wait (is_measured, compare, 300000));
  gui_spin (1000);
  pictures_show (&(const PictureStop){ "compare", NULL, NULL });
  if (pictures_are_wanted ("sizes"))
    {
      gtk_editable_set_text (GTK_EDITABLE (gui_find (GTK_WIDGET (compare), "compare-batches")),
                             "1, 8, 32");
      gtk_editable_set_text (GTK_EDITABLE (gui_find (GTK_WIDGET (compare), "compare-lengths")),
                             "10, 35");
      gui_act (compare, "compare.measure", NULL);
      g_assert_true (gui_wait (is_measured, compare, 300000));
      gui_spin (1000);
      pictures_show (&(const PictureStop){ "sizes", scroll_to_curves, NULL });
    }
  gui_act (pictures_window, "win.close-tab", NULL);
}

static void
show_run (void)
{
  run_example ("lstm-unrolled");
  show_view ("operators", "summary");
  show_timeline ();
  show_view ("memory", "memory");
  if (pictures_are_wanted ("passes"))
    show_pass ("fuse-gates");
  show_view ("log", "log");
  if (pictures_are_wanted ("output"))
    show_output ();
  if (pictures_are_wanted ("compare") || pictures_are_wanted ("sizes"))
    show_comparison ();
  gui_act (pictures_window, "win.close-tab", NULL);
}

/* The weights of an LSTM. */
static void
show_values (void)
{
  gpointer   before = scope_window_get_page (pictures_window);
  GtkWidget *grid;

  gui_act (pictures_window, "win.open-example", "lstm-unrolled");
  wait_for_page (before);
  scope_workspace_select (scope_page_get_workspace (scope_window_get_page (pictures_window)),
                          VIZ_ROOT);
  gui_act (pictures_window, "win.show-view", "values");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (
                                  gui_find (GTK_WIDGET (pictures_window), "values-names")),
                              1);
  gui_spin (2000);
  grid = gui_find (GTK_WIDGET (pictures_window), "values-grid");
  scope_grid_set_cursor (SCOPE_GRID (grid), 3, 2);
  gtk_widget_grab_focus (grid);
  pictures_show (&(const PictureStop){ "values", NULL, NULL });
  gui_act (pictures_window, "win.close-tab", NULL);
}

static void
show_damaged (void)
{
  g_autofree char *damaged = write_damaged ();
  g_autofree char *parameters = g_build_filename (folder, "damaged-0000.params", NULL);

  open_path (damaged);
  gui_act (pictures_window, "win.show-view", "findings");
  pictures_show (&(const PictureStop){ "problems", NULL, NULL });
  pictures_show (&(const PictureStop){ "mend", open_preview, close_preview });
  gui_act (pictures_window, "win.close-tab", NULL);
  g_remove (damaged);
  g_remove (parameters);
}

static void
show_converted (void)
{
  g_autofree char *whole = path_of ("cell-lstm-t6-ntc-none");
  gpointer         before;

  open_path (whole);
  before = scope_window_get_page (pictures_window);
  gui_act (pictures_window, "win.convert", "fused");
  wait_for_page (before);
  gui_spin (5000); /* the message about the conversion goes away */
  pictures_show (&(const PictureStop){ "save", open_chooser, close_chooser });
  gui_act (pictures_window, "win.close-tab", NULL);
  gui_act (pictures_window, "win.close-tab", NULL);
}

static gboolean
has_cells (gpointer unused G_GNUC_UNUSED)
{
  ScopeSweepPage *page = scope_window_get_sweep (pictures_window);

  return page && scope_sweep_page_get_data (page);
}

/* The folder of a sweep that tools/window-pictures.sh has made. */
static void
show_sweep (void)
{
  const char *place = g_getenv ("HYBRIDSCOPE_SWEEP");
  g_autoptr (GFile) file = place ? g_file_new_for_path (place) : NULL;

  if (!file)
    return;
  scope_window_open (pictures_window, file);
  wait_until (has_cells, NULL);
  gui_spin (1000);
  pictures_show (&(const PictureStop){ "sweep", NULL, NULL });
  gui_act (pictures_window, "win.close-tab", NULL);
}

static const struct
{
  const char *stops[8];
  void (*show) (void);
} parts[] = {
  { { "start", "preferences", "machines", "keys" }, show_start },
  { { "inputs", "attributes", "graph", "search" }, show_network },
  { { "onnx" }, show_onnx },
  { { "summary", "timeline", "memory", "passes", "log", "output", "compare", "sizes" }, show_run },
  { { "values" }, show_values },
  { { "problems", "mend" }, show_damaged },
  { { "save" }, show_converted },
  { { "sweep" }, show_sweep },
};

void
pictures_walk (const char *examples)
{
  folder = examples;
  scope_settings_set_flag ("measure-forms", FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (parts[i].stops) && parts[i].stops[j]; j++)
      if (pictures_are_wanted (parts[i].stops[j]))
        {
          parts[i].show ();
          break;
        }
}
