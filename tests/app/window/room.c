/* room.c — pictures that are fitted leave room for the controls above the canvas.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include "app/session/settings.h"
#include "app/widgets/chart-area.h"

#include <math.h>

#define CONTROL_CLASS "osd-card"

/* Collects the visible cards above the canvas. */
static void
collect (GtkWidget *root, GPtrArray *cards)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_mapped (child) && gtk_widget_has_css_class (child, CONTROL_CLASS))
      g_ptr_array_add (cards, child);
    else
      collect (child, cards);
}

/* The whole picture, in pixels of the canvas. */
static graphene_rect_t
picture_rect (ScopeCanvas *on)
{
  const VizPicture *picture = scope_canvas_get_picture (on);
  double            x, y, zoom;

  scope_canvas_get_camera (on, &x, &y, &zoom);
  return GRAPHENE_RECT_INIT ((float) (-x * zoom), (float) (-y * zoom),
                             (float) (viz_picture_width (picture) * zoom),
                             (float) (viz_picture_height (picture) * zoom));
}

/* Returns the number of controls.  root: what holds the canvas and its controls. */
static guint
assert_room (GtkWidget *root, ScopeCanvas *on)
{
  g_autoptr (GPtrArray) cards = g_ptr_array_new ();
  graphene_rect_t whole = picture_rect (on), shown;
  graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (GTK_WIDGET (on)),
                                            (float) gtk_widget_get_height (GTK_WIDGET (on)));

  g_test_message ("picture %.1f, %.1f, %.1f × %.1f on %.0f × %.0f", whole.origin.x, whole.origin.y,
                  whole.size.width, whole.size.height, all.size.width, all.size.height);
  collect (root, cards);
  g_assert_true (graphene_rect_contains_rect (&all, &whole));
  for (guint i = 0; i < cards->len; i++)
    {
      graphene_rect_t card, other;

      g_assert_true (gtk_widget_compute_bounds (cards->pdata[i], GTK_WIDGET (on), &card));
      g_test_message ("card %u: %.0f, %.0f, %.0f × %.0f", i, card.origin.x, card.origin.y,
                      card.size.width, card.size.height);
      g_assert_false (graphene_rect_intersection (&whole, &card, &shown));
      for (guint k = 0; k < i; k++)
        {
          g_assert_true (gtk_widget_compute_bounds (cards->pdata[k], GTK_WIDGET (on), &other));
          g_assert_false (graphene_rect_intersection (&card, &other, &shown));
        }
    }
  return cards->len;
}

static void
test_controls_cover_no_box (void)
{
  static const int widths[] = { 1280, 900 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      gtk_window_set_default_size (GTK_WINDOW (window), widths[i], 700);
      gui_spin (500);
      g_test_message ("window: %d", gtk_widget_get_width (GTK_WIDGET (window)));
      gui_act (canvas (), "canvas.zoom-fit", NULL);
      gui_spin (400);
      gui_settle (page);
      take_picture (window, i == 0 ? "room-1280" : "room-900");
      g_assert_cmpuint (assert_room (GTK_WIDGET (window), canvas ()), >=, 2);
    }
}

/* Neither covers the other, however narrow the graph and large the text. */
static void
assert_apart (void)
{
  GtkWidget      *steps = gui_find (GTK_WIDGET (page), "steps-box");
  GtkWidget      *zoom = gtk_widget_get_parent (gui_find (GTK_WIDGET (page), "zoom-in-button"));
  graphene_rect_t bar, buttons, both;

  g_assert_true (gtk_widget_compute_bounds (steps, GTK_WIDGET (canvas ()), &bar));
  g_assert_true (gtk_widget_compute_bounds (zoom, GTK_WIDGET (canvas ()), &buttons));
  g_assert_cmpfloat (bar.origin.x, >=, 0);
  g_assert_cmpfloat (bar.origin.x + bar.size.width, <=,
                     (float) gtk_widget_get_width (GTK_WIDGET (canvas ())));
  g_assert_false (graphene_rect_intersection (&bar, &buttons, &both) && both.size.width > 0 &&
                  both.size.height > 0);
}

