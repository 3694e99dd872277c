/* test-exports.c — twenty public exports, from the file to a coloured graph, a comparison and a
 * conversion: in the window with clicks only, and with hscope without options.
 *
 * The files are those of $HYB_SHARED/models or ../shared/models.  Most have no parameters and none stores
 * the shapes of its inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"

#include "app/session/settings.h"

#include <string.h>

typedef struct
{
  const char *path;
  const char *shape;   /* that must be guessed for the first input */
  const char *why_not; /* the shape that the authors used, where nothing in the file tells it */
  gboolean    is_recurrent; /* has several forms */
  gboolean    is_quick;     /* tried always; the others take minutes, and are tried with -m slow */
} Export;

/* The shapes come from the authors: tests and examples of the repositories that the exports are from. */
static const Export exports[] = {
  { "apache-mxnet/save_000800.json", "data=1,784", NULL, FALSE, TRUE },
  { "apache-mxnet/7b385e-save_000800.json", "data=1,784", NULL, FALSE },
  { "apache-mxnet/e0be90-save_000800.json", "data=1,784", NULL, FALSE },
  { "apache-mxnet/test-symbol.json.ref", "data=1,784", NULL, FALSE },
  { "apache-mxnet/test_mkldnn_test_mkldnn_model_model1.json",
    "data=1,3,224,224",
    "300 × 300 in the test, and any size fits",
    FALSE },
  { "apache-mxnet/test_dnnl_test_dnnl_model_model1.json",
    "data=1,3,224,224",
    "300 × 300 in the test, and any size fits",
    FALSE },
  { "crfasrnn/net-symbol.json", "data0=1,256", NULL, FALSE, TRUE },
  { "djl/mlp-symbol.json", "data=1,784", NULL, FALSE, TRUE },
  { "djl/resnet50_v1-symbol.json", "data=1,3,32,32", NULL, FALSE },
  { "djl/resnet18_v1-symbol.json", "data=1,3,224,224", NULL, FALSE },
  { "djl/squeezenet1.0-symbol.json", "data=1,3,224,224", NULL, FALSE },
  { "djl/inceptionv3_ucf101-symbol.json", "data=1,3,299,299", NULL, FALSE },
  { "djl/vgg16_ucf101-symbol.json", "data=1,3,224,224", NULL, FALSE },
  { "djl/simple_pose_resnet18_v1b-symbol.json",
    "data=1,3,224,224",
    "256 × 192 in the example, and any multiple of 32 fits",
    FALSE },
  { "djl/ssd_512_resnet50_v1-symbol.json", "data=1,3,512,512", NULL, FALSE },
  { "gluon-cv/mobilenet1.0_int8-symbol.json", "data=1,3,224,224", NULL, FALSE, TRUE },
  { "gluon-cv/resnet50_v1_int8-symbol.json", "data=1,3,224,224", NULL, FALSE },
  { "gluon-cv/ssd_300_vgg16_atrous_voc_int8-symbol.json", "data=1,3,300,300", NULL, FALSE },
  { "multi-model-server/squeezenet_v1.1-symbol.json", "data=1,3,224,224", NULL, FALSE, TRUE },
  { "multi-model-server/lstm_ptb-symbol.json", "data=35,1", NULL, TRUE, TRUE },
};

G_STATIC_ASSERT (G_N_ELEMENTS (exports) == 20);

/* (transfer full) NULL: there is no such file. */
static char *
path_of (const Export *export)
{
  const char      *shared = g_getenv ("HYB_SHARED");
  g_autofree char *path =
      shared ? g_build_filename (shared, "models", export->path, NULL)
             : g_build_filename (SOURCE_ROOT, "..", "shared", "models", export->path, NULL);

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_test_skip ("there is no folder of models (HYB_SHARED)");
      return NULL;
    }
  return g_steal_pointer (&path);
}

/* --- The window --- */

static ScopeWindow *window;

static gboolean
has_page (gpointer unused G_GNUC_UNUSED)
{
  return scope_window_get_page (window) != NULL;
}

static ScopeWorkspace *
workspace (void)
{
  return scope_page_get_workspace (scope_window_get_page (window));
}

/* Clicks a button. */
static void
click (GtkWidget *button)
{
  g_assert_true (GTK_IS_BUTTON (button));
  g_assert_true (gtk_widget_get_visible (button));
  g_assert_true (gtk_widget_get_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

/* The first visible button below root with this action; NULL: there is none. */
static GtkWidget *
find_button (GtkWidget *root, const char *action)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (root) && gtk_widget_get_visible (root) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (root)), action) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, action);
  return found;
}

