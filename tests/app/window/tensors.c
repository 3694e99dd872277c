/* tensors.c — the view of values with parameters: slices, the cursor, NaN, large tensors, copying.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/tensor-case.h"

#include "app/process/watchdog.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void
enter_slice (ScopePage *own, const char *text)
{
  GtkWidget *entry = gui_find (GTK_WIDGET (view_of (own)), "values-slice");

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "activate");
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
  g_assert_cmpstr (text_of (own, "values-type"), ==, "float32 · 4×3×5×6 · 1.41 KiB");
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
  g_assert_cmpstr (text_of (own, "values-place"), ==,
                   "index 4 is outside axis 0, which has 4 elements");
  axes = gui_find (GTK_WIDGET (view_of (own)), "values-axes");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (axes), 0);
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[:, :, 2, 0]");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (axes), 5);
  g_assert_cmpstr (text_of (own, "values-slice"), ==, "[0, 2, :, :]");
  tensor_remove_folder ();
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
  tensor_remove_folder ();
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
  tensor_remove_folder ();
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
  gui_record_gestures (GTK_WIDGET (own));
  gui_mark_gesture ("matrix-click");
  g_signal_emit_by_name (click, "released", 1, gtk_widget_get_width (picture) - 1.0,
                         gtk_widget_get_height (picture) - 1.0);
  g_assert_true (scope_grid_get_cursor (SCOPE_GRID (grid_of (own)), &row, &column));
  g_assert_cmpint (row, ==, 63);
  g_assert_cmpint (column, ==, 63);
  tensor_remove_folder ();
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
  tensor_remove_folder ();
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

/* Integers are shown and copied exactly, though a cell has no room for all digits. */
static void
test_integers (void)
{
  HybType type = { hyb_shape_2d (2, 2), HYB_I64 };
  g_autoptr (HybTensor) w = hyb_tensor_new_zeros (&type, NULL);
  g_autofree char *copied = NULL;
  ScopePage       *own;

  ((gint64 *) hyb_tensor_get_data (w))[0] = G_MAXINT64;
  ((gint64 *) hyb_tensor_get_data (w))[3] = G_MININT64;
  own = open_model ("net", w, NULL);
  select_node (own, "w");
  show_values (own);
  g_assert_cmpstr (text_of (own, "values-place"), ==, "[0, 0]: 9223372036854775807");
  gui_act (grid_of (own), "grid.select-all", NULL);
  gui_act (view_of (own), "values.copy", NULL);
  gui_spin (200);
  copied = gui_clipboard (grid_of (own));
  g_assert_cmpstr (copied, ==, "9223372036854775807\t0\n0\t-9223372036854775808\n");
  take_picture (window, "values-of-integers");
  tensor_remove_folder ();
}

/* Copies what is selected.  `copying` is what cancels it, and empty when its task has ended. */
static void
begin_copy (ScopePage *own, GWeakRef *copying)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (grid_of (own));

  gui_act (view_of (own), "values.copy", NULL);
  g_weak_ref_init (copying, g_object_get_data (G_OBJECT (clipboard), "scope-copying"));
}

/* Begins to copy a million values. */
static ScopePage *
begin_long_copy (GWeakRef *copying)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 1000, 1000 });
  ScopePage *own = open_model ("net", w, NULL);

  select_node (own, "w");
  show_values (own);
  gui_act (grid_of (own), "grid.select-all", NULL);
  begin_copy (own, copying);
  return own;
}

static gboolean
has_ended (gpointer copying)
{
  g_autoptr (GObject) cancellable = g_weak_ref_get (copying);

  return !cancellable;
}

static void
assert_copied (ScopePage *own, const char *want)
{
  g_autofree char *copied = gui_clipboard (grid_of (own));

  g_assert_cmpuint (strlen (copied), ==,
                    strlen (want)); /* the other copy is too long for a message */
  g_assert_cmpstr (copied, ==, want);
}

/* A copy of a million values is still being prepared when one value is copied. */
static void
test_last_copy (void)
{
  GWeakRef   first, second;
  ScopePage *own = begin_long_copy (&first);

  g_assert_false (has_ended (&first));
  press (grid_of (own), "<Control>End");
  begin_copy (own, &second);
  wait_until (has_ended, &second);
  wait_until (has_ended, &first);
  assert_copied (own, "999999\n");
  g_weak_ref_clear (&first);
  g_weak_ref_clear (&second);
  tensor_remove_folder ();
}

/* The same when an entry copies its text, as other programs do. */
static void
test_copy_of_others (void)
{
  GWeakRef   copying;
  ScopePage *own = begin_long_copy (&copying);

  g_assert_false (has_ended (&copying));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (grid_of (own)), "of an entry");
  wait_until (has_ended, &copying);
  assert_copied (own, "of an entry");
  g_weak_ref_clear (&copying);
  tensor_remove_folder ();
}

/* 2 GiB, from top to bottom and back while statistics are computed. */
static void
test_huge (void)
{
  g_autofree char *path = tensor_in_folder ("net-symbol.json");
  g_autofree char *params = tensor_in_folder ("net-0000.params");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  ScopePage     *own;
  GtkAdjustment *down;

  write_sparse (params, 1 << 16, 1 << 13);
  g_assert_true (g_file_set_contents (path, tensor_symbol, -1, NULL));
  scope_window_open_as (window, file, NULL, NULL);
  own = scope_window_get_page (window);
  wait_until (is_open, scope_page_get_workspace (own)); /* its weights are checked */
  gui_act (window, "win.show-view", "values");
  wait_until (has_tensor, own);
  wait_for_text (own, "[0, 0]: 0");
  g_object_get (grid_of (own), "vadjustment", &down, NULL);
  scope_watchdog_start ();
  scope_watchdog_reset ();
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
  g_test_message ("longest turn of the main loop: %.1f ms of processor time",
                  scope_watchdog_get_report ().longest_busy);
  tensor_remove_folder ();
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
  tensor_remove_folder ();
}

void
add_tensor_tests (void)
{
  add_test ("/app/window/shows-any-slice-of-a-tensor", CASE_EMPTY, test_slices);
  add_test ("/app/window/moves-through-values-by-keys", CASE_EMPTY, test_keys);
  add_test ("/app/window/finds-each-value-that-is-no-number", CASE_EMPTY, test_nan);
  add_test ("/app/window/moves-through-values-by-mouse", CASE_EMPTY, test_mouse);
  add_test ("/app/window/shows-large-integers-exactly", CASE_EMPTY, test_integers);
  add_test ("/app/window/the-last-copy-is-on-the-clipboard", CASE_EMPTY, test_last_copy);
  add_test ("/app/window/a-copy-of-others-cancels-one-that-takes-longer", CASE_EMPTY,
            test_copy_of_others);
  add_test ("/app/window/reads-large-tensors-in-parts", CASE_EMPTY, test_large);
  add_long_test ("/app/window/scrolls-through-two-gigabytes", CASE_EMPTY, test_huge);
  add_test ("/app/window/says-that-there-are-no-values", CASE_EMPTY, test_nothing);
}
