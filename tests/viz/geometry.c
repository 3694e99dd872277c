/* geometry.c — measures pictures with simple, slow algorithms.
 *
 * Uses none of the indices and estimates of the code that it checks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/viz/geometry.h"

#include "tests/viz/recording-pen.h"

#include "viz/diagram/box-text.h"
#include "viz/paint/paint.h"

#include <math.h>
#include <pango/pangocairo.h>

#define CHORDS  6
#define EPSILON 0.51
#define ARROW   15 /* before the title of an open group */
#define AIR     2  /* around it */

static gboolean
holds (const VizPicture *picture, guint32 group, guint32 item)
{
  for (; item != VIZ_NO_ITEM; item = viz_picture_item (picture, item)->parent)
    if (item == group)
      return TRUE;
  return FALSE;
}

static gboolean
overlap (const VizItem *a, const VizItem *b)
{
  return a->x + EPSILON < b->x + b->width && b->x + EPSILON < a->x + a->width &&
         a->y + EPSILON < b->y + b->height && b->y + EPSILON < a->y + a->height;
}

static void
check_items (const VizPicture *picture, Geometry *geometry)
{
  for (guint32 i = 1; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);
      const VizItem *parent = viz_picture_item (picture, item->parent);

      if (item->x < parent->x || item->y < parent->y ||
          item->x + item->width > parent->x + parent->width + EPSILON ||
          item->y + item->height > parent->y + parent->height + EPSILON)
        geometry->n_outside++;
      for (guint32 k = i + 1; k < viz_picture_n_items (picture); k++)
        if (overlap (item, viz_picture_item (picture, k)) && !holds (picture, i, k) &&
            !holds (picture, k, i))
          geometry->n_overlaps++;
    }
}

/* Measures whole lines with Pango; the layout uses sums of advances. */
static void
check_texts (const VizPicture *picture, Geometry *geometry)
{
  PangoFontMap *fonts = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoLayout  *layout;

  pango_context_set_round_glyph_positions (context, FALSE);
  layout = pango_layout_new (context);
  for (guint32 i = 1; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);
      g_autoptr (GArray) lines = NULL;

      if (item->state == VIZ_ITEM_OPEN)
        continue;
      lines = viz_box_lines (viz_picture_diagram (picture), item->box,
                             item->state == VIZ_ITEM_STEPS ? item->first_step : -1, item->last_step,
                             viz_picture_item_detail (picture, i));
      for (guint k = 0; k < lines->len; k++)
        {
          const VizTextLine    *line = &g_array_index (lines, VizTextLine, k);
          PangoFontDescription *font = viz_text_font (viz_picture_font (picture), line->style);
          int                   width;

          pango_layout_set_font_description (layout, font);
          pango_layout_set_text (layout, line->text, -1);
          pango_layout_get_size (layout, &width, NULL);
          pango_font_description_free (font);
          if (width / (double) PANGO_SCALE > item->width - VIZ_BOX_PAD_X)
            geometry->n_clipped++;
        }
    }
  g_object_unref (layout);
  g_object_unref (context);
  g_object_unref (fonts);
}

static GArray *
flatten (const VizPicture *picture, guint32 number)
{
  const VizWire  *wire = viz_picture_wire (picture, number);
  const VizPoint *p = viz_picture_points (picture, number);
  GArray         *flat = g_array_new (FALSE, FALSE, sizeof (VizPoint));

  if (wire->n_points > 0)
    g_array_append_val (flat, p[0]);
  for (guint32 k = 0; k + 3 < wire->n_points; k += 3)
    for (guint c = 1; c <= CHORDS; c++)
      {
        VizPoint at = viz_curve_point (p + k, (double) c / CHORDS);

        g_array_append_val (flat, at);
      }
  return flat;
}