static void
test_bar_and_buttons_stand_apart (void)
{
  GtkSettings *settings = gtk_settings_get_default ();

  for (int scale = 1; scale <= 2; scale++)
    for (int width = 1280; width >= 683; width -= 199)
      {
        g_object_set (settings, "gtk-xft-dpi", scale * 96 * 1024, NULL);
        gtk_window_set_default_size (GTK_WINDOW (window), width, 700);
        gui_spin (500);
        assert_apart ();
      }
  g_object_set (settings, "gtk-xft-dpi", 96 * 1024, NULL);
  gui_spin (200);
}

static void
resize (int width, int height)
{
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gui_spin (500);
}

static void
draw_nothing (GtkDrawingArea *area G_GNUC_UNUSED,
              cairo_t *cr          G_GNUC_UNUSED,
              int width            G_GNUC_UNUSED,
              int height           G_GNUC_UNUSED,
              gpointer data        G_GNUC_UNUSED)
{
}

/* A chart is laid out in points of the usual size, and drawn as much larger as the user's text is. */
static void
test_charts_grow_with_the_text (void)
{
  GtkWidget *area =
      g_object_ref_sink (scope_chart_area_new ("chart", "a chart", 100, draw_nothing));
  g_autoptr (GtkSettings) settings = g_object_ref (gtk_settings_get_default ());
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 10, 10);
  cairo_t         *cr = cairo_create (surface);
  cairo_matrix_t   matrix;
  VizRect          rect;

  g_assert_cmpint (gtk_drawing_area_get_content_height (GTK_DRAWING_AREA (area)), ==, 100);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  g_assert_cmpint (gtk_drawing_area_get_content_height (GTK_DRAWING_AREA (area)), ==, 200);
  viz_pen_free (scope_chart_area_pen (GTK_DRAWING_AREA (area), cr, 400, 200, &rect));
  cairo_get_matrix (cr, &matrix);
  g_assert_cmpfloat (matrix.yy, ==, 2);
  g_assert_cmpfloat (rect.width, ==, 200);
  g_assert_cmpfloat (rect.height, ==, 100);
  g_object_set (settings, "gtk-xft-dpi", 96 * 1024, NULL);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  g_object_unref (area);
}

static gboolean
is_another (gpointer before)
{
  return scope_window_get_page (window) != before;
}

/* In a narrow window the longest name of a form is cut, so that the window can become so narrow. */
static void
test_a_form_has_its_whole_name (void)
{
  GtkWidget *menu = gui_find (GTK_WIDGET (window), "form-menu"), *label = menu;

  gui_act (window, "win.convert", "fused");
  wait_until (is_another, page);
  gui_settle (scope_window_get_page (window));
  while (label && !GTK_IS_LABEL (label))
    label = gtk_widget_get_first_child (label);
  resize (1280, 700);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, "Fused Operator");
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
  resize (683, 620);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, 683);
}

/* Where there is no room for a few words of it, the hint beside the tabs is not cut to letters. */
static void
test_the_hint_is_not_cut_to_letters (void)
{
  GtkWidget *hint = gui_find (GTK_WIDGET (page), "heat-hint");

  for (int width = 1280; width >= 683; width -= 199)
    {
      resize (width, 700);
      g_assert_true (!gtk_widget_get_child_visible (hint) || gtk_widget_get_width (hint) > 100);
    }
}

