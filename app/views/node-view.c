/* node-view.c — the side pane: all that is known about the selected node, group or model.
 *
 * It is filled when the main loop is idle, so that moving the selection quickly stays smooth.  The
 * sections are made by node-view-facts.c, -group.c, -output.c, -weights.c, -run.c, -costs.c, -numbers.c,
 * -origins.c, -values.c and -contents.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include <string.h>

G_DEFINE_FINAL_TYPE (ScopeNodeView, scope_node_view, SCOPE_TYPE_VIEW)

/* --- The run picker, which is made anew when a run was picked --- */

static GtkWidget *
find_picker (ScopeNodeView *self)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->sheet));

  while (child && strcmp (gtk_widget_get_name (child), "run-picker") != 0)
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static gboolean
has_picker_focus (ScopeNodeView *self)
{
  GtkWidget *picker = find_picker (self);
  GtkWidget *focus = picker ? gtk_root_get_focus (gtk_widget_get_root (picker)) : NULL;

  return focus && (focus == picker || gtk_widget_is_ancestor (focus, picker));
}

static void
focus_picker (ScopeNodeView *self)
{
  GtkWidget *picker = find_picker (self);

  if (picker)
    gtk_widget_grab_focus (picker);
}

/* --- Filling --- */

static void
scroll_to_top (ScopeNodeView *self)
{
  GtkWidget *scroller = adw_bin_get_child (ADW_BIN (self));

  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)),
                            0);
}

static gboolean
fill (gpointer data)
{
  ScopeNodeView    *self = data;
  ScopeWorkspace   *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument    *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32           box;
  const ScopePlace *place;
  ScopeMeasurement *measurement;
  const GArray     *rows;
  gboolean          had_focus = has_picker_focus (self);

  self->idle = 0;
  if (self->is_new)
    scroll_to_top (self);
  self->is_new = FALSE;
  scope_sheet_clear (self->sheet);
  if (!document)
    return G_SOURCE_REMOVE;
  box = scope_workspace_get_selected (workspace);
  place = scope_document_get_place (document, box);
  measurement = scope_workspace_get_measurement (workspace);
  rows = scope_workspace_get_focus (workspace);
  if (scope_workspace_is_focus_chosen (workspace) && scope_node_view_has_rows (measurement, rows))
    scope_node_view_show_rows (self, measurement, rows);
  else if (box == VIZ_ROOT)
    scope_node_view_show_model (self, document);
  else if (place)
    scope_node_view_show_node (self, document, box, place);
  else if (viz_diagram_box (scope_document_get_diagram (document), box)->kind == VIZ_BOX_OUTPUT)
    scope_node_view_show_outputs (self, document, box);
  else if (!scope_node_view_show_weights (self, document, box))
    scope_node_view_show_group (self, document, box);
  if (had_focus)
    focus_picker (self);
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
fill_anew (ScopeView *view)
{
  SCOPE_NODE_VIEW (view)->is_new = TRUE;
  fill_soon (view);
}

static void
scope_node_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (workspace)
    {
      g_signal_connect_swapped (workspace, "values-changed", G_CALLBACK (fill_soon), view);
      g_signal_connect_swapped (workspace, "step-changed", G_CALLBACK (fill_soon), view);
      g_signal_connect_swapped (workspace, "numbers-changed", G_CALLBACK (fill_soon), view);
      g_signal_connect_swapped (workspace, "focus-changed", G_CALLBACK (fill_anew), view);
      g_signal_connect_swapped (workspace, "notify::fills", G_CALLBACK (fill_soon), view);
    }
}

static void
on_link (ScopeSheet *sheet G_GNUC_UNUSED, guint32 box, gpointer data)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  guint32 row = box & ~SCOPE_LINK_ROW;

  if (workspace && (box & SCOPE_LINK_ROW))
    scope_workspace_focus (workspace, &row, 1, TRUE);
  else if (workspace)
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
  view_class->document_changed = fill_anew;
  view_class->selection_changed = fill_anew;
  view_class->capture_changed = fill_soon;
}

static void
scope_node_view_init (ScopeNodeView *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *sheet = scope_sheet_new ();

  self->sheet = SCOPE_SHEET (sheet);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), sheet);
  g_signal_connect (sheet, "link", G_CALLBACK (on_link), self);
  adw_bin_set_child (ADW_BIN (self), scroller);
}
