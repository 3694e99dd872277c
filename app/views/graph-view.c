/* graph-view.c — the graph itself.
 *
 * Folding never waits: the picture of before stays until the layout thread has made
 * the next one.  Undo keeps copies of what stood open.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#include "app/process/layout-worker.h"
#include "app/session/settings.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_UNDO      100
#define BUSY_AFTER_MS 250

G_DEFINE_FINAL_TYPE (ScopeGraphView, scope_graph_view, SCOPE_TYPE_VIEW)

static void update_breadcrumb (ScopeGraphView *self);

/* --- Layout --- */

static gboolean
on_busy (gpointer data)
{
  ScopeGraphView *self = data;

  self->busy = 0;
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), TRUE);
  gtk_spinner_start (self->spinner);
  return G_SOURCE_REMOVE;
}

static void
set_busy (ScopeGraphView *self, gboolean is_busy)
{
  g_clear_handle_id (&self->busy, g_source_remove);
  if (is_busy)
    {
      self->busy = g_timeout_add (BUSY_AFTER_MS, on_busy, self);
      return;
    }
  gtk_spinner_stop (self->spinner);
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), FALSE);
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
placed_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeGraphView) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (VizPicture) picture = scope_layout_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->placing)
    return;
  g_clear_object (&self->placing);
  set_busy (self, FALSE);
  if (!picture)
    {
      ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

      if (workspace && error && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        scope_workspace_log (workspace, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
      return;
    }
  scope_canvas_set_picture (self->canvas, picture, self->anchor);
  apply_saved_camera (self);
  if (self->reveal_after != VIZ_ROOT)
    scope_canvas_reveal (self->canvas, self->reveal_after);
  self->reveal_after = VIZ_ROOT;
  scope_graph_view_update_steps (self);
  gtk_stack_set_visible_child_name (self->stack, "graph");
}

void
scope_graph_view_update_layout (ScopeGraphView *self, guint32 anchor)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));

  if (self->placing)
    g_cancellable_cancel (self->placing);
  g_clear_object (&self->placing);
  if (!document || !self->folds)
    return;
  self->placing = g_cancellable_new ();
  self->anchor = anchor;
  set_busy (self, TRUE);
  scope_layout_async (scope_document_get_diagram (document),
                      self->folds,
                      self->layout,
                      scope_canvas_get_picture (self->canvas),
                      self->placing,
                      placed_cb,
                      g_object_ref (self));
}

gboolean
scope_graph_view_is_settled (ScopeGraphView *self)
{
  return !self->placing && scope_tiles_is_complete (scope_canvas_get_tiles (self->canvas));
}

/* --- Folds --- */

static void
update_actions (ScopeGraphView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_action_set_enabled (widget, "graph.undo", self->undo->len > 0);
  gtk_widget_action_set_enabled (widget, "graph.redo", self->redo->len > 0);
}

/* Before a change that can be undone. */
static void
remember (ScopeGraphView *self)
{
  g_ptr_array_add (self->undo, viz_folds_copy (self->folds));
  if (self->undo->len > MAX_UNDO)
    g_ptr_array_remove_index (self->undo, 0);
  g_ptr_array_set_size (self->redo, 0);
  update_actions (self);
}

static void
open_inside (ScopeGraphView *self, VizDiagram *diagram, guint32 box, gboolean open)
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
  remember (self);
  open = !viz_folds_is_open (self->folds, box);
  if (deep)
    open_inside (self, scope_document_get_diagram (document), box, open);
  else
    viz_folds_set_open (self->folds, box, open);
  scope_graph_view_update_layout (self, box);
}

void
scope_graph_view_set_steps (ScopeGraphView *self, guint32 box, int first, int last)
{
  if (!self->folds)
    return;
  remember (self);
  viz_folds_set_open (self->folds, box, TRUE);
  viz_folds_set_steps (self->folds, box, first, last);
  scope_graph_view_update_layout (self, box);
}

static void
act_fold_all (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));

  if (!document || !self->folds)
    return;
  remember (self);
  open_inside (self,
               scope_document_get_diagram (document),
               VIZ_ROOT,
               g_str_has_suffix (name, "unfold-all"));
  scope_graph_view_update_layout (self, VIZ_ROOT);
}