/* Whether a line has a part inside an item, more than a point away from its border. */
static gboolean
runs_through (const VizItem *item, VizPoint from, VizPoint to)
{
  double d[2] = { to.x - from.x, to.y - from.y };
  double low[2] = { item->x + 1 - from.x, item->y + 1 - from.y };
  double high[2] = { item->x + item->width - 1 - from.x, item->y + item->height - 1 - from.y };
  double enter = 0, leave = 1;

  for (guint axis = 0; axis < 2; axis++)
    {
      if (fabs (d[axis]) < 1e-9)
        {
          if (low[axis] >= 0 || high[axis] <= 0)
            return FALSE;
          continue;
        }
      enter = MAX (enter, MIN (low[axis] / d[axis], high[axis] / d[axis]));
      leave = MIN (leave, MAX (low[axis] / d[axis], high[axis] / d[axis]));
    }
  return enter < leave;
}

static void
check_wire (const VizPicture *picture, guint32 number, const GArray *flat, Geometry *geometry)
{
  const VizWire *wire = viz_picture_wire (picture, number);
  gboolean       is_outside = FALSE;

  for (guint k = 0; k < flat->len; k++)
    {
      VizPoint at = g_array_index (flat, VizPoint, k);

      is_outside |= at.x < 0 || at.y < 0 || at.x > viz_picture_width (picture) ||
                    at.y > viz_picture_height (picture);
      if (k > 0)
        geometry->length += hypot (at.x - g_array_index (flat, VizPoint, k - 1).x,
                                   at.y - g_array_index (flat, VizPoint, k - 1).y);
    }
  geometry->n_outside += is_outside;
  for (guint32 i = 1; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);
      gboolean       is_through = FALSE;

      if (item->state == VIZ_ITEM_OPEN || i == wire->tail || i == wire->head)
        continue;
      for (guint k = 1; k < flat->len; k++)
        is_through |= runs_through (item, g_array_index (flat, VizPoint, k - 1),
                                    g_array_index (flat, VizPoint, k));
      geometry->n_through += is_through;
    }
}

static double
side (VizPoint a, VizPoint b, VizPoint p)
{
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Collects the crossings of two wires, rounded to points: branches of one bus that cross a third wire
 * at the same place count once. */
static void
find_crossings (const GArray *a, const GArray *b, guint32 tail_a, guint32 tail_b, GHashTable *found)
{
  for (guint i = 1; i < a->len; i++)
    for (guint k = 1; k < b->len; k++)
      {
        VizPoint p = g_array_index (a, VizPoint, i - 1), q = g_array_index (a, VizPoint, i);
        VizPoint r = g_array_index (b, VizPoint, k - 1), s = g_array_index (b, VizPoint, k);
        double   t;

        if (MAX (p.x, q.x) < MIN (r.x, s.x) || MAX (r.x, s.x) < MIN (p.x, q.x) ||
            MAX (p.y, q.y) < MIN (r.y, s.y) || MAX (r.y, s.y) < MIN (p.y, q.y))
          continue;
        if (side (p, q, r) * side (p, q, s) >= -1e-9 || side (r, s, p) * side (r, s, q) >= -1e-9)
          continue;
        t = side (r, s, p) / (side (r, s, p) - side (r, s, q));
        g_hash_table_add (found, g_strdup_printf ("%u %u %.0f %.0f", MIN (tail_a, tail_b),
                                                  MAX (tail_a, tail_b), p.x + t * (q.x - p.x),
                                                  p.y + t * (q.y - p.y)));
      }
}

static gboolean
meet (const VizRect *a, double x, double y, double width, double height)
{
  return a->x + EPSILON < x + width && x + EPSILON < a->x + a->width &&
         a->y + EPSILON < y + height && y + EPSILON < a->y + a->height;
}

/* The rectangle of the letters, without the space above and below the line. */
static VizRect
label_rect (const VizWire *wire)
{
  double size = viz_text_size (VIZ_TEXT_EDGE);

  return (VizRect){ wire->label_x, wire->label_y - size * 0.75, wire->label_width, size * 0.95 };
}

/* Whether a label covers a closed item, a plug or another label; open groups do not count. */
static gboolean
is_covered (const VizPicture *picture, guint32 number)
{
  VizRect rect = label_rect (viz_picture_wire (picture, number));

  for (guint32 i = 1; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);

      if (item->state != VIZ_ITEM_OPEN && meet (&rect, item->x, item->y, item->width, item->height))
        return TRUE;
    }
  for (guint32 i = 0; i < viz_picture_n_plugs (picture); i++)
    {
      const VizPlug *plug = viz_picture_plug (picture, i);

      if (meet (&rect, plug->x, plug->y, plug->width, plug->height))
        return TRUE;
    }
  for (guint32 i = 0; i < number; i++)
    {
      VizRect other = label_rect (viz_picture_wire (picture, i));

      if (viz_picture_wire (picture, i)->has_label &&
          meet (&rect, other.x, other.y, other.width, other.height))
        return TRUE;
    }
  return rect.x < 0 || rect.y < 0 || rect.x + rect.width > viz_picture_width (picture) ||
         rect.y + rect.height > viz_picture_height (picture);
}

