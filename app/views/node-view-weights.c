/* node-view-weights.c — the weights that all steps of a layer share, in the side pane.
 *
 * The picture lists them in a box before the first step (viz/fold/fold-grids.c), which has no node of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include <glib/gi18n.h>

/* The step of a layer of a chain in which a box is; VIZ_ROOT: it is elsewhere. */
static guint32
find_step (VizDiagram *diagram, guint32 box, const VizBox *layer)
{
  for (; box != VIZ_ROOT; box = viz_diagram_box (diagram, box)->parent)
    if (viz_diagram_box (diagram, box)->parent == layer->parent)
      return viz_diagram_box (diagram, box)->layer == layer->layer ? box : VIZ_ROOT;
  return VIZ_ROOT;
}

/* TRUE if several steps of the layer read the weight, and nothing else does. */
static gboolean
is_shared (VizDiagram *diagram, guint32 weight, const VizBox *layer)
{
  guint32        n, first = VIZ_ROOT;
  const guint32 *arrows = viz_diagram_outgoing (diagram, weight, &n);
  gboolean       is_shared = FALSE;

  for (guint32 i = 0; i < n; i++)
    {
      guint32 step = find_step (diagram, viz_diagram_arrow (diagram, arrows[i])->head, layer);

      if (step == VIZ_ROOT)
        return FALSE;
      first = first == VIZ_ROOT ? step : first;
      is_shared |= step != first;
    }
  return is_shared;
}

gboolean
scope_node_view_show_weights (ScopeNodeView *self, ScopeDocument *document, guint32 box)
{
  VizDiagram   *diagram = scope_document_get_diagram (document);
  const VizBox *layer = viz_diagram_box (diagram, box);

  if (!(layer->flags & VIZ_BOX_HEADER) || layer->kind != VIZ_BOX_WEIGHT)
    return FALSE;
  scope_sheet_add_title (self->sheet, layer->title, layer->subtitle);
  scope_sheet_add_heading (self->sheet, _ ("Weights"));
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    {
      const VizBox *weight = viz_diagram_box (diagram, i);

      if ((weight->flags & VIZ_BOX_FOLDED) && is_shared (diagram, i, layer))
        scope_sheet_add_row (self->sheet, weight->subtitle ? weight->subtitle : weight->title,
                             weight->shape ? weight->shape : _ ("unknown shape"), NULL, i);
    }
  return TRUE;
}
