/* tensors.c — the view of values: slices, the cursor, NaN, copying, saving and comparing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/views/values-view.h"
#include "app/widgets/grid.h"
#include "engine/formats/format.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const char symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"w\", \"inputs\": []},"
    "{\"op\": \"elemwise_add\", \"name\": \"sum\", \"inputs\": [[0,0,0],[1,0,0]]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[2,0,0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

static char *folder; /* of the files of a test, from the first one on */

static char *
in_folder (const char *name)
{
  if (!folder)
    folder = g_dir_make_tmp ("hybridscope-values-XXXXXX", NULL);
  return g_build_filename (folder, name, NULL);
}

/* Removes the folder with its files. */
static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = in_folder (name);

      g_remove (path);
    }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

/* A tensor whose elements are their indices. */
static HybTensor *
new_counting (int rank, const gint64 *dims)
{
  HybTensor *tensor = hyb_tensor_new_float (rank, dims, NULL);
  float     *data = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    data[i] = (float) i;
  return tensor;
}

/* Writes a model with this parameter, which may be NULL, and opens it. */
static ScopePage *
open_model (const char *name, HybTensor *w, const char *const *shapes)
{
  g_autofree char *json = g_strconcat (name, "-symbol.json", NULL);
  g_autofree char *params = g_strconcat (name, "-0000.params", NULL);
  g_autofree char *path = in_folder (json), *params_path = in_folder (params);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  ScopePage *own;

  g_assert_true (g_file_set_contents (path, symbol, -1, NULL));
  hyb_tensor_list_set (list, "arg:w", w);
  g_assert_true (!w || hyb_weights_write_file (list, params_path, NULL));
  scope_window_open_as (window, file, NULL, shapes);
  own = scope_window_get_page (window);
  gui_settle (own);
  return own;
}

static void
select_node (ScopePage *own, const char *name)
{
  ScopeWorkspace *its = scope_page_get_workspace (own);

  scope_workspace_show (its, scope_document_find_name (scope_workspace_get_document (its), name));
}

static ScopeValuesView *
view_of (ScopePage *own)
{
  return SCOPE_VALUES_VIEW (scope_page_get_view (own, "values"));
}

static gboolean
has_tensor (gpointer of)
{
  return scope_values_view_get_tensor (view_of (of)) != NULL;
}

static gboolean
has_picture (gpointer of)
{
  return gui_find (of, "values-picture") != NULL;
}

static gboolean
has_difference (gpointer of)
{
  return says (GTK_WIDGET (view_of (of)), "Largest difference");
}

/* "own" shows this text in a label of the view. */
typedef struct
{
  ScopePage  *own;
  const char *text;
} Saying;

static gboolean
is_said (gpointer data)
{
  const Saying *saying = data;

  return says (GTK_WIDGET (view_of (saying->own)), saying->text);
}

static void
wait_for_text (ScopePage *own, const char *text)
{
  Saying saying = { own, text };

  if (!gui_wait (is_said, &saying, 20000))
    g_error ("the view of values does not say “%s”", text);
}

static void
show_values (ScopePage *own)
{
  gui_act (window, "win.show-view", "values");
  wait_until (has_tensor, own);
  wait_until (has_picture, own);
}

static const char *
text_of (ScopePage *own, const char *name)
{
  GtkWidget *widget = gui_find (GTK_WIDGET (view_of (own)), name);

  return GTK_IS_LABEL (widget) ? gtk_label_get_text (GTK_LABEL (widget))
                               : gtk_editable_get_text (GTK_EDITABLE (widget));
}

static GtkWidget *
grid_of (ScopePage *own)
{
  return gui_find (GTK_WIDGET (view_of (own)), "values-grid");
}

