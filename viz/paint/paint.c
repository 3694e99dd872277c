/* paint.c — chooses the drawn parts, their order and their detail.
 *
 * Open groups come first, parents before children; then wires; then boxes, which cover the wires;
 * then tags, plugs and labels.  Start reading at viz_paint_with().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/paint.h"

#include "viz/diagram/drawing.h"
#include "viz/paint/painter.h"

static VizPainter
painter_new (const VizPicture *picture, VizPen *pen, const VizPaintOptions *options)
{
  return (VizPainter){
    .picture = picture,
    .diagram = viz_picture_diagram (picture),
    .pen = pen,
    .theme = options->theme ? options->theme : viz_theme_find (NULL),
    .overlay = options->overlay,
    .area = options->area,
    .scale = options->scale,
    .level = viz_paint_level (options->scale),
    .no_labels = options->no_labels,
  };
}

static void
paint_background (const VizPainter *painter)
{
  VizRect  all = { 0, 0, viz_picture_width (painter->picture),
                   viz_picture_height (painter->picture) };
  VizStyle style = { .fill = &painter->theme->background };

  painter->pen->rect (painter->pen, painter->area ? painter->area : &all, 0, &style);
}

static gboolean
is_open (const VizPainter *painter, guint32 item)
{
  return viz_picture_item (painter->picture, item)->state == VIZ_ITEM_OPEN;
}

static void
paint_plugs (const VizPainter *painter)
{
  for (guint32 i = 0; i < viz_picture_n_plugs (painter->picture); i++)
    {
      const VizPlug *plug = viz_picture_plug (painter->picture, i);
      const VizRect *area = painter->area;

      if (!area || (plug->x < area->x + area->width && plug->y < area->y + area->height &&
                    plug->x + plug->width > area->x && plug->y + plug->height > area->y))
        viz_painter_plug (painter, i);
    }
}

static void
paint_detail (const VizPainter *painter, const GArray *items, const GArray *wires)
{
  for (guint i = 0; i < items->len; i++)
    if (is_open (painter, g_array_index (items, guint32, i)))
      viz_painter_group (painter, g_array_index (items, guint32, i));
  for (guint i = 0; i < wires->len; i++)
    viz_painter_wire (painter, g_array_index (wires, guint32, i));
  for (guint i = 0; i < items->len; i++)
    if (!is_open (painter, g_array_index (items, guint32, i)))
      viz_painter_box (painter, g_array_index (items, guint32, i));
  for (guint i = 0; i < items->len && painter->level == VIZ_PAINT_FULL; i++)
    if (!is_open (painter, g_array_index (items, guint32, i)))
      viz_painter_value_tag (painter, g_array_index (items, guint32, i));
  paint_plugs (painter);
  if (!painter->no_labels)
    for (guint i = 0; i < wires->len; i++)
      viz_painter_wire_label (painter, g_array_index (wires, guint32, i));
}

void
viz_paint_with (const VizPicture *picture, VizPen *pen, const VizPaintOptions *options)
{
  VizPainter painter = painter_new (picture, pen, options);
  VizRect    all = { 0, 0, viz_picture_width (picture), viz_picture_height (picture) };
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) wires = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!options->transparent)
    paint_background (&painter);
  viz_picture_query (picture, options->area ? options->area : &all, items, wires);
  if (painter.level == VIZ_PAINT_OVERVIEW)
    viz_painter_overview (&painter, items, wires);
  else
    paint_detail (&painter, items, wires);
}

void
viz_paint (const VizPicture *picture, cairo_t *cr, const VizPaintOptions *options)
{
  const VizDrawing *drawing = viz_drawing ();
  VizPen           *pen = viz_pen_new_cairo (cr, viz_picture_font (picture));

  drawing->cairo_save (cr);
  if (viz_paint_level (options->scale) == VIZ_PAINT_OVERVIEW)
    drawing->cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  viz_paint_with (picture, pen, options);
  drawing->cairo_restore (cr);
  viz_pen_free (pen);
}

void
viz_paint_item_mark (const VizPicture      *picture,
                     cairo_t               *cr,
                     const VizPaintOptions *options,
                     guint32                number,
                     const VizMark         *mark)
{
  const VizDrawing *drawing = viz_drawing ();
  VizPen           *pen = viz_pen_new_cairo (cr, viz_picture_font (picture));
  const VizItem    *item = viz_picture_item (picture, number);
  double            scale = options->scale > 0 ? options->scale : 1;
  double            out = mark->width / 2;
  VizRect  rect = { item->x * scale - out, item->y * scale - out, item->width * scale + mark->width,
                    item->height * scale + mark->width };
  VizStyle style = { .stroke = mark->colour, .width = mark->width, .dash = mark->dash };

  /* In pixels, so that dashes are as long at every zoom. */
  drawing->cairo_save (cr);
  drawing->cairo_scale (cr, 1 / scale, 1 / scale);
  pen->rect (pen, &rect, 6 * scale, &style);
  drawing->cairo_restore (cr);
  viz_pen_free (pen);
}

/* Marks a wire that is drawn as a stub with one curve from its tail to its head. */
static void
mark_stub (const VizPainter *painter, const VizWire *wire, const VizStyle *style)
{
  const VizItem *tail = viz_picture_item (painter->picture, wire->tail);
  const VizItem *head = viz_picture_item (painter->picture, wire->head);
  VizPoint       from = { tail->x + tail->width / 2, tail->y + tail->height };
  VizPoint       to = { head->x + head->width / 2, head->y };
  VizPoint       curve[4] = { from, { from.x, from.y + 60 }, { to.x, to.y - 60 }, to };

  viz_painter_points (painter, curve, 4, style);
}

void
viz_paint_wire_mark (const VizPicture      *picture,
                     cairo_t               *cr,
                     const VizPaintOptions *options,
                     guint32                wire,
                     const VizMark         *mark)
{
  VizPen    *pen = viz_pen_new_cairo (cr, viz_picture_font (picture));
  VizPainter painter = painter_new (picture, pen, options);
  double     pixel = options->scale > 0 ? 1 / options->scale : 1;
  VizStyle   style = { .stroke = mark->colour, .width = mark->width * pixel };

  if (viz_picture_wire (picture, wire)->is_stub)
    mark_stub (&painter, viz_picture_wire (picture, wire), &style);
  else
    viz_painter_curve (&painter, wire, &style);
  viz_pen_free (pen);
}
