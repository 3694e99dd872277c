/* graph-view-steps.c — which steps of a chain are drawn one by one; tracing; state in files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#include <glib/gi18n.h>

#define MOST_HOPS 30

/* The chain of cells that the selection is or stands in; the only one there is; VIZ_ROOT: none. */
static guint32
find_chain (ScopeGraphView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));
  VizDiagram     *diagram;
  guint32         only = VIZ_ROOT;

  if (document == NULL)
    return VIZ_ROOT;
  diagram = scope_document_get_diagram (document);
  for (guint32 box = scope_workspace_get_selected (workspace); box != VIZ_ROOT;
       box = viz_diagram_box (diagram, box)->parent)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS)
      return box;
  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS)
      {
        if (only != VIZ_ROOT)
          return VIZ_ROOT;
        only = box;
      }
  return only;
}

static int
count_steps (VizDiagram *diagram, guint32 chain)
{
  const VizBox *info = viz_diagram_box (diagram, chain);
  int           last = -1;

  for (guint32 i = 0; i < info->n_children; i++)
    last = MAX (last, viz_diagram_box (diagram, viz_diagram_child (diagram, chain, i))->step);
  return last + 1;
}

void
scope_graph_view_update_steps (ScopeGraphView *self)
{
  ScopeDocument   *document = scope_view_get_document (SCOPE_VIEW (self));
  gint32           first, last;
  int              n;
  g_autofree char *text = NULL;

  self->chain = find_chain (self);
  gtk_widget_set_visible (GTK_WIDGET (self->steps), self->chain != VIZ_ROOT);
  if (self->chain == VIZ_ROOT)
    return;
  n = count_steps (scope_document_get_diagram (document), self->chain);
  viz_folds_get_steps (self->folds, self->chain, &first, &last);
  if (!viz_folds_is_open (self->folds, self->chain))
    text = g_strdup_printf (_ ("%d steps, folded"), n);
  else
    text = g_strdup_printf (_ ("Steps %d – %d of %d"), (int) first, (int) MIN (last, n - 1), n);
  gtk_label_set_text (self->steps_label, text);
}

static void
act_steps (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));
  gint32          first, last, length;
  int             n;

  if (document == NULL || self->chain == VIZ_ROOT)
    return;
  n = count_steps (scope_document_get_diagram (document), self->chain);
  viz_folds_get_steps (self->folds, self->chain, &first, &last);
  last = MIN (last, n - 1);
  length = last - first + 1;
  if (g_str_has_suffix (name, "earlier"))
    first = MAX (first - length, 0);
  else if (g_str_has_suffix (name, "later"))
    first = MIN (first + length, n - length);
  else if (g_str_has_suffix (name, "more"))
    length = MIN (length * 2, n);
  else if (g_str_has_suffix (name, "fewer"))
    length = MAX (length / 2, 1);
  first = CLAMP (first, 0, n - length);
  scope_graph_view_set_steps (self, self->chain, first, first + length - 1);
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
set_hops (ScopeGraphView *self, guint n_hops)
{
  scope_canvas_set_trace (self->canvas, n_hops);
  gtk_widget_set_visible (GTK_WIDGET (self->trace_box), n_hops > 0);
}

static void
on_hops (GtkRange *range, gpointer data)
{
  ScopeGraphView *self = data;

  if (gtk_widget_get_visible (GTK_WIDGET (self->trace_box)))
    set_hops (self, (guint) gtk_range_get_value (range));
}

static void
act_trace (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  guint           n_hops = scope_canvas_get_trace (self->canvas);

  set_hops (self, n_hops > 0 ? 0 : (guint) gtk_range_get_value (self->trace_scale));
}

void
scope_graph_view_init_trace (ScopeGraphView *self)
{
  gtk_range_set_range (self->trace_scale, 1, MOST_HOPS);
  gtk_range_set_value (self->trace_scale, MOST_HOPS);
  g_signal_connect (self->trace_scale, "value-changed", G_CALLBACK (on_hops), self);
}

void
scope_graph_view_class_add_step_actions (GtkWidgetClass *class)
{
  gtk_widget_class_install_action (class, "graph.steps-earlier", NULL, act_steps);
  gtk_widget_class_install_action (class, "graph.steps-later", NULL, act_steps);
  gtk_widget_class_install_action (class, "graph.steps-more", NULL, act_steps);
  gtk_widget_class_install_action (class, "graph.steps-fewer", NULL, act_steps);
  gtk_widget_class_install_action (class, "graph.fold-chain", NULL, act_fold_chain);
  gtk_widget_class_install_action (class, "graph.trace", NULL, act_trace);
}

/* ---- State in files ---- */

#define GROUP "graph"

void
scope_graph_view_save_folds (ScopeGraphView *self, GKeyFile *file)
{
  g_autofree char *folds = self->folds != NULL ? viz_folds_to_string (self->folds) : NULL;

  if (folds != NULL)
    g_key_file_set_string (file, GROUP, "folds", folds);
}

void
scope_graph_view_save (ScopeGraphView *self, GKeyFile *file)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32        selected;
  double         x, y, zoom;

  if (document == NULL || self->folds == NULL)
    return;
  scope_graph_view_save_folds (self, file);
  scope_canvas_get_camera (self->canvas, &x, &y, &zoom);
  selected = scope_workspace_get_selected (scope_view_get_workspace (SCOPE_VIEW (self)));
  g_key_file_set_string (file, GROUP, "layout", self->layout);
  g_key_file_set_double (file, GROUP, "x", x);
  g_key_file_set_double (file, GROUP, "y", y);
  g_key_file_set_double (file, GROUP, "zoom", zoom);
  if (selected != VIZ_ROOT)
    g_key_file_set_string (file,
                           GROUP,
                           "selected",
                           viz_diagram_box (scope_document_get_diagram (document), selected)->id);
}

void
scope_graph_view_load (ScopeGraphView *self, GKeyFile *file)
{
  ScopeDocument   *document = scope_view_get_document (SCOPE_VIEW (self));
  g_autofree char *folds = g_key_file_get_string (file, GROUP, "folds", NULL);
  g_autofree char *layout = g_key_file_get_string (file, GROUP, "layout", NULL);
  g_autofree char *selected = g_key_file_get_string (file, GROUP, "selected", NULL);

  if (document == NULL || self->folds == NULL)
    return;
  if (folds != NULL)
    viz_folds_from_string (self->folds, folds);
  if (layout != NULL && viz_layout_find (layout) != NULL)
    {
      g_free (self->layout);
      self->layout = g_steal_pointer (&layout);
    }
  self->saved_x = g_key_file_get_double (file, GROUP, "x", NULL);
  self->saved_y = g_key_file_get_double (file, GROUP, "y", NULL);
  self->saved_zoom = g_key_file_get_double (file, GROUP, "zoom", NULL);
  /* A file from elsewhere: numbers that are none would lose the picture for good. */
  self->has_saved_camera = self->saved_zoom > 1e-4 && self->saved_zoom < 100 &&
                           ABS (self->saved_x) < 1e8 && ABS (self->saved_y) < 1e8;
  scope_graph_view_place (self, VIZ_ROOT);
  if (selected != NULL)
    scope_workspace_select (scope_view_get_workspace (SCOPE_VIEW (self)),
                            viz_diagram_find_id (scope_document_get_diagram (document), selected));
}
