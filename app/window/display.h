/* display.h — saves the session when the connection to the X server is lost.
 *
 * Wayland has no such handler; there the last autosave remains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

typedef void (*ScopeDisplayLost) (gpointer data);

/* Calls lost when the connection to the X server breaks; it may write files but not use the display.  The
 * process then exits with a message.  Does nothing on Wayland, where only autosaves remain. */
void scope_display_watch (GdkDisplay *display, ScopeDisplayLost lost, gpointer data);
