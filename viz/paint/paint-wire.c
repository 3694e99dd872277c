/* paint-wire.c — draws wires: curve, arrow head, label.
 *
 * Cairo stores coordinates in fixed point with 24.8 bits and silently misplaces lines that end far
 * outside.  Curves outside the area are therefore left out, and long ones cut, before Cairo gets them.
 * Start reading at viz_painter_wire() and viz_painter_points().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/painter.h"

#include "viz/diagram/box-text.h"

#include <math.h>
#include <string.h>

#define HEAD_LENGTH 7.0
/* The length, in points, from which a part of a wire that runs upwards is marked. */
#define MIN_CONTINUATION 60
#define HEAD_WIDTH       5.6
#define MARGIN           24 /* pixels around the area */

static const VizColour *
wire_colour (const VizTheme *theme, VizArrowKind kind)
{
  switch (kind)
    {
    case VIZ_ARROW_STATE:
      return &theme->wire_state;
    case VIZ_ARROW_CAPTURED:
      return &theme->wire_captured;
    case VIZ_ARROW_FEEDBACK:
      return &theme->wire_feedback;
    case VIZ_ARROW_CONTROL:
      return &theme->wire_control;
    case VIZ_ARROW_NORMAL:
      break;
    }
  return &theme->wire;
}

static VizDash
wire_dash (VizArrowKind kind)
{
  if (kind == VIZ_ARROW_CAPTURED)
    return VIZ_DASH_DASHED;
  return kind == VIZ_ARROW_CONTROL ? VIZ_DASH_DOTTED : VIZ_DASH_NONE;
}

/* One side of the Liang–Barsky algorithm: p is the movement outwards along the whole line, q the
 * distance from its start to the side.  FALSE if nothing of the line remains. */
static gboolean
clip_side (double p, double q, double *low, double *high)
{
  if (p == 0)
    return q >= 0;
  if (p < 0)
    *low = MAX (*low, q / p);
  else
    *high = MIN (*high, q / p);
  return *low <= *high;
}

/* Clips a line to an area.  FALSE if it is outside. */
static gboolean
clip_line (const VizRect *area, VizPoint *a, VizPoint *b)
{
  double   low = 0, high = 1, dx = b->x - a->x, dy = b->y - a->y;
  VizPoint from = *a;

  if (!clip_side (-dx, a->x - area->x, &low, &high) ||
      !clip_side (dx, area->x + area->width - a->x, &low, &high) ||
      !clip_side (-dy, a->y - area->y, &low, &high) ||
      !clip_side (dy, area->y + area->height - a->y, &low, &high))
    return FALSE;
  *a = (VizPoint){ from.x + low * dx, from.y + low * dy };
  *b = (VizPoint){ from.x + high * dx, from.y + high * dy };
  return TRUE;
}

/* Whether the bounding box of a curve touches an area. */
static gboolean
touches (const VizRect *area, const VizPoint *p)
{
  double x0 = MIN (MIN (p[0].x, p[1].x), MIN (p[2].x, p[3].x));
  double x1 = MAX (MAX (p[0].x, p[1].x), MAX (p[2].x, p[3].x));
  double y0 = MIN (MIN (p[0].y, p[1].y), MIN (p[2].y, p[3].y));
  double y1 = MAX (MAX (p[0].y, p[1].y), MAX (p[2].y, p[3].y));

  return x0 <= area->x + area->width && x1 >= area->x && y0 <= area->y + area->height &&
         y1 >= area->y;
}

/* Divides a curve at its middle (de Casteljau's algorithm). */
static void
halve (const VizPoint *p, VizPoint *left, VizPoint *right)
{
#define MIDDLE(a, b) ((VizPoint){ ((a).x + (b).x) / 2, ((a).y + (b).y) / 2 })
  VizPoint ab = MIDDLE (p[0], p[1]), bc = MIDDLE (p[1], p[2]), cd = MIDDLE (p[2], p[3]);
  VizPoint abc = MIDDLE (ab, bc), bcd = MIDDLE (bc, cd), middle = MIDDLE (abc, bcd);
#undef MIDDLE

  left[0] = p[0], left[1] = ab, left[2] = abc, left[3] = middle;
  right[0] = middle, right[1] = bcd, right[2] = cd, right[3] = p[3];
}