static gboolean
has_ended (gpointer unused G_GNUC_UNUSED)
{
  return !scope_workspace_is_running (workspace ());
}

static gboolean
has_colours (gpointer unused G_GNUC_UNUSED)
{
  ScopeGraphView *view = scope_page_get_graph_view (scope_window_get_page (window));

  return scope_canvas_get_overlay (scope_graph_view_get_canvas (view)) != NULL;
}

static const char *
banner_text (void)
{
  return gtk_label_get_text (
      GTK_LABEL (gui_find (GTK_WIDGET (scope_window_get_page (window)), "banner-label")));
}

static void
save_picture (const Export *export, const char *what)
{
  const char      *folder = g_getenv ("HYBRIDSCOPE_PICTURES");
  g_autofree char *base = g_path_get_basename (export->path);
  g_autofree char *path = folder ? g_strdup_printf ("%s/%s-%s.png", folder, base, what) : NULL;

  if (path)
    gui_save_picture (GTK_WINDOW (window), path);
}

/* Clicks Run, then “Fill with Random Values” where the model has none. */
static void
run (const Export *export)
{
  GtkWidget *page = GTK_WIDGET (scope_window_get_page (window)), *fill;

  click (find_button (GTK_WIDGET (window), "win.run"));
  if (!scope_workspace_is_running (workspace ()))
    {
      fill = find_button (page, "win.fill");
      g_test_message ("%s", banner_text ());
      g_assert_nonnull (fill);
      click (fill);
    }
  g_assert_true (scope_workspace_is_running (workspace ()));
  g_assert_true (gui_wait (has_ended, NULL, 240000));
  if (!gui_wait (has_colours, NULL, 30000))
    g_error ("%s: %s", export->path, banner_text ());
  gui_settle (scope_window_get_page (window));
  save_picture (export, "run");
}

static const char *
state_of_comparison (void)
{
  GtkWidget *states =
      gui_find (GTK_WIDGET (scope_window_get_comparison (window)), "compare-states");

  return gtk_stack_get_visible_child_name (GTK_STACK (states));
}

static gboolean
is_compared (gpointer unused G_GNUC_UNUSED)
{
  return scope_window_get_comparison (window) &&
         (g_str_equal (state_of_comparison (), "failed") ||
          scope_compare_page_is_measured (scope_window_get_comparison (window)));
}

static gboolean
is_form_listed (gpointer list)
{
  return gtk_list_box_get_row_at_index (list, 0) != NULL;
}

static void
open_forms (void)
{
  GtkWidget *list = gui_find (GTK_WIDGET (window), "form-list");

  gtk_menu_button_popup (GTK_MENU_BUTTON (gui_find (GTK_WIDGET (window), "form-button")));
  g_assert_true (gui_wait (is_form_listed, list, 60000));
}

/* Compares the forms of a recurrent model; for others the page says why there is only one. */
static void
compare (const Export *export)
{
  gui_act (window, "win.compare", NULL); /* as in the main menu */
  g_assert_nonnull (scope_window_get_comparison (window));
  g_assert_true (gui_wait (is_compared, NULL, 240000));
  g_assert_cmpstr (state_of_comparison (), ==, export->is_recurrent ? "result" : "failed");
  save_picture (export, "compare");
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (gui_wait (has_page, NULL, 10000));
}

static gboolean
is_converted (gpointer page)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown && shown != page &&
         scope_workspace_get_state (scope_page_get_workspace (shown)) == SCOPE_STATE_READY;
}

static gboolean
is_measured (gpointer unused G_GNUC_UNUSED)
{
  return scope_workspace_get_measurement (workspace ()) != NULL;
}

/* Converts a recurrent model to a loop, which writes a pair of files. */
static void
convert (const Export *export)
{
  ScopePage         *page = scope_window_get_page (window);
  GtkWidget         *list = gui_find (GTK_WIDGET (window), "form-list"), *row;
  g_autofree char   *path = NULL;
  const ProfCapture *capture;

  /* A model with one form has no menu of forms. */
  g_assert_cmpint (gtk_widget_get_mapped (gui_find (GTK_WIDGET (window), "form-button")),
                   ==,
                   export->is_recurrent);
  if (!export->is_recurrent)
    return;
  open_forms ();
  row = gui_find (list, "foreach");
  g_assert_nonnull (row);
  g_assert_true (gtk_list_box_row_get_activatable (GTK_LIST_BOX_ROW (row)));
  g_signal_emit_by_name (list, "row-activated", row);
  if (!gui_wait (is_converted, page, 120000))
    g_error ("%s: %s", export->path, banner_text ());
  path = g_file_get_path (scope_workspace_get_file (workspace ()));
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  /* The new form is measured as well; its capture says that the values are random. */
  g_assert_true (gui_wait (is_measured, NULL, 120000));
  capture = scope_measurement_get_capture (scope_workspace_get_measurement (workspace ()));
  g_assert_cmpfloat (prof_capture_get_number (capture, "model.filled"), >, 0);
  g_assert_true (gui_wait (has_colours, NULL, 30000));
  gui_settle (scope_window_get_page (window));
  save_picture (export, "converted");
}

