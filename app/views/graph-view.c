/* graph-view.c — the view of the graph: actions, folding, breadcrumb, following the workspace.
 *
 * graph-view-layout.c lays the graph out, graph-view-steps.c controls loop steps and tracing,
 * graph-view-menu.c shows the context menu, graph-view-state.c saves and restores.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#include "app/widgets/fitting.h"
#include "app/widgets/spinner.h"
#include "app/widgets/theme.h"

#include <string.h>

G_DEFINE_FINAL_TYPE (ScopeGraphView, scope_graph_view, SCOPE_TYPE_VIEW)

enum
{
  PROP_DIRECTION = 1,
};

static void update_breadcrumb (ScopeGraphView *self);

/* --- Folds --- */

static void
act_fold_all (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));

  if (!document || !self->folds)
    return;
  scope_graph_view_push_undo (self);
  scope_graph_view_open_inside (self, scope_document_get_diagram (document), VIZ_ROOT,
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
  scope_graph_view_update_undo (self);
  scope_graph_view_update_layout (self, scope_workspace_get_selected (
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
  scope_graph_view_set_layout (SCOPE_GRAPH_VIEW (widget), g_variant_get_string (parameter, NULL));
}

/* --- Entering groups --- */

/* Enters a group: everything outside is dimmed.  VIZ_ROOT: leaves all groups. */
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
      scope_graph_view_push_undo (self);
      viz_folds_reveal (self->folds, box);
      viz_folds_set_open (self->folds, box, TRUE);
      self->reveal_after = box;
      scope_graph_view_update_layout (self, box);
    }
  else if (picture && viz_picture_find_box (picture, box) != VIZ_NO_ITEM)
    {
      const VizItem *item = viz_picture_item (picture, viz_picture_find_box (picture, box));
      VizRect        rect = { item->x, item->y, item->width, item->height };

      scope_canvas_zoom_to_rect (self->canvas, &rect, 1);
    }
}

/* The group to enter: the selection itself, or the group around it. */
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
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "graph.surface", dive != VIZ_ROOT);
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

/* Forwards to the canvas: the zoom buttons are not inside it. */
static void
act_zoom (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  g_autofree char *action = g_strconcat ("canvas.", name + strlen ("graph."), NULL);

  gtk_widget_activate_action_variant (GTK_WIDGET (SCOPE_GRAPH_VIEW (widget)->canvas), action, NULL);
}

/* --- Steps --- */

static void
act_steps (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  int             first, last;

  if (scope_graph_view_move_steps (self, name, &first, &last))
    scope_graph_view_set_steps (self, self->chain, first, last);
}

static void
act_fold_chain (GtkWidget          *widget,
                const char *name    G_GNUC_UNUSED,
                GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);

  if (self->chain != VIZ_ROOT)
    scope_graph_view_toggle (self, self->chain, FALSE);
}

static void
act_trace (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_graph_view_toggle_trace (SCOPE_GRAPH_VIEW (widget));
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

/* Outlines the source nodes of the rows in focus. */
static void
update_related (ScopeView *view)
{
  ScopeGraphView   *self = SCOPE_GRAPH_VIEW (view);
  ScopeWorkspace   *workspace = scope_view_get_workspace (view);
  ScopeMeasurement *measurement = scope_workspace_get_measurement (workspace);
  const GArray     *rows = scope_workspace_get_focus (workspace);
  g_autoptr (GArray) related = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; measurement && i < rows->len; i++)
    {
      g_autoptr (GArray) boxes =
          scope_measurement_find_boxes (measurement, g_array_index (rows, guint32, i));

      g_array_append_vals (related, boxes->data, boxes->len);
    }
  /* A node that ran as it is in the model is marked by the selection alone. */
  if (rows->len == 1 && related->len == 1)
    g_array_set_size (related, 0);
  scope_canvas_set_related (self->canvas, (const guint32 *) (gpointer) related->data, related->len);
}

static void
scope_graph_view_workspace_changed (ScopeView *view, ScopeWorkspace *before)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  scope_graph_view_follow_steps (view, before);
  if (workspace)
    g_signal_connect_swapped (workspace, "focus-changed", G_CALLBACK (update_related), view);
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
  if (info->flags & VIZ_BOX_FOLDED) /* a parameter: drawn as a row of the node that reads it */
    {
      guint32        n;
      const guint32 *out = viz_diagram_outgoing (scope_document_get_diagram (document), box, &n);

      return n > 0 &&
             scope_graph_view_reveal (view,
                                      viz_diagram_arrow (scope_document_get_diagram (document),
                                                         out[0])
                                          ->head);
    }
  scope_graph_view_push_undo (self);
  viz_folds_reveal (self->folds, box);
  self->reveal_after = box;
  scope_graph_view_update_layout (self, VIZ_ROOT);
  return TRUE;
}

