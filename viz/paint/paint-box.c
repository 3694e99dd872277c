/* paint-box.c — draws boxes and the tags of an overlay.
 *
 * Texts come from viz_box_lines(), which layout used for the sizes, so that they fit.
 * Start reading at viz_painter_box().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/painter.h"

#include "viz/diagram/box-text.h"

#include <math.h>
#include <string.h>

#define RADIUS          5
#define MAX_PILL_RADIUS 20
#define ROUNDING        0.01  /* points */
#define LARGE_LINE      1.15  /* of the size of letters, from one enlarged line to the next */
#define TAG_PAD         10    /* beside the text of a tag, in all */
#define SHARE           " · " /* between a value and its share, in a tag */

static gboolean
is_pill (const VizBox *box)
{
  return box->kind == VIZ_BOX_INPUT || box->kind == VIZ_BOX_OUTPUT;
}

static double
value_of (const VizPainter *painter, const VizItem *item)
{
  if (!painter->overlay)
    return NAN;
  if (item->state == VIZ_ITEM_STEPS)
    return viz_overlay_value_of_steps (painter->overlay, item->box, item->first_step,
                                       item->last_step, item->layer);
  return viz_overlay_value (painter->overlay, item->box);
}

double
viz_painter_heat (const VizPainter *painter, const VizItem *item)
{
  return painter->overlay ? viz_overlay_level_of (painter->overlay, value_of (painter, item)) : NAN;
}

static VizColour
fill_of_box (const VizPainter *painter, const VizItem *item)
{
  const VizTheme *theme = painter->theme;
  const VizBox   *box = viz_diagram_box (painter->diagram, item->box);
  double          level = viz_painter_heat (painter, item);

  if (!isnan (level))
    return viz_overlay_scale (painter->overlay) == VIZ_SCALE_DIFFERENCE
               ? viz_theme_difference (theme, level)
               : viz_theme_heat (theme, level);
  if (is_pill (box))
    return theme->input;
  if (theme->fills_by_category && box->n_children == 0)
    return theme->category[box->category];
  return item->state == VIZ_ITEM_LEAF ? theme->box : theme->box_closed;
}

static const VizColour *
border_of (const VizPainter *painter, const VizBox *box)
{
  if (box->flags & (VIZ_BOX_PROBLEM | VIZ_BOX_UNKNOWN))
    return &painter->theme->problem;
  return viz_painter_is_loop (box) ? &painter->theme->loop_border : &painter->theme->box_border;
}

void
viz_painter_begin (const VizPainter *painter, const VizItem *item, const char *kind)
{
  const VizBox    *box = viz_diagram_box (painter->diagram, item->box);
  g_autofree char *title = NULL;
  g_autofree char *id = NULL;
  const char      *badge;

  if (!painter->pen->begin)
    return;
  viz_painter_find_badge (painter, item, &badge);
  title = g_strjoin ("\n", box->title ? box->title : "", box->subtitle ? box->subtitle : "",
                     box->shape ? box->shape : "", badge, NULL);
  id = item->state == VIZ_ITEM_STEPS ? g_strdup_printf ("%s[%d-%d,%d]", box->id, item->first_step,
                                                        item->last_step, item->layer)
                                     : g_strdup (box->id);
  painter->pen->begin (painter->pen, kind, id, g_strstrip (title));
}

void
viz_painter_end (const VizPainter *painter)
{
  if (painter->pen->end)
    painter->pen->end (painter->pen);
}

/* Draws a second sheet behind a closed group, which shows that it contains more. */
static void
paint_stack (const VizPainter *painter, const VizItem *item, const VizStyle *style)
{
  VizRect below = { item->x + 3, item->y + 3, item->width, item->height };

  painter->pen->rect (painter->pen, &below, RADIUS, style);
}

