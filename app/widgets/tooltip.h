/* tooltip.h — what is told when the pointer rests.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* For what is told anew often, or of many rows: gtk_widget_set_tooltip_text() waits for the
 * display three times, to learn where the pointer is.  text: (nullable) */
void        scope_tooltip_set (GtkWidget *widget, const char *text);
const char *scope_tooltip_get (GtkWidget *widget);