/* Adds the box of a node, or of the node that reads it if it is a parameter. */
static void
add_fault (GArray *faults, ScopeDocument *document, const char *name, gboolean is_error)
{
  VizDiagram    *diagram = scope_document_get_diagram (document);
  guint32        box = scope_document_find_name (document, name);
  guint32        n = 0;
  const guint32 *out;

  if (box == VIZ_ROOT)
    return;
  while (viz_diagram_box (diagram, box)->flags & VIZ_BOX_FOLDED)
    {
      out = viz_diagram_outgoing (diagram, box, &n);
      if (n == 0)
        return;
      box = viz_diagram_arrow (diagram, out[0])->head;
    }
  g_array_append_val (faults, ((ScopeFault){ box, is_error }));
}

/* Outlines the nodes that errors and warnings are about. */
static void
update_faults (ScopeGraphView *self, ScopeDocument *document)
{
  GPtrArray *findings = scope_document_get_findings (document);
  g_autoptr (GArray) faults = g_array_new (FALSE, FALSE, sizeof (ScopeFault));

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      gboolean          is_error = finding->severity == HYB_SEVERITY_ERROR;

      if (finding->severity == HYB_SEVERITY_NOTE)
        continue;
      if (finding->node)
        add_fault (faults, document, finding->node, is_error);
      for (guint k = 0; finding->items && k < finding->items->len; k++)
        {
          const HybFindingItem *item = &g_array_index (finding->items, HybFindingItem, k);

          if (g_strcmp0 (item->name, finding->node) != 0)
            add_fault (faults, document, item->name, is_error);
        }
    }
  scope_canvas_set_faults (self->canvas, (const ScopeFault *) (gpointer) faults->data, faults->len);
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
  scope_graph_view_update_undo (self);
  scope_canvas_set_dive (self->canvas, VIZ_ROOT);
  scope_canvas_set_selected (self->canvas, VIZ_ROOT);
  scope_canvas_set_hovered (self->canvas, VIZ_ROOT);
  scope_canvas_set_hits (self->canvas, NULL, 0);
  scope_canvas_set_related (self->canvas, NULL, 0);
  scope_canvas_set_overlay (self->canvas, NULL);
  update_breadcrumb (self);
  if (document)
    update_faults (self, document);
  else
    {
      scope_canvas_set_faults (self->canvas, NULL, 0);
      scope_canvas_set_picture (self->canvas, NULL, VIZ_ROOT);
      return;
    }
  self->folds = viz_folds_new (scope_document_get_diagram (document));
  if (open) /* a reload keeps groups open */
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
  /* Panes stand beside each other and move together, so their data flows the same way. */
  self->direction = is_compact ? VIZ_DIRECTION_DOWN : VIZ_DIRECTION_AUTO;
  g_object_notify (G_OBJECT (self), "direction");
}

VizFolds *
scope_graph_view_get_folds (ScopeGraphView *self)
{
  return self->folds;
}

static void
update_theme (ScopeGraphView *self)
{
  scope_canvas_set_theme (self->canvas, scope_theme_get ());
}

/* --- Object --- */

static void
scope_graph_view_get_property (GObject         *object,
                               guint id         G_GNUC_UNUSED,
                               GValue          *value,
                               GParamSpec *spec G_GNUC_UNUSED)
{
  g_value_set_string (value, viz_direction_name (SCOPE_GRAPH_VIEW (object)->direction));
}

/* The only property is the direction, by its name. */
static void
scope_graph_view_set_property (GObject         *object,
                               guint id         G_GNUC_UNUSED,
                               const GValue    *value,
                               GParamSpec *spec G_GNUC_UNUSED)
{
  scope_graph_view_set_direction (SCOPE_GRAPH_VIEW (object), g_value_get_string (value));
}

