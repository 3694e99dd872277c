/* window-drop.c — files that are dropped on the window.
 *
 * Parameters, captures, numbers by node name, inputs of runs and names of classes are attached to the open model;
 * anything else is opened in a new tab.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include <string.h>

/* Whether a JSON file may hold numbers for the model of a page.  page: (nullable) */
static gboolean
may_be_numbers (ScopePage *page, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);

  return page && scope_workspace_get_document (scope_page_get_workspace (page)) && path &&
         g_str_has_suffix (path, ".json") && !g_str_has_suffix (path, "-symbol.json") &&
         !scope_window_is_comparison (path);
}

static void
open_dropped (ScopeWindow *self, GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  ScopePage       *page = scope_window_get_page (self);

  if (scope_window_take_input (self, file))
    return;
  if (page && (g_str_has_suffix (name, ".params") || g_str_has_suffix (name, ".npz")) &&
      scope_workspace_get_file (scope_page_get_workspace (page)))
    {
      g_autofree char *path = g_file_get_path (file);

      scope_window_set_parameters (self, path);
      return;
    }
  if (page && g_str_has_suffix (name, ".hscope"))
    {
      g_autofree char *path = g_file_get_path (file);

      if (path)
        scope_workspace_open_capture (scope_page_get_workspace (page), path);
      return;
    }
  if (may_be_numbers (page, file))
    {
      g_autofree char *path = g_file_get_path (file);

      scope_window_guess_numbers (self, path);
      return;
    }
  scope_window_open (self, file);
}

static gboolean
on_drop (GtkDropTarget *target G_GNUC_UNUSED,
         const GValue         *value,
         double x              G_GNUC_UNUSED,
         double y              G_GNUC_UNUSED,
         gpointer              data)
{
  if (G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    {
      for (GSList *i = g_value_get_boxed (value); i != NULL; i = i->next)
        open_dropped (data, i->data);
      return TRUE;
    }
  if (G_VALUE_HOLDS (value, G_TYPE_FILE))
    {
      open_dropped (data, g_value_get_object (value));
      return TRUE;
    }
  return FALSE;
}

void
scope_window_add_drop (ScopeWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (G_TYPE_INVALID, GDK_ACTION_COPY);
  GType          types[] = { GDK_TYPE_FILE_LIST, G_TYPE_FILE };

  gtk_drop_target_set_gtypes (target, types, G_N_ELEMENTS (types));
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (target), "window-drop");
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
