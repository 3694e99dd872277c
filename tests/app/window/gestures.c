/* gestures.c — values, search, costs, lines, own inputs, timeline and copying, each with real events of mouse and keyboard.
 *
 * The other files of this folder call actions and emit signals; here the X server sends what a user does, past focus,
 * capture and gestures that claim sequences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"
#include "tests/app/window/pixels.h"
#include "tests/app/window/tensor-case.h"
#include "tests/app/window/x-events.h"

#include "app/widgets/lane-chart.h"
#include "app/widgets/tooltip.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Earlier tests may have left a window in which tabs are scrolled away. */
static gboolean
start (void)
{
  gtk_window_set_default_size (GTK_WINDOW (window), 1200, 760);
  gui_spin (300);
  if (x_events_start (GTK_WINDOW (window)))
    {
      /* The first click after a window was destroyed under the pointer goes nowhere; this one does nothing. */
      x_click (GTK_WIDGET (canvas ()), gtk_widget_get_width (GTK_WIDGET (canvas ())) / 2., 5, 2);
      return TRUE;
    }
  g_test_skip ("no X display with the extension XTEST, or built without libxtst-dev");
  return FALSE;
}

/* The innermost visible button in which the text stands. */
static GtkWidget *
find_button (GtkWidget *root, const char *text)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = gtk_widget_get_mapped (child) ? find_button (child, text) : NULL;

      if (found)
        return found;
    }
  return GTK_IS_BUTTON (root) && says (root, text) ? root : NULL;
}

static guint32
selected (void)
{
  return scope_workspace_get_selected (workspace ());
}

static gboolean
is_selected (gpointer box)
{
  return selected () == GPOINTER_TO_UINT (box);
}

static gboolean
has_selection (gpointer unused G_GNUC_UNUSED)
{
  return selected () != VIZ_ROOT;
}

static gboolean
has_text (gpointer label)
{
  return *gtk_label_get_text (label) != '\0';
}

static void
open_tab (const char *name, const char *title)
{
  for (guint i = 0;
       i < 10 && !gtk_widget_get_mapped (GTK_WIDGET (scope_page_get_view (page, name))); i++)
    {
      x_press (find_button (gui_find (GTK_WIDGET (page), "panel-tabs"), title));
      gui_spin (500);
    }
  wait_until (is_mapped, scope_page_get_view (page, name));
  gui_spin (300);
}

/* --- 12: values --- */

static void
test_values (void)
{
  g_autoptr (HybTensor) w = new_counting (3, (gint64[]){ 4, 400, 30 });
  g_autofree char *copied = NULL;
  ScopeGridRange   before, after;
  gint64           row, column;
  GtkWidget       *grid;

  page = open_model ("net", w, NULL);
  select_node (page, "w");
  if (!start ())
    return;
  open_tab ("values", "Values");
  wait_until (has_tensor, page);
  grid = grid_of (page);
  gui_spin (300);
  x_click (grid, gtk_widget_get_width (grid) / 2., gtk_widget_get_height (grid) / 2., 1);
  g_assert_true (scope_grid_get_cursor (SCOPE_GRID (grid), &row, &column));
  g_assert_cmpint (row, >, 0);
  scope_grid_get_visible (SCOPE_GRID (grid), &before);
  x_click (grid, 80, 60, 5); /* the wheel */
  scope_grid_get_visible (SCOPE_GRID (grid), &after);
  g_assert_cmpint (after.row, >, before.row);
  x_key ("<Control>End");
  g_assert_cmpstr (text_of (page, "values-place"), ==, "[0, 399, 29]: 11999");
  x_key ("<Control>c");
  gui_spin (200);
  copied = gui_clipboard (grid);
  g_assert_cmpstr (copied, ==, "11999\n");
  x_key ("<Shift>Up");
  g_assert_cmpstr (text_of (page, "values-place"), ==, "2 × 1 values selected");
  /* A slice is typed. */
  x_press (gui_find (GTK_WIDGET (page), "values-slice"));
  x_key ("<Control>a");
  x_type ("[3, :, :]");
  x_key ("Return");
  gui_spin (300);
  g_assert_cmpstr (text_of (page, "values-slice"), ==, "[3, :, :]");
  x_events_end ();
  tensor_remove_folder ();
}

/* --- 13: finding --- */