/* A part of a shape looks like another shape. */
static void
test_shapes_in_the_outline_are_whole (void)
{
  GtkWidget *list = gui_find (GTK_WIDGET (page), "node-list");
  guint      n = 0;

  gtk_widget_set_visible (GTK_WIDGET (scope_page_get_view (page, "outline")), TRUE);
  wait_until (is_mapped, list);
  gui_spin (500);
  for (GtkWidget *row = gtk_widget_get_first_child (list); row;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *expander = gtk_widget_get_first_child (row), *shape;

      if (!GTK_IS_TREE_EXPANDER (expander) || !gtk_widget_get_mapped (row))
        continue;
      shape = gui_find (expander, "outline-shape");
      if (!gtk_widget_get_visible (shape))
        continue;
      g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (shape))));
      n++;
    }
  g_assert_cmpuint (n, >, 0);
}

static void
test_a_fitted_picture_stays_fitted (void)
{
  double x, y, zoom, after;

  resize (1280, 700);
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  gui_spin (400);
  resize (900, 640);
  g_assert_cmpuint (assert_room (GTK_WIDGET (window), canvas ()), >=, 2);
  scope_canvas_zoom_by (canvas (), 1.5, 10, 10);
  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  resize (1280, 700);
  scope_canvas_get_camera (canvas (), &x, &y, &after);
  g_assert_cmpfloat (after, ==, zoom);
}

typedef struct
{
  double x, y, zoom;
} Camera;

static Camera
get_camera (void)
{
  Camera camera;

  scope_canvas_get_camera (canvas (), &camera.x, &camera.y, &camera.zoom);
  return camera;
}

static void
assert_same (Camera a, Camera b)
{
  g_assert_cmpfloat_with_epsilon (a.x, b.x, 1e-6);
  g_assert_cmpfloat_with_epsilon (a.y, b.y, 1e-6);
  g_assert_cmpfloat_with_epsilon (a.zoom, b.zoom, 1e-6);
}

/* What is shown is what “Zoom to Fit” shows at this size. */
static void
assert_fitted (void)
{
  Camera shown = get_camera ();

  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  gui_act (canvas (), "canvas.zoom-fit", NULL);
  assert_same (shown, get_camera ());
}

/* The camera is still on its way when the canvas becomes smaller: it sets out with the next frame, and none is drawn between. */
static void
test_a_picture_is_fitted_to_the_last_size (void)
{
  Camera zoomed;

  for (guint i = 0; i < 2; i++)
    {
      resize (1280, 700);
      scope_canvas_zoom_by (canvas (), 3, 10, 10);
      zoomed = get_camera ();
      g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
      gui_act (canvas (), "canvas.zoom-fit", NULL);
      assert_same (zoomed, get_camera ());
      gtk_widget_size_allocate (GTK_WIDGET (canvas ()), &(GtkAllocation){ 0, 0, 700, 500 }, -1);
      if (i == 1)
        resize (900, 640); /* no flight goes on and ends elsewhere */
      assert_fitted ();
    }
}

/* As when the window is resized before anything else was done: the beginning of a large picture stays where it was placed. */
static void
test_the_beginning_follows_the_window (void)
{
  Camera shown;

  resize (700, 430);
  scope_canvas_place_again (canvas ());
  g_assert_cmpfloat (get_camera ().zoom, ==, 0.6); /* the whole picture would be too small */
  resize (860, 430);
  shown = get_camera ();
  scope_canvas_place_again (canvas ());
  assert_same (shown, get_camera ());
}

static gboolean
are_settled (gpointer data)
{
  for (guint i = 0; i < scope_compare_page_n_panes (data); i++)
    if (!scope_compare_pane_is_settled (scope_compare_page_get_pane (data, i)))
      return FALSE;
  return scope_compare_page_n_panes (data) == 4;
}

static gboolean
has_times (gpointer data)
{
  return scope_compare_page_is_measured (data);
}

