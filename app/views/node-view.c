/* node-view.c — the side pane: all that is known about the selection.
 *
 * Filled when the main loop is idle, so that walking fast through a graph stays fast.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE (ScopeNodeView, scope_node_view, SCOPE_TYPE_VIEW)

void
scope_node_view_show_group (ScopeNodeView *self, ScopeDocument *document, guint32 box)
{
  VizDiagram      *diagram = scope_document_get_diagram (document);
  const VizBox    *info = viz_diagram_box (diagram, box);
  g_autofree char *n = g_strdup_printf ("%u", viz_diagram_n_leaves (diagram, box));

  scope_sheet_add_title (self->sheet, info->title ? info->title : info->id, info->subtitle);
  scope_sheet_add_row (self->sheet, _ ("Nodes inside"), n, NULL, 0);
  if (info->shape)
    scope_sheet_add_row (self->sheet, _ ("Shape"), info->shape, NULL, 0);
  if (info->parent != VIZ_ROOT)
    {
      const VizBox *parent = viz_diagram_box (diagram, info->parent);

      scope_sheet_add_row (self->sheet,
                           _ ("Stands in"),
                           parent->title ? parent->title : parent->id,
                           NULL,
                           info->parent);
    }
  scope_node_view_show_group_costs (self,
                                    scope_workspace_get_measurement (
                                        scope_view_get_workspace (SCOPE_VIEW (self))),
                                    document,
                                    box);
  scope_sheet_add_heading (self->sheet, _ ("Members"));
  for (guint32 i = 0; i < MIN (info->n_children, 100u); i++)
    {
      guint32       child = viz_diagram_child (diagram, box, i);
      const VizBox *member = viz_diagram_box (diagram, child);

      scope_sheet_add_row (self->sheet,
                           member->title ? member->title : "",
                           member->subtitle ? member->subtitle : "",
                           NULL,
                           child);
    }
  if (info->n_children > 100)
    {
      g_autofree char *more = g_strdup_printf (_ ("… and %u more"), info->n_children - 100);

      scope_sheet_add_text (self->sheet, more, "dim-label");
    }
}

void
scope_node_view_show_findings (ScopeNodeView *self, ScopeDocument *document, const char *node)
{
  GPtrArray *findings = scope_document_get_findings (document);
  gboolean   any = FALSE;

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (g_strcmp0 (finding->node, node) != 0)
        continue;
      if (!any)
        scope_sheet_add_heading (self->sheet, _ ("Problems"));
      any = TRUE;
      scope_sheet_add_text (self->sheet,
                            finding->message,
                            finding->severity == HYB_SEVERITY_ERROR ? "error" : NULL);
      if (finding->hint)
        scope_sheet_add_text (self->sheet, finding->hint, "dim-label");
    }
}

static gboolean
fill (gpointer data)
{
  ScopeNodeView    *self = data;
  ScopeWorkspace   *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument    *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32           box;
  const ScopePlace *place;

  self->idle = 0;
  scope_sheet_clear (self->sheet);
  if (!document)
    return G_SOURCE_REMOVE;
  box = scope_workspace_get_selected (workspace);
  place = scope_document_get_place (document, box);
  if (box == VIZ_ROOT)
    scope_node_view_show_model (self, document);
  else if (place)
    scope_node_view_show_node (self, document, box, place);
  else
    scope_node_view_show_group (self, document, box);
  return G_SOURCE_REMOVE;
}

static void
fill_soon (ScopeView *view)
{
  ScopeNodeView *self = SCOPE_NODE_VIEW (view);

  if (self->idle == 0)
    self->idle = g_idle_add_full (GTK_PRIORITY_RESIZE - 1, fill, self, NULL);
}

static void
scope_node_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (workspace)
    {
      g_signal_connect_swapped (workspace, "values-changed", G_CALLBACK (fill_soon), view);
      g_signal_connect_swapped (workspace, "step-changed", G_CALLBACK (fill_soon), view);
    }
}

static void
on_link (ScopeSheet *sheet G_GNUC_UNUSED, guint32 box, gpointer data)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  if (workspace)
    scope_workspace_show (workspace, box);
}

static void
scope_node_view_dispose (GObject *object)
{
  ScopeNodeView *self = SCOPE_NODE_VIEW (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  G_OBJECT_CLASS (scope_node_view_parent_class)->dispose (object);
}

static void
scope_node_view_class_init (ScopeNodeViewClass *class)
{
  ScopeViewClass *view_class = SCOPE_VIEW_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_node_view_dispose;
  view_class->workspace_changed = scope_node_view_workspace_changed;
  view_class->document_changed = fill_soon;
  view_class->selection_changed = fill_soon;
  view_class->capture_changed = fill_soon;
}

static void
scope_node_view_init (ScopeNodeView *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *sheet = scope_sheet_new ();

  self->sheet = SCOPE_SHEET (sheet);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller),
                                  GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), sheet);
  g_signal_connect (sheet, "link", G_CALLBACK (on_link), self);
  adw_bin_set_child (ADW_BIN (self), scroller);
}
