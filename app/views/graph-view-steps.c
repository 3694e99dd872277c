/* graph-view-steps.c — the bar for loop steps over the graph, and tracing.
 *
 * For a chain of unrolled cells the bar chooses which steps are drawn one by one; for a loop that has
 * run it chooses the step whose values are shown (a property of the workspace).  Start reading with
 * scope_graph_view_update_steps().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/graph-view-private.h"

#include <glib/gi18n.h>

#define MAX_HOPS 30

/* The recorded steps of a loop; NULL: the box is not a loop, or no values were recorded. */
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
  /* The last body is the one that is repeated; others compute the loop's condition. */
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

/* The chain or loop that contains the selection, else the only one in the graph; VIZ_ROOT: there is
 * none, or several. */
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

/* Steps of a chain: the highest step of its children + 1. */
static int
count_steps (VizDiagram *diagram, guint32 chain)
{
  const VizBox *info = viz_diagram_box (diagram, chain);
  int           last = -1;

  for (guint32 i = 0; i < info->n_children; i++)
    last = MAX (last, viz_diagram_box (diagram, viz_diagram_child (diagram, chain, i))->step);
  return last + 1;
}

/* --- Loops --- */

/* The index of the shown step; the last one if the loop has no such step. */
static guint
find_index (ScopeGraphView *self, const ScopeValueSeries *loop)
{
  guint index = loop->steps->len - 1;

  scope_value_series_find (loop,
                           scope_workspace_get_step (scope_view_get_workspace (SCOPE_VIEW (self))),
                           &index);
  return index;
}

/* Sets the scale to the shown step and returns its description.  (transfer full) */
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
  /* Inside another loop n_runs counts the steps of all its runs. */
  if (step->first.n > 1)
    return g_strdup_printf (_ ("Step %s"), name);
  return g_strdup_printf (_ ("Step %s of %s"), name, n);
}

static void
show_loop_step (ScopeGraphView *self, const ScopeValueSeries *loop, int index)
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
    show_loop_step (self, loop, index);
}

static void
move_loop_step (ScopeGraphView *self, const char *name)
{
  const ScopeValueSeries *loop = find_loop_steps (self, self->chain);
  int                     direction = g_str_has_suffix (name, "earlier") ? -1
                                      : g_str_has_suffix (name, "later") ? 1
                                                                         : 0;

  if (loop && direction != 0)
    show_loop_step (self, loop, (int) find_index (self, loop) + direction);
}

/* --- The bar --- */

static char *
describe_chain (ScopeGraphView *self)
{
  VizDiagram *diagram = scope_document_get_diagram (scope_view_get_document (SCOPE_VIEW (self)));
  int         n = count_steps (diagram, self->chain);
  gboolean    is_blocks = (viz_diagram_box (diagram, self->chain)->flags & VIZ_BOX_BLOCKS) != 0;
  gint32      first, last;

  viz_folds_get_steps (self->folds, self->chain, &first, &last);
  if (!viz_folds_is_open (self->folds, self->chain))
    return g_strdup_printf (is_blocks ? _ ("%d blocks, folded") : _ ("%d steps, folded"), n);
  return g_strdup_printf (is_blocks ? _ ("Blocks %d – %d of %d") : _ ("Steps %d – %d of %d"),
                          (int) first, (int) MIN (last, n - 1), n);
}

/* The label never shrinks while the chain stays the same, so that the buttons beside it do not move. */
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

gboolean
scope_graph_view_move_steps (ScopeGraphView *self, const char *action, int *first, int *last)
{
  ScopeDocument *document = scope_view_get_document (SCOPE_VIEW (self));
  gint32         length;
  int            n;

  if (!document || self->chain == VIZ_ROOT)
    return FALSE;
  if (self->is_loop)
    {
      move_loop_step (self, action);
      return FALSE;
    }
  n = count_steps (scope_document_get_diagram (document), self->chain);
  viz_folds_get_steps (self->folds, self->chain, first, last);
  length = MIN (*last, n - 1) - *first + 1;
  if (g_str_has_suffix (action, "earlier"))
    *first = MAX (*first - length, 0);
  else if (g_str_has_suffix (action, "later"))
    *first = MIN (*first + length, n - length);
  else if (g_str_has_suffix (action, "more"))
    length = MIN (length * 2, n);
  else if (g_str_has_suffix (action, "fewer"))
    length = MAX (length / 2, 1);
  *first = CLAMP (*first, 0, n - length);
  *last = *first + length - 1;
  return TRUE;
}

/* --- Tracing --- */

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

void
scope_graph_view_toggle_trace (ScopeGraphView *self)
{
  guint n_hops = scope_canvas_get_trace (self->canvas);

  set_hops (self, n_hops > 0 ? 0 : (guint) gtk_range_get_value (self->trace_scale));
}

/* --- Connections --- */

void
scope_graph_view_follow_steps (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  static const char *const signals[] = { "values-changed", "step-changed" };
  ScopeWorkspace          *workspace = scope_view_get_workspace (view);

  for (guint i = 0; workspace && i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_swapped (workspace, signals[i], G_CALLBACK (scope_graph_view_update_steps),
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
