/* graph-view-steps.c — which steps of a chain are drawn one by one, which of a loop is looked at;
 * tracing; state in files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#include <glib/gi18n.h>

#define MAX_HOPS 30

/* The steps of a loop that has run; NULL: the box is none. */
static const ScopeValueSeries *
find_loop_steps (ScopeGraphView *self, guint32 box)
{
  ScopeDocument     *document = scope_view_get_document (SCOPE_VIEW (self));
  const ScopeValues *values =
      scope_workspace_get_values (scope_view_get_workspace (SCOPE_VIEW (self)));
  const ScopePlace       *place = scope_document_get_place (document, box);
  const ScopeValueSeries *steps = NULL;
  const HybNode          *node;

  if (!place || !values)
    return NULL;
  node = hyb_graph_get_node (place->graph, place->node);
  /* The last body is what a loop repeats; others only decide whether it goes on. */
  if (node->n_bodies > 0)
    {
      HybGraph        *body = hyb_graph_get_bodies (place->graph, place->node)[node->n_bodies - 1];
      const ScopeBody *info = scope_document_get_body (document, body);

      steps = info->is_loop ? scope_values_find_longest (values, info->name) : NULL;
    }
  return steps && steps->steps && steps->steps->len > 1 ? steps : NULL;
}

static gboolean
has_steps (ScopeGraphView *self, VizDiagram *diagram, guint32 box)
{
  return viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS || find_loop_steps (self, box);
}

/* The chain of cells, or the loop that has run, that the selection is or stands in; the only one
 * there is; VIZ_ROOT: none. */
static guint32
find_chain (ScopeGraphView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));
  VizDiagram     *diagram;
  guint32         only = VIZ_ROOT;

  if (!document)
    return VIZ_ROOT;
  diagram = scope_document_get_diagram (document);
  for (guint32 box = scope_workspace_get_selected (workspace); box != VIZ_ROOT;
       box = viz_diagram_box (diagram, box)->parent)
    if (has_steps (self, diagram, box))
      return box;
  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (has_steps (self, diagram, box))
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

/* --- Of a loop: the one that is looked at --- */

/* Where there is no such step, the last. */
static guint
find_index (ScopeGraphView *self, const ScopeValueSeries *loop)
{
  guint index = loop->steps->len - 1;

  scope_value_series_find (loop,
                           scope_workspace_get_step (scope_view_get_workspace (SCOPE_VIEW (self))),
                           &index);
  return index;
}

/* On the scale, and in words.  (transfer full) */
static char *
show_loop (ScopeGraphView *self, const ScopeValueSeries *loop)
{
  guint                 index = find_index (self, loop);
  const ScopeValueStep *step = &g_array_index (loop->steps, ScopeValueStep, index);
  g_autofree char      *name = scope_value_step_name (step);
  g_autofree char      *n = g_strdup_printf ("%" G_GUINT64_FORMAT, loop->n_runs);

  g_signal_handler_block (self->steps_scale, self->scrubbing);
  gtk_range_set_range (self->steps_scale, 0, loop->steps->len - 1);
  gtk_range_set_value (self->steps_scale, index);
  g_signal_handler_unblock (self->steps_scale, self->scrubbing);
  /* Within another loop steps are counted anew. */
  if (step->first.n > 1)
    return g_strdup_printf (_ ("Step %s"), name);
  return g_strdup_printf (_ ("Step %s of %s"), name, n);
}

static void
look_at (ScopeGraphView *self, const ScopeValueSeries *loop, int index)
{
  index = CLAMP (index, 0, (int) loop->steps->len - 1);
  scope_workspace_set_step (scope_view_get_workspace (SCOPE_VIEW (self)),
                            &g_array_index (loop->steps, ScopeValueStep, index).last);
}

static void
on_scrubbed (GtkRange *range, gpointer data)
{
  ScopeGraphView         *self = data;
  const ScopeValueSeries *loop =
      self->is_loop && self->chain != VIZ_ROOT ? find_loop_steps (self, self->chain) : NULL;
  int index = (int) (gtk_range_get_value (range) + 0.5);

  if (loop)
    look_at (self, loop, index);
}

