/* chart-area.c — scales charts, which are laid out for text of the usual size, to the user's text
 * size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/chart-area.h"

#include "app/widgets/text-scale.h"

#include <adwaita.h>

static void
update_height (GtkWidget *area)
{
  int height = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (area), "height"));

  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area),
                                       (int) (height * scope_text_scale (area)));
}

GtkWidget *
scope_chart_area_new (const char *name, const char *text, int height, GtkDrawingAreaDrawFunc draw)
{
  GtkWidget *area = gtk_drawing_area_new ();

  gtk_widget_set_name (area, name);
  g_object_set_data (G_OBJECT (area), "height", GINT_TO_POINTER (height));
  update_height (area);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw, NULL, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), area, G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_widget_get_settings (area), "notify::gtk-xft-dpi",
                           G_CALLBACK (update_height), area, G_CONNECT_SWAPPED);
  return area;
}

VizPen *
scope_chart_area_pen (GtkDrawingArea *area, cairo_t *cr, int width, int height, VizRect *rect)
{
  double scale = scope_text_scale (GTK_WIDGET (area));

  *rect = (VizRect){ 0, 0, width / scale, height / scale };
  cairo_scale (cr, scale, scale);
  return viz_pen_new_cairo (cr, NULL);
}