/* Activates what a key is bound to, in a widget or the nearest one around it. */
static void
press (GtkWidget *widget, const char *key)
{
  g_autoptr (GtkShortcutTrigger) wanted = gtk_shortcut_trigger_parse_string (key);

  for (; widget; widget = gtk_widget_get_parent (widget))
    {
      g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

      for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
        {
          g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

          for (guint k = 0; GTK_IS_SHORTCUT_CONTROLLER (controller) &&
                            k < g_list_model_get_n_items (G_LIST_MODEL (controller));
               k++)
            {
              g_autoptr (GtkShortcut) shortcut =
                  g_list_model_get_item (G_LIST_MODEL (controller), k);

              if (gtk_shortcut_trigger_equal (gtk_shortcut_get_trigger (shortcut), wanted) &&
                  gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut),
                                                0,
                                                widget,
                                                gtk_shortcut_get_arguments (shortcut)))
                return;
            }
        }
    }
  g_error ("no widget takes the key %s", key);
}

static void
enter_slice (ScopePage *own, const char *text)
{
  GtkWidget *entry = gui_find (GTK_WIDGET (view_of (own)), "values-slice");

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "activate");
}

static void
close_dialog (void)
{
  gtk_dialog_response (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG), GTK_RESPONSE_CANCEL);
}

/* --- One model --- */

/* The view must not keep the window from being narrow: half of 1366 pixels. */
static void
assert_narrow (ScopePage *own)
{
  int minimum;

  gtk_widget_measure (GTK_WIDGET (view_of (own)),
                      GTK_ORIENTATION_HORIZONTAL,
                      -1,
                      &minimum,
                      NULL,
                      NULL,
                      NULL);
  g_assert_cmpint (minimum, <=, 670);
}

static void
test_slices (void)
{
  g_autoptr (HybTensor) w = new_counting (4, (gint64[]){ 4, 3, 5, 6 });
  ScopePage *own = open_model ("net", w, NULL);
  GtkWidget *axes;

  select_node (own, "w");
  show_values (own);
  take_picture (window, "values-of-a-weight");
  assert_narrow (own);
  g_assert_cmpstr (text_of (own, "values-type"), ==, "float32 · 4×3×5×6 · 1.4 kB");
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[0, 0, :, :]");
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[0, 0, 0, 0]: 0");
  gui_act (view_of (own), "values.next-slice", NULL);
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[0, 1, 0, 0]: 30");
  gui_act (view_of (own), "values.previous-slice", NULL);
  gui_act (view_of (own), "values.previous-slice", NULL);
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[0, 0, :, :]");
  enter_slice (own, ":, -1, 2, :");
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[:, 2, 2, :]");
  enter_slice (own, "4, 0, :, :");
  g_assert_cmpstr (text_of (own, "values-place"),
                   ==,
                   "index 4 is outside axis 0, which has 4 elements");
  axes = gui_find (GTK_WIDGET (view_of (own)), "values-axes");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (axes), 0);
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[:, :, 2, 0]");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (axes), 5);
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[0, 2, :, :]");
  remove_folder ();
}

static void
test_keys (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 40, 30 });
  ScopePage       *own = open_model ("net", w, NULL);
  GtkWidget       *grid = grid_of (own);
  g_autofree char *copied = NULL;
  ScopeGridRange   selection;

  select_node (own, "w");
  show_values (own);
  press (grid, "<Control>End");
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[39, 29]: 1199");
  press (grid, "Down");
  press (grid, "Right");
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[39, 29]: 1199");
  press (grid, "Home");
  press (grid, "Up");
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[38, 0]: 1140");
  press (grid, "<Shift>Right");
  press (grid, "<Shift>Down");
  g_assert_cmpstr (text_of (own, "values-place"), ==, "2 × 2 values selected");
  press (grid, "<Control>c");
  gui_spin (200);
  copied = gui_clipboard (grid);
  g_assert_cmpstr (copied, ==, "1140\t1141\n1170\t1171\n");
  press (grid, "Page_Up");
  press (grid, "<Control>Home");
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[0, 0]: 0");
  gui_act (grid, "grid.select-all", NULL);
  scope_grid_get_selection (SCOPE_GRID (grid), &selection);
  g_assert_cmpint (selection.n_rows * selection.n_columns, ==, 1200);
  gui_act (view_of (own), "values.copy", NULL);
  remove_folder ();
}

