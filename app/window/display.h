/* display.h — the end of the display under a window that still has something to keep.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

typedef void (*ScopeDisplayLost) (gpointer data);

/* lost is called when the display's server is gone.  It may write files, but must not touch the
 * display; then the process ends with a sentence.  Where this cannot be watched (Wayland), what
 * is kept every few seconds has to do. */
void scope_display_watch (GdkDisplay *display, ScopeDisplayLost lost, gpointer data);
