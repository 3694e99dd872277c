/* paint.h — draws a picture: for window, tile, overview, PNG, SVG and PDF.
 *
 * Needs no display.  The amount of detail depends on options->scale (detail.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/palette.h"
#include "viz/fold/overlay.h"
#include "viz/paint/detail.h"
#include "viz/paint/pen.h"
#include "viz/scene/picture.h"

#include <cairo.h>

typedef struct
{
  const VizTheme   *theme;       /* NULL: light */
  const VizOverlay *overlay;     /* NULL: none */
  const VizRect    *area;        /* the part to draw, in points of the picture; NULL: all */
  double            scale;       /* pixels per point; 0: full detail at any size */
  gboolean          transparent; /* without background */
  gboolean          no_labels;   /* without texts on wires */
} VizPaintOptions;

/* Draws a picture on a Cairo context, whose matrix maps points of the picture to pixels. */
void viz_paint (const VizPicture *picture, cairo_t *cr, const VizPaintOptions *options);
/* Draws a picture with a pen. */
void viz_paint_with (const VizPicture *picture, VizPen *pen, const VizPaintOptions *options);

/* A highlight. */
typedef struct
{
  const VizColour *colour;
  double           width; /* of the line, in pixels */
  VizDash          dash;
} VizMark;

/* Draws a frame around an item, on top of tiles: selection, hover, search hits.  options->scale must be
 * set. */
void viz_paint_item_mark (const VizPicture      *picture,
                          cairo_t               *cr,
                          const VizPaintOptions *options,
                          guint32                item,
                          const VizMark         *mark);
/* Draws a wire in the mark's colour, on top of tiles; a stub is drawn from its tail to its head.
 * options->scale must be set. */
void viz_paint_wire_mark (const VizPicture      *picture,
                          cairo_t               *cr,
                          const VizPaintOptions *options,
                          guint32                wire,
                          const VizMark         *mark);