static void
swap_folds (ScopeGraphView *self, GPtrArray *from, GPtrArray *to)
{
  if (from->len == 0)
    return;
  g_ptr_array_add (to, self->folds);
  self->folds = g_ptr_array_steal_index (from, from->len - 1);
  update_actions (self);
  scope_graph_view_update_layout (self,
                                  scope_workspace_get_selected (
                                      scope_view_get_workspace (SCOPE_VIEW (self))));
}

static void
act_undo (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);

  if (g_str_has_suffix (name, "undo"))
    swap_folds (self, self->undo, self->redo);
  else
    swap_folds (self, self->redo, self->undo);
}

static void
act_layout (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  const char     *layout = g_variant_get_string (parameter, NULL);

  if (!g_str_equal (layout, "auto") && !viz_layout_find (layout))
    return;
  g_free (self->layout);
  self->layout = g_strdup (layout);
  scope_graph_view_update_layout (self,
                                  scope_workspace_get_selected (
                                      scope_view_get_workspace (SCOPE_VIEW (self))));
}

/* --- Diving --- */

static void
dive_to (ScopeGraphView *self, guint32 box)
{
  VizPicture *picture = scope_canvas_get_picture (self->canvas);

  scope_canvas_set_dive (self->canvas, box);
  update_breadcrumb (self);
  if (box == VIZ_ROOT)
    {
      scope_canvas_zoom_to_fit (self->canvas);
      return;
    }
  if (!viz_folds_is_open (self->folds, box))
    {
      remember (self);
      viz_folds_reveal (self->folds, box);
      viz_folds_set_open (self->folds, box, TRUE);
      self->reveal_after = box;
      scope_graph_view_update_layout (self, box);
    }
  else if (picture && viz_picture_find_box (picture, box) != VIZ_NO_ITEM)
    {
      const VizItem *item = viz_picture_item (picture, viz_picture_find_box (picture, box));
      VizRect        rect = { item->x, item->y, item->width, item->height };

      scope_canvas_zoom_to_rect (self->canvas, &rect);
    }
}

/* The group to go into: the selection, or what stands around it. */
static guint32
group_of_selection (ScopeGraphView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32         box = scope_workspace_get_selected (workspace);

  if (!document || box == VIZ_ROOT)
    return VIZ_ROOT;
  if (viz_diagram_box (scope_document_get_diagram (document), box)->n_children == 0)
    box = viz_diagram_box (scope_document_get_diagram (document), box)->parent;
  return box;
}

static void
act_dive (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32         dive = scope_canvas_get_dive (self->canvas);

  if (!document || !self->folds)
    return;
  if (g_str_has_suffix (name, "dive"))
    dive_to (self, group_of_selection (self));
  else if (dive != VIZ_ROOT)
    dive_to (self, viz_diagram_box (scope_document_get_diagram (document), dive)->parent);
}

static void
on_crumb (GtkButton *button, gpointer data)
{
  dive_to (data, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "box")));
}

static void
add_crumb (ScopeGraphView *self, const char *label, guint32 box)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "crumb");
  g_object_set_data (G_OBJECT (button), "box", GUINT_TO_POINTER (box));
  g_signal_connect (button, "clicked", G_CALLBACK (on_crumb), self);
  gtk_box_prepend (self->breadcrumb, button);
}

static void
update_breadcrumb (ScopeGraphView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32         dive = scope_canvas_get_dive (self->canvas);
  GtkWidget      *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->breadcrumb))) != NULL)
    gtk_box_remove (self->breadcrumb, child);
  gtk_widget_set_visible (GTK_WIDGET (self->breadcrumb), dive != VIZ_ROOT && document);
  if (!document || dive == VIZ_ROOT)
    return;
  for (guint32 box = dive; box != VIZ_ROOT;)
    {
      const VizBox *info = viz_diagram_box (scope_document_get_diagram (document), box);
      GtkWidget    *arrow = gtk_label_new ("▸");

      add_crumb (self, info->title ? info->title : info->id, box);
      gtk_widget_add_css_class (arrow, "dim-label");
      gtk_box_prepend (self->breadcrumb, arrow);
      box = info->parent;
    }
  add_crumb (self, scope_workspace_get_title (workspace), VIZ_ROOT);
}

/* The buttons over the canvas are no children of it. */
static void
act_zoom (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  g_autofree char *action = g_strconcat ("canvas.", name + strlen ("graph."), NULL);

  gtk_widget_activate_action_variant (GTK_WIDGET (SCOPE_GRAPH_VIEW (widget)->canvas), action, NULL);
}