/* Also after the results have taken a part of the page. */
static void
test_panes_show_whole_pictures (void)
{
  ScopeComparePage *compare;
  guint             n_controls = 0;

  scope_settings_set_int ("compare-seconds", 4);
  gui_act (window, "win.compare", NULL);
  compare = scope_window_get_comparison (window);
  g_assert_nonnull (compare);
  g_assert_true (gui_wait (are_settled, compare, 60000));
  g_assert_true (gui_wait (has_times, compare, 60000));
  gui_spin (500);
  take_picture (window, "room-compare");
  for (guint i = 0; i < scope_compare_page_n_panes (compare); i++)
    {
      ScopeComparePane *pane = scope_compare_page_get_pane (compare, i);

      n_controls += assert_room (GTK_WIDGET (pane), scope_compare_pane_get_canvas (pane));
    }
  g_assert_cmpuint (n_controls, >=, 1);
}

/* The toolkit warns, which ends a test, where a widget without an allocation is to be drawn. */
static void
test_a_tab_that_was_hidden_while_the_window_grew_is_drawn (void)
{
  AdwTabView *tabs = ADW_TAB_VIEW (gtk_widget_get_ancestor (GTK_WIDGET (page), ADW_TYPE_TAB_VIEW));
  AdwTabPage *first = adw_tab_view_get_selected_page (tabs);
  ScopePage  *shown = page;
  guint       n = g_test_slow () ? 20 : 6; /* random sizes and colours */

  /* Animations that start while sizes are allocated are what went wrong. */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  for (guint i = 0; i < n; i++)
    {
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                          g_test_rand_bit () ? ADW_COLOR_SCHEME_FORCE_DARK
                                                             : ADW_COLOR_SCHEME_FORCE_LIGHT);
      resize (i == 0 ? 1024 : g_test_rand_int_range (700, 1100), g_test_rand_int_range (560, 680));
      adw_tab_view_set_selected_page (tabs, first);
      gui_settle (shown);
      gui_act (canvas (), "canvas.zoom-fit", NULL);
      gui_spin (400);
      if (i == 0)
        gui_open (window, "lenet-static", NULL);
      else
        adw_tab_view_select_next_page (tabs);
      gui_spin (300);
      resize (g_test_rand_int_range (1150, 1270), g_test_rand_int_range (690, 780));
      adw_tab_view_set_selected_page (tabs, first);
      gui_spin (600);
      g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (canvas ())), >, 600);
    }
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_DEFAULT);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  take_picture (window, "room-tabs");
}

void
add_room_tests (void)
{
  add_test ("/app/window/a-tab-that-was-hidden-while-the-window-grew-is-drawn", CASE_MODEL,
            test_a_tab_that_was_hidden_while_the_window_grew_is_drawn);
  add_long_test ("/app/window/a-fitted-picture-stays-fitted", CASE_MODEL,
                 test_a_fitted_picture_stays_fitted);
  add_test ("/app/window/a-picture-is-fitted-to-the-last-size", CASE_MODEL,
            test_a_picture_is_fitted_to_the_last_size);
  add_test ("/app/window/the-beginning-follows-the-window", CASE_MODEL,
            test_the_beginning_follows_the_window);
  add_long_test ("/app/window/panes-show-whole-pictures", CASE_MODEL,
                 test_panes_show_whole_pictures);
  add_test ("/app/window/charts-of-viz-grow-with-the-text", CASE_EMPTY,
            test_charts_grow_with_the_text);
  add_long_test ("/app/window/a-form-has-its-whole-name", CASE_MODEL,
                 test_a_form_has_its_whole_name);
  add_test ("/app/window/the-hint-is-not-cut-to-letters", CASE_MODEL,
            test_the_hint_is_not_cut_to_letters);
  add_test ("/app/window/shapes-in-the-outline-are-whole", CASE_MODEL,
            test_shapes_in_the_outline_are_whole);
  add_test ("/app/window/bar-and-buttons-stand-apart", CASE_MODEL,
            test_bar_and_buttons_stand_apart);
  add_long_test ("/app/window/controls-cover-no-box", CASE_MODEL, test_controls_cover_no_box);
}
