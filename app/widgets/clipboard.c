/* clipboard.c — see clipboard.h.  The clipboard holds the cancellable of the copy that was requested last.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/clipboard.h"

#define KEY "scope-copying"

/* Something else of this program was copied, so a copy that is still being prepared is out of date.  The contents of other
 * programs do not tell: a compositor may send them again whenever the window is activated. */
static void
on_changed (GObject *clipboard, GCancellable *copying)
{
  if (!gdk_clipboard_is_local (GDK_CLIPBOARD (clipboard)))
    return;
  g_cancellable_cancel (copying);
  g_object_set_data (clipboard, KEY, NULL);
}

GCancellable *
scope_clipboard_claim (GtkWidget *widget)
{
  GObject      *clipboard = G_OBJECT (gtk_widget_get_clipboard (widget));
  GCancellable *copying = g_cancellable_new ();

  g_cancellable_cancel (g_object_get_data (clipboard, KEY));
  g_object_set_data_full (clipboard, KEY, copying, g_object_unref);
  g_signal_connect_object (clipboard, "changed", G_CALLBACK (on_changed), copying, 0);
  return copying;
}
