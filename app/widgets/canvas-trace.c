/* canvas-trace.c — what the selection depends on, and what depends on it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

/* Breadth first along the wires of the picture, so many hops far. */
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