static void
scope_graph_view_dispose (GObject *object)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (object);

  scope_graph_view_cancel_layout (self);
  g_clear_handle_id (&self->busy_timeout, g_source_remove);
  g_signal_handlers_disconnect_by_data (adw_style_manager_get_default (), self);
  scope_graph_view_remove_menu (self);
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
  gtk_widget_class_bind_template_child (class, ScopeGraphView, closed_menu);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, open_menu);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, node_menu);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, model_menu);
  gtk_widget_class_bind_template_child (class, ScopeGraphView, view_menu);
  gtk_widget_class_bind_template_callback (class, scope_graph_view_place_control);
}

static void
scope_graph_view_class_init (ScopeGraphViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  ScopeViewClass *view_class = SCOPE_VIEW_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_graph_view_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_graph_view_finalize;
  G_OBJECT_CLASS (class)->get_property = scope_graph_view_get_property;
  G_OBJECT_CLASS (class)->set_property = scope_graph_view_set_property;
  g_object_class_install_property (G_OBJECT_CLASS (class), PROP_DIRECTION,
                                   g_param_spec_string ("direction", NULL, NULL, "auto",
                                                        G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                            G_PARAM_EXPLICIT_NOTIFY));
  view_class->workspace_changed = scope_graph_view_workspace_changed;
  view_class->document_changed = scope_graph_view_document_changed;
  view_class->selection_changed = scope_graph_view_selection_changed;
  view_class->reveal = scope_graph_view_reveal;

  g_type_ensure (SCOPE_TYPE_CANVAS);
  g_type_ensure (SCOPE_TYPE_FITTING);
  g_type_ensure (SCOPE_TYPE_MINIMAP);
  g_type_ensure (SCOPE_TYPE_SPINNER);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/graph-view.ui");
  bind_children (widget_class);
  gtk_widget_class_install_action (widget_class, "graph.undo", NULL, act_undo);
  gtk_widget_class_install_action (widget_class, "graph.redo", NULL, act_undo);
  gtk_widget_class_install_action (widget_class, "graph.unfold-all", NULL, act_fold_all);
  gtk_widget_class_install_action (widget_class, "graph.fold-all", NULL, act_fold_all);
  gtk_widget_class_install_action (widget_class, "graph.layout", "s", act_layout);
  gtk_widget_class_install_property_action (widget_class, "graph.direction", "direction");
  gtk_widget_class_install_action (widget_class, "graph.dive", NULL, act_dive);
  gtk_widget_class_install_action (widget_class, "graph.surface", NULL, act_dive);
  gtk_widget_class_install_action (widget_class, "graph.zoom-in", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "graph.zoom-out", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "graph.zoom-fit", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "graph.steps-earlier", NULL, act_steps);
  gtk_widget_class_install_action (widget_class, "graph.steps-later", NULL, act_steps);
  gtk_widget_class_install_action (widget_class, "graph.steps-more", NULL, act_steps);
  gtk_widget_class_install_action (widget_class, "graph.steps-fewer", NULL, act_steps);
  gtk_widget_class_install_action (widget_class, "graph.fold-chain", NULL, act_fold_chain);
  gtk_widget_class_install_action (widget_class, "graph.trace", NULL, act_trace);
}

static void
scope_graph_view_init (ScopeGraphView *self)
{
  self->undo = g_ptr_array_new_with_free_func ((GDestroyNotify) viz_folds_free);
  self->redo = g_ptr_array_new_with_free_func ((GDestroyNotify) viz_folds_free);
  self->layout = g_strdup ("auto");
  self->direction = VIZ_DIRECTION_AUTO;
  gtk_widget_init_template (GTK_WIDGET (self));
  scope_minimap_set_canvas (self->minimap, self->canvas);
  scope_graph_view_init_menu (self);
  scope_graph_view_init_steps (self);
  scope_graph_view_update_undo (self);
  update_theme (self);
  scope_graph_view_update_steps (self);
  g_signal_connect_swapped (adw_style_manager_get_default (), "notify::dark",
                            G_CALLBACK (update_theme), self);
  g_signal_connect_swapped (adw_style_manager_get_default (), "notify::high-contrast",
                            G_CALLBACK (update_theme), self);
  g_signal_connect (self->canvas, "selected", G_CALLBACK (on_canvas_selected), self);
  g_signal_connect (self->canvas, "hovered", G_CALLBACK (on_canvas_hovered), self);
  g_signal_connect (self->canvas, "toggled", G_CALLBACK (on_canvas_toggled), self);
}