static void
step_loop (ScopeGraphView *self, const char *name)
{
  const ScopeValueSeries *loop = find_loop_steps (self, self->chain);
  int way = g_str_has_suffix (name, "earlier") ? -1 : g_str_has_suffix (name, "later") ? 1 : 0;

  if (loop && way != 0)
    look_at (self, loop, (int) find_index (self, loop) + way);
}

/* --- Of either --- */

static char *
describe_chain (ScopeGraphView *self)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  int            n = count_steps (scope_document_get_diagram (document), self->chain);
  gint32         first, last;

  viz_folds_get_steps (self->folds, self->chain, &first, &last);
  if (!viz_folds_is_open (self->folds, self->chain))
    return g_strdup_printf (_ ("%d steps, folded"), n);
  return g_strdup_printf (_ ("Steps %d – %d of %d"), (int) first, (int) MIN (last, n - 1), n);
}

/* The buttons beside it stay where they are while one walks through the steps. */
static void
show_steps (ScopeGraphView *self, const char *text, gboolean is_same_chain)
{
  GtkWidget *label = GTK_WIDGET (self->steps_label);
  int        width = -1, natural;

  if (is_same_chain)
    gtk_widget_get_size_request (label, &width, NULL);
  gtk_widget_set_size_request (label, -1, -1);
  gtk_label_set_text (self->steps_label, text);
  gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  gtk_widget_set_size_request (label, MAX (width, natural), -1);
}

void
scope_graph_view_update_steps (ScopeGraphView *self)
{
  const ScopeValueSeries *loop;
  g_autofree char        *text = NULL;
  guint32                 before = self->chain;

  self->chain = find_chain (self);
  gtk_widget_set_visible (GTK_WIDGET (self->steps), self->chain != VIZ_ROOT);
  if (self->chain == VIZ_ROOT)
    return;
  loop = find_loop_steps (self, self->chain);
  self->is_loop = loop != NULL;
  gtk_widget_set_visible (GTK_WIDGET (self->steps_scale), self->is_loop);
  gtk_widget_set_visible (self->steps_range, !self->is_loop);
  text = loop ? show_loop (self, loop) : describe_chain (self);
  show_steps (self, text, self->chain == before);
}

static void
act_steps (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeGraphView *self = SCOPE_GRAPH_VIEW (widget);
  ScopeDocument  *document = scope_view_get_document (SCOPE_VIEW (self));
  gint32          first, last, length;
  int             n;

  if (!document || self->chain == VIZ_ROOT)
    return;
  if (self->is_loop)
    {
      step_loop (self, name);
      return;
    }
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
scope_graph_view_follow_steps (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  static const char *const signals[] = { "values-changed", "step-changed" };
  ScopeWorkspace          *workspace = scope_view_get_workspace (view);

  for (guint i = 0; workspace && i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_swapped (workspace,
                              signals[i],
                              G_CALLBACK (scope_graph_view_update_steps),
                              view);
}

void
scope_graph_view_init_steps (ScopeGraphView *self)
{
  gtk_range_set_increments (self->steps_scale, 1, 10);
  self->scrubbing =
      g_signal_connect (self->steps_scale, "value-changed", G_CALLBACK (on_scrubbed), self);
  gtk_range_set_range (self->trace_scale, 1, MAX_HOPS);
  gtk_range_set_value (self->trace_scale, MAX_HOPS);
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

/* --- State in files --- */

#define GROUP "graph"

void
scope_graph_view_save_folds (ScopeGraphView *self, GKeyFile *file)
{
  g_autofree char *folds = self->folds ? viz_folds_to_string (self->folds) : NULL;

  if (folds)
    g_key_file_set_string (file, GROUP, "folds", folds);
}

void
scope_graph_view_save (ScopeGraphView *self, GKeyFile *file)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  guint32        selected;
  double         x, y, zoom;

  if (!document || !self->folds)
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

  if (!document || !self->folds)
    return;
  if (folds)
    viz_folds_from_string (self->folds, folds);
  if (layout && viz_layout_find (layout))
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
  scope_graph_view_update_layout (self, VIZ_ROOT);
  if (selected)
    scope_workspace_select (scope_view_get_workspace (SCOPE_VIEW (self)),
                            viz_diagram_find_id (scope_document_get_diagram (document), selected));
}
