/* painter.h — the state of one drawing, and the functions that draw single things.
 *
 * paint.c makes a VizPainter and calls the others: paint-box.c (boxes, tags), paint-group.c (open groups, plugs),
 * paint-wire.c (wires and their texts), paint-overview.c (everything, from far away).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/box-text.h"
#include "viz/fold/overlay.h"
#include "viz/paint/detail.h"
#include "viz/paint/pen.h"
#include "viz/scene/picture.h"

typedef struct
{
  const VizPicture *picture;
  VizDiagram       *diagram;
  VizPen           *pen;
  const VizTheme   *theme;
  const VizOverlay *overlay;
  const VizRect    *area;  /* NULL: everything */
  double            scale; /* 0: text at any size */
  VizPaintLevel     level;
  gboolean          no_labels;
} VizPainter;

/* Draws the background and the title of an open group. */
void viz_painter_group (const VizPainter *painter, guint32 item);
/* Draws any other item: border, stripe, lines of text, number of stubs. */
void viz_painter_box (const VizPainter *painter, guint32 item);
/* Draws the overlay's text for an item on a tag at the right end of its header line. */
void viz_painter_value_tag (const VizPainter *painter, guint32 item);
/* Draws the badge of an item, if the overlay gives it one.  fill: the colour below it. */
void viz_painter_badge (const VizPainter *painter, const VizItem *item, const VizColour *fill);
/* TRUE if an item shows a badge.  text: (out) its meaning; NULL without one. */
gboolean viz_painter_find_badge (const VizPainter *painter, const VizItem *item, const char **text);
/* Draws a badge whose lower right corner is at x, y. */
void viz_badge_draw (VizPen *pen, double x, double y, double side, const VizColour *colour);
/* Draws a port of an open group. */
void viz_painter_plug (const VizPainter *painter, guint32 plug);
/* Draws a wire with its arrow head. */
void viz_painter_wire (const VizPainter *painter, guint32 wire);
/* Draws the text of a wire, if it has one. */
void viz_painter_wire_label (const VizPainter *painter, guint32 wire);
/* Draws the given items and wires (guint32) without details. */
void viz_painter_overview (const VizPainter *painter, const GArray *items, const GArray *wires);

/* Draws the curve of a wire in any style, clipped to the area with a margin. */
void viz_painter_curve (const VizPainter *painter, guint32 wire, const VizStyle *style);
/* The same for any 3k + 1 points. */
void viz_painter_points (const VizPainter *painter,
                         const VizPoint   *points,
                         guint32           n_points,
                         const VizStyle   *style);

/* The level of an item on the colour ramp, as viz_overlay_level_of(); NAN without overlay or value. */
double viz_painter_heat (const VizPainter *painter, const VizItem *item);

/* Starts an item of that kind in the drawing. */
void viz_painter_begin (const VizPainter *painter, const VizItem *item, const char *kind);
/* Ends the item that was started last. */
void viz_painter_end (const VizPainter *painter);

/* The smallest size of an enlarged text, as a share of the least readable one, if it only fits then. */
#define VIZ_LEAST_SHARE 0.75

/* The width of a text in a font size other than that of its style. */
double viz_painter_text_width (const VizPainter *painter,
                               VizTextStyle      style,
                               double            size,
                               const char       *text);
/* The text, shortened to the width room; NULL if not even 3 characters fit.  (transfer full) */
char *viz_painter_fit_text (const VizPainter *painter,
                            VizTextStyle      style,
                            double            size,
                            const char       *text,
                            double            room);

/* The colour behind an item: that of the open group around it. */
VizColour viz_painter_background (const VizPainter *painter, guint32 item);

/* Whether a group is a loop or a branch. */
static inline gboolean
viz_painter_is_loop (const VizBox *box)
{
  return box->kind == VIZ_BOX_FRAME;
}

/* Whether texts of a font size (in points) are readable at the scale of this drawing. */
static inline gboolean
viz_painter_shows_text (const VizPainter *painter, double size)
{
  return painter->scale <= 0 || size * painter->scale >= VIZ_MIN_TEXT;
}