/* Each press goes to the next one, from the last to the first. */
static void
test_nan (void)
{
  g_autoptr (HybTensor) w = new_counting (3, (gint64[]){ 4, 5, 6 });
  float     *data = hyb_tensor_get_data (w);
  ScopePage *own;

  data[37] = NAN;
  data[119] = INFINITY;
  own = open_model ("net", w, NULL);
  select_node (own, "w");
  show_values (own);
  g_assert_true (says (GTK_WIDGET (view_of (own)), "Not a number"));
  press (grid_of (own), "n");
  wait_for_text (own, "[1, 1, 1]: nan");
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[1, :, :]");
  take_picture (window, "values-nan");
  gui_act (view_of (own), "values.next-bad", NULL);
  wait_for_text (own, "[3, 4, 5]: inf");
  gui_act (view_of (own), "values.next-bad", NULL);
  wait_for_text (own, "[1, 1, 1]: nan");
  remove_folder ();
}

/* Dragging selects, a click on the picture leads to its place. */
static void
test_mouse (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 64, 64 });
  ScopePage          *own = open_model ("net", w, NULL);
  GtkEventController *drag = gui_controller (grid_of (own), GTK_TYPE_GESTURE_DRAG), *click;
  GtkWidget          *picture;
  gint64              row, column;

  select_node (own, "w");
  show_values (own);
  gui_mark_gesture ("grid-drag");
  g_signal_emit_by_name (drag, "drag-begin", 1.0, 1.0);
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[0, 0]: 0");
  picture = gui_find (GTK_WIDGET (own), "values-picture");
  gui_spin (100);
  click = gui_controller (picture, GTK_TYPE_GESTURE_CLICK);
  gui_mark_gesture ("matrix-click");
  g_signal_emit_by_name (click,
                         "released",
                         1,
                         gtk_widget_get_width (picture) - 1.0,
                         gtk_widget_get_height (picture) - 1.0);
  g_assert_true (scope_grid_get_cursor (SCOPE_GRID (grid_of (own)), &row, &column));
  g_assert_cmpint (row, ==, 63);
  g_assert_cmpint (column, ==, 63);
  remove_folder ();
}

/* More than a million elements are read in a worker. */
static void
test_large (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 3000, 700 });
  ScopePage *own = open_model ("net", w, NULL);

  select_node (own, "w");
  show_values (own);
  wait_for_text (own, "[0, 0]: 0");
  press (grid_of (own), "<Control>End");
  wait_for_text (own, "[2999, 699]: 2099999");
  gui_spin (100);
  take_picture (window, "values-of-a-large-weight");
  press (grid_of (own), "<Control>Home");
  wait_for_text (own, "[0, 0]: 0");
  remove_folder ();
}

/* A parameter file with one array of zeros, which takes no room on the disk.  The last element is 7. */
static void
write_sparse (const char *path, gint64 rows, gint64 columns)
{
  const guint64 head[] = { 0x112, 0, 1 }, tail[] = { 1, strlen ("arg:w") };
  const gint32  array[] = { (gint32) 0xF993FAC9u, 0, 2 }, place[] = { 1, 0, HYB_F32 };
  const gint64  shape[] = { rows, columns };
  const float   last = 7;
  FILE         *file = g_fopen (path, "wb");

  g_assert_nonnull (file);
  fwrite (head, sizeof head, 1, file);
  fwrite (array, sizeof array, 1, file);
  fwrite (shape, sizeof shape, 1, file);
  fwrite (place, sizeof place, 1, file);
  g_assert_cmpint (fseeko (file, (off_t) ((rows * columns - 1) * 4), SEEK_CUR), ==, 0);
  fwrite (&last, sizeof last, 1, file);
  fwrite (tail, sizeof tail, 1, file);
  fwrite ("arg:w", tail[1], 1, file);
  g_assert_cmpint (fclose (file), ==, 0);
}