/* --- Following the canvas and the workspace --- */

static void
on_canvas_selected (ScopeCanvas *canvas G_GNUC_UNUSED, guint32 box, gpointer data)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  if (workspace)
    scope_workspace_select (workspace, box);
}

static void
on_canvas_hovered (ScopeCanvas *canvas G_GNUC_UNUSED, guint32 box, gpointer data)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  if (workspace)
    scope_workspace_hover (workspace, box);
}

static void
on_canvas_toggled (ScopeCanvas *canvas G_GNUC_UNUSED, guint32 box, gboolean deep, gpointer data)
{
  scope_graph_view_toggle (data, box, deep);
}

static void
on_canvas_menu (ScopeCanvas *canvas G_GNUC_UNUSED,
                guint32 box         G_GNUC_UNUSED,
                double              x,
                double              y,
                gpointer            data)
{
  ScopeGraphView *self = data;

  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
scope_graph_view_selection_changed (ScopeView *view)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (view);
  guint32         box = scope_workspace_get_selected (scope_view_get_workspace (view));

  scope_canvas_set_selected (self->canvas, box);
  scope_graph_view_update_steps (self);
}

static gboolean
scope_graph_view_reveal (ScopeView *view, guint32 box)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (view);
  VizPicture     *picture = scope_canvas_get_picture (self->canvas);
  ScopeDocument  *document = scope_view_get_document (view);
  const VizBox   *info;
  guint32         item;

  if (!picture || !document || !self->folds)
    return FALSE;
  info = viz_diagram_box (scope_document_get_diagram (document), box);
  item = viz_picture_find_box (picture, box);
  if (item != VIZ_NO_ITEM && viz_picture_item (picture, item)->box == box)
    return scope_canvas_reveal (self->canvas, box);
  if (info->flags & VIZ_BOX_FOLDED) /* a weight: drawn as a row of who reads it */
    {
      guint32        n;
      const guint32 *out = viz_diagram_outgoing (scope_document_get_diagram (document), box, &n);

      return n > 0 &&
             scope_graph_view_reveal (view,
                                      viz_diagram_arrow (scope_document_get_diagram (document),
                                                         out[0])
                                          ->head);
    }
  remember (self);
  viz_folds_reveal (self->folds, box);
  self->reveal_after = box;
  scope_graph_view_update_layout (self, VIZ_ROOT);
  return TRUE;
}

static void
scope_graph_view_document_changed (ScopeView *view)
{
  ScopeGraphView  *self = SCOPE_GRAPH_VIEW (view);
  ScopeDocument   *document = scope_view_get_document (view);
  g_autofree char *open = self->folds ? viz_folds_to_string (self->folds) : NULL;

  g_clear_pointer (&self->folds, viz_folds_free);
  g_ptr_array_set_size (self->undo, 0);
  g_ptr_array_set_size (self->redo, 0);
  update_actions (self);
  scope_canvas_set_dive (self->canvas, VIZ_ROOT);
  scope_canvas_set_selected (self->canvas, VIZ_ROOT);
  scope_canvas_set_hovered (self->canvas, VIZ_ROOT);
  scope_canvas_set_hits (self->canvas, NULL, 0);
  scope_canvas_set_overlay (self->canvas, NULL);
  update_breadcrumb (self);
  if (!document)
    {
      scope_canvas_set_picture (self->canvas, NULL, VIZ_ROOT);
      return;
    }
  self->folds = viz_folds_new (scope_document_get_diagram (document));
  if (open) /* read again: what stood open stays open */
    viz_folds_from_string (self->folds, open);
  scope_graph_view_update_layout (self, VIZ_ROOT);
}

void
scope_graph_view_set_hits (ScopeGraphView *self, const guint32 *boxes, guint n)
{
  scope_canvas_set_hits (self->canvas, boxes, n);
}

ScopeCanvas *
scope_graph_view_get_canvas (ScopeGraphView *self)
{
  return self->canvas;
}

void
scope_graph_view_set_compact (ScopeGraphView *self, gboolean is_compact)
{
  gtk_widget_set_visible (self->zoom_box, !is_compact);
  gtk_widget_set_visible (GTK_WIDGET (self->minimap), !is_compact);
}

VizFolds *
scope_graph_view_get_folds (ScopeGraphView *self)
{
  return self->folds;
}

