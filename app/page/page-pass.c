/* page-pass.c — shows the graph after a pass of the engine in place of the model's graph.
 *
 * The pass's graph has a workspace of its own, to which the side pane is switched.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/views/passes-view.h"

#include <glib/gi18n.h>

/* Switches between the graphs, and the side pane with them. */
static void
show_graph (ScopePage *self, gboolean is_pass)
{
  gtk_stack_set_visible_child_name (self->graphs, is_pass ? "pass" : "model");
  scope_view_set_workspace (scope_page_get_view (self, "node"),
                            is_pass ? self->pass_workspace : self->workspace);
}

static ScopeGraphView *
get_pass_view (ScopePage *self)
{
  if (!self->pass_view)
    {
      self->pass_view = g_object_new (SCOPE_TYPE_GRAPH_VIEW, "name", "pass-view", "vexpand", TRUE,
                                      "workspace", self->pass_workspace, NULL);
      gtk_box_append (self->pass_box, GTK_WIDGET (self->pass_view));
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
      show_graph (self, FALSE);
      scope_workspace_show_document (self->pass_workspace, NULL);
      return;
    }
  title = scope_passes_view_dup_title (view);
  text = g_strdup_printf (g_dngettext (NULL, "After %s: %u node", "After %s: %u nodes",
                                       scope_document_get_totals (document)->n_nodes),
                          title, scope_document_get_totals (document)->n_nodes);
  gtk_label_set_text (self->pass_label, text);
  shown = get_pass_view (self);
  scope_workspace_show_document (self->pass_workspace, document);
  scope_graph_view_set_hits (shown, (const guint32 *) (gpointer) hits->data, hits->len);
  show_graph (self, TRUE);
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
  g_signal_connect (scope_page_get_view (self, "passes"), "chosen", G_CALLBACK (on_chosen), self);
}
