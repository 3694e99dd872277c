/* node-view-numbers.c — the numbers of the user for the selected node or group in the side pane.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* The number of a node, or the sum over all nodes in a group; NAN: none has a number.  n: (out) how many have
 * one */
static double
sum_inside (const ScopeNodeData *numbers, const ScopeDocument *document, guint32 box, guint *n)
{
  VizDiagram *diagram = scope_document_get_diagram (document);
  double      sum = NAN;

  *n = 0;
  for (guint i = 0; i < scope_document_n_places (document); i++)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);
      double            number;

      if (place->box != box && !viz_diagram_is_inside (diagram, place->box, box))
        continue;
      number = scope_node_data_get (numbers, hyb_graph_get_node (place->graph, place->node)->name);
      if (isnan (number))
        continue;
      sum = *n == 0 ? number : sum + number;
      (*n)++;
    }
  return sum;
}

void
scope_node_view_show_numbers (ScopeNodeView *self, ScopeDocument *document, guint32 box)
{
  const ScopeNodeData *numbers =
      scope_workspace_get_numbers (scope_view_get_workspace (SCOPE_VIEW (self)));
  guint             n;
  double            own, sum;
  const ScopePlace *place = scope_document_get_place (document, box);
  g_autofree char  *text = NULL, *label = NULL;

  if (!numbers)
    return;
  own = place ? scope_node_data_get (numbers, hyb_graph_get_node (place->graph, place->node)->name)
              : NAN;
  sum = isnan (own) ? sum_inside (numbers, document, box, &n) : own;
  if (isnan (sum))
    return;
  text = scope_node_data_format (sum);
  label = isnan (own) ? g_strdup_printf (ngettext ("Sum of %u node", "Sum of %u nodes", n), n)
                      : g_strdup (_ ("Value"));
  scope_sheet_add_heading (self->sheet, scope_node_data_title (numbers));
  scope_sheet_add_row (self->sheet, label, text, NULL, 0);
}