static gboolean
is_open (gpointer of)
{
  return scope_workspace_get_state (of) == SCOPE_STATE_READY;
}

/* 2 GiB, from top to bottom and back while statistics are computed. */
static void
test_huge (void)
{
  g_autofree char *path = in_folder ("net-symbol.json");
  g_autofree char *params = in_folder ("net-0000.params");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  ScopePage     *own;
  GtkAdjustment *down;

  write_sparse (params, 1 << 16, 1 << 13);
  g_assert_true (g_file_set_contents (path, symbol, -1, NULL));
  scope_window_open_as (window, file, NULL, NULL);
  own = scope_window_get_page (window);
  wait_until (is_open, scope_page_get_workspace (own)); /* its weights are checked */
  gui_act (window, "win.show-view", "values");
  wait_until (has_tensor, own);
  wait_for_text (own, "[0, 0]: 0");
  g_object_get (grid_of (own), "vadjustment", &down, NULL);
  for (guint i = 0; i < 100; i++)
    {
      gtk_adjustment_set_value (down, gtk_adjustment_get_upper (down) * i / 100);
      gui_spin (10);
    }
  g_object_unref (down);
  press (grid_of (own), "<Control>End");
  wait_for_text (own, "[65535, 8191]: 7");
  press (grid_of (own), "<Control>Home");
  wait_for_text (own, "[0, 0]: 0");
  remove_folder ();
}

static void
test_nothing (void)
{
  static const char *const shapes[] = { "data=2,3", "w=2,3", NULL };
  ScopePage               *own = open_model ("net", NULL, shapes);

  gui_act (window, "win.show-view", "values");
  gui_spin (50);
  g_assert_true (says (GTK_WIDGET (view_of (own)), "No Values"));
  take_picture (window, "values-none");
  remove_folder ();
}

/* --- Values of a run --- */

static gboolean
has_values (gpointer of)
{
  return scope_workspace_get_values (of) != NULL;
}

static void
run_shortly (ScopePage *own)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();

  options->seconds = 1;
  g_assert_true (scope_page_run (own, options));
  wait_until (has_values, scope_page_get_workspace (own));
}

static void
test_run (void)
{
  static const char *const shapes[] = { "data=4,3,5,6", NULL };
  g_autoptr (HybTensor) w = new_counting (4, (gint64[]){ 4, 3, 5, 6 });
  ScopePage   *own = open_model ("net", w, shapes);
  GtkDropDown *names = GTK_DROP_DOWN (gui_find (GTK_WIDGET (own), "values-names"));
  double       sum;

  select_node (own, "sum");
  gui_act (window, "win.show-view", "values");
  gui_spin (50);
  g_assert_true (says (GTK_WIDGET (own), "Not Computed Yet"));
  take_picture (window, "values-not-computed");
  run_shortly (own);
  wait_until (has_tensor, own);
  sum = hyb_tensor_get_value (scope_values_view_get_tensor (view_of (own)), 359);
  take_picture (window, "values-of-a-run");
  /* The inputs of the node can be chosen as well. */
  gtk_drop_down_set_selected (names, 1);
  wait_until (has_tensor, own);
  gui_spin (500);
  wait_until (has_tensor, own);
  g_assert_cmpfloat_with_epsilon (sum,
                                  359 + hyb_tensor_get_value (scope_values_view_get_tensor (
                                                                  view_of (own)),
                                                              359),
                                  1e-4);
  gtk_drop_down_set_selected (names, 2);
  gui_spin (50);
  g_assert_cmpfloat (hyb_tensor_get_value (scope_values_view_get_tensor (view_of (own)), 359),
                     ==,
                     359);
  remove_folder ();
}

/* --- Files --- */

