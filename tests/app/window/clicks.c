/* clicks.c — how many clicks everyday questions take; docs/netron.md states the numbers beside those of other viewers.
 *
 * Each task begins with an open model and nothing selected, and ends where the answer can be read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/widgets/tooltip.h"

#include <string.h>

static guint n_clicks;

static GtkWidget *
pane (void)
{
  return GTK_WIDGET (scope_page_get_view (page, "node"));
}

static guint32
find (const char *name)
{
  return scope_document_find_name (scope_workspace_get_document (workspace ()), name);
}

static void
open_model (const char *model)
{
  static const char *const shapes[] = { "data=2,1,20,20", NULL };

  page = gui_open (window, model, g_str_equal (model, "lenet-static") ? shapes : NULL);
  gui_spin (400);
}

static void
begin (void)
{
  n_clicks = 0;
  scope_workspace_select (workspace (), VIZ_ROOT);
  gui_spin (300);
}

/* Where the box of a name is drawn, or the closed group around it. */
static void
place_of (const char *name, double *x, double *y)
{
  VizPicture    *picture = scope_canvas_get_picture (canvas ());
  guint32        number = viz_picture_find_box (picture, find (name));
  const VizItem *item;
  double         zoom;

  g_assert_cmpuint (number, !=, VIZ_NO_ITEM);
  item = viz_picture_item (picture, number);
  scope_canvas_get_camera (canvas (), x, y, &zoom);
  *x = (item->x + item->width / 2 - *x) * zoom;
  *y = (item->y + MIN (item->height / 2, 12) - *y) * zoom;
}

static void
click_node (const char *name, int n)
{
  gpointer gesture = gui_controller (GTK_WIDGET (canvas ()), GTK_TYPE_GESTURE_CLICK);
  double   x, y;

  place_of (name, &x, &y);
  for (int i = 1; i <= n; i++)
    g_signal_emit_by_name (gesture, "pressed", i, x, y);
  n_clicks += (guint) n;
  gui_settle (page);
  gui_spin (300);
}

static GtkWidget *
find_button (GtkWidget *root, const char *text)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (root) && says (root, text))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, text);
  return found;
}

static void
click_button (GtkWidget *root, const char *text)
{
  GtkWidget *button = find_button (root, text);

  g_assert_nonnull (button);
  g_signal_emit_by_name (button, "clicked");
  n_clicks++;
  gui_spin (300);
}

/* The answer can be read after this number of clicks. */
static void
assert_answer (GtkWidget *root, const char *answer, guint clicks)
{
  g_test_message ("%s: %u clicks", answer, n_clicks);
  g_assert_true (says (root, answer));
  g_assert_cmpuint (n_clicks, ==, clicks);
}

static gboolean
shows_values (gpointer unused G_GNUC_UNUSED)
{
  return says (GTK_WIDGET (scope_page_get_view (page, "values")), "Mean");
}

/* Largest weight, value of a bias, attributes, shapes, nodes of a line, a name. */
static void
test_reading (void)
{
  double x = 0, y = 0;

  open_model ("lenet-static");
  begin ();
  take_picture (window, "clicks");
  assert_answer (pane (), "Largest parameter", 0);

  click_node ("net0_conv0_fwd", 1);
  assert_answer (pane (), "kernel", 1);
  assert_answer (pane (), "2×", 1); /* the shape of its output */

  click_button (pane (), "bias");
  click_button (pane (), "Show Values");
  wait_until (shows_values, NULL);
  assert_answer (GTK_WIDGET (scope_page_get_view (page, "values")), "Mean", 3);

  begin ();
  for (int i = 0; i < 200 && !scope_tooltip_get (GTK_WIDGET (canvas ())); i++)
    {
      place_of ("net0_conv0_fwd", &x, &y);
      g_signal_emit_by_name (gui_controller (GTK_WIDGET (canvas ()),
                                             GTK_TYPE_EVENT_CONTROLLER_MOTION),
                             "motion", x + (i % 2 == 0 ? i : -i) / 2., y + 10 + i);
      if (scope_tooltip_get (GTK_WIDGET (canvas ())) &&
          !strstr (scope_tooltip_get (GTK_WIDGET (canvas ())), "→"))
        scope_tooltip_set (GTK_WIDGET (canvas ()), NULL);
    }
  g_assert_nonnull (scope_tooltip_get (GTK_WIDGET (canvas ())));
  g_assert_nonnull (strstr (scope_tooltip_get (GTK_WIDGET (canvas ())), "→"));
  g_assert_cmpuint (n_clicks, ==, 0);

  scope_page_search (page, "conv1"); /* Ctrl+F and five letters */
  gui_spin (500);
  assert_answer (GTK_WIDGET (page), "hit", 0);
}

static gboolean
has_measurement (gpointer unused G_GNUC_UNUSED)
{
  return scope_workspace_get_measurement (workspace ()) != NULL;
}

/* The slowest operator, a repeated block, a comparison, a picture of the whole graph. */
static void
test_doing (void)
{
  guint n_before;

  begin ();
  gui_act (window, "win.run", NULL); /* the button “Run” */
  n_clicks++;
  g_assert_true (gui_wait (has_measurement, NULL, 90000));
  gui_spin (500);
  assert_answer (pane (), "Most Expensive", 1);

  begin ();
  n_before = n_items ();
  click_node ("unroll0_lstm0_t0_i2h", 2);
  g_assert_cmpuint (n_items (), !=, n_before);
  g_assert_cmpuint (n_clicks, ==, 2);

  begin ();
  gui_act (window, "win.compare", NULL); /* the menu of forms, and its last entry */
  n_clicks += 2;
  g_assert_nonnull (scope_window_get_comparison (window));
  gui_act (window, "win.close-tab", NULL);
  gui_spin (300);
}

void
add_click_tests (void)
{
  add_test ("/app/window/questions-take-few-clicks", CASE_EMPTY, test_reading);
  add_test ("/app/window/actions-take-few-clicks", CASE_MODEL, test_doing);
}
