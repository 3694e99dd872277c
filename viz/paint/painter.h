/* painter.h — what the files of the draw function share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/overlay.h"
#include "viz/paint/detail.h"
#include "viz/paint/pen.h"
#include "viz/scene/picture.h"

G_BEGIN_DECLS

/* On a screen smaller text is left out. */
#define VIZ_SMALLEST_TEXT 9.0

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

void viz_painter_group (const VizPainter *painter, guint32 item);
void viz_painter_box (const VizPainter *painter, guint32 item);
void viz_painter_value_tag (const VizPainter *painter, guint32 item);
void viz_painter_plug (const VizPainter *painter, guint32 plug);
void viz_painter_wire (const VizPainter *painter, guint32 wire);
void viz_painter_wire_label (const VizPainter *painter, guint32 wire);
void viz_painter_overview (const VizPainter *painter, const GArray *items, const GArray *wires);

/* The curve of a wire in any colour, far parts cut off. */
void viz_painter_curve (const VizPainter *painter, guint32 wire, const VizStyle *style);
void viz_painter_points (const VizPainter *painter,
                         const VizPoint   *points,
                         guint32           n_points,
                         const VizStyle   *style);

/* The level of what the overlay says of an item, as viz_overlay_level_of(); NAN: no overlay, or no
 * value. */
double viz_painter_heat (const VizPainter *painter, const VizItem *item);

VizColour viz_painter_fill (const VizPainter *painter, const VizItem *item);

/* The colour behind an item: of the open group around it. */
VizColour viz_painter_background (const VizPainter *painter, guint32 item);

static inline gboolean
viz_painter_shows_text (const VizPainter *painter, double size)
{
  return painter->scale <= 0 || size * painter->scale >= VIZ_SMALLEST_TEXT;
}

G_END_DECLS
