/* tensor-gestures.c — statistics, histogram, picture, saving and comparing of a tensor, and a comparison that is measured for
 * longer, with real events of mouse and keyboard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/tensor-case.h"
#include "tests/app/window/x-events.h"

#include "app/widgets/tooltip.h"

#include "engine/formats/format.h"

#include <math.h>
#include <string.h>

/* The innermost mapped widget in which the text stands, or a button with this action. */
static GtkWidget *
find (GtkWidget *root, const char *text)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = gtk_widget_get_mapped (child) ? find (child, text) : NULL;

      if (found)
        return found;
    }
  if (GTK_IS_BUTTON (root) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (root)), text) == 0)
    return root;
  return GTK_IS_LABEL (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text) ? root
                                                                                          : NULL;
}

/* Turns the wheel until the middle of a widget is in view. */
static void
scroll_to (GtkWidget *widget)
{
  GtkWidget      *around = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t place;

  for (guint i = 0; i < 20; i++)
    {
      if (gtk_widget_compute_bounds (widget, around, &place) &&
          place.origin.y + place.size.height / 2 < (float) gtk_widget_get_height (around))
        return;
      x_click (around, 20, 20, 5);
    }
  g_error ("the wheel does not scroll");
}

static gboolean
has_facts (gpointer own)
{
  return gui_find (own, "values-histogram") && gui_find (own, "values-picture");
}

/* Opens the values of "w" by its node and the key of the panel's tab. */
static gboolean
start (HybTensor *w, const char *name)
{
  page = open_model (name, w, NULL);
  select_node (page, "w");
  gui_act (window, "win.show-view", "values");
  wait_until (has_tensor, page);
  wait_until (has_facts, page);
  gtk_window_set_default_size (GTK_WINDOW (window), 1200, 760);
  gui_spin (300);
  if (!x_events_start (GTK_WINDOW (window)))
    {
      g_test_skip ("no X display with the extension XTEST, or built without libxtst-dev");
      return FALSE;
    }
  /* The first click in a new window goes nowhere; this one does nothing. */
  x_click (GTK_WIDGET (canvas ()), gtk_widget_get_width (GTK_WIDGET (canvas ())) / 2., 5, 2);
  return TRUE;
}

/* A number of the sheet leads to its place; a bar of the histogram tells its values; the picture is pointed at; N goes to what
 * is no number. */
static void
test_facts (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 40, 30 });
  GtkWidget  *view, *bars, *picture;
  gint64      row, column;
  const char *told;

  ((float *) hyb_tensor_get_data (w))[35 * 30 + 7] = NAN;
  if (!start (w, "net"))
    return;
  view = GTK_WIDGET (view_of (page));
  x_press (find (view, "Largest"));
  g_assert_cmpstr (text_of (page, "values-place"), ==, "[39, 29]: 1199");
  bars = gui_find (view, "values-histogram");
  scroll_to (bars);
  x_move (bars, gtk_widget_get_width (bars) / 2., gtk_widget_get_height (bars) / 2.);
  told = scope_tooltip_get (bars);
  g_assert_nonnull (told);
  g_assert_nonnull (strstr (told, " to "));
  g_assert_nonnull (strstr (told, " values"));
  picture = gui_find (view, "values-picture");
  scroll_to (picture);
  x_press (picture);
  g_assert_true (scope_grid_get_cursor (SCOPE_GRID (grid_of (page)), &row, &column));
  g_assert_cmpint (row, >, 10);
  g_assert_cmpint (row, <, 30);
  g_assert_cmpint (column, >, 7);
  g_assert_cmpint (column, <, 22);
  x_key ("n");
  wait_for_text (page, "[35, 7]: nan");
  x_events_end ();
  tensor_remove_folder ();
}

static gboolean
has_dialog (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

static gboolean
exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static void
test_saving (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 4, 3 });
  g_autoptr (HybTensorList) list = NULL;
  g_autofree char *path = NULL;

  if (!start (w, "net"))
    return;
  path = tensor_in_folder ("own.npy");
  x_press (find (GTK_WIDGET (view_of (page)), "win.save-values"));
  wait_until (has_dialog, NULL);
  x_events_end ();
  g_assert_true (x_events_start (gui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG)));
  x_key ("<Control>a"); /* the proposed name */
  x_type (path);
  x_key ("Return");
  wait_until (exists, path);
  list = hyb_weights_read_file (path, NULL, NULL);
  g_assert_nonnull (list);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_tensor_list_get (list, 0)->tensor, 11), ==, 11);
  x_events_end ();
  tensor_remove_folder ();
}

