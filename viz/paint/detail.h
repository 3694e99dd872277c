/* detail.h — the level of detail at a scale.
 *
 * paint.c draws by level; the window also uses it, to find the parts that react to the pointer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  VIZ_PAINT_FULL,  /* everything */
  VIZ_PAINT_BOXES, /* boxes without rounding, wires without heads, texts where they are readable */
  VIZ_PAINT_OVERVIEW, /* rectangles by colour, thin wires */
} VizPaintLevel;

/* The level for a scale in pixels per point; 0: full detail at any size. */
static inline VizPaintLevel
viz_paint_level (double scale)
{
  if (scale <= 0 || scale >= 0.45)
    return VIZ_PAINT_FULL;
  return scale >= 0.12 ? VIZ_PAINT_BOXES : VIZ_PAINT_OVERVIEW;
}
