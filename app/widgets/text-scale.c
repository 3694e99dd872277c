/* text-scale.c — the scale of text, from the resolution that the desktop sets.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/text-scale.h"

#define USUAL_RESOLUTION (96 * 1024)
#define MIN_SCALE        0.5
#define MAX_SCALE        4

double
scope_text_scale (GtkWidget *widget)
{
  int resolution = 0;

  g_object_get (gtk_widget_get_settings (widget), "gtk-xft-dpi", &resolution, NULL);
  return resolution > 0 ? CLAMP ((double) resolution / USUAL_RESOLUTION, MIN_SCALE, MAX_SCALE) : 1;
}

PangoLayout *
scope_text_layout (GtkWidget *widget, double pixels)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, NULL);
  g_autoptr (PangoFontDescription) font = pango_font_description_copy (
      pango_context_get_font_description (gtk_widget_get_pango_context (widget)));

  pango_font_description_set_absolute_size (font, pixels * scope_text_scale (widget) * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  return layout;
}
