/* x-events.h — real events of keyboard and mouse, which the X server delivers to the window of the test.
 *
 * Points are those of a widget.  Each function returns after the main loop has handled the event.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Gives the window the focus.  FALSE: the display takes no such events, or the test was built without libxtst-dev. */
gboolean x_events_start (GtkWindow *window);
void     x_events_end (void);

/* key: as in accelerators, such as "<Control>f". */
void x_key (const char *key);
/* Latin letters, digits and punctuation. */
void x_type (const char *text);
void x_move (GtkWidget *widget, double x, double y);
void x_click (GtkWidget *widget, double x, double y, guint button);
/* In the middle of the widget, with the first button. */
void x_press (GtkWidget *widget);

typedef struct
{
  double      from_x, from_y, to_x, to_y;
  const char *modifiers; /* such as "<Shift>", or NULL */
} XDrag;

void x_drag (GtkWidget *widget, const XDrag *drag);
