/* detail.h — how much detail is drawn at a scale.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  VIZ_PAINT_FULL,     /* texts and curves */
  VIZ_PAINT_BOXES,    /* rectangles and straight lines; titles where they are large enough */
  VIZ_PAINT_OVERVIEW, /* rectangles by colour, one line in four */
} VizPaintLevel;

/* The level for a scale in pixels per point; 0: full detail at any size. */
static inline VizPaintLevel
viz_paint_level (double scale)
{
  if (scale <= 0 || scale >= 0.45)
    return VIZ_PAINT_FULL;
  return scale >= 0.12 ? VIZ_PAINT_BOXES : VIZ_PAINT_OVERVIEW;
}

G_END_DECLS
