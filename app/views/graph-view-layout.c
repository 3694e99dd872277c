/* graph-view-layout.c — lays out the graph in a thread, and changes folds.
 *
 * The old picture stays on the canvas until the new one is complete.  Every change of the folds first
 * copies them for undo.  Start reading with scope_graph_view_update_layout().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#include "app/process/layout-worker.h"

#define MAX_UNDO      100
#define BUSY_AFTER_MS 250
#define PAGE_WAIT_MS  100

/* --- Layout --- */

static gboolean
on_busy_timeout (gpointer data)
{
  ScopeGraphView *self = data;

  self->busy_timeout = 0;
  gtk_widget_set_visible (self->spinner, TRUE);
  return G_SOURCE_REMOVE;
}

static void
set_busy (ScopeGraphView *self, gboolean is_busy)
{
  g_clear_handle_id (&self->busy_timeout, g_source_remove);
  if (is_busy)
    {
      self->busy_timeout = g_timeout_add (BUSY_AFTER_MS, on_busy_timeout, self);
      return;
    }
  gtk_widget_set_visible (self->spinner, FALSE);
}

static void
apply_saved_camera (ScopeGraphView *self)
{
  if (!self->has_saved_camera)
    return;
  self->has_saved_camera = FALSE;
  scope_canvas_set_camera (self->canvas, self->saved_x, self->saved_y, self->saved_zoom);
}

static void
laid_out_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeGraphView) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (VizPicture) picture = scope_layout_finish (result, &error);
  gboolean is_first;

  if (g_task_get_cancellable (G_TASK (result)) != self->layout_running)
    return;
  g_clear_object (&self->layout_running);
  set_busy (self, FALSE);
  if (!picture)
    {
      ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

      if (workspace && error && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        scope_workspace_log (workspace, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
      return;
    }
  is_first = !scope_canvas_get_picture (self->canvas);
  scope_canvas_set_picture (self->canvas, picture, self->anchor);
  scope_graph_view_update_steps (self);
  /* The bar of the steps needs room, too. */
  if (is_first)
    scope_canvas_place_again (self->canvas);
  apply_saved_camera (self);
  if (self->reveal_after != VIZ_ROOT)
    scope_canvas_reveal (self->canvas, self->reveal_after);
  self->reveal_after = VIZ_ROOT;
  gtk_stack_set_visible_child_name (self->stack, "graph");
}

/* The size of the part of the window that shows the picture; 0 until the window has placed it.  The canvas has none
 * before the first picture. */
static VizPoint
find_page (ScopeGraphView *self)
{
  GtkWidget *shown = GTK_WIDGET (self->canvas);

  if (gtk_widget_get_width (shown) <= 1)
    shown = GTK_WIDGET (self->stack);
  return (VizPoint){ gtk_widget_get_width (shown), gtk_widget_get_height (shown) };
}

static void
stop_waiting (ScopeGraphView *self)
{
  if (self->page_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->stack), self->page_tick);
  self->page_tick = 0;
  g_clear_handle_id (&self->page_timeout, g_source_remove);
}

void
scope_graph_view_cancel_layout (ScopeGraphView *self)
{
  stop_waiting (self);
  if (self->layout_running)
    g_cancellable_cancel (self->layout_running);
  g_clear_object (&self->layout_running);
}

static void
run_layout (ScopeGraphView *self, VizPicture *previous)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));

  stop_waiting (self);
  if (!document || !self->folds)
    {
      scope_graph_view_cancel_layout (self);
      set_busy (self, FALSE);
      return;
    }
  scope_layout_async (&(ScopeLayoutRequest){ .diagram = scope_document_get_diagram (document),
                                             .folds = self->folds,
                                             .layout = self->layout,
                                             .direction = self->direction,
                                             .page = find_page (self),
                                             .previous = previous },
                      self->layout_running, laid_out_cb, g_object_ref (self));
}

static gboolean
on_page_tick (GtkWidget *stack, GdkFrameClock *clock G_GNUC_UNUSED, gpointer data)
{
  ScopeGraphView *self = data;

  if (gtk_widget_get_width (stack) <= 1)
    return G_SOURCE_CONTINUE;
  self->page_tick = 0;
  run_layout (self, NULL);
  return G_SOURCE_REMOVE;
}

