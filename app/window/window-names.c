/* window-names.c — accessible names for buttons that the toolkit creates without one.
 *
 * Tests and screen readers find buttons by these names.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/widgets/popover-focus.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>

/* Names every widget of a type inside widget. */
static void
set_names (GtkWidget *widget, GType type, const char *name)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                    -1);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    set_names (child, type, name);
}

/* The tab bar adds its buttons after the signal, so they are named when the main loop is idle. */
static gboolean
on_idle (gpointer data)
{
  ScopeWindow *self = data;

  self->naming = 0;
  set_names (self->tab_bar, GTK_TYPE_BUTTON, _ ("Close tab"));
  return G_SOURCE_REMOVE;
}

static void
on_tabs (ScopeWindow *self)
{
  if (self->naming == 0)
    self->naming = g_idle_add (on_idle, self);
}

void
scope_window_set_accessible_names (ScopeWindow *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (self->run_button); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_MENU_BUTTON (child))
      {
        gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                        _ ("Run options"), -1);
        set_names (gtk_widget_get_first_child (child), GTK_TYPE_TOGGLE_BUTTON, _ ("Run options"));
        scope_tooltip_yield (GTK_MENU_BUTTON (child));
      }
  scope_tooltip_yield (self->menu_button);
  scope_popover_return_focus (gtk_menu_button_get_popover (self->menu_button),
                              GTK_WIDGET (self->menu_button));
  g_signal_connect_object (self->tabs, "notify::n-pages", G_CALLBACK (on_tabs), self,
                           G_CONNECT_SWAPPED);
}