double
viz_painter_text_width (const VizPainter *painter,
                        VizTextStyle      style,
                        double            size,
                        const char       *text)
{
  VizMeasure *measure = viz_measure_get (viz_picture_font (painter->picture));

  return viz_measure_width (measure, style, text) * size / viz_text_size (style);
}

char *
viz_painter_fit_text (const VizPainter *painter,
                      VizTextStyle      style,
                      double            size,
                      const char       *text,
                      double            room)
{
  g_autofree char *cut = g_strdup (text);
  double           width = viz_painter_text_width (painter, style, size, cut);
  guint            n = (guint) g_utf8_strlen (text, -1);

  room += ROUNDING; /* a size may have been computed so that the text fills the room */
  while (width > room && n > 3)
    {
      /* At least one character less each time. */
      n = MIN (n - 1, (guint) (n * room / width));
      g_free (cut);
      cut = viz_text_cut (text, MAX (n, 3));
      width = viz_painter_text_width (painter, style, size, cut);
    }
  return width <= room ? g_steal_pointer (&cut) : NULL;
}

/* The width that an enlarged title may have. */
static double
large_room (const VizPainter *painter, const VizItem *item)
{
  gboolean has_stripe = !is_pill (viz_diagram_box (painter->diagram, item->box));

  return item->width - (has_stripe ? VIZ_BOX_STRIPE + 6 : 8);
}

/* The number of lines that the title of an item has. */
static guint
count_title_lines (const GArray *lines)
{
  guint n = 0;

  while (n < lines->len && g_array_index (lines, VizTextLine, n).style == VIZ_TEXT_TITLE)
    n++;
  return MAX (n, 1);
}

/* The size of an enlarged title of n lines: the least readable one, or up to a quarter less where it then fits. */
static double
large_size (const VizPainter *painter, const VizItem *item, const GArray *lines, guint n)
{
  double size = VIZ_MIN_TEXT / painter->scale, room = large_room (painter, item);
  double share = item->height / (LARGE_LINE * n * size);

  for (guint i = 0; i < n; i++)
    {
      const VizTextLine *line = &g_array_index (lines, VizTextLine, i);
      double             width = viz_painter_text_width (painter, line->style, size, line->text);

      share = MIN (share, room / MAX (width, 1));
    }
  return size * CLAMP (share, VIZ_LEAST_SHARE, 1);
}

/* The text of an enlarged line, which replaces the lines that have no room below it.  (transfer full) */
static char *
large_text (const GArray *lines, guint i, gboolean is_all)
{
  const char *text = g_array_index (lines, VizTextLine, i).text;

  return is_all ? g_strdup (text) : viz_text_end_early (text);
}

/* Draws only the title, enlarged to the least readable size. */
static void
paint_large_title (const VizPainter *painter,
                   const VizItem    *item,
                   const GArray     *lines,
                   const VizColour  *colour)
{
  VizTextStyle style = g_array_index (lines, VizTextLine, 0).style;
  guint        n_lines = count_title_lines (lines), n = n_lines;
  double       size = large_size (painter, item, lines, n), room = large_room (painter, item);
  double       stripe = room < item->width - 8 ? VIZ_BOX_STRIPE / 2. : 0;

  if (n > 1 && item->height < n * size)
    {
      n = 1;
      size = large_size (painter, item, lines, n);
    }
  for (guint i = 0; i < n && item->height >= n * size; i++)
    {
      g_autofree char *whole = large_text (lines, i, n == n_lines);
      g_autofree char *text = viz_painter_fit_text (painter, style, size, whole, room);
      double           below = (i - (n - 1) / 2.) * LARGE_LINE * size;

      if (text)
        painter->pen->text (painter->pen,
                            &(VizTextAt){ .style = style,
                                          .size = size,
                                          .x = item->x + item->width / 2 + stripe,
                                          .y = item->y + item->height / 2 + below + size * 0.36,
                                          .align = 0.5,
                                          .colour = *colour },
                            text);
    }
}

