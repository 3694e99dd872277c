/* canvas-selection.c — which box of the canvas is selected or hovered, and the trace from it.
 *
 * The trace marks every item that the selection depends on, and every item that depends on it, up to
 * a number of hops along the wires of the picture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

#include <glib/gi18n.h>

/* --- Trace --- */

/* Breadth-first search from an item against (up) or along (down) the wires, n_hops deep. */
static void
trace (ScopeCanvas *self, guint32 start, ScopeTraced direction)
{
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint first = 0;

  g_array_append_val (queue, start);
  self->traced[start] |= direction;
  for (guint hop = 0; hop < self->n_hops && first < queue->len; hop++)
    {
      guint end = queue->len;

      for (; first < end; first++)
        {
          guint32        item = g_array_index (queue, guint32, first);
          guint32        n;
          const guint32 *wires = viz_picture_wires_at (self->picture, item, &n);

          for (guint32 i = 0; i < n; i++)
            {
              const VizWire *wire = viz_picture_wire (self->picture, wires[i]);
              guint32        from = direction == SCOPE_TRACED_UP ? wire->head : wire->tail;
              guint32        to = direction == SCOPE_TRACED_UP ? wire->tail : wire->head;

              if (from != item || (self->traced[to] & direction))
                continue;
              self->traced[to] |= direction;
              g_array_append_val (queue, to);
            }
        }
    }
}

void
scope_canvas_update_trace (ScopeCanvas *self)
{
  guint32 item;

  g_clear_pointer (&self->traced, g_free);
  if (!self->picture || self->n_hops == 0 || self->selected == VIZ_ROOT)
    return;
  item = viz_picture_find_box (self->picture, self->selected);
  if (item == VIZ_NO_ITEM)
    return;
  self->traced = g_new0 (guint8, viz_picture_n_items (self->picture));
  trace (self, item, SCOPE_TRACED_UP);
  trace (self, item, SCOPE_TRACED_DOWN);
}

void
scope_canvas_set_trace (ScopeCanvas *self, guint n_hops)
{
  self->n_hops = n_hops;
  scope_canvas_update_trace (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

guint
scope_canvas_get_trace (ScopeCanvas *self)
{
  return self->n_hops;
}

/* --- Selection --- */

static void
describe_selection (ScopeCanvas *self)
{
  const VizBox    *box = NULL;
  g_autofree char *text = NULL;

  if (self->picture && self->selected != VIZ_ROOT)
    box = viz_diagram_box (viz_picture_diagram (self->picture), self->selected);
  if (box)
    text = g_strdup_printf (_ ("Selected: %s %s %s"), box->title ? box->title : "",
                            box->subtitle ? box->subtitle : "", box->shape ? box->shape : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text ? text : _ ("Nothing is selected"), -1);
}

void
scope_canvas_set_selected (ScopeCanvas *self, guint32 box)
{
  if (self->selected == box)
    return;
  self->selected = box;
  scope_canvas_update_trace (self);
  describe_selection (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
scope_canvas_select_by_user (ScopeCanvas *self, guint32 box)
{
  scope_canvas_set_selected (self, box);
  scope_canvas_emit (self, SCOPE_CANVAS_SELECTED, box, FALSE);
}

void
scope_canvas_set_hovered (ScopeCanvas *self, guint32 box)
{
  if (self->hovered == box)
    return;
  self->hovered = box;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
