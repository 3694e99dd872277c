/* paint.h — the one draw function: window, tile, overview, PNG, SVG and PDF.
 *
 * It needs no display.  The context's matrix maps points of the picture to
 * pixels; what is drawn in which detail follows from options->scale.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/palette.h"
#include "viz/fold/overlay.h"
#include "viz/paint/detail.h"
#include "viz/paint/pen.h"
#include "viz/scene/picture.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef struct
{
  const VizTheme   *theme;       /* NULL: light */
  const VizOverlay *overlay;     /* NULL: none */
  const VizRect    *area;        /* what must be drawn, in points of the picture; NULL: all */
  double            scale;       /* pixels a point; 0: full detail whatever the size */
  gboolean          transparent; /* leaves the background out */
  gboolean          no_labels;   /* no texts on arrows */
} VizPaintOptions;

void viz_paint (const VizPicture *picture, cairo_t *cr, const VizPaintOptions *options);
void viz_paint_with (const VizPicture *picture, VizPen *pen, const VizPaintOptions *options);

/* The live layer on top of tiles: selection, hover, search hits, traced wires.  width is in
 * pixels; options->scale must be set. */
void viz_paint_item_mark (const VizPicture      *picture,
                          cairo_t               *cr,
                          const VizPaintOptions *options,
                          guint32                item,
                          const VizColour       *colour,
                          double                 width);
void viz_paint_wire_mark (const VizPicture      *picture,
                          cairo_t               *cr,
                          const VizPaintOptions *options,
                          guint32                wire,
                          const VizColour       *colour,
                          double                 width);

G_END_DECLS
