/* chart-area.h — an area for a chart of viz, whose texts grow with the window's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/pen.h"

#include <gtk/gtk.h>

/* An area of a height in pixels for text of the usual size, described by a text; it is drawn again in other colours.
 * (transfer floating) */
GtkWidget *
scope_chart_area_new (const char *name, const char *text, int height, GtkDrawingAreaDrawFunc draw);
/* For its drawing function: a pen that draws in the size of the user's text, and the rectangle that it fills in points of that
 * size.  (transfer full) */
VizPen *
scope_chart_area_pen (GtkDrawingArea *area, cairo_t *cr, int width, int height, VizRect *rect);