static gboolean
on_page_timeout (gpointer data)
{
  ScopeGraphView *self = data;

  /* A mapped widget gets its size with the next frame, however late that is. */
  if (gtk_widget_get_mapped (GTK_WIDGET (self->stack)))
    return G_SOURCE_CONTINUE;
  self->page_timeout = 0;
  run_layout (self, NULL);
  return G_SOURCE_REMOVE;
}

/* A page that is not shown gets no size, and its picture the shape of the default page. */
static void
wait_for_page (ScopeGraphView *self)
{
  self->page_tick =
      gtk_widget_add_tick_callback (GTK_WIDGET (self->stack), on_page_tick, self, NULL);
  self->page_timeout = g_timeout_add (PAGE_WAIT_MS, on_page_timeout, self);
}

/* previous (nullable): whose direction, detail and places are kept where possible. */
static void
start_layout (ScopeGraphView *self, guint32 anchor, VizPicture *previous)
{
  scope_graph_view_cancel_layout (self);
  if (!scope_view_get_document (SCOPE_VIEW (self)) || !self->folds)
    return;
  self->layout_running = g_cancellable_new ();
  self->anchor = anchor;
  set_busy (self, TRUE);
  if (!previous && find_page (self).x <= 1)
    wait_for_page (self);
  else
    run_layout (self, previous);
}

void
scope_graph_view_update_layout (ScopeGraphView *self, guint32 anchor)
{
  start_layout (self, anchor, scope_canvas_get_picture (self->canvas));
}

/* Lays out again as the user requested: direction and detail are chosen anew, and no box needs to keep its place. */
static void
renew_layout (ScopeGraphView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

  start_layout (self, workspace ? scope_workspace_get_selected (workspace) : VIZ_ROOT, NULL);
}

void
scope_graph_view_set_layout (ScopeGraphView *self, const char *name)
{
  if (!viz_layout_find (name))
    return;
  g_free (self->layout);
  self->layout = g_strdup (name);
  renew_layout (self);
}

void
scope_graph_view_set_direction (ScopeGraphView *self, const char *name)
{
  if (!name || !viz_direction_find (name, &self->direction))
    return;
  g_object_notify (G_OBJECT (self), "direction");
  renew_layout (self);
}

gboolean
scope_graph_view_is_settled (ScopeGraphView *self)
{
  return !self->layout_running && scope_tiles_is_complete (scope_canvas_get_tiles (self->canvas));
}

/* --- Folds --- */

void
scope_graph_view_update_undo (ScopeGraphView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_action_set_enabled (widget, "graph.undo", self->undo->len > 0);
  gtk_widget_action_set_enabled (widget, "graph.redo", self->redo->len > 0);
}

void
scope_graph_view_push_undo (ScopeGraphView *self)
{
  g_ptr_array_add (self->undo, viz_folds_copy (self->folds));
  if (self->undo->len > MAX_UNDO)
    g_ptr_array_remove_index (self->undo, 0);
  g_ptr_array_set_size (self->redo, 0);
  scope_graph_view_update_undo (self);
}

void
scope_graph_view_open_inside (ScopeGraphView *self, VizDiagram *diagram, guint32 box, gboolean open)
{
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->n_children > 0 &&
        (i == box || box == VIZ_ROOT || viz_diagram_is_inside (diagram, i, box)))
      viz_folds_set_open (self->folds, i, open);
}

void
scope_graph_view_toggle (ScopeGraphView *self, guint32 box, gboolean deep)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  gboolean       open;

  if (!document || !self->folds)
    return;
  scope_graph_view_push_undo (self);
  open = !viz_folds_is_open (self->folds, box);
  if (deep)
    scope_graph_view_open_inside (self, scope_document_get_diagram (document), box, open);
  else
    viz_folds_set_open (self->folds, box, open);
  scope_graph_view_update_layout (self, box);
}

void
scope_graph_view_set_steps (ScopeGraphView *self, guint32 box, int first, int last)
{
  if (!self->folds)
    return;
  scope_graph_view_push_undo (self);
  viz_folds_set_open (self->folds, box, TRUE);
  viz_folds_set_steps (self->folds, box, first, last);
  scope_graph_view_update_layout (self, box);
}
