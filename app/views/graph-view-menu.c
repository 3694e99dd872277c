/* graph-view-menu.c — the context menu of the graph, with the actions for the box under the pointer.
 *
 * Its parts are in the template.  Start reading with on_canvas_menu().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#include "app/widgets/popover-focus.h"

/* The actions for a box, or for the whole graph with VIZ_ROOT.  (transfer full) */
static GMenuModel *
new_menu (ScopeGraphView *self, guint32 box)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  GMenu         *menu = g_menu_new ();

  if (document && box != VIZ_ROOT &&
      viz_diagram_box (scope_document_get_diagram (document), box)->n_children > 0)
    g_menu_append_section (menu, NULL,
                           viz_folds_is_open (self->folds, box) ? self->open_menu
                                                                : self->closed_menu);
  g_menu_append_section (menu, NULL, box != VIZ_ROOT ? self->node_menu : self->model_menu);
  g_menu_append_section (menu, NULL, self->view_menu);
  return G_MENU_MODEL (menu);
}

static gboolean
show_menu (gpointer data)
{
  ScopeGraphView *self = data;

  self->menu_idle = 0;
  gtk_popover_popup (GTK_POPOVER (self->menu));
  return G_SOURCE_REMOVE;
}

/* GTK adds the lines between sections when idle, and does not enlarge a menu that is shown before. */
static void
on_canvas_menu (ScopeCanvas *canvas G_GNUC_UNUSED, guint32 box, double x, double y, gpointer data)
{
  ScopeGraphView *self = data;
  g_autoptr (GMenuModel) menu = new_menu (self, box);

  gtk_popover_menu_set_menu_model (GTK_POPOVER_MENU (self->menu), menu);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  if (self->menu_idle == 0)
    self->menu_idle = g_idle_add (show_menu, self);
}

void
scope_graph_view_init_menu (ScopeGraphView *self)
{
  self->menu = gtk_popover_menu_new_from_model (NULL);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self->canvas));
  scope_popover_return_focus (GTK_POPOVER (self->menu), GTK_WIDGET (self->canvas));
  gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
  gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
  g_signal_connect (self->canvas, "menu", G_CALLBACK (on_canvas_menu), self);
}

void
scope_graph_view_remove_menu (ScopeGraphView *self)
{
  g_clear_handle_id (&self->menu_idle, g_source_remove);
  if (self->menu)
    gtk_widget_unparent (self->menu);
  self->menu = NULL;
}
