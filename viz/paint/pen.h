/* pen.h — the drawing operations, with one implementation per target.
 *
 * pen-cairo.c draws on any Cairo surface (window, tile, PNG, PDF); pen-svg.c writes SVG whose texts a
 * browser can search and whose boxes it can link to.  All drawing code works with both.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/geometry.h"
#include "viz/diagram/measure.h"
#include "viz/diagram/palette.h"

#include <cairo.h>

typedef enum
{
  VIZ_DASH_NONE,
  VIZ_DASH_DASHED,
  VIZ_DASH_DOTTED,
} VizDash;

typedef struct
{
  const VizColour *fill;   /* NULL: not filled */
  const VizColour *stroke; /* NULL: no outline */
  double           width;  /* of the outline */
  VizDash          dash;
} VizStyle;

/* How and where a text is drawn. */
typedef struct
{
  VizTextStyle style;
  double       size;  /* of the font */
  double       x, y;  /* a point on the base line */
  double       align; /* 0: the text starts at x, 0.5: it is centred there, 1: it ends there */
  VizColour    colour;
} VizTextAt;

typedef struct _VizPen VizPen;

struct _VizPen
{
  /* Groups everything drawn until end: one box, group or wire with an id and a tooltip.  NULL if
   * the target has no groups. */
  void (*begin) (VizPen *pen, const char *kind, const char *id, const char *title);
  void (*end) (VizPen *pen);

  void (*rect) (VizPen *pen, const VizRect *rect, double radius, const VizStyle *style);
  /* Fills many rectangles with one colour. */
  void (*rects) (VizPen *pen, const VizRect *rects, guint n_rects, const VizColour *fill);
  /* Draws 3k + 1 points as Bézier curves end to end. */
  void (*curve) (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style);
  void (*polygon) (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style);
  void (*text) (VizPen *pen, const VizTextAt *at, const char *text);
  void (*free) (VizPen *pen);
};

/* A pen that draws on a Cairo context, which must outlive it.  font: (nullable) family. */
VizPen *viz_pen_new_cairo (cairo_t *cr, const char *font);
/* A pen that appends SVG elements to out.  outlined: letters become shapes, for viewers that lack the
 * font. */
VizPen *viz_pen_new_svg (GString *out, const char *font, gboolean outlined);
/* Appends <style> with the fonts of the text classes, which each <svg> needs once; the caller closes
 * the element. */
void viz_pen_svg_begin_style (GString *out, const char *font);

/* Draws a text in the usual size of its style; at.size is ignored. */
static inline void
viz_pen_write (VizPen *pen, VizTextAt at, const char *text)
{
  at.size = viz_text_size (at.style);
  pen->text (pen, &at, text);
}

/* Frees a pen. */
static inline void
viz_pen_free (VizPen *pen)
{
  pen->free (pen);
}
