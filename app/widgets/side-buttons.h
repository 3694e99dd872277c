/* side-buttons.h — lets go of the pointer after a click with a button of the mouse beyond the fifth, such as back and forward.
 *
 * GTK sends what the pointer does to the widget on which a button was pressed, until a release of which it knows the button;
 * it knows five.  Without this, the next click would go to that widget as well, wherever the pointer is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Watches the window as long as it lives. */
void scope_side_buttons_watch (GtkWindow *window);
