/* clipboard.c — see clipboard.h.  The clipboard holds the cancellable of the copy that was requested last.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/clipboard.h"

#define KEY "scope-copying"

/* Someone copied something else. */
static void
on_changed (GObject *clipboard, GCancellable *copying)
{
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

void
scope_clipboard_set_text (GtkWidget *widget, const char *text)
{
  scope_clipboard_claim (widget);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}
