/* node-view-output.c — the outputs of the model in the side pane, with values of a run.
 *
 * A box shows one output or, in models with many, all of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "app/adapt/labels.h"

#include <glib/gi18n.h>

/* Outputs beyond this are only counted. */
#define MAX_OUTPUTS 100u

/* An output of the model: the value, and its place among the outputs of the node that computes it. */
typedef struct
{
  ScopePlace place;
  HybValueId value;
  guint      output;
} Output;

/* The outputs of a box: the number of the first one.  scope_graph_to_diagram() adds the boxes and their arrows in the order
 * of the outputs.  n: (out) how many */
static guint
find_outputs (const VizDiagram *diagram, guint32 box, guint *n)
{
  guint first = 0;

  viz_diagram_incoming (diagram, box, n);
  for (guint32 other = 1; other < box; other++)
    first += viz_diagram_box (diagram, other)->kind == VIZ_BOX_OUTPUT;
  return first;
}

static Output
find_output (ScopeDocument *document, guint number)
{
  HybGraph         *graph = scope_document_get_graph (document);
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);
  HybNodeId         producer = hyb_graph_get_producer (graph, heads[number]);

  return (
      Output){ .place = { graph, producer, scope_document_find_node (document, graph, producer) },
               .value = heads[number],
               .output = heads[number] - hyb_graph_get_node (graph, producer)->first_output };
}

/* (transfer full) */
static char *
describe_shape (ScopeDocument *document, const Output *output)
{
  const HybType *types = scope_document_get_types (document, output->place.graph);
  char          *label = scope_label_type (types ? &types[output->value] : NULL);

  return label ? label : g_strdup (_ ("unknown shape"));
}

/* Why there are no values, and the button that gets them. */
static void
add_no_values (ScopeNodeView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  GtkWidget      *button;

  scope_sheet_add_heading (self->sheet, _ ("Values of the Last Run"));
  if (scope_workspace_is_running (workspace))
    {
      scope_sheet_add_text (self->sheet, _ ("The model is running."), "dim-label");
      return;
    }
  if (scope_workspace_get_run_path (workspace))
    {
      scope_sheet_add_text (self->sheet, _ ("The last run recorded no values of this output."),
                            "dim-label");
      return;
    }
  /* A recording that was opened, or is remembered, has costs without values. */
  scope_sheet_add_text (self->sheet,
                        scope_workspace_get_measurement (workspace)
                            ? _ ("A recording has no values. Run the model to see them.")
                            : _ ("The model has not been run."),
                        "dim-label");
  button = gtk_button_new_with_label (_ ("Run"));
  gtk_widget_set_name (button, "run-for-values");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.run");
  scope_sheet_add (self->sheet, button);
}

static void
show_one (ScopeNodeView *self, ScopeDocument *document, guint number)
{
  Output           output = find_output (document, number);
  const HybNode   *node = hyb_graph_get_node (output.place.graph, output.place.node);
  g_autofree char *shape = describe_shape (document, &output);

  scope_sheet_add_row (self->sheet, _ ("Shape"), shape, NULL, 0);
  scope_sheet_add_row (self->sheet, _ ("Computed by"), node->name,
                       hyb_node_is_variable (node) ? NULL : node->type, output.place.box);
  if (!scope_node_view_show_value (self, document, &output.place, output.output))
    add_no_values (self);
}

/* A row each, which leads to the node that computes it. */
static void
show_many (ScopeNodeView *self, ScopeDocument *document, guint first, guint n)
{
  g_auto (GStrv) names = hyb_graph_dup_output_names (scope_document_get_graph (document));

  for (guint i = 0; i < MIN (n, MAX_OUTPUTS); i++)
    {
      Output           output = find_output (document, first + i);
      g_autofree char *shape = describe_shape (document, &output);

      scope_sheet_add_row (self->sheet, names[first + i], shape, NULL, output.place.box);
    }
  if (n > MAX_OUTPUTS)
    {
      g_autofree char *more = g_strdup_printf (_ ("… and %u more"), n - MAX_OUTPUTS);

      scope_sheet_add_text (self->sheet, more, "dim-label");
    }
}

void
scope_node_view_show_outputs (ScopeNodeView *self, ScopeDocument *document, guint32 box)
{
  VizDiagram *diagram = scope_document_get_diagram (document);
  guint       n, first = find_outputs (diagram, box, &n);

  scope_sheet_add_title (self->sheet, viz_diagram_box (diagram, box)->title,
                         n == 1 ? _ ("output of the model") : _ ("outputs of the model"));
  if (n == 1)
    {
      show_one (self, document, first);
      scope_node_view_show_classes (self, document, box);
    }
  else
    show_many (self, document, first, n);
}
