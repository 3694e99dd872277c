/* side-buttons.c — see side-buttons.h.
 *
 * No function of the toolkit ends its grab; a widget that is not sensitive loses it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/side-buttons.h"

#define MAX_KNOWN_BUTTON 5

typedef struct
{
  GtkWidget *pressed; /* weak; NULL: no such button is down */
} SideButtons;

/* The widget under the pointer; NULL: none. */
static GtkWidget *
find_widget (GdkEvent *event)
{
  GtkNative *native = gtk_native_get_for_surface (gdk_event_get_surface (event));
  double     x, y, left, top;

  if (!native || !gdk_event_get_position (event, &x, &y))
    return NULL;
  gtk_native_get_surface_transform (native, &left, &top);
  return gtk_widget_pick (GTK_WIDGET (native), x - left, y - top, GTK_PICK_DEFAULT);
}

static void
let_go (GtkWidget *widget)
{
  GtkRoot   *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;

  if (!gtk_widget_get_sensitive (widget))
    return;
  gtk_widget_set_sensitive (widget, FALSE);
  gtk_widget_set_sensitive (widget, TRUE);
  if (focus && gtk_root_get_focus (root) != focus)
    gtk_root_set_focus (root, focus);
}

static gboolean
on_event (GtkEventController *controller G_GNUC_UNUSED, GdkEvent *event, gpointer data)
{
  SideButtons *self = data;
  GdkEventType type = gdk_event_get_event_type (event);

  if ((type != GDK_BUTTON_PRESS && type != GDK_BUTTON_RELEASE) ||
      gdk_button_event_get_button (event) <= MAX_KNOWN_BUTTON)
    return GDK_EVENT_PROPAGATE;
  if (type == GDK_BUTTON_RELEASE && self->pressed)
    let_go (self->pressed);
  g_set_weak_pointer (&self->pressed, type == GDK_BUTTON_PRESS ? find_widget (event) : NULL);
  return GDK_EVENT_PROPAGATE;
}

static void
side_buttons_free (gpointer data, GClosure *closure G_GNUC_UNUSED)
{
  SideButtons *self = data;

  g_clear_weak_pointer (&self->pressed);
  g_free (self);
}

void
scope_side_buttons_watch (GtkWindow *window)
{
  GtkEventController *events = gtk_event_controller_legacy_new ();

  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect_data (events, "event", G_CALLBACK (on_event), g_new0 (SideButtons, 1),
                         side_buttons_free, 0);
  gtk_widget_add_controller (GTK_WIDGET (window), events);
}