static gboolean
exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static HybTensor *
save_and_read (const char *name)
{
  g_autofree char *path = in_folder (name);
  g_autoptr (HybTensorList) list = NULL;

  scope_window_save_values (window, path);
  wait_until (exists, path);
  list = hyb_weights_read_file (path, NULL, NULL);
  return hyb_tensor_ref (hyb_tensor_list_get (list, 0)->tensor);
}

static void
test_saving (void)
{
  g_autoptr (HybTensor) w = new_counting (3, (gint64[]){ 2, 2, 3 });
  ScopePage *own = open_model ("net", w, NULL);
  g_autoptr (HybTensor) npy = NULL;
  g_autoptr (HybTensor) npz = NULL;
  g_autofree char *csv = in_folder ("w.csv"), *text = NULL;

  select_node (own, "w");
  show_values (own);
  npy = save_and_read ("w.npy");
  npz = save_and_read ("w.npz");
  g_assert_cmpint (hyb_tensor_get_shape (npy)->rank, ==, 3);
  g_assert_cmpfloat (hyb_tensor_get_value (npz, 11), ==, 11);
  gui_act (view_of (own), "values.next-slice", NULL);
  scope_window_save_values (window, csv);
  wait_until (exists, csv);
  g_assert_true (g_file_get_contents (csv, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "6,7,8\n9,10,11\n");
  gui_act (window, "win.save-values", NULL);
  close_dialog ();
  remove_folder ();
}

/* --- Two models --- */

static void
test_comparing (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 5, 6 });
  g_autofree char *file = NULL;
  ScopePage       *first, *second;

  first = open_model ("first", w, NULL);
  ((float *) hyb_tensor_get_data (w))[17] = 20;
  second = open_model ("second", w, NULL);
  select_node (second, "w");
  show_values (second);
  gtk_menu_button_popup (
      GTK_MENU_BUTTON (gui_find (GTK_WIDGET (view_of (second)), "values-compare")));
  gui_spin (200);
  take_picture (window, "values-compare-menu");
  gui_act (view_of (second),
           "values.compare-with",
           scope_workspace_get_model_name (scope_page_get_workspace (first)));
  wait_until (has_difference, second);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (
                                  gui_find (GTK_WIDGET (view_of (second)), "values-shown")),
                              2);
  g_assert_true (says (GTK_WIDGET (view_of (second)), "Compared with first"));
  scope_grid_set_cursor (SCOPE_GRID (grid_of (second)), 2, 5);
  g_assert_cmpstr (text_of (second, "values-place"), ==, "[2, 5]: 20 · other: 17 · difference: 3");
  take_picture (window, "values-compared");
  assert_narrow (second);
  gui_act (view_of (second), "values.stop-comparing", NULL);
  g_assert_cmpstr (text_of (second, "values-place"), ==, "[2, 5]: 20");
  file = in_folder ("first-0000.params");
  scope_values_view_compare_file (view_of (second), file);
  wait_until (has_difference, second);
  gui_act (window, "win.compare-values", NULL);
  close_dialog ();
  remove_folder ();
}

void
add_tensor_tests (void)
{
  add_test ("/app/window/shows-any-slice-of-a-tensor", CASE_EMPTY, test_slices);
  add_test ("/app/window/moves-through-values-by-keys", CASE_EMPTY, test_keys);
  add_test ("/app/window/finds-each-value-that-is-no-number", CASE_EMPTY, test_nan);
  add_test ("/app/window/moves-through-values-by-mouse", CASE_EMPTY, test_mouse);
  add_test ("/app/window/reads-large-tensors-in-parts", CASE_EMPTY, test_large);
  add_long_test ("/app/window/scrolls-through-two-gigabytes", CASE_EMPTY, test_huge);
  add_test ("/app/window/says-that-there-are-no-values", CASE_EMPTY, test_nothing);
  add_test ("/app/window/shows-values-of-a-run", CASE_EMPTY, test_run);
  add_test ("/app/window/saves-values", CASE_EMPTY, test_saving);
  add_test ("/app/window/compares-values-of-two-models", CASE_EMPTY, test_comparing);
}
