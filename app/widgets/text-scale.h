/* text-scale.h — the text size that the user has set, for widgets that draw it themselves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* 1 for the usual size, 2 for text at 200 %. */
double scope_text_scale (GtkWidget *widget);
/* A layout in the widget's font; its size is given in pixels for text of the usual size.  (transfer full) */
PangoLayout *scope_text_layout (GtkWidget *widget, double pixels);
