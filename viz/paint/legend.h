/* legend.h — the legend below an exported picture: the meaning of an overlay's colours.
 *
 * It shows the colour ramp, its bounds with units, the fill of boxes without a value, and the note.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/overlay.h"
#include "viz/paint/pen.h"

/* The size of the legend in points, with texts in a font family. */
void viz_legend_size (const VizOverlay *overlay, const char *font, double *width, double *height);
/* Draws the legend with its upper left corner at x, y. */
void
viz_legend_draw (const VizOverlay *overlay, const VizTheme *theme, VizPen *pen, double x, double y);
