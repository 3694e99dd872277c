/* window-pictures.c — saves the pictures of docs/window.md: each page light and dark, 1280 and 900 pixels wide, some also 683.
 *
 * Not a test: tools/window-pictures.sh starts it.  A popover or dialog is painted over the window where the
 * user sees it.  A message is printed for each picture.
 *   window-pictures FOLDER [NAME]   NAME: only the pictures of this name
 * HYBRIDSCOPE_LOOK=contrast, large or german saves one picture of each page in that look, 1280 pixels wide; high contrast and
 * the language are those of the process (ADW_DEBUG_HIGH_CONTRAST, LANGUAGE).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"

#include "app/session/settings.h"
#include "app/widgets/grid.h"
#include "engine/open/open.h"

#include <glib/gstdio.h>
#include <libintl.h>
#include <locale.h>

#define RUN_SECONDS        4
#define COMPARE_SECONDS    12
#define START_MILLISECONDS 8000 /* the start page draws its examples meanwhile */
#define MAX_SIZES          12
#define MAX_FRAMES         50 /* in which sizes may still be allocated */

static ScopeWindow *window;
static char        *folder;
static char        *models; /* a folder for the examples that are written here */
static const char  *only;   /* the name of the only stop; NULL: all */

/* --- Pictures --- */

typedef struct
{
  const char *name;
  GtkWidget *(*open) (void); /* shows what lies over the window, or NULL */
  void (*close) (void);
  guint wait_ms; /* until all is drawn; 0: the usual time */
} Stop;

static const struct
{
  int         width, height;
  const char *colours;
} looks[] = { { 1280, 820, "light" },
              { 1280, 820, "dark" },
              { 900, 700, "light" },
              { 900, 700, "dark" },
              { 683, 620, "light" } };

static const char *special; /* another look than the usual ones, or NULL */

/* Without a window manager a size that is asked for includes some of the shadow. */
static void
resize (int width, int height)
{
  GtkWidget *widget = GTK_WIDGET (window);
  int        ask_width = width, ask_height = height;

  for (guint i = 0; i < MAX_SIZES && (i < 2 || gtk_widget_get_width (widget) != width); i++)
    {
      gtk_window_set_default_size (GTK_WINDOW (window), ask_width, ask_height);
      gui_spin (i < 4 ? 300 : 1000);
      ask_width += width - gtk_widget_get_width (widget);
      ask_height += height - gtk_widget_get_height (widget);
    }
  g_assert_cmpint (gtk_widget_get_width (widget), ==, width);
}

/* Where a popover or dialog lies on the window.  Dialogs are centred, as window managers do. */
static graphene_point_t
find_place (GtkWidget *over)
{
  double           x, y, window_x, window_y;
  graphene_point_t place;

  if (!GTK_IS_POPOVER (over))
    {
      place.x =
          (float) (gtk_widget_get_width (GTK_WIDGET (window)) - gtk_widget_get_width (over)) / 2;
      place.y =
          (float) (gtk_widget_get_height (GTK_WIDGET (window)) - gtk_widget_get_height (over)) / 2;
      return place;
    }
  gtk_native_get_surface_transform (GTK_NATIVE (over), &x, &y);
  gtk_native_get_surface_transform (GTK_NATIVE (window), &window_x, &window_y);
  place.x =
      (float) (gdk_popup_get_position_x (GDK_POPUP (gtk_native_get_surface (GTK_NATIVE (over)))) +
               x - window_x);
  place.y =
      (float) (gdk_popup_get_position_y (GDK_POPUP (gtk_native_get_surface (GTK_NATIVE (over)))) +
               y - window_y);
  return place;
}

static void
paint (GtkSnapshot *snapshot, GtkWidget *widget)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);

  gdk_paintable_snapshot (paintable, GDK_SNAPSHOT (snapshot), gtk_widget_get_width (widget),
                          gtk_widget_get_height (widget));
}

/* What the window shows, with `over` on top; NULL while sizes are to be allocated.  (transfer full) */
static GskRenderNode *
draw (GtkWidget *over, const graphene_rect_t *all)
{
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();

  paint (snapshot, GTK_WIDGET (window));
  if (over)
    {
      graphene_point_t place = find_place (over);

      if (!GTK_IS_POPOVER (over)) /* the dialog is modal */
        gtk_snapshot_append_color (snapshot, &(GdkRGBA){ 0, 0, 0, 0.35f }, all);
      gtk_snapshot_translate (snapshot, &place);
      paint (snapshot, over);
    }
  return gtk_snapshot_to_node (snapshot);
}

static void
save (GtkWidget *over, const char *path)
{
  graphene_rect_t all =
      GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (GTK_WIDGET (window)),
                          (float) gtk_widget_get_height (GTK_WIDGET (window)));
  g_autoptr (GskRenderNode) node = draw (over, &all);
  g_autoptr (GdkTexture) picture = NULL;

  for (guint i = 0; !node && i < MAX_FRAMES; i++)
    {
      gui_spin (100);
      node = draw (over, &all);
    }
  g_assert_nonnull (node);
  picture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node, &all);
  g_assert_true (gdk_texture_save_to_png (picture, path));
  g_print ("%s\n", path);
}

