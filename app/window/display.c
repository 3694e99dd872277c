/* display.c — Xlib's handler for I/O errors, after which Xlib would end the process.
 *
 * Only built with X11; elsewhere scope_display_watch() does nothing.
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
on_io_error (Display *display G_GNUC_UNUSED)
{
  ScopeDisplayLost lost = on_lost;

  on_lost = NULL; /* the callback may cause the same error */
  if (lost)
    lost (lost_data);
  fprintf (stderr, "%s\n",
           _ ("hybridscope: the connection to the display was lost. The session was saved; open "
              "models can be reopened at the next start."));
  fflush (stderr);
  /* Not exit(), whose handlers would use the display. */
  _exit (1);
}

void
scope_display_watch (GdkDisplay *display, ScopeDisplayLost lost, gpointer data)
{
  if (!GDK_IS_X11_DISPLAY (display))
    return;
  on_lost = lost;
  lost_data = data;
  XSetIOErrorHandler (on_io_error);
}

#else

void
scope_display_watch (GdkDisplay *display   G_GNUC_UNUSED,
                     ScopeDisplayLost lost G_GNUC_UNUSED,
                     gpointer data         G_GNUC_UNUSED)
{
}

#endif