static void
check_labels (const VizPicture *picture, Geometry *geometry)
{
  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    if (viz_picture_wire (picture, i)->has_label)
      {
        geometry->n_labels++;
        geometry->n_covered += is_covered (picture, i);
      }
}

static gboolean
is_struck (const VizPicture *picture, const VizRect *title, const GPtrArray *flat)
{
  VizItem box = { .x = title->x, .y = title->y, .width = title->width, .height = title->height };

  for (guint32 i = 0; i < viz_picture_n_plugs (picture); i++)
    {
      const VizPlug *plug = viz_picture_plug (picture, i);

      if (meet (title, plug->x, plug->y, plug->width, plug->height))
        return TRUE;
    }
  for (guint32 i = 0; i < flat->len; i++)
    {
      const GArray *points = g_ptr_array_index (flat, i);

      for (guint k = 1; k < points->len; k++)
        if (runs_through (&box, g_array_index (points, VizPoint, k - 1),
                          g_array_index (points, VizPoint, k)))
          return TRUE;
    }
  return FALSE;
}

/* A text with the triangle before it, and with some air around both. */
static VizRect
title_rect (const RecordedText *text)
{
  return (VizRect){ text->rect.x - ARROW - AIR, text->rect.y - AIR,
                    text->rect.width + ARROW + 2 * AIR, text->rect.height + 2 * AIR };
}

static guint
count_struck (const VizPicture *picture, double scale, const GPtrArray *flat)
{
  g_autoptr (GArray) texts = recording_pen_texts ();
  VizPen *pen = recording_pen_new (texts, viz_picture_font (picture));
  guint   n = 0;

  viz_paint_with (picture, pen, &(VizPaintOptions){ .scale = scale });
  viz_pen_free (pen);
  for (guint i = 0; i < texts->len; i++)
    {
      const RecordedText *text = &g_array_index (texts, RecordedText, i);
      VizRect             rect = title_rect (text);

      if (g_strcmp0 (text->kind, "loop") == 0 || g_strcmp0 (text->kind, "group") == 0)
        n += is_struck (picture, &rect, flat);
    }
  return n;
}

guint
geometry_struck_titles (const VizPicture *picture, double scale)
{
  g_autoptr (GPtrArray) flat = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    g_ptr_array_add (flat, flatten (picture, i));
  return count_struck (picture, scale, flat);
}

Geometry
geometry_of (const VizPicture *picture)
{
  Geometry geometry = { 0 };
  guint32  n = viz_picture_n_wires (picture);
  g_autoptr (GPtrArray) flat = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GHashTable) crossings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  check_items (picture, &geometry);
  check_texts (picture, &geometry);
  check_labels (picture, &geometry);
  for (guint32 i = 0; i < n; i++)
    {
      g_ptr_array_add (flat, flatten (picture, i));
      check_wire (picture, i, g_ptr_array_index (flat, i), &geometry);
    }
  geometry.n_struck = count_struck (picture, 0, flat);
  for (guint32 i = 0; i < n; i++)
    for (guint32 k = i + 1; k < n; k++)
      {
        const VizWire *a = viz_picture_wire (picture, i), *b = viz_picture_wire (picture, k);

        if (a->tail != b->tail && a->head != b->head && a->tail != b->head && a->head != b->tail)
          find_crossings (g_ptr_array_index (flat, i), g_ptr_array_index (flat, k), a->tail,
                          b->tail, crossings);
      }
  geometry.n_crossings = g_hash_table_size (crossings);
  return geometry;
}