static void
test_finding (void)
{
  GtkWidget *outline = GTK_WIDGET (scope_page_get_view (page, "outline"));
  double     x, y; /* of the empty canvas */
  guint32    first, second;

  if (!start ())
    return;
  x_key ("<Control>f");
  x_type ("i2h");
  x_key ("Return");
  wait_until (has_selection, NULL);
  first = selected ();
  x_key ("Return");
  second = selected ();
  g_assert_cmpuint (second, !=, first);
  x_key ("<Alt>Left");
  wait_until (is_selected, GUINT_TO_POINTER (first));
  x_key ("<Alt>Right");
  wait_until (is_selected, GUINT_TO_POINTER (second));
  wait_until (is_mapped, outline); /* it lists the hits */
  x_press (gui_find (GTK_WIDGET (window), "outline-button"));
  wait_until (is_unmapped, outline);
  x_key ("F7");
  wait_until (is_mapped, outline);
  x_key ("<Control>d");
  g_assert_true (scope_workspace_has_bookmark (workspace (), second));
  x = gtk_widget_get_width (GTK_WIDGET (canvas ())) - 20;
  y = gtk_widget_get_height (GTK_WIDGET (canvas ())) / 3.;
  x_click (GTK_WIDGET (canvas ()), x, y, 8);
  wait_until (is_selected, GUINT_TO_POINTER (first));
  x_click (GTK_WIDGET (canvas ()), x, y, 9);
  wait_until (is_selected, GUINT_TO_POINTER (second));
  /* The next click goes where the pointer is. */
  x_press (gui_find (GTK_WIDGET (window), "outline-button"));
  wait_until (is_unmapped, outline);
  x_events_end ();
}

/* --- 14: the most expensive places --- */

static void
test_places (void)
{
  GtkWidget *pane = GTK_WIDGET (scope_page_get_view (page, "node")), *place;

  if (!start ())
    return;
  scope_workspace_select (workspace (), VIZ_ROOT);
  gui_spin (300);
  /* On a busy machine sizes may be allocated late. */
  for (guint i = 0; i < 10 && !has_selection (NULL); i++)
    {
      x_press (find_button (pane, " % · "));
      gui_spin (500);
    }
  g_assert_true (has_selection (NULL));
  scope_workspace_select (workspace (), VIZ_ROOT);
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  gui_spin (300);
  place = find_button (pane, " % · ");
  /* The way there by Tab goes through all that can be focused. */
  for (guint i = 0; i < 60 && gtk_root_get_focus (GTK_ROOT (window)) != place; i++)
    x_key ("Tab");
  g_assert_true (gtk_root_get_focus (GTK_ROOT (window)) == place);
  x_key ("Return");
  wait_until (has_selection, NULL);
  x_events_end ();
}

/* --- 15: lines --- */

/* The longest line whose ends are boxes. */
static guint32
find_longest_wire (void)
{
  const VizPicture *picture = scope_canvas_get_picture (canvas ());
  guint32           longest = VIZ_NO_ARROW;
  double            most = 0;

  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    {
      const VizWire  *wire = viz_picture_wire (picture, i);
      const VizPoint *points = viz_picture_points (picture, i);
      double          length;

      if (wire->n_points < 4 || wire->is_stub)
        continue;
      length = hypot (points[wire->n_points - 1].x - points[0].x,
                      points[wire->n_points - 1].y - points[0].y);
      if (length > most)
        {
          most = length;
          longest = i;
        }
    }
  return longest;
}

/* A click on a node marks its lines up to their other ends, and only those. */
static void
check_far_ends (void)
{
  GtkWidget     *widget = GTK_WIDGET (canvas ());
  VizPicture    *picture = scope_canvas_get_picture (canvas ());
  guint32        number = find_longest_wire ();
  const VizWire *wire = viz_picture_wire (picture, number);
  const VizItem *tail = viz_picture_item (picture, wire->tail);
  double         x, y;
  g_autoptr (GdkPixbuf) before = NULL;
  g_autoptr (GdkPixbuf) after = NULL;

  scope_workspace_select (workspace (), VIZ_ROOT);
  x_move (widget, 5, 5);
  before = pixels_photograph ();
  pixels_find_point ((VizPoint){ tail->x + tail->width / 2, tail->y + MIN (tail->height / 2, 12) },
                     &x, &y);
  x_click (widget, x, y, 1);
  wait_until (is_selected, GUINT_TO_POINTER (tail->box));
  x_move (widget, 5, 5);
  after = pixels_photograph ();
  pixels_find_point (viz_curve_point (viz_picture_points (picture, number) + wire->n_points - 4,
                                      0.8),
                     &x, &y);
  g_assert_true (pixels_differ (before, after, (VizPoint){ x, y }, 2));
  g_assert_false (pixels_differ (before, after, (VizPoint){ 5, 5 }, 2));
  scope_workspace_select (workspace (), VIZ_ROOT);
}

static gboolean
tells_of_line (gpointer widget)
{
  const char *text = scope_tooltip_get (widget);

  return text && strstr (text, "→") != NULL;
}

