/* pen.h — what the one draw function draws with.
 *
 * pen-cairo.c draws on any Cairo surface (window, tile, PNG, PDF); pen-svg.c
 * writes text that a browser can search and link.  Nothing else differs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/geometry.h"
#include "viz/diagram/measure.h"
#include "viz/diagram/palette.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef enum
{
  VIZ_DASH_NONE,
  VIZ_DASH_DASHED,
  VIZ_DASH_DOTTED,
} VizDash;

typedef struct
{
  const VizColour *fill;   /* NULL: none */
  const VizColour *stroke; /* NULL: none */
  double           width;
  VizDash          dash;
} VizStyle;

typedef struct
{
  VizTextStyle style;
  double       size;  /* of the font; usually viz_text_size (style) */
  double       x, y;  /* start of the base line */
  double       align; /* 0: starts at x, 0.5: centred, 1: ends there */
  VizColour    colour;
} VizTextAt;

typedef struct _VizPen VizPen;

struct _VizPen
{
  /* Everything until end belongs to one thing.  NULL where a pen cannot say so. */
  void (*begin) (VizPen *pen, const char *kind, const char *id, const char *title);
  void (*end) (VizPen *pen);

  void (*rect) (VizPen *pen, const VizRect *rect, double radius, const VizStyle *style);
  /* Many at once, fill only: one colour, no rounding. */
  void (*rects) (VizPen *pen, const VizRect *rects, guint n_rects, const VizColour *fill);
  void (*curve) (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style);
  void (*polygon) (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style);
  void (*text) (VizPen *pen, const VizTextAt *at, const char *text);
  void (*free) (VizPen *pen);
};

VizPen *viz_pen_new_cairo (cairo_t *cr, const char *font);
VizPen *viz_pen_new_svg (GString *out, const char *font, gboolean outlined);
/* The fonts that its texts name, once in each <svg>; the caller closes the element. */
void viz_pen_svg_begin_style (GString *out, const char *font);

static inline void
viz_pen_free (VizPen *pen)
{
  pen->free (pen);
}

G_END_DECLS
