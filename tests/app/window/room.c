/* room.c — pictures that are fitted leave room for the controls above the canvas.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

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
picture_rect (void)
{
  const VizPicture *picture = scope_canvas_get_picture (canvas ());
  double            x, y, zoom;

  scope_canvas_get_camera (canvas (), &x, &y, &zoom);
  return GRAPHENE_RECT_INIT ((float) (-x * zoom),
                             (float) (-y * zoom),
                             (float) (viz_picture_width (picture) * zoom),
                             (float) (viz_picture_height (picture) * zoom));
}

static void
assert_room (void)
{
  g_autoptr (GPtrArray) cards = g_ptr_array_new ();
  graphene_rect_t whole = picture_rect (), shown;
  graphene_rect_t all = GRAPHENE_RECT_INIT (0,
                                            0,
                                            (float) gtk_widget_get_width (GTK_WIDGET (canvas ())),
                                            (float) gtk_widget_get_height (GTK_WIDGET (canvas ())));

  collect (GTK_WIDGET (window), cards);
  g_assert_cmpuint (cards->len, >=, 2);
  g_assert_true (graphene_rect_contains_rect (&all, &whole));
  for (guint i = 0; i < cards->len; i++)
    {
      graphene_rect_t card, other;

      g_assert_true (gtk_widget_compute_bounds (cards->pdata[i], GTK_WIDGET (canvas ()), &card));
      g_test_message ("card %u: %.0f, %.0f, %.0f × %.0f",
                      i,
                      card.origin.x,
                      card.origin.y,
                      card.size.width,
                      card.size.height);
      g_assert_false (graphene_rect_intersection (&whole, &card, &shown));
      for (guint k = 0; k < i; k++)
        {
          g_assert_true (
              gtk_widget_compute_bounds (cards->pdata[k], GTK_WIDGET (canvas ()), &other));
          g_assert_false (graphene_rect_intersection (&card, &other, &shown));
        }
    }
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
      assert_room ();
    }
}

void
add_room_tests (void)
{
  add_test ("/app/window/controls-cover-no-box", CASE_MODEL, test_controls_cover_no_box);
}
