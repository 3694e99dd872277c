/* legend.h — what the colours of an overlay mean: ramp, real bounds with unit, note on noise.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/overlay.h"
#include "viz/paint/pen.h"

G_BEGIN_DECLS

void viz_legend_size (const VizOverlay *overlay, const char *font, double *width, double *height);
void viz_legend_draw (const VizOverlay *overlay,
                      const VizTheme   *theme,
                      VizPen           *pen,
                      const char       *font,
                      double            x,
                      double            y);

G_END_DECLS