static gboolean
is_settled (gpointer unused G_GNUC_UNUSED)
{
  ScopePage        *page = scope_window_get_page (window);
  ScopeComparePage *compare = scope_window_get_comparison (window);

  if (compare)
    return scope_compare_page_is_settled (compare);
  return !page || scope_graph_view_is_settled (scope_page_get_graph_view (page));
}

static gboolean
is_wanted (const char *name)
{
  return !only || g_str_equal (only, name);
}

static void
show (const Stop *stop)
{
  for (guint i = 0; i < (special ? 1 : G_N_ELEMENTS (looks)) && is_wanted (stop->name); i++)
    {
      g_autofree char *base = g_strdup_printf ("%s-%d-%s.png", stop->name, looks[i].width,
                                               special ? special : looks[i].colours);
      g_autofree char *path = g_build_filename (folder, base, NULL);
      GtkWidget       *over;

      resize (looks[i].width, looks[i].height);
      gui_act (window, "app.colours", looks[i].colours);
      gui_spin (300);
      if (scope_window_get_page (window))
        gui_act (window, "win.zoom-fit", NULL);
      if (scope_window_get_comparison (window))
        gui_act (scope_window_get_comparison (window), "compare.fit", NULL);
      gui_spin (stop->wait_ms > 0 ? stop->wait_ms : 700);
      wait_until (is_settled, NULL);
      over = stop->open ? stop->open () : NULL;
      gui_spin (600);
      save (over, path);
      if (stop->close)
        stop->close ();
      gui_spin (100);
    }
}

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
  ScopePage *page = scope_window_get_page (window);

  return page && page != before &&
         scope_workspace_get_state (scope_page_get_workspace (page)) == SCOPE_STATE_READY;
}

static void
open_path (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gpointer before = scope_window_get_page (window);

  scope_window_open (window, file);
  wait_until (shows_another, before);
  gui_settle (scope_window_get_page (window));
}

/* A copy of an export in which an operator is misspelt and an array is superfluous. */
static char *
write_damaged (void)
{
  g_autofree char *whole = path_of ("cell-lstm-t6-ntc-none");
  g_autofree char *path = g_build_filename (models, "damaged-symbol.json", NULL);
  g_autofree char *prefix = g_build_filename (models, "damaged", NULL);
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

  gui_act (window, "win.run-options", NULL);
  form = gui_find (GTK_WIDGET (window), "inputs-view");
  wait_until (is_mapped, form);
  return gtk_widget_get_ancestor (form, GTK_TYPE_POPOVER);
}

static void
close_inputs (void)
{
  gtk_popover_popdown (GTK_POPOVER (
      gtk_widget_get_ancestor (gui_find (GTK_WIDGET (window), "inputs-view"), GTK_TYPE_POPOVER)));
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
  gui_act (window, action, NULL);
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
  g_autoptr (GFile) shown = g_file_new_for_path (models);

  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), shown, NULL);
  return dialog;
}

static void
close_chooser (void)
{
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
}

static gboolean
has_measurement (gpointer workspace)
{
  return scope_workspace_get_measurement (workspace) != NULL;
}

static void
show_summary (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  gpointer   before = scope_window_get_page (window);
  ScopePage *page;

  gui_act (window, "win.open-example", "lstm-unrolled");
  wait_until (shows_another, before);
  page = scope_window_get_page (window);
  gui_settle (page);
  options->seconds = RUN_SECONDS;
  g_assert_true (scope_page_run (page, options));
  wait_until (has_measurement, scope_page_get_workspace (page));
  scope_workspace_select (scope_page_get_workspace (page), VIZ_ROOT);
  gui_act (window, "win.show-view", "operators");
  gui_spin (1000);
  show (&(const Stop){ "summary", NULL, NULL });
}

/* The whole run is measured in the timeline. */
static void
show_timeline (void)
{
  GtkWidget *lanes = gui_find (GTK_WIDGET (window), "timeline-lanes");

  gui_act (window, "win.show-view", "timeline");
  wait_until (is_mapped, lanes);
  gui_spin (500);
  gui_act (lanes, "lanes.measure", NULL);
  show (&(const Stop){ "timeline", NULL, NULL });
}

static gboolean
is_measured (gpointer compare)
{
  return scope_compare_page_is_measured (compare) && scope_compare_page_is_settled (compare);
}

static void
show_comparison (void)
{
  ScopeComparePage *compare;

  scope_settings_set_int ("compare-seconds", COMPARE_SECONDS);
  gui_act (window, "win.compare", NULL);
  compare = scope_window_get_comparison (window);
  g_assert_nonnull (compare);
  g_assert_true (gui_wait (is_measured, compare, 300000));
  gui_spin (1000);
  show (&(const Stop){ "compare", NULL, NULL });
  gui_act (window, "win.close-tab", NULL);
}

