/* popover-focus.c — gives the focus back when a menu closes.
 *
 * The toolkit moves the focus after the signal "closed", so that it is looked at when the main loop is idle.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/popover-focus.h"

static gboolean
return_focus (gpointer data)
{
  GtkWidget *back = data;
  GtkRoot   *root = gtk_widget_get_root (back);
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;

  /* Another popover may have been opened meanwhile: the visible one keeps the focus. */
  if (root && (!focus || !gtk_widget_get_mapped (focus)))
    gtk_widget_grab_focus (back);
  return G_SOURCE_REMOVE;
}

static void
on_closed (GtkWidget *back)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, return_focus, g_object_ref (back), g_object_unref);
}

void
scope_popover_return_focus (GtkPopover *popover, GtkWidget *back)
{
  g_signal_connect_object (popover, "closed", G_CALLBACK (on_closed), back, G_CONNECT_SWAPPED);
}