static void
test_lines (void)
{
  GtkWidget *widget = GTK_WIDGET (canvas ());
  double     x, y, zoom;
  guint32    before;
  gboolean   is_told = FALSE;

  if (!start ())
    return;
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  gui_settle (page);
  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  for (guint32 i = 0; i < viz_picture_n_wires (scope_canvas_get_picture (canvas ())) && !is_told;
       i++)
    {
      const VizPicture *picture = scope_canvas_get_picture (canvas ());
      const VizPoint   *points = viz_picture_points (picture, i);
      VizPoint          middle = viz_curve_point (points, 0.5);

      if (viz_picture_wire (picture, i)->n_points < 4)
        continue;
      x_move (widget, (middle.x - x) * zoom, (middle.y - y) * zoom);
      is_told = tells_of_line (widget);
    }
  g_assert_true (is_told);
  check_far_ends ();
  /* Along a line by keyboard; the pane tells what it carries. */
  gtk_widget_grab_focus (widget);
  x_key ("Down");
  wait_until (has_selection, NULL);
  before = selected ();
  x_key ("Down");
  g_assert_cmpuint (selected (), !=, before);
  g_assert_true (says (GTK_WIDGET (scope_page_get_view (page, "node")), "Outputs") ||
                 says (GTK_WIDGET (scope_page_get_view (page, "node")), "Inputs"));
  x_events_end ();
}

/* --- 16: own inputs --- */

static gboolean
is_told (gpointer text)
{
  return says (GTK_WIDGET (page), text);
}

/* A window from which the file can be dragged. */
static GtkWidget *
open_source (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GtkWidget          *source = gtk_window_new (), *label = gtk_label_new ("file");
  GtkDragSource      *drag = gtk_drag_source_new ();
  GdkContentProvider *content = gdk_content_provider_new_typed (G_TYPE_FILE, file);

  gtk_drag_source_set_content (drag, content);
  g_object_unref (content);
  gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (drag));
  gtk_window_set_decorated (GTK_WINDOW (source), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (source), 80, 60);
  gtk_window_set_child (GTK_WINDOW (source), label);
  gtk_window_present (GTK_WINDOW (source));
  wait_until (is_mapped, source);
  gui_spin (300);
  return label;
}

static void
drag_file (const char *path)
{
  GtkWidget *label = open_source (path);

  x_drag (label, &(XDrag){ 20, 20, 500, 400, NULL });
  gtk_window_destroy (GTK_WINDOW (gtk_widget_get_root (label)));
}

static void
check_pictures_and_labels (const char *folder)
{
  static const char *const shapes[] = { "data=1,1,20,20", NULL };
  g_autofree char         *picture = g_build_filename (folder, "white.png", NULL);
  g_autofree char         *labels = g_build_filename (folder, "digits.txt", NULL);
  g_autoptr (GdkPixbuf) white = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 4, 4);

  page = gui_open (window, "lenet-static", shapes);
  gdk_pixbuf_fill (white, 0xffffffff);
  g_assert_true (gdk_pixbuf_save (white, picture, "png", NULL, NULL));
  g_assert_true (g_file_set_contents (labels, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", -1, NULL));
  drag_file (picture);
  g_assert_true (gui_wait (is_told, (gpointer) "white.png as “data”", 5000));
  drag_file (labels);
  g_assert_true (gui_wait (is_told, (gpointer) "names 10 classes", 5000));
  g_remove (picture);
  g_remove (labels);
}

static void
test_own_input (void)
{
  static const char *const shapes[] = { "data=1,4", NULL };
  g_autofree char         *folder = g_dir_make_tmp ("hybridscope-own-XXXXXX", NULL);
  g_autofree char         *table = g_build_filename (folder, "four.csv", NULL);
  GtkWidget               *field;

  page = gui_open (window, "mlp-dropout", shapes);
  g_assert_true (g_file_set_contents (table, "1, 2, 3, 4\n", -1, NULL));
  if (!start ())
    return;
  drag_file (table);
  g_assert_true (gui_wait (is_told, (gpointer) "four.csv as “data”", 5000));
  check_pictures_and_labels (folder);
  /* By keyboard the field is typed into. */
  x_events_end ();
  g_assert_true (x_events_start (GTK_WINDOW (window)));
  gui_act (window, "win.run-options", NULL);
  field = gui_find (GTK_WIDGET (window), "run-input");
  wait_until (is_mapped, field);
  gtk_widget_grab_focus (field);
  x_key ("<Control>a");
  x_type ("own.npz");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (field)), ==, "own.npz");
  x_key ("Escape");
  wait_until (is_unmapped, field);
  x_events_end ();
  g_remove (table);
  g_rmdir (folder);
}

/* --- 17: the timeline --- */

static double
length_of (ScopeLaneChart *lanes)
{
  double begin, end;

  scope_lane_chart_get_range (lanes, &begin, &end);
  return end - begin;
}

static double
begin_of (ScopeLaneChart *lanes)
{
  double begin, end;

  scope_lane_chart_get_range (lanes, &begin, &end);
  return begin;
}