static void
show_start (void)
{
  gui_spin (START_MILLISECONDS);
  show (&(const Stop){ "start", NULL, NULL, START_MILLISECONDS }); /* in other colours again */
}

/* The weights of an LSTM. */
static void
show_values (void)
{
  gpointer   before = scope_window_get_page (window);
  GtkWidget *grid;

  gui_act (window, "win.open-example", "lstm-unrolled");
  wait_until (shows_another, before);
  gui_settle (scope_window_get_page (window));
  gui_act (window, "win.show-view", "values");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (gui_find (GTK_WIDGET (window), "values-names")), 1);
  gui_spin (2000);
  grid = gui_find (GTK_WIDGET (window), "values-grid");
  scope_grid_set_cursor (SCOPE_GRID (grid), 3, 2);
  gtk_widget_grab_focus (grid);
  show (&(const Stop){ "values", NULL, NULL });
  gui_act (window, "win.close-tab", NULL);
}

/* The attributes of a pooling layer, two of which are wrong. */
static GtkWidget *
open_attributes (void)
{
  GtkWidget *dialog, *entry;

  gui_act (window, "win.edit-attributes", "squeezenet0_pool0_fwd");
  awaited = ADW_TYPE_MESSAGE_DIALOG;
  wait_until (has_dialog, NULL);
  dialog = gui_find_window (ADW_TYPE_MESSAGE_DIALOG);
  entry = gui_find (dialog, "attribute-pool_type");
  gtk_editable_set_text (GTK_EDITABLE (gui_find (dialog, "attribute-kernel")), "(3, x)");
  gtk_editable_set_text (GTK_EDITABLE (entry), "maximum");
  return dialog;
}

static void
walk (void)
{
  g_autofree char *squeezenet = path_of ("zoo-squeezenet1.0");
  g_autofree char *damaged = write_damaged ();
  g_autofree char *whole = path_of ("cell-lstm-t6-ntc-none");
  gpointer         before;

  scope_settings_set_flag ("measure-forms", FALSE);
  if (is_wanted ("start"))
    show_start ();
  open_path (squeezenet);
  gui_act (window, "win.first-steps", NULL);
  show (&(const Stop){ "inputs", open_inputs, close_inputs });
  show (&(const Stop){ "attributes", open_attributes, close_preview });
  gui_act (window, "win.close-tab", NULL);
  if (is_wanted ("summary") || is_wanted ("timeline") || is_wanted ("compare"))
    {
      show_summary ();
      show_timeline ();
      if (is_wanted ("compare"))
        show_comparison ();
      gui_act (window, "win.close-tab", NULL);
    }
  show_values ();
  open_path (damaged);
  gui_act (window, "win.show-view", "findings");
  show (&(const Stop){ "problems", NULL, NULL });
  show (&(const Stop){ "mend", open_preview, close_preview });
  gui_act (window, "win.close-tab", NULL);
  open_path (whole);
  before = scope_window_get_page (window);
  gui_act (window, "win.convert", "fused");
  wait_until (shows_another, before);
  gui_settle (scope_window_get_page (window));
  show (&(const Stop){ "save", open_chooser, close_chooser });
}

static void
remove_models (void)
{
  g_autofree char *parent = g_path_get_dirname (models);

  for (const char *const *name =
           (const char *const[]){ "damaged-symbol.json", "damaged-0000.params", NULL };
       *name; name++)
    {
      g_autofree char *path = g_build_filename (models, *name, NULL);

      g_remove (path);
    }
  g_rmdir (models);
  g_rmdir (parent);
  g_free (models);
}

/* The catalogues of the build folder, in which this program lies. */
static void
bind_translations (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *own = g_path_get_dirname (self);
  g_autofree char *place = g_build_filename (own, "..", "..", "po", NULL);

  setlocale (LC_ALL, "");
  bindtextdomain ("hybridscope", place);
  bind_textdomain_codeset ("hybridscope", "UTF-8");
  textdomain ("hybridscope");
}

int
main (int argc, char **argv)
{
  g_autofree char *temporary = NULL;

  if ((argc != 2 && argc != 3) || !gui_init (&argc, &argv))
    {
      g_printerr ("usage: window-pictures FOLDER [NAME], with a display\n");
      return 2;
    }
  special = g_getenv ("HYBRIDSCOPE_LOOK");
  if (g_strcmp0 (special, "german") == 0)
    bind_translations ();
  only = argv[2]; /* or NULL, the end of the arguments */
  folder = g_canonicalize_filename (argv[1], NULL);
  g_mkdir_with_parents (folder, 0755);
  temporary = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);
  models = g_build_filename (temporary, "models", NULL);
  g_mkdir (models, 0700);
  g_chdir (models); /* file dialogs offer the current folder */
  window = gui_start ();
  if (g_strcmp0 (special, "large") == 0)
    g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  walk ();
  remove_models ();
  g_free (folder);
  gui_end (0);
}
