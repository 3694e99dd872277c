/* page-pass.c — the graph after a pass of the engine, in place of the model's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include <glib/gi18n.h>

/* Which graph is seen, and with it whose nodes the side pane tells of. */
static void
show (ScopePage *self, gboolean is_pass)
{
  gtk_stack_set_visible_child_name (self->graphs, is_pass ? "pass" : "model");
  scope_view_set_workspace (SCOPE_VIEW (self->node_view),
                            is_pass ? self->pass_workspace : self->workspace);
}

static ScopeGraphView *
get_pass_view (ScopePage *self)
{
  if (!self->pass_view)
    {
      self->pass_view =
          g_object_new (SCOPE_TYPE_GRAPH_VIEW, "name", "pass-view", "vexpand", TRUE, NULL);
      gtk_box_append (self->pass_box, GTK_WIDGET (self->pass_view));
      scope_view_set_workspace (SCOPE_VIEW (self->pass_view), self->pass_workspace);
    }
  return self->pass_view;
}

static void
on_chosen (ScopePassesView *view, ScopeDocument *document, const GArray *hits, gpointer data)
{
  ScopePage       *self = data;
  ScopeGraphView  *shown;
  g_autofree char *title = NULL;
  g_autofree char *text = NULL;

  if (!document)
    {
      show (self, FALSE);
      scope_workspace_show_document (self->pass_workspace, NULL);
      return;
    }
  title = scope_passes_view_dup_title (view);
  text = g_strdup_printf (g_dngettext (NULL,
                                       "After %s: %u node",
                                       "After %s: %u nodes",
                                       scope_document_get_totals (document)->n_nodes),
                          title,
                          scope_document_get_totals (document)->n_nodes);
  gtk_label_set_text (self->pass_label, text);
  shown = get_pass_view (self);
  scope_workspace_show_document (self->pass_workspace, document);
  scope_graph_view_set_hits (shown, (const guint32 *) (gpointer) hits->data, hits->len);
  show (self, TRUE);
}

static void
act_leave (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_passes_view_unselect (SCOPE_PAGE (widget)->passes_view);
}

ScopeGraphView *
scope_page_get_shown_view (ScopePage *self)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->graphs), "pass") == 0
             ? self->pass_view
             : self->graph_view;
}

void
scope_page_init_pass (ScopePage *self)
{
  self->pass_workspace = scope_workspace_new ();
  g_signal_connect (self->passes_view, "chosen", G_CALLBACK (on_chosen), self);
}

void
scope_page_class_add_pass_actions (GtkWidgetClass *class)
{
  gtk_widget_class_install_action (class, "page.leave-pass", NULL, act_leave);
}
