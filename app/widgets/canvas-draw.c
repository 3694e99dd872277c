/* canvas-draw.c — draws the tiles of the picture, and on top of them marks of selection and search.
 *
 * Only tiles are cached; marks are painted for every frame, at most MAX_MARKS of each kind.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

#include <math.h>

#define MARK_WIDTH 2.5
/* More marks of one kind could not be distinguished, and would cost frames. */
#define MAX_MARKS 400

static void
set_colour (cairo_t *cr, const VizColour *colour, double alpha)
{
  cairo_set_source_rgba (cr, colour->red, colour->green, colour->blue, colour->alpha * alpha);
}

static gboolean
is_in_view (const VizItem *item, const VizRect *view)
{
  return item->x < view->x + view->width && item->x + item->width > view->x &&
         item->y < view->y + view->height && item->y + item->height > view->y;
}

/* Dims everything except the traced items, or the group that was entered. */
static void
draw_veil (ScopeCanvas *self, cairo_t *cr, const VizRect *view)
{
  cairo_new_path (cr);
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_rectangle (cr, view->x, view->y, view->width, view->height);
  if (self->traced)
    {
      guint32 n = viz_picture_n_items (self->picture);

      for (guint32 i = 0; i < n; i++)
        {
          const VizItem *item = viz_picture_item (self->picture, i);

          if (self->traced[i] && item->state != VIZ_ITEM_OPEN && is_in_view (item, view))
            cairo_rectangle (cr, item->x, item->y, item->width, item->height);
        }
    }
  else
    {
      guint32        number = viz_picture_find_box (self->picture, self->dive);
      const VizItem *item;

      if (number == VIZ_NO_ITEM)
        {
          cairo_new_path (cr);
          return;
        }
      item = viz_picture_item (self->picture, number);
      cairo_rectangle (cr, item->x, item->y, item->width, item->height);
    }
  set_colour (cr, &self->theme->background, 0.66);
  cairo_fill (cr);
}

/* Wires of one item, incoming and outgoing in different colours. */
static void
mark_wires (ScopeCanvas           *self,
            cairo_t               *cr,
            const VizPaintOptions *options,
            guint32                item,
            double                 width)
{
  guint32        n;
  const guint32 *wires = viz_picture_wires_at (self->picture, item, &n);

  for (guint32 i = 0; i < MIN (n, MAX_MARKS); i++)
    {
      const VizWire *wire = viz_picture_wire (self->picture, wires[i]);

      viz_paint_wire_mark (self->picture, cr, options, wires[i],
                           &(VizMark){ wire->head == item ? &self->theme->incoming
                                                          : &self->theme->outgoing,
                                       width });
    }
}

static void
mark_traced_wires (ScopeCanvas           *self,
                   cairo_t               *cr,
                   const VizPaintOptions *options,
                   const VizRect         *view)
{
  g_autoptr (GArray) wires = g_array_new (FALSE, FALSE, sizeof (guint32));

  viz_picture_query (self->picture, view, NULL, wires);
  for (guint i = 0, n = 0; i < wires->len && n < MAX_MARKS; i++)
    {
      guint32        number = g_array_index (wires, guint32, i);
      const VizWire *wire = viz_picture_wire (self->picture, number);
      guint8         both = self->traced[wire->tail] & self->traced[wire->head];

      if (both == 0 || wire->is_stub)
        continue;
      n++;
      viz_paint_wire_mark (self->picture, cr, options, number,
                           &(VizMark){ both & SCOPE_TRACED_UP ? &self->theme->incoming
                                                              : &self->theme->outgoing,
                                       1.8 });
    }
}

/* Search hits, or boxes related to the selection. */
static void
mark_boxes (ScopeCanvas           *self,
            cairo_t               *cr,
            const VizPaintOptions *options,
            const GArray          *boxes,
            const VizMark         *mark)
{
  for (guint i = 0; i < MIN (boxes->len, MAX_MARKS); i++)
    {
      guint32 item = viz_picture_find_box (self->picture, g_array_index (boxes, guint32, i));

      if (item != VIZ_NO_ITEM)
        viz_paint_item_mark (self->picture, cr, options, item, mark);
    }
}

static void
draw_marks (ScopeCanvas *self, cairo_t *cr)
{
  VizRect         view = scope_canvas_get_view (self);
  VizPaintOptions options = { .theme = self->theme, .scale = self->zoom, .area = &view };
  guint32         item;

  if (self->traced || self->dive != VIZ_ROOT)
    draw_veil (self, cr, &view);
  if (self->traced)
    mark_traced_wires (self, cr, &options, &view);
  scope_canvas_draw_faults (self, cr, &view);
  mark_boxes (self, cr, &options, self->hits, &(VizMark){ &self->theme->hit, 2 });
  /* Dashed, unlike the selection. */
  mark_boxes (self, cr, &options, self->related,
              &(VizMark){ &self->theme->selection, 2, VIZ_DASH_DASHED });
  if (self->hovered_wire != VIZ_NO_ARROW)
    viz_paint_wire_mark (self->picture, cr, &options, self->hovered_wire,
                         &(VizMark){ &self->theme->selection, 2 });
  if (self->hovered != VIZ_ROOT && self->hovered != self->selected)
    {
      item = viz_picture_find_box (self->picture, self->hovered);
      if (item != VIZ_NO_ITEM)
        {
          mark_wires (self, cr, &options, item, 1.6);
          viz_paint_item_mark (self->picture, cr, &options, item,
                               &(VizMark){ &self->theme->selection, 1.2 });
        }
    }
  item = self->selected != VIZ_ROOT ? viz_picture_find_box (self->picture, self->selected)
                                    : VIZ_NO_ITEM;
  if (item != VIZ_NO_ITEM)
    {
      if (!self->traced)
        mark_wires (self, cr, &options, item, 2);
      viz_paint_item_mark (self->picture, cr, &options, item,
                           &(VizMark){ &self->theme->selection, MARK_WIDTH });
    }
}

static void
draw_rubber_band (ScopeCanvas *self, cairo_t *cr)
{
  cairo_rectangle (cr, floor (self->rubber.x) + 0.5, floor (self->rubber.y) + 0.5,
                   self->rubber.width, self->rubber.height);
  set_colour (cr, &self->theme->selection, 0.15);
  cairo_fill_preserve (cr);
  set_colour (cr, &self->theme->selection, 1);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

void
scope_canvas_draw (ScopeCanvas *self, GtkSnapshot *snapshot)
{
  GtkWidget  *widget = GTK_WIDGET (self);
  int         width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  ScopeCamera camera = { self->x, self->y, self->zoom,
                         width,   height,  gtk_widget_get_scale_factor (widget) };
  cairo_t    *cr;

  if (width < 1 || height < 1)
    return;
  cr = gtk_snapshot_append_cairo (snapshot,
                                  &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  set_colour (cr, &self->theme->background, 1);
  cairo_paint (cr);
  if (self->picture)
    {
      scope_tiles_draw (self->tiles, cr, &camera);
      cairo_save (cr);
      cairo_translate (cr, -floor (self->x * self->zoom), -floor (self->y * self->zoom));
      cairo_scale (cr, self->zoom, self->zoom);
      draw_marks (self, cr);
      cairo_restore (cr);
    }
  if (self->has_rubber)
    draw_rubber_band (self, cr);
  cairo_destroy (cr);
}
