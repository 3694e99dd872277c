/* node-view-group.c — the facts about a group of nodes: size, costs, members.
 *
 * Groups are chains of steps, name scopes and bodies of loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include <glib/gi18n.h>

/* Members beyond this are only counted. */
#define MAX_MEMBERS 100u

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

      scope_sheet_add_row (self->sheet, _ ("Inside"), parent->title ? parent->title : parent->id,
                           NULL, info->parent);
    }
  scope_node_view_show_numbers (self, document, box);
  scope_node_view_show_group_costs (self,
                                    scope_workspace_get_measurement (
                                        scope_view_get_workspace (SCOPE_VIEW (self))),
                                    document, box);
  scope_sheet_add_heading (self->sheet, _ ("Members"));
  for (guint32 i = 0; i < MIN (info->n_children, MAX_MEMBERS); i++)
    {
      guint32       child = viz_diagram_child (diagram, box, i);
      const VizBox *member = viz_diagram_box (diagram, child);

      scope_sheet_add_row (self->sheet, member->title ? member->title : "",
                           member->subtitle ? member->subtitle : "", NULL, child);
    }
  if (info->n_children > MAX_MEMBERS)
    {
      g_autofree char *more = g_strdup_printf (_ ("… and %u more"), info->n_children - MAX_MEMBERS);

      scope_sheet_add_text (self->sheet, more, "dim-label");
    }
}