/* Appends a curve to the run of connected curves; draws and restarts the run if it does not connect. */
static void
add_part (const VizPainter *painter, GArray *run, const VizPoint *p, const VizStyle *style)
{
  const VizPoint *last = run->len > 0 ? &g_array_index (run, VizPoint, run->len - 1) : NULL;

  if (!last || last->x != p[0].x || last->y != p[0].y)
    {
      if (run->len > 3)
        painter->pen->curve (painter->pen, (gconstpointer) run->data, run->len, style);
      g_array_set_size (run, 0);
      g_array_append_val (run, p[0]);
    }
  g_array_append_vals (run, p + 1, 3);
}

/* Appends the parts of a curve that are inside the area.  Straight curves are clipped; long ones are
 * halved until their parts are short or outside. */
static void
add_piece (const VizPainter *painter,
           GArray           *run,
           const VizRect    *area,
           const VizPoint   *piece,
           const VizStyle   *style)
{
  VizPoint stack[24][4];
  guint    n = 1;

  memcpy (stack[0], piece, sizeof stack[0]);
  while (n > 0)
    {
      VizPoint p[4];
      double   far = 4 * (area->width + area->height);

      memcpy (p, stack[--n], sizeof p);
      if (!touches (area, p))
        continue;
      if (viz_curve_is_straight (p))
        {
          VizPoint a = p[0], b = p[3];

          if (!clip_line (area, &a, &b))
            continue;
          p[0] = a, p[3] = b;
          p[1] = (VizPoint){ a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3 };
          p[2] = (VizPoint){ a.x + (b.x - a.x) * 2 / 3, a.y + (b.y - a.y) * 2 / 3 };
          add_part (painter, run, p, style);
        }
      else if ((fabs (p[3].x - p[0].x) > far || fabs (p[3].y - p[0].y) > far) && n + 2 < 24)
        {
          halve (p, stack[n + 1], stack[n]);
          n += 2;
        }
      else
        add_part (painter, run, p, style);
    }
}

void
viz_painter_points (const VizPainter *painter,
                    const VizPoint   *points,
                    guint32           n_points,
                    const VizStyle   *style)
{
  double  margin = MARGIN / (painter->scale > 0 ? MIN (painter->scale, 1) : 1);
  VizRect area;
  g_autoptr (GArray) run = NULL;

  if (!painter->area)
    {
      painter->pen->curve (painter->pen, points, n_points, style);
      return;
    }
  area = (VizRect){ painter->area->x - margin, painter->area->y - margin,
                    painter->area->width + 2 * margin, painter->area->height + 2 * margin };
  run = g_array_new (FALSE, FALSE, sizeof (VizPoint));
  for (guint32 i = 0; i + 3 < n_points; i += 3)
    add_piece (painter, run, &area, points + i, style);
  if (run->len > 3)
    painter->pen->curve (painter->pen, (gconstpointer) run->data, run->len, style);
}

void
viz_painter_curve (const VizPainter *painter, guint32 number, const VizStyle *style)
{
  viz_painter_points (painter, viz_picture_points (painter->picture, number),
                      viz_picture_wire (painter->picture, number)->n_points, style);
}

static void
paint_head (const VizPainter *painter,
            const VizWire    *wire,
            const VizPoint   *points,
            const VizColour  *colour)
{
  VizPoint tip = points[wire->n_points - 1], from = points[wire->n_points - 2];
  double   dx = tip.x - from.x, dy = tip.y - from.y, length = hypot (dx, dy);
  double   size = 1 + (wire->width - 1.2) * 0.25;
  VizPoint head[3];
  VizStyle style = { .fill = colour };

  if (length < 1e-9)
    dx = 0, dy = 1, length = 1;
  dx /= length;
  dy /= length;
  head[0] = tip;
  for (guint i = 0; i < 2; i++)
    head[i + 1] = (VizPoint){
      tip.x - dx * HEAD_LENGTH * size + (i == 0 ? -dy : dy) * HEAD_WIDTH / 2 * size,
      tip.y - dy * HEAD_LENGTH * size + (i == 0 ? dx : -dx) * HEAD_WIDTH / 2 * size,
    };
  painter->pen->polygon (painter->pen, head, 3, &style);
}

/* Marks the parts of a wire that run upwards over some distance, to the next column of a wrapped group or
 * back to the start of a loop, with an arrow head in their middle. */