static void
test_window (gconstpointer data)
{
  const Export *export = data;
  g_autofree char *path = path_of (export);
  g_autoptr (GFile) file = path ? g_file_new_for_path (path) : NULL;

  if (!file)
    return;
  scope_settings_set_int ("run-seconds", 1);
  scope_settings_set_int ("compare-seconds", 4);
  scope_settings_set_flag ("first-steps", FALSE);
  g_application_open (gui_application (), &file, 1, "");
  window = SCOPE_WINDOW (gtk_application_get_active_window (GTK_APPLICATION (gui_application ())));
  g_assert_true (gui_wait (has_page, NULL, 10000));
  gui_settle (scope_window_get_page (window));
  g_assert_cmpstr (scope_workspace_get_shapes (workspace ())[0], ==, export->shape);
  save_picture (export, "open");
  run (export);
  compare (export);
  convert (export);
  gtk_window_destroy (GTK_WINDOW (window));
  gui_spin (50);
}

/* --- The command line --- */

/* Runs hscope with these arguments, in which FILE and OUT are replaced.  (transfer full) what it
 * printed on stderr. */
static char *
call (const char *line, const char *file, const char *out, gboolean *is_done)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  char *printed = NULL;
  int   status;

  g_ptr_array_add (argv, (gpointer) HSCOPE);
  for (guint i = 0; words[i]; i++)
    g_ptr_array_add (argv,
                     g_str_equal (words[i], "FILE")  ? (gpointer) file
                     : g_str_equal (words[i], "OUT") ? (gpointer) out
                                                     : words[i]);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL,
                (char **) argv->pdata,
                NULL,
                G_SPAWN_STDOUT_TO_DEV_NULL,
                NULL,
                NULL,
                NULL,
                &printed,
                &status,
                &error);
  g_assert_no_error (error);
  *is_done = g_spawn_check_wait_status (status, NULL);
  return printed;
}

/* No shape, fill or type is given; only the time is limited. */
static void
test_commands (gconstpointer data)
{
  const Export *export = data;
  g_autofree char *path = path_of (export);
  g_autofree char *folder = NULL;
  g_autofree char *out = NULL;
  g_autofree char *profiled = NULL;
  g_autofree char *compared = NULL;
  g_autofree char *converted = NULL;
  gboolean         is_done;

  if (!path)
    return;
  folder = g_dir_make_tmp ("hybridscope-exports-XXXXXX", NULL);
  out = g_build_filename (folder, "out", NULL);
  profiled = call ("profile FILE --time-limit 1", path, out, &is_done);
  if (!is_done)
    g_error ("%s", profiled);
  compared = call ("compare FILE --time-limit 2", path, out, &is_done);
  if (!is_done)
    g_error ("%s", compared);
  converted = call ("convert FILE --to foreach -o OUT", path, out, &is_done);
  if (export->is_recurrent != is_done)
    g_error ("%s", converted);
  if (!is_done)
    g_assert_nonnull (strstr (converted, "no recurrent cell, loop or fused operator was found"));
}

/* --- Right guesses --- */

static void
test_right_guesses (void)
{
  guint n_right = 0;

  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    n_right += !exports[i].why_not;
  g_assert_cmpuint (n_right, >=, 17);
}

int
main (int argc, char **argv)
{
  gboolean has_display = gui_init (&argc, &argv);
  int      status;

  if (has_display)
    gui_start_application ();
  g_test_add_func ("/app/exports/most-guesses-are-right", test_right_guesses);
  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    {
      g_autofree char *base = g_path_get_basename (exports[i].path);
      g_autofree char *in_window = g_strconcat ("/app/exports/window/", base, NULL);
      g_autofree char *in_shell = g_strconcat ("/app/exports/commands/", base, NULL);

      if (has_display && (exports[i].is_quick || g_test_slow ()))
        g_test_add_data_func (in_window, &exports[i], test_window);
      /* Otherwise test-public-exports tries the commands. */
      if (g_test_slow ())
        g_test_add_data_func (in_shell, &exports[i], test_commands);
    }
  status = g_test_run ();
  if (has_display)
    gui_stop ();
  return status;
}
