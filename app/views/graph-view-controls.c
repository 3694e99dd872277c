/* graph-view-controls.c — where the bar of steps and the buttons of the zoom stand, so that none covers the other.
 *
 * The bar stands in the middle; it moves to the left where the buttons need its place, and the buttons stand above
 * it where the view is too narrow for both.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

/* The natural size, or the least one where the natural one is wider than the view. */
static GtkRequisition
size_of (GtkWidget *widget, int width)
{
  GtkRequisition least, natural;

  if (!gtk_widget_get_visible (widget))
    return (GtkRequisition){ 0, 0 };
  gtk_widget_get_preferred_size (widget, &least, &natural);
  return natural.width <= width ? natural : least;
}

static void
place_bar (const GtkRequisition *bar,
           const GtkRequisition *zoom,
           int                   width,
           int                   height,
           GdkRectangle         *place)
{
  *place = (GdkRectangle){ (width - bar->width) / 2, MAX (height - bar->height, 0),
                           MIN (bar->width, width), MIN (bar->height, height) };
  if (bar->width + zoom->width <= width)
    place->x = MIN (place->x, width - zoom->width - bar->width);
  place->x = MAX (place->x, 0);
}

gboolean
scope_graph_view_place_control (ScopeGraphView *self, GtkWidget *control, GdkRectangle *place)
{
  GtkWidget     *bars = gtk_widget_get_parent (GTK_WIDGET (self->steps));
  GtkWidget     *overlay = gtk_widget_get_parent (self->zoom_box);
  int            width = gtk_widget_get_width (overlay), height = gtk_widget_get_height (overlay);
  GtkRequisition bar = size_of (bars, width), zoom = size_of (self->zoom_box, width);

  if (control == bars)
    {
      place_bar (&bar, &zoom, width, height, place);
      return TRUE;
    }
  if (control != self->zoom_box || bar.width + zoom.width <= width || bar.height == 0)
    return FALSE;
  *place = (GdkRectangle){ MAX (width - zoom.width, 0), MAX (height - bar.height - zoom.height, 0),
                           MIN (zoom.width, width), MIN (zoom.height, height) };
  return TRUE;
}