/* The lines of an item, in some detail.  (transfer full) */
static GArray *
lines_in (const VizPainter *painter, const VizItem *item, VizDetail detail)
{
  return viz_box_lines (painter->diagram, item->box,
                        item->state == VIZ_ITEM_STEPS ? item->first_step : -1, item->last_step,
                        detail);
}

/* The texts of an item. */
typedef struct
{
  GArray *lines;  /* of VizTextLine */
  double  factor; /* their size relative to their styles */
  double  pad;    /* above the first one */
} ItemText;

/* The factor by which the first n lines must shrink to fit an item. */
static double
factor_for (const VizPainter *painter,
            const VizItem    *item,
            const GArray     *lines,
            guint             n,
            double            pad)
{
  double height = 0, width = 1;

  for (guint i = 0; i < n; i++)
    {
      const VizTextLine *line = &g_array_index (lines, VizTextLine, i);

      height += viz_text_line (line->style);
      width = MAX (width, viz_painter_text_width (painter, line->style, viz_text_size (line->style),
                                                  line->text));
    }
  return MIN ((item->height - pad) / height,
              (item->width - VIZ_BOX_STRIPE - VIZ_BOX_PAD_X - pad) / width);
}

/* Half the height of the lines that are too small to read at this scale: the others stand in the middle. */
static double
hidden_height (const VizPainter *painter, const ItemText *text)
{
  double hidden = 0;

  for (guint i = text->lines->len; i-- > 1;)
    {
      VizTextStyle style = g_array_index (text->lines, VizTextLine, i).style;

      if (viz_painter_shows_text (painter, viz_text_size (style) * text->factor))
        break;
      hidden += viz_text_line (style) * text->factor;
    }
  return hidden / 2;
}

/* A box that was made for fewer lines shows as many of the others as can be read at this scale, smaller.
 * (transfer full) */
static ItemText
text_of (const VizPainter *painter, guint32 number)
{
  const VizItem *item = viz_picture_item (painter->picture, number);
  VizDetail      detail = viz_picture_item_detail (painter->picture, number);
  gboolean       is_strip = item->host != VIZ_NO_ITEM;
  ItemText       text = { lines_in (painter, item, detail), 1,
                    is_strip ? VIZ_STRIP_PAD_Y : VIZ_BOX_PAD_Y };
  g_autoptr (GArray) all = NULL;

  text.pad += hidden_height (painter, &text);
  if (detail == VIZ_DETAIL_FULL || is_strip || painter->scale <= 1 || item->state != VIZ_ITEM_LEAF)
    return text;
  all = lines_in (painter, item, VIZ_DETAIL_FULL);
  for (guint n = all->len; n > text.lines->len; n--)
    {
      double             pad = MAX (2, VIZ_BOX_PAD_Y / painter->scale);
      double             factor = MIN (factor_for (painter, item, all, n, 2 * pad), 1);
      const VizTextLine *last = &g_array_index (all, VizTextLine, n - 1);

      if (!viz_painter_shows_text (painter, viz_text_size (last->style) * factor))
        continue;
      g_array_set_size (all, n);
      g_array_unref (text.lines);
      return (ItemText){ g_steal_pointer (&all), factor, pad };
    }
  return text;
}

/* The overlay's text for an item, at the right end of one of its lines. */
typedef struct
{
  char   *text;
  VizRect rect;
  guint   line;
  double  factor; /* its size */
} Tag;

/* The tag stands in the header line; if the title leaves no room for it, in the line below.  FALSE if there is
 * none at this scale.  tag->text: (transfer full) */