static gboolean
is_compared (gpointer own)
{
  return says (own, "Largest difference");
}

static void
test_comparing (void)
{
  g_autoptr (HybTensor) w = new_counting (2, (gint64[]){ 5, 6 });
  GtkWidget *view;

  open_model ("first", w, NULL);
  ((float *) hyb_tensor_get_data (w))[17] = 20;
  if (!start (w, "second"))
    return;
  view = GTK_WIDGET (view_of (page));
  x_press (gui_find (view, "values-compare"));
  gui_spin (300);
  x_press (find (view, "first"));
  wait_until (is_compared, view);
  gui_spin (500); /* the sheet has its size */
  x_press (find (view, "Largest difference"));
  g_assert_cmpstr (text_of (page, "values-place"), ==, "[2, 5]: 20 · other: 17 · difference: 3");
  x_events_end ();
  tensor_remove_folder ();
}

/* --- Comparisons --- */

static gboolean
is_ready (gpointer unused G_GNUC_UNUSED)
{
  ScopeComparePage *compare = scope_window_get_comparison (window);

  return compare && scope_compare_page_is_settled (compare) &&
         scope_compare_page_n_panes (compare) == 2;
}

static gboolean
is_measuring (gpointer compare)
{
  return !scope_compare_page_is_measured (compare);
}

static gboolean
has_stopped (gpointer compare)
{
  return scope_compare_page_is_measured (compare);
}

/* A saved comparison of two forms with too few runs.  (transfer full) */
static char *
write_comparison (const char *model)
{
  char            *path = tensor_in_folder ("few.comparison.json");
  g_autofree char *text = g_strdup_printf (
      "{\"comparison\": {\"model\": \"%s\", \"shapes\": [\"data=2,6,4\"],"
      " \"forms\": [\"unrolled\", \"fused\"]}, \"results\": [{\"title\": \"few\", \"result\": {"
      "\"equal\": {\"ok\": true}, \"cells\": ["
      "{\"variant\": \"unrolled\", \"mode\": \"static\", \"median\": 6e-6, \"samples\": 2},"
      "{\"variant\": \"fused\", \"mode\": \"static\", \"median\": 5e-6, \"samples\": 2}], "
      "\"pairs\": ["
      "{\"a\": \"fused, static\", \"b\": \"unrolled, static\", \"ratio\": 0.83,"
      " \"verdict\": \"undecided\"}]}}]}",
      model);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* Below the sentence about too few runs. */
static void
test_measuring_longer (void)
{
  const char      *model = scope_workspace_get_model_name (workspace ());
  g_autofree char *path = write_comparison (model);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  ScopeComparePage *compare;
  GtkSpinButton    *seconds;
  double            before;

  scope_window_open (window, file);
  g_assert_true (gui_wait (is_ready, NULL, 60000));
  compare = scope_window_get_comparison (window);
  seconds = GTK_SPIN_BUTTON (gui_find (GTK_WIDGET (compare), "compare-seconds"));
  before = gtk_spin_button_get_value (seconds);
  if (!x_events_start (GTK_WINDOW (window)))
    {
      g_test_skip ("no X display with the extension XTEST, or built without libxtst-dev");
      return;
    }
  x_click (GTK_WIDGET (compare), 5, 5, 2);
  x_press (gui_find (GTK_WIDGET (compare), "measure-longer"));
  g_assert_true (gui_wait (is_measuring, compare, 10000));
  g_assert_cmpfloat (gtk_spin_button_get_value (seconds), ==, 2 * before);
  gui_act (compare, "compare.stop", NULL);
  g_assert_true (gui_wait (has_stopped, compare, 20000));
  x_events_end ();
  tensor_remove_folder ();
}

void
add_tensor_gesture_tests (void)
{
  add_test ("/app/window/statistics-by-mouse-and-keys", CASE_EMPTY, test_facts);
  add_test ("/app/window/saving-values-by-mouse-and-keys", CASE_EMPTY, test_saving);
  add_test ("/app/window/measuring-longer-by-mouse", CASE_MODEL, test_measuring_longer);
  add_test ("/app/window/comparing-values-by-mouse-and-keys", CASE_EMPTY, test_comparing);
}
