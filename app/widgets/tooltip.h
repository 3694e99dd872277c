/* tooltip.h — tooltips that cost nothing until they are shown.
 *
 * For widgets that exist many times, or whose tooltip changes with the pointer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Sets a tooltip that changes often or exists many times.  gtk_widget_set_tooltip_text() would make three
 * round trips to the display each time, to find the pointer.  text: (nullable) */
void scope_tooltip_set (GtkWidget *widget, const char *text);
/* The same for a text that the widget shows itself: there is a tooltip only while is_cut() returns TRUE, since it would
 * cover the row below for nothing. */
void scope_tooltip_set_whole (GtkWidget  *widget,
                              const char *text,
                              gboolean (*is_cut) (GtkWidget *widget));
/* Shows no tooltip of the button while its popover is open, which it would cover.  The button has a popover. */
void        scope_tooltip_yield (GtkMenuButton *button);
const char *scope_tooltip_get (GtkWidget *widget); /* (nullable) */
