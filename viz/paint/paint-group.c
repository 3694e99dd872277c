/* paint-group.c — draws open groups with their titles, and their ports.
 * Start reading at viz_painter_group().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/painter.h"

#include "viz/diagram/box-text.h"

#include <string.h>

/* How much larger a title is drawn than at its natural size; the room above the content of a group fits no more. */
#define MAX_GROWTH 1.6
/* Where the prefix of all names stands, in the margin of the picture. */
#define PREFIX_LEFT 16
#define PREFIX_TOP  2

static const VizColour *
group_colour (const VizPainter *painter, const VizItem *item)
{
  const VizTheme *theme = painter->theme;
  const VizBox   *box = viz_diagram_box (painter->diagram, item->box);
  gboolean        loop = viz_painter_is_loop (box) && (box->flags & VIZ_BOX_FADED) == 0;

  return &(loop ? theme->loop : theme->group)[item->depth % 2];
}

VizColour
viz_painter_background (const VizPainter *painter, guint32 number)
{
  const VizItem *item = viz_picture_item (painter->picture, number);

  if (item->parent == VIZ_NO_ITEM || item->parent == 0)
    return painter->theme->background;
  return *group_colour (painter, viz_picture_item (painter->picture, item->parent));
}

/* A title, and the size of its letters. */
typedef struct
{
  char  *text; /* (transfer full) NULL: none at this scale */
  double size;
} GroupTitle;

/* The sizes that a title may have. */
typedef struct
{
  double size, least; /* least > size: it is not drawn */
} TitleSizes;

/* Where it could not be read, a title is enlarged by no more than the room above the content allows, and may be up
 * to a quarter smaller than readable text. */
static TitleSizes
title_sizes (const VizPainter *painter, VizTextStyle style)
{
  double natural = viz_text_size (style);

  if (viz_painter_shows_text (painter, natural))
    return (TitleSizes){ natural, natural };
  return (TitleSizes){ MIN (VIZ_MIN_TEXT / painter->scale, natural * MAX_GROWTH),
                       MAX (VIZ_MIN_TEXT / painter->scale * VIZ_LEAST_SHARE, natural) };
}

/* A title that is too long is drawn smaller, then cut. */
static GroupTitle
fit_title (const VizPainter *painter, VizTextStyle style, const char *text, double room)
{
  TitleSizes sizes = title_sizes (painter, style);
  double     share = room / MAX (viz_painter_text_width (painter, style, sizes.size, text), 1);
  double     size = CLAMP (sizes.size * share, sizes.least, sizes.size);

  if (sizes.least > sizes.size)
    return (GroupTitle){ 0 };
  return (GroupTitle){ viz_painter_fit_text (painter, style, size, text, room), size };
}

/* The name is left out if the title does not fit beside the wires with it. */
static GroupTitle
group_title (const VizPainter *painter, const VizItem *item)
{
  TitleSizes       sizes = title_sizes (painter, VIZ_TEXT_GROUP);
  g_autofree char *text = viz_box_group_title (painter->diagram, item->box, TRUE);

  if (viz_painter_text_width (painter, VIZ_TEXT_GROUP, sizes.least, text) > item->title_room)
    {
      g_free (text);
      text = viz_box_group_title (painter->diagram, item->box, FALSE);
    }
  return fit_title (painter, VIZ_TEXT_GROUP, text, item->title_room);
}

/* Draws the words that nearly all names leave out, above everything: they are the title of the whole. */
static void
paint_prefix (const VizPainter *painter, const VizItem *root)
{
  g_autofree char *prefix = g_strdup (viz_diagram_common_prefix (painter->diagram));
  GroupTitle       title;

  for (gsize length = strlen (prefix); length > 0 && prefix[length - 1] == '_'; length--)
    prefix[length - 1] = '\0';
  if (*prefix == '\0')
    return;
  title = fit_title (painter, VIZ_TEXT_EDGE, prefix, root->width - 2 * PREFIX_LEFT);
  if (title.text)
    painter->pen->text (painter->pen,
                        &(VizTextAt){ .style = VIZ_TEXT_EDGE,
                                      .size = title.size,
                                      .x = root->x + PREFIX_LEFT,
                                      .y = root->y + PREFIX_TOP + 0.75 * title.size,
                                      .colour = painter->theme->text_faint },
                        title.text);
  g_free (title.text);
}

void
viz_painter_group (const VizPainter *painter, guint32 number)
{
  const VizItem  *item = viz_picture_item (painter->picture, number);
  const VizBox   *box = viz_diagram_box (painter->diagram, item->box);
  const VizTheme *theme = painter->theme;
  gboolean        loop = viz_painter_is_loop (box);
  gboolean        faded = (box->flags & VIZ_BOX_FADED) != 0;
  VizRect         rect = { item->x, item->y, item->width, item->height };
  VizStyle        style = { .fill = group_colour (painter, item),
                            .stroke = loop && !faded ? &theme->loop_border : &theme->group_border,
                            .width = loop && !faded ? 1.5 : 1 };
  GroupTitle      title;
  VizTextAt       at = { .style = VIZ_TEXT_GROUP,
                         .x = item->x + VIZ_TITLE_LEFT,
                         .y = item->y + 18,
                         .colour = faded ? theme->text_faint : theme->text };
  VizPoint        arrow[3] = { { item->x + 9, item->y + 11.5 },
                               { item->x + 18, item->y + 11.5 },
                               { item->x + 13.5, item->y + 17 } };
  VizStyle        ink = { .fill = &theme->text_faint };

  if (item->box == VIZ_ROOT)
    {
      paint_prefix (painter, item);
      return;
    }
  viz_painter_begin (painter, item, loop ? "loop" : "group");
  painter->pen->rect (painter->pen, &rect, 7, &style);
  title = group_title (painter, item);
  at.size = title.size;
  if (title.text)
    {
      painter->pen->polygon (painter->pen, arrow, 3, &ink);
      painter->pen->text (painter->pen, &at, title.text);
    }
  g_free (title.text);
  viz_painter_badge (painter, item, style.fill);
  viz_painter_end (painter);
}

void
viz_painter_plug (const VizPainter *painter, guint32 number)
{
  const VizPlug   *plug = viz_picture_plug (painter->picture, number);
  const VizPort   *port = viz_diagram_port (painter->diagram, plug->port);
  const VizTheme  *theme = painter->theme;
  VizRect          rect = { plug->x, plug->y, plug->width, plug->height };
  VizStyle         style = { .fill = &theme->port[port->kind],
                             .stroke = &theme->loop_border,
                             .width = 1,
                             .dash = port->kind == VIZ_PORT_CAPTURED ? VIZ_DASH_DASHED : VIZ_DASH_NONE };
  double           size = viz_text_size (VIZ_TEXT_EDGE);
  g_autofree char *label = viz_text_shorten (port->label ? port->label : "", 16);
  VizTextAt        at = { .style = VIZ_TEXT_EDGE,
                          .size = size,
                          .x = plug->x + plug->width / 2,
                          .y = plug->y + plug->height / 2 + size * 0.36,
                          .align = 0.5,
                          .colour = theme->text };

  painter->pen->rect (painter->pen, &rect, painter->level == VIZ_PAINT_FULL ? 8 : 0, &style);
  if (viz_painter_shows_text (painter, size))
    painter->pen->text (painter->pen, &at, label);
}