static void
paint_continuations (const VizPainter *painter, guint32 number, const VizColour *colour)
{
  VizWire         wire = *viz_picture_wire (painter->picture, number);
  const VizPoint *points = viz_picture_points (painter->picture, number);

  for (guint32 i = 0; i + 3 < wire.n_points; i += 3)
    {
      VizPoint part[2] = { points[i], points[i + 3] };

      if ((viz_picture_is_sideways (painter->picture) ? part[0].x - part[1].x
                                                      : part[0].y - part[1].y) < MIN_CONTINUATION)
        continue;
      part[1].x = (part[0].x + part[1].x) / 2;
      part[1].y = (part[0].y + part[1].y) / 2;
      wire.n_points = 2;
      paint_head (painter, &wire, part, colour);
      wire.n_points = viz_picture_wire (painter->picture, number)->n_points;
    }
}

/* Draws the dot at the start of a stub. */
static void
paint_stub_start (const VizPainter *painter, const VizPoint *start, const VizColour *colour)
{
  VizRect  dot = { start->x - 2.5, start->y - 2.5, 5, 5 };
  VizStyle style = { .fill = colour };

  painter->pen->rect (painter->pen, &dot, 2.5, &style);
}

static void
begin_wire (const VizPainter *painter, const VizWire *wire, guint32 number)
{
  const VizArrow  *arrow = viz_diagram_arrow (painter->diagram, wire->arrow);
  const VizBox    *tail = viz_diagram_box (painter->diagram, arrow->tail);
  const VizBox    *head = viz_diagram_box (painter->diagram, arrow->head);
  g_autofree char *title = NULL;
  g_autofree char *id = g_strdup_printf ("wire%u", number);

  title = g_strdup_printf ("%s → %s%s%s", tail->subtitle ? tail->subtitle : tail->id,
                           head->subtitle ? head->subtitle : head->id, arrow->label ? "\n" : "",
                           arrow->label ? arrow->label : "");
  painter->pen->begin (painter->pen, "wire", id, title);
}

void
viz_painter_wire (const VizPainter *painter, guint32 number)
{
  const VizWire   *wire = viz_picture_wire (painter->picture, number);
  const VizPoint  *points = viz_picture_points (painter->picture, number);
  const VizColour *colour = wire_colour (painter->theme, wire->kind);
  VizStyle style = { .stroke = colour, .width = wire->width, .dash = wire_dash (wire->kind) };

  if (wire->n_points < 2)
    return;
  if (painter->pen->begin)
    begin_wire (painter, wire, number);
  if (painter->level == VIZ_PAINT_OVERVIEW)
    style.width = 1 / MAX (painter->scale, 1e-9), style.dash = VIZ_DASH_NONE;
  viz_painter_curve (painter, number, &style);
  if (painter->level == VIZ_PAINT_FULL)
    {
      paint_head (painter, wire, points, colour);
      paint_continuations (painter, number, colour);
      if (wire->is_stub)
        paint_stub_start (painter, points, colour);
    }
  if (painter->pen->end)
    painter->pen->end (painter->pen);
}

void
viz_painter_wire_label (const VizPainter *painter, guint32 number)
{
  const VizWire *wire = viz_picture_wire (painter->picture, number);
  double         size = viz_text_size (VIZ_TEXT_EDGE);
  VizTextAt      at = { .style = VIZ_TEXT_EDGE,
                        .size = size,
                        .x = wire->label_x,
                        .y = wire->label_y,
                        .colour = painter->theme->text_faint };

  VizColour        ground = painter->theme->background;
  VizPoint         end;
  g_autofree char *text = NULL;
  VizRect  behind = { wire->label_x - 1.5, wire->label_y - size + 0.5, wire->label_width + 3,
                      size + 2 };
  VizStyle style = { .fill = &ground };

  if (!wire->has_label || painter->level != VIZ_PAINT_FULL ||
      !viz_painter_shows_text (painter, size))
    return;
  /* A translucent background makes the label readable where wires cross it. */
  end = viz_picture_points (painter->picture, number)[wire->n_points - 1];
  ground = viz_painter_background (painter,
                                   fabs (end.y - wire->label_y) < size ? wire->head : wire->tail);
  ground.alpha = 0.8;
  painter->pen->rect (painter->pen, &behind, 2, &style);
  text = wire->is_stub ? viz_arrow_stub_text (painter->diagram, wire->arrow)
                       : g_strdup (viz_diagram_arrow (painter->diagram, wire->arrow)->label);
  painter->pen->text (painter->pen, &at, text);
}