static void
update_theme (ScopeGraphView *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  gboolean         dark = adw_style_manager_get_dark (style);
  const char      *name = dark ? "dark" : "light";

  if (adw_style_manager_get_high_contrast (style))
    name = dark ? "contrast-dark" : "contrast";
  scope_canvas_set_theme (self->canvas, viz_theme_find (name));
}

/* --- Object --- */

static void
scope_graph_view_dispose (GObject *object)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (object);

  if (self->placing)
    g_cancellable_cancel (self->placing);
  g_clear_object (&self->placing);
  g_clear_handle_id (&self->busy, g_source_remove);
  g_signal_handlers_disconnect_by_data (adw_style_manager_get_default (), self);
  if (self->menu)
    gtk_widget_unparent (self->menu);
  self->menu = NULL;
  G_OBJECT_CLASS (scope_graph_view_parent_class)->dispose (object);
}

static void
scope_graph_view_finalize (GObject *object)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (object);

  g_clear_pointer (&self->folds, viz_folds_free);
  g_ptr_array_unref (self->undo);
  g_ptr_array_unref (self->redo);
  g_free (self->layout);
  G_OBJECT_CLASS (scope_graph_view_parent_class)->finalize (object);
}

static void
bind_children (GtkWidgetClass *class)
{
  gtk_widget_class_bind_template_child (class, ScopeGraphView, stack);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, canvas);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, minimap);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, breadcrumb);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, spinner);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, steps);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, steps_label);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, steps_scale);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, steps_range);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, trace_box);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, trace_scale);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, zoom_box);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, menu_model);
}

static void
scope_graph_view_class_init (ScopeGraphViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  ScopeViewClass *view_class = SCOPE_VIEW_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_graph_view_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_graph_view_finalize;
  view_class->workspace_changed = scope_graph_view_follow_steps;
  view_class->document_changed = scope_graph_view_document_changed;
  view_class->selection_changed = scope_graph_view_selection_changed;
  view_class->reveal = scope_graph_view_reveal;

  g_type_ensure (SCOPE_TYPE_CANVAS);
  g_type_ensure (SCOPE_TYPE_MINIMAP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/graph-view.ui");
  bind_children (widget_class);
  gtk_widget_class_install_action (widget_class, "graph.undo", NULL, act_undo);
  gtk_widget_class_install_action (widget_class, "graph.redo", NULL, act_undo);
  gtk_widget_class_install_action (widget_class, "graph.unfold-all", NULL, act_fold_all);
  gtk_widget_class_install_action (widget_class, "graph.fold-all", NULL, act_fold_all);
  gtk_widget_class_install_action (widget_class, "graph.layout", "s", act_layout);
  gtk_widget_class_install_action (widget_class, "graph.dive", NULL, act_dive);
  gtk_widget_class_install_action (widget_class, "graph.surface", NULL, act_dive);
  gtk_widget_class_install_action (widget_class, "graph.zoom-in", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "graph.zoom-out", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "graph.zoom-fit", NULL, act_zoom);
  scope_graph_view_class_add_step_actions (widget_class);
}

static void
scope_graph_view_init (ScopeGraphView *self)
{
  self->undo = g_ptr_array_new_with_free_func ((GDestroyNotify) viz_folds_free);
  self->redo = g_ptr_array_new_with_free_func ((GDestroyNotify) viz_folds_free);
  self->layout = g_strdup ("auto");
  gtk_widget_init_template (GTK_WIDGET (self));
  scope_minimap_set_canvas (self->minimap, self->canvas);
  self->menu = gtk_popover_menu_new_from_model (self->menu_model);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self->canvas));
  gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
  gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
  scope_graph_view_init_steps (self);
  update_actions (self);
  update_theme (self);
  scope_graph_view_update_steps (self);
  g_signal_connect_swapped (adw_style_manager_get_default (),
                            "notify::dark",
                            G_CALLBACK (update_theme),
                            self);
  g_signal_connect_swapped (adw_style_manager_get_default (),
                            "notify::high-contrast",
                            G_CALLBACK (update_theme),
                            self);
  g_signal_connect (self->canvas, "selected", G_CALLBACK (on_canvas_selected), self);
  g_signal_connect (self->canvas, "hovered", G_CALLBACK (on_canvas_hovered), self);
  g_signal_connect (self->canvas, "toggled", G_CALLBACK (on_canvas_toggled), self);
  g_signal_connect (self->canvas, "menu", G_CALLBACK (on_canvas_menu), self);
}