static void
test_timeline (void)
{
  GtkWidget      *widget = gui_find (GTK_WIDGET (page), "timeline-lanes");
  GtkWidget      *search = gui_find (GTK_WIDGET (page), "timeline-search");
  ScopeLaneChart *lanes = SCOPE_LANE_CHART (widget);
  double          whole, before, begin, end;

  if (!start ())
    return;
  scope_workspace_select (workspace (), VIZ_ROOT);
  open_tab ("timeline", "Timeline");
  whole = length_of (lanes);
  x_click (widget, gtk_widget_get_width (widget) / 2., 5, 1); /* the axis takes the focus */
  x_key ("w");
  g_assert_cmpfloat_with_epsilon (length_of (lanes), whole / 2, whole * 1e-6);
  before = begin_of (lanes);
  x_key ("a");
  g_assert_cmpfloat (begin_of (lanes), <, before);
  x_key ("d");
  g_assert_cmpfloat_with_epsilon (begin_of (lanes), before, whole * 1e-6);
  x_key ("s");
  g_assert_cmpfloat_with_epsilon (length_of (lanes), whole, whole * 1e-6);
  /* A range by mouse, and by key. */
  x_drag (widget, &(XDrag){ 100, 5, 300, 5, "<Shift>" });
  g_assert_true (scope_lane_chart_get_measured (lanes, &begin, &end));
  g_assert_cmpfloat_with_epsilon (end - begin, whole * 200 / gtk_widget_get_width (widget),
                                  whole * 0.02);
  g_assert_true (is_mapped (gui_find (GTK_WIDGET (page), "timeline-sums")));
  x_key ("Escape");
  g_assert_false (scope_lane_chart_get_measured (lanes, &begin, &end));
  x_key ("m");
  g_assert_true (scope_lane_chart_get_measured (lanes, &begin, &end));
  g_assert_cmpfloat_with_epsilon (end - begin, whole, whole * 1e-6);
  /* A drag without Shift moves what is visible. */
  x_key ("w");
  before = begin_of (lanes);
  x_drag (widget, &(XDrag){ 300, 5, 200, 5, NULL });
  g_assert_cmpfloat (begin_of (lanes), >, before);
  x_key ("slash");
  x_type ("i2h");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (search)), ==, "i2h");
  wait_until (has_text, gui_find (GTK_WIDGET (page), "timeline-found"));
  x_key ("Return");
  wait_until (has_selection, NULL);
  x_key ("Escape");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (search)), ==, "");
  x_events_end ();
}

/* --- 18: copying and printing --- */

static gboolean
has_picture (gpointer widget)
{
  return gdk_content_formats_contain_gtype (gdk_clipboard_get_formats (
                                                gtk_widget_get_clipboard (widget)),
                                            GDK_TYPE_TEXTURE);
}

static gboolean
has_print_dialog (gpointer unused G_GNUC_UNUSED)
{
  GType type = g_type_from_name ("GtkPrintUnixDialog");

  return type && gui_find_window (type);
}

static GtkWidget *
find_item (GtkWidget *root, const char *text)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = gtk_widget_get_mapped (child) ? find_item (child, text) : NULL;

      if (found)
        return found;
    }
  return GTK_IS_LABEL (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text) ? root
                                                                                          : NULL;
}

static void
test_copying (void)
{
  GtkWidget *widget = GTK_WIDGET (canvas ()), *item;

  if (!start ())
    return;
  scope_workspace_select (workspace (), VIZ_ROOT);
  gtk_widget_grab_focus (widget);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), "nothing");
  x_key ("<Control>c");
  wait_until (has_picture, widget);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), "nothing");
  x_click (widget, 10, gtk_widget_get_height (widget) / 2., 3);
  gui_spin (300);
  item = find_item (widget, "Copy the Picture");
  g_assert_nonnull (item);
  x_press (item);
  wait_until (has_picture, widget);
  x_key ("<Control>p");
  wait_until (has_print_dialog, NULL);
  x_events_end ();
}

void
add_gesture_tests (void)
{
  add_test ("/app/window/values-by-mouse-and-keys", CASE_EMPTY, test_values);
  add_test ("/app/window/finding-by-mouse-and-keys", CASE_MODEL, test_finding);
  add_test ("/app/window/places-by-mouse-and-keys", CASE_MEASURED, test_places);
  add_test ("/app/window/lines-by-mouse-and-keys", CASE_MODEL, test_lines);
  add_test ("/app/window/own-inputs-by-mouse-and-keys", CASE_EMPTY, test_own_input);
  add_test ("/app/window/timeline-by-mouse-and-keys", CASE_MEASURED, test_timeline);
  add_test ("/app/window/copying-by-mouse-and-keys", CASE_MODEL, test_copying);
}
