/* display.c — Xlib's last call before it would end the process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/display.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <unistd.h>

#if defined(GDK_WINDOWING_X11) && defined(SCOPE_HAVE_X11)
#include <gdk/x11/gdkx.h>

static ScopeDisplayLost on_lost;
static gpointer         lost_data;

static int
end (Display *display G_GNUC_UNUSED)
{
  ScopeDisplayLost lost = on_lost;

  on_lost = NULL; /* once: what it calls may run into the same end */
  if (lost)
    lost (lost_data);
  fprintf (stderr,
           "%s\n",
           _ ("hybridscope: the display is gone. What stood open was kept, and can be opened "
              "again at the next start."));
  fflush (stderr);
  /* Nothing that exit() would call may meet the display. */
  _exit (1);
}

void
scope_display_watch (GdkDisplay *display, ScopeDisplayLost lost, gpointer data)
{
  if (!GDK_IS_X11_DISPLAY (display))
    return;
  on_lost = lost;
  lost_data = data;
  XSetIOErrorHandler (end);
}

#else

void
scope_display_watch (GdkDisplay *display   G_GNUC_UNUSED,
                     ScopeDisplayLost lost G_GNUC_UNUSED,
                     gpointer data         G_GNUC_UNUSED)
{
}

#endif