static gboolean
find_tag (const VizPainter *painter, guint32 number, Tag *tag)
{
  const VizItem *item = viz_picture_item (painter->picture, number);
  double value = value_of (painter, item), size = viz_text_size (VIZ_TEXT_EDGE), width, title, y;
  g_autoptr (GArray) lines = NULL;
  const VizTextLine *first;
  ItemText           text;

  if (!painter->overlay || painter->level != VIZ_PAINT_FULL ||
      !viz_painter_shows_text (painter, size))
    return FALSE;
  if (item->state != VIZ_ITEM_STEPS)
    tag->text = g_strdup (viz_overlay_text (painter->overlay, item->box));
  else
    tag->text = isnan (value) ? NULL : viz_overlay_format (painter->overlay, value);
  if (!tag->text)
    return FALSE;
  text = text_of (painter, number);
  lines = text.lines;
  size *= text.factor;
  tag->factor = text.factor;
  first = lines->len > 0 ? &g_array_index (lines, VizTextLine, 0) : NULL;
  title = first ? viz_painter_text_width (painter, first->style,
                                          viz_text_size (first->style) * text.factor, first->text)
                : 0;
  title += VIZ_BOX_STRIPE + VIZ_BOX_PAD_X + 6;
  width = TAG_PAD * text.factor + viz_painter_text_width (painter, VIZ_TEXT_EDGE, size, tag->text);
  /* The share is left out where only the value fits beside the title. */
  if (title + width > item->width && strstr (tag->text, SHARE))
    {
      *strstr (tag->text, SHARE) = '\0';
      width =
          TAG_PAD * text.factor + viz_painter_text_width (painter, VIZ_TEXT_EDGE, size, tag->text);
    }
  tag->line = lines->len > 1 && title + width > item->width;
  width = MIN (width, item->width - 4);
  y = item->y + text.pad + (tag->line > 0 ? viz_text_line (first->style) * text.factor : 0);
  tag->rect = (VizRect){ item->x + item->width - width - 2, MAX (y - 0.5, item->y + 1.5), width,
                         14 * text.factor };
  return TRUE;
}

static void
paint_lines (const VizPainter *painter,
             guint32           number,
             const ItemText   *text,
             const VizColour  *fill,
             gboolean          has_stripe)
{
  const GArray  *lines = text->lines;
  const VizItem *item = viz_picture_item (painter->picture, number);
  Tag            tag = { 0 };
  gboolean       has_tag = find_tag (painter, number, &tag);
  VizColour      strong = viz_theme_text_on (painter->theme, fill);
  VizColour      faint = viz_colour_mix (&strong, fill, 0.33);
  double         y = item->y + text->pad;

  if (viz_diagram_box (painter->diagram, item->box)->flags & VIZ_BOX_FADED)
    strong = faint;

  for (guint i = 0; i < lines->len; i++)
    {
      const VizTextLine *line = &g_array_index (lines, VizTextLine, i);
      double             size = viz_text_size (line->style) * text->factor;
      VizTextAt          at = {
                 .style = line->style,
                 .size = size,
                 .x = has_stripe ? item->x + VIZ_BOX_PAD_X + VIZ_BOX_STRIPE : item->x + item->width / 2,
                 .align = has_stripe ? 0 : 0.5,
                 .y = y + viz_text_line (line->style) * text->factor * 0.5 + size * 0.36,
                 .colour = line->is_faint ? faint : strong,
      };

      if (!viz_painter_shows_text (painter, size))
        {
          if (i == 0)
            paint_large_title (painter, item, lines, &strong);
          break;
        }
      if (has_tag && i == tag.line && has_stripe)
        {
          g_autofree char *cut =
              viz_painter_fit_text (painter, line->style, size, line->text, tag.rect.x - at.x - 3);

          if (cut)
            painter->pen->text (painter->pen, &at, cut);
        }
      else
        painter->pen->text (painter->pen, &at, line->text);
      y += viz_text_line (line->style) * text->factor;
    }
  g_free (tag.text);
}

/* Draws the number of stubs that leave an item. */
static void
paint_stubs (const VizPainter *painter, const VizItem *item)
{
  char      text[24];
  double    size = viz_text_size (VIZ_TEXT_EDGE);
  VizStyle  dot = { .fill = &painter->theme->wire };
  VizRect   rect = { item->x + 8, item->y + item->height - 1, 5, 5 };
  VizTextAt at = { .style = VIZ_TEXT_EDGE,
                   .size = size,
                   .x = rect.x + 9,
                   .y = rect.y + 10,
                   .colour = painter->theme->text_faint };

  if (item->n_stubs == 0)
    return;
  painter->pen->rect (painter->pen, &rect, 2.5, &dot);
  g_snprintf (text, sizeof text, "→ %u", item->n_stubs);
  if (viz_painter_shows_text (painter, size))
    painter->pen->text (painter->pen, &at, text);
}

void
viz_painter_box (const VizPainter *painter, guint32 number)
{
  const VizItem *item = viz_picture_item (painter->picture, number);
  const VizBox  *box = viz_diagram_box (painter->diagram, item->box);
  VizColour      fill = fill_of_box (painter, item);
  VizRect        rect = { item->x, item->y, item->width, item->height };
  gboolean       is_full = painter->level == VIZ_PAINT_FULL;
  gboolean       has_stripe = !is_pill (box);
  VizStyle       style = { .fill = &fill,
                           .stroke = border_of (painter, box),
                           .width = box->flags & VIZ_BOX_PROBLEM ? 2 : 1,
                           .dash = box->flags & VIZ_BOX_UNKNOWN ? VIZ_DASH_DASHED : VIZ_DASH_NONE };
  ItemText       text;

  if (box->flags & VIZ_BOX_FADED || (painter->overlay && isnan (viz_painter_heat (painter, item))))
    fill = viz_colour_mix (&fill, &painter->theme->background, 0.6);
  viz_painter_begin (painter, item, item->state == VIZ_ITEM_LEAF ? "box" : "closed");
  if (is_full && item->state != VIZ_ITEM_LEAF)
    paint_stack (painter, item, &style);
  painter->pen->rect (painter->pen, &rect,
                      !is_full        ? 0
                      : is_pill (box) ? MIN (item->height / 2, MAX_PILL_RADIUS)
                                      : RADIUS,
                      &style);
  if (has_stripe)
    {
      VizRect   stripe = { rect.x + 1, rect.y + 3, VIZ_BOX_STRIPE - 1, rect.height - 6 };
      VizColour colour = painter->theme->category[box->category];
      VizStyle  solid = { .fill = &colour };

      if (box->flags & VIZ_BOX_FADED)
        colour = viz_colour_mix (&colour, &fill, 0.7);
      painter->pen->rect (painter->pen, &stripe, is_full ? 1 : 0, &solid);
    }
  text = text_of (painter, number);
  if (text.lines->len > 0)
    paint_lines (painter, number, &text, &fill, has_stripe);
  g_array_unref (text.lines);
  viz_painter_badge (painter, item, &fill);
  if (is_full)
    paint_stubs (painter, item);
  viz_painter_end (painter);
}

void
viz_painter_value_tag (const VizPainter *painter, guint32 number)
{
  const VizItem *item = viz_picture_item (painter->picture, number);
  VizColour      fill = fill_of_box (painter, item);
  VizStyle       style = { .fill = &fill, .stroke = &painter->theme->box_border, .width = 1 };
  VizTextAt      at = { .style = VIZ_TEXT_EDGE,
                        .size = viz_text_size (VIZ_TEXT_EDGE),
                        .align = 0.5,
                        .colour = viz_theme_text_on (painter->theme, &fill) };
  Tag            tag;

  if (!find_tag (painter, number, &tag))
    return;
  painter->pen->rect (painter->pen, &tag.rect, 7 * tag.factor, &style);
  at.x = tag.rect.x + tag.rect.width / 2;
  at.y = tag.rect.y + 10.4 * tag.factor;
  at.size *= tag.factor;
  painter->pen->text (painter->pen, &at, tag.text);
  g_free (tag.text);
}
